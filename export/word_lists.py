"""Other lexicons or labels for a bundle that exists, without its weights being made again."""

import gzip
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from app.engine.models.bundle import Bundle, sha256
from app.engine.models.lexicon import KNOWN
from app.engine.models.manifest import write_manifest
from export.bundle_writer import BuildError, replacing
from export.lexicon import Lexicons, lexicon_file, marked_by_bundle, write_lexicon
from export.progress import Report
from model.data.pairs import read_pairs

Direction = tuple[str, str]


def replace_lexicons(bundle: Bundle, lexicons: Lexicons, *, mark_known: bool, report: Report) -> Bundle:
    """Replace the lexicons of a bundle. The folder changes only when all of them are made.

    Args:
        bundle: Its models need an alignment head.
        lexicons: By direction; a direction without words loses its lexicon.
        mark_known: Mark the words that the bundle's models translate as the lexicons do, see ``export.lexicon``.
        report: Called with one line for each stage.

    Raises:
        BuildError: A lexicon is for a direction that the bundle hasn't, or there is no alignment head.
    """
    _check(bundle, lexicons, "a lexicon is")
    if not bundle.manifest.shape.alignment_head:
        raise BuildError("a lexicon needs an alignment head: train with model.alignment_layer")
    if mark_known:
        lexicons = marked_by_bundle(lexicons, bundle.path, report)
    with replacing(bundle.path) as partial:
        names = {pair: lexicon_file(*pair) for pair, words in lexicons.items() if words}
        changed = _copy(bundle, partial, "lexicon", names)
        for pair, name in names.items():
            write_lexicon(lexicons[pair], partial / name)
        return _sealed(changed, partial, names)


def replace_labels(bundle: Bundle, labels: Mapping[Direction, Mapping[str, str]]) -> Bundle:
    """Replace the labels of a bundle, see ``app.engine.models.labels``. The folder changes only when all are written.

    Args:
        bundle: The bundle.
        labels: Translations by label, by direction; a direction without labels loses those that it had.

    Raises:
        BuildError: Labels are for a direction that the bundle hasn't.
    """
    _check(bundle, labels, "labels are")
    with replacing(bundle.path) as partial:
        names = {pair: f"labels.{'-'.join(pair)}.tsv.gz" for pair, listed in labels.items() if listed}
        changed = _copy(bundle, partial, "labels", names)
        for pair, name in names.items():
            lines = (f"{label}\t{translation}\n" for label, translation in sorted(labels[pair].items()))
            (partial / name).write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
        return _sealed(changed, partial, names)


def read_labels(paths: Sequence[Path], *, reverse: bool = False) -> Mapping[str, str]:
    """Read pairs of a label and its translation, or ``KNOWN``, which leaves the label to the model.

    Args:
        paths: Pair files, as for training. Of a label in two of them the later one counts, and its first line there.
        reverse: The second column is translated into the first.

    Raises:
        PairsError: A file is missing or malformed.
    """
    found: dict[str, str] = {}
    for path in paths:
        pairs = [pair[::-1] if reverse else pair for pair in read_pairs(path)]
        found |= dict(reversed(pairs))
    return {label: translation for label, translation in found.items() if translation != KNOWN}


def _check(bundle: Bundle, given: Mapping[Direction, object], lists: str) -> None:
    if unknown := set(given) - {(pair.source, pair.target) for pair in bundle.manifest.pairs}:
        raise BuildError(f"{lists} for {'-'.join(min(unknown))}, which the bundle doesn't translate")


def _copy(bundle: Bundle, folder: Path, kind: Literal["lexicon", "labels"], names: Mapping[Direction, str]) -> Bundle:
    """Copy a bundle without its lists of a kind; returns it with others, whose digests are missing."""
    manifest = bundle.manifest
    old = {name for pair in manifest.pairs if (name := getattr(pair, kind))}
    shutil.copytree(bundle.path, folder, dirs_exist_ok=True, ignore=lambda _, found: old & set(found))
    pairs = tuple(pair.model_copy(update={kind: names.get((pair.source, pair.target))}) for pair in manifest.pairs)
    files = {name: digest for name, digest in manifest.files.items() if name not in old}
    return replace(bundle, manifest=manifest.model_copy(update={"pairs": pairs, "files": files}))


def _sealed(bundle: Bundle, folder: Path, names: Mapping[Direction, str]) -> Bundle:
    files = {**bundle.manifest.files, **{name: sha256(folder / name) for name in names.values()}}
    manifest = bundle.manifest.model_copy(update={"files": dict(sorted(files.items()))})
    write_manifest(folder, manifest)
    return replace(bundle, manifest=manifest)
