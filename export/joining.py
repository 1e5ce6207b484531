"""Joins bundles of single directions into one bundle, which has a model for each."""

import shutil
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import onnx

from app.engine.models.bundle import GOLDEN, Bundle, sha256
from app.engine.models.manifest import Graphs, Manifest, Pair, PairModel
from export.bundle_writer import BuildError, check_out, replacing, seal
from export.external_data import rename_weights


def join_bundles(bundles: Sequence[Bundle], out: Path) -> Bundle:
    """Write the models of several bundles into one.

    The first bundle's files keep their names. The names of the others' graphs and weights begin with the direction:
    ``en-de.encoder.int8.onnx``.

    Args:
        bundles: Each translates one direction, the first perhaps more; all have tags and the same tokenizers, and their
            models the same shape.
        out: Folder to make or replace.

    Raises:
        BuildError: ``out`` exists and is not a bundle, there are no two bundles, or they don't fit together.
        BundleError: The result is not understood.
    """
    check_out(out)
    if len(bundles) < 2:
        raise BuildError("two bundles or more are needed to join")
    first, *others = bundles
    _check(first, others)
    confidences = {bundle.manifest.confidence for bundle in bundles}
    with replacing(out) as partial:
        for name in first.manifest.files:
            shutil.copyfile(first.path / name, partial / name)
        pairs = [*first.manifest.pairs, *(_add(other, partial) for other in others)]
        manifest = first.manifest.model_copy(
            update={
                "pairs": tuple(pairs),
                "confidence": first.manifest.confidence if len(confidences) == 1 else None,
                "scores": tuple(chain.from_iterable(bundle.manifest.scores for bundle in bundles)),
            }
        )
        golden = [item for bundle in bundles for item in bundle.golden]
        seal(partial, Manifest.model_validate(manifest.model_dump()), golden)
        bundle = Bundle.open(partial)
    return Bundle(out, bundle.manifest, bundle.golden)


def _check(first: Bundle, others: Sequence[Bundle]) -> None:
    """Refuse bundles that differ in what they will share, or translate the same direction."""
    for bundle in (first, *others):
        if not all(pair.tag for pair in bundle.manifest.pairs):
            raise BuildError(f"{bundle.path} has no target tags, by which a joined bundle chooses the model")
        if any(variant.startswith("memory_length") for variant in bundle.manifest.shape.variants):
            raise BuildError(f"{bundle.path} has a memory of earlier sentences, so it can't be joined")
    seen = {(pair.source, pair.target) for pair in first.manifest.pairs}
    for other in others:
        for name, value in _shared(first).items():
            if _shared(other)[name] != value:
                raise BuildError(f"{other.path} and {first.path} differ in {name}, so they can't be joined")
        pairs = {(pair.source, pair.target) for pair in other.manifest.pairs}
        if len(pairs) > 1:
            raise BuildError(f"{other.path} translates more than one direction; only the first bundle may")
        if both := seen & pairs:
            raise BuildError(f"{other.path} translates {'-'.join(min(both))}, which another of the bundles does, too")
        if {target for _, target in seen} & {target for _, target in pairs}:
            raise BuildError(f"{other.path} has the target tag of another of the bundles, which chooses the model")
        seen |= pairs


def _shared(bundle: Bundle) -> dict[str, object]:
    """What all models of a bundle have in common."""
    manifest = bundle.manifest
    shortlists = {graphs.shortlist for graphs in manifest.graphs.values() if graphs.shortlist}
    return {
        **{name: getattr(manifest, name) for name in ("ids", "shape", "longest_source", "placeholders", "alignment")},
        "tokenizers": [path and sha256(path) for path in bundle.tokenizer_files],
        "precisions": manifest.graphs.keys(),
        "shortlists": {name: manifest.files[name] for name in shortlists},
    }


def _add(bundle: Bundle, folder: Path) -> Pair:
    """Copy a bundle's graphs, weights, lexicons and labels under new names; returns its pair with its own model."""
    manifest = bundle.manifest
    [pair] = manifest.pairs
    prefix = f"{pair.source}-{pair.target}."
    kept = {path.name for path in bundle.tokenizer_files if path} | {GOLDEN, pair.lexicon, pair.labels}
    kept |= {graphs.shortlist for graphs in manifest.graphs.values()}
    for name in filter(None, (pair.lexicon, pair.labels)):
        shutil.copyfile(bundle.path / name, folder / name)
    for name in manifest.files.keys() - kept:
        if name.endswith(".onnx"):
            graph = onnx.load(bundle.path / name, load_external_data=False)
            rename_weights(graph, prefix)
            onnx.save(graph, folder / f"{prefix}{name}")
        else:
            shutil.copyfile(bundle.path / name, folder / f"{prefix}{name}")

    def renamed(graphs: Graphs) -> Graphs:
        return graphs.model_copy(
            update={role: prefix + name for role, name in graphs.files.items() if role != "shortlist"}
        )

    own = PairModel(
        graphs={precision: renamed(graphs) for precision, graphs in manifest.graphs.items()},
        attention=manifest.attention and renamed(manifest.attention),
        provenance=manifest.provenance,
        parity=manifest.parity,
    )
    return pair.model_copy(update={"model": own})
