"""Other lexicons for a bundle that exists, without its weights being made again."""

import shutil
from dataclasses import replace

from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import write_manifest
from export.bundle_writer import BuildError, replacing
from export.lexicon import Lexicons, lexicon_file, marked_by_bundle, write_lexicons
from export.progress import Report


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
    manifest = bundle.manifest
    if unknown := set(lexicons) - {(pair.source, pair.target) for pair in manifest.pairs}:
        raise BuildError(f"a lexicon is for {'-'.join(min(unknown))}, which the bundle doesn't translate")
    if not manifest.shape.alignment_head:
        raise BuildError("a lexicon needs an alignment head: train with model.alignment_layer")
    if mark_known:
        lexicons = marked_by_bundle(lexicons, bundle.path, report)
    pairs = tuple(
        pair.model_copy(
            update={
                "lexicon": lexicon_file(pair.source, pair.target) if lexicons.get((pair.source, pair.target)) else None
            }
        )
        for pair in manifest.pairs
    )
    old = {pair.lexicon for pair in manifest.pairs if pair.lexicon}
    with replacing(bundle.path) as partial:
        shutil.copytree(bundle.path, partial, dirs_exist_ok=True, ignore=lambda _, names: old & set(names))
        write_lexicons(lexicons, partial)
        kept = {name: digest for name, digest in manifest.files.items() if name not in old}
        new = {pair.lexicon: sha256(partial / pair.lexicon) for pair in pairs if pair.lexicon}
        changed = manifest.model_copy(update={"pairs": pairs, "files": dict(sorted({**kept, **new}.items()))})
        write_manifest(partial, changed)
    return replace(bundle, manifest=changed)
