"""Writes the graphs of a bundle in every precision; they share a file of weights."""

from pathlib import Path

import onnx

from app.engine.models.manifest import Graphs, Precision
from export.arrays import arrays_of
from export.attention_graphs import ATTENTION, with_maps
from export.device_steps import device_graphs
from export.external_data import share_weights, store_halves
from export.half_precision import halved
from export.native_graphs import native_decoder, native_encoder
from export.progress import Report
from export.written_graphs import written_decoder, written_encoder
from model.network.transformer import Transformer

WEIGHTS = "weights.bin"

Models = dict[str, onnx.ModelProto]
"""Graphs by their role in ``app.engine.models.manifest.Graphs``."""


def write_graphs(
    model: Transformer, folder: Path, *, has_float16: bool, has_lexicon: bool, report: Report
) -> dict[Precision, Graphs]:
    """Make and write all graphs.

    Args:
        model: The model, in evaluation mode.
        folder: Folder of the bundle.
        has_float16: Write the float16 graphs, too.
        has_lexicon: The bundle has a lexicon, which those for a GPU then take.
        report: Called with one line for each stage.

    Returns:
        The names of the files.
    """
    report("making the graphs")
    config, weights = model.config, arrays_of(model)
    floats = {"encoder": written_encoder(config, weights), "decoder": written_decoder(config, weights)}
    graphs: dict[Precision, Models] = {"float32": floats}
    if has_float16:
        graphs["float16"] = {role: halved(graph) for role, graph in floats.items()}
    for graph in floats.values():
        store_halves(graph)
    if config.native:
        graphs["int8-native"] = {
            "encoder": native_encoder(config, weights),
            "decoder": native_decoder(config, weights),
        }
        if has_float16:
            graphs["float16-cuda"] = device_graphs(**graphs["int8-native"], has_lexicon=has_lexicon)
    observed = [] if config.memory_length or config.recurrent else [with_maps(graph) for graph in floats.values()]
    share_weights([*(graph for made in graphs.values() for graph in made.values()), *observed], folder / WEIGHTS)
    for graph, name in zip(observed, ATTENTION.files.values(), strict=False):
        onnx.save(graph, folder / name)
    return {precision: Graphs(**_save(made, folder, precision)) for precision, made in graphs.items()}


def _save(graphs: Models, folder: Path, precision: Precision) -> dict[str, str]:
    """Save the graphs; returns the name of each file."""
    names = {role: f"{role}.{precision}.onnx" for role in graphs}
    for role, graph in graphs.items():
        onnx.save(graph, folder / names[role])
    return names
