"""Finds the bundles and estimates the memory of each. Reads manifests and file sizes, and verifies nothing."""

from collections.abc import Iterable
from pathlib import Path

from app.engine.models.bundle import GOLDEN
from app.engine.models.files import mentions
from app.engine.models.manifest import MANIFEST, Manifest, Precision
from app.errors import BundleError

# What a model takes in memory over the size of its files, on the safe side. The native operators pack float16 into 8
# bits and let go of the file: 0.6 for one of the shipped models, 1.1 while it is packed. ONNX Runtime keeps some
# weights a second time in the order that its kernels want, and those of float32 graphs lie on disk in half the width:
# 3.0 for the shipped model, up to 3.9 for smaller ones.
_GROWTH: dict[Precision, float] = {
    "int8-native": 1.2,
    "float32": 3.5,
    "float16": 3.5,
}


def find_bundles(folders: Iterable[Path]) -> list[Path]:
    """Find the bundles: each folder that is one, and the subfolders, by name, of each that is none; each bundle once.

    A folder whose name begins with a dot is a bundle in the making.

    Raises:
        BundleError: A folder can't be read.
    """
    found: dict[Path, Path] = {}
    try:
        for folder in folders:
            candidates = [folder]
            if folder.is_dir() and not _is_bundle(folder):
                candidates = sorted(inner for inner in folder.iterdir() if not inner.name.startswith("."))
            for path in filter(_is_bundle, candidates):
                found.setdefault(path.resolve(), path)
    except OSError as error:
        raise BundleError(f"{error.filename}: {error.strerror}") from error
    return list(found.values())


def loaded_bytes(folder: Path, manifest: Manifest, precision: Precision) -> int:
    """Estimates the memory that a bundle's model takes once it is loaded, without caches and running batches.

    Args:
        folder: The bundle.
        manifest: Its manifest.
        precision: The graphs that are opened, see ``app.engine.onnx.opening.opened_graphs``.

    Raises:
        BundleError: There are no graphs of that precision, or a file can't be read.
    """
    if precision not in manifest.graphs:
        raise BundleError(f"{folder} has no {precision} graphs, only {', '.join(manifest.graphs)}")
    models = manifest.models
    all_graphs = {name for model in models for each in model.graphs.values() for name in each.files.values()}
    others = manifest.files.keys() - all_graphs - {manifest.source_tokenizer, manifest.target_tokenizer, GOLDEN}
    try:
        names = {name for model in models for name in model.graphs[precision].files.values()}
        names |= {name for name in others if any(mentions(folder / graph, name) for graph in names)}
        return round(_GROWTH[precision] * sum((folder / name).stat().st_size for name in names))
    except OSError as error:
        raise BundleError(f"{error.filename}: {error.strerror}") from error


def _is_bundle(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()
