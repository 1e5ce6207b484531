"""Adds graphs for a GPU to a bundle that has graphs for the native operators: nothing is trained."""

import functools
import shutil
from collections.abc import Callable
from pathlib import Path

import onnx

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Graphs, Pair
from export.bundle_writer import BuildError, check_out, replacing, write_hashed
from export.device_steps import device_graphs


def add_device_graphs(bundle: Bundle, out: Path) -> Bundle:
    """Copy a bundle with float16-cuda graphs for each of its models.

    Args:
        bundle: The bundle.
        out: Folder to make or replace; may be the bundle's own.

    Raises:
        BuildError: ``out`` exists and is no bundle, or the model has no graphs for the native operators.
    """
    check_out(out)
    manifest = bundle.manifest
    if "int8-native" not in manifest.graphs or "float16" not in manifest.graphs:
        raise BuildError(f"{bundle.path} has no int8-native and float16 graphs, of which those for a GPU are made")
    with replacing(out) as partial:
        for name in manifest.files:
            shutil.copyfile(bundle.path / name, partial / name)
        write = functools.partial(_write, partial, has_lexicon=any(pair.lexicon for pair in manifest.pairs))
        made = manifest.model_copy(
            update={
                "graphs": {**manifest.graphs, "float16-cuda": write(manifest.graphs["int8-native"])},
                "pairs": tuple(_with_graphs(write, pair) for pair in manifest.pairs),
            }
        )
        write_hashed(partial, made)
        Bundle.open(partial)
    return Bundle.open(out)


def _with_graphs(write: Callable[[Graphs], Graphs], pair: Pair) -> Pair:
    if not pair.model:
        return pair
    graphs = {**pair.model.graphs, "float16-cuda": write(pair.model.graphs["int8-native"])}
    return pair.model_copy(update={"model": pair.model.model_copy(update={"graphs": graphs})})


def _write(folder: Path, native: Graphs, *, has_lexicon: bool) -> Graphs:
    """Write the graphs of a model beside the graphs for the native operators, whose weights they name."""
    prefix = native.encoder.removesuffix("encoder.int8-native.onnx")
    graphs = device_graphs(
        *(onnx.load(folder / name, load_external_data=False) for name in (native.encoder, native.decoder)),
        has_lexicon=has_lexicon,
    )
    names = {role: f"{prefix}{role}.float16-cuda.onnx" for role in graphs}
    for role, graph in graphs.items():
        onnx.save(graph, folder / names[role])
    return Graphs(**names)
