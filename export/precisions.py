"""Writes the graphs of a bundle in every precision; those of one width of number share a file of weights."""

import copy
from pathlib import Path

import onnx

from app.engine.models.manifest import Graphs, Precision
from export.arrays import arrays_of
from export.attention_graphs import ATTENTION, with_maps
from export.device_steps import device_graphs
from export.external_data import share_weights, store_halves
from export.graphs import export_decoder, export_encoder
from export.half_precision import halved
from export.multi_step import export_beam, export_greedy
from export.native_graphs import native_decoder, native_encoder
from export.progress import Report
from export.quantization import decoder_feeds, encoder_feeds, observe, quantize
from export.shortlist import SHORTLIST, over_shortlist
from model.network.config import TransformerConfig
from model.network.transformer import Transformer

WEIGHTS = "weights.bin"
INTEGER_WEIGHTS = "weights.int8.bin"
CALIBRATION_SENTENCES = 400
"""If there are more sentences, at least this many calibrate int8, and less than twice as many."""

Sources = list[list[int]]
"""Sentences as source ids, special ids included."""
Models = dict[str, onnx.ModelProto]
"""Graphs by their role in ``app.engine.models.manifest.Graphs``."""


def write_graphs(
    model: Transformer, folder: Path, sources: Sources, *, has_float16: bool, has_shortlist: bool, report: Report
) -> dict[Precision, Graphs]:
    """Trace, quantise and write all graphs.

    Args:
        model: The model, in evaluation mode.
        folder: Folder of the bundle.
        sources: Sentences that calibrate int8.
        has_float16: Write the float16 graphs, too.
        has_shortlist: Write the int8-shortlist graphs, too.
        report: Called with one line for each stage.

    Returns:
        The names of the files.
    """
    report("tracing the graphs")
    full = {"encoder": export_encoder(model), "decoder": export_decoder(model)}
    written = _write_floats(model, full, folder, has_float16=has_float16)
    report("calibrating and quantising to int8")
    spread = sources[:: max(1, len(sources) // CALIBRATION_SENTENCES)]
    encoder, decoder = (folder / written["float32"].files[role] for role in full)
    feeds = (encoder_feeds(model.config, spread), decoder_feeds(encoder, decoder, model.config, spread))
    integer = {
        role: quantize(graph, observe(graph, given)) for (role, graph), given in zip(full.items(), feeds, strict=True)
    }
    whole = _with_multi_step(integer["decoder"], model.config)
    short: Models = {}
    if has_shortlist and model.config.cutoffs:
        report("no int8-shortlist graphs: an adaptive softmax has no single matrix to choose rows from")
    elif has_shortlist:
        short = _with_multi_step(over_shortlist(integer["decoder"]), model.config)
    share_weights([integer["encoder"], *whole.values(), *short.values()], folder / INTEGER_WEIGHTS)
    written["int8"] = Graphs(**_save({"encoder": integer["encoder"]} | whole, folder, "int8"))
    if short:
        names = _save(short, folder, "int8-shortlist")
        written["int8-shortlist"] = Graphs(encoder=written["int8"].encoder, **names, shortlist=SHORTLIST)
    return written


def _write_floats(model: Transformer, full: Models, folder: Path, *, has_float16: bool) -> dict[Precision, Graphs]:
    """Write all graphs that share the float16 weights."""
    graphs: dict[Precision, Models] = {"float32": copy.deepcopy(full)}
    if has_float16:
        graphs["float16"] = {role: halved(graph) for role, graph in full.items()}
    for graph in graphs["float32"].values():
        store_halves(graph)
    if model.config.native:
        weights = arrays_of(model)
        graphs["int8-native"] = {
            make.__name__.removeprefix("native_"): make(model.config, weights)
            for make in (native_encoder, native_decoder)
        }
        if has_float16:
            graphs["float16-cuda"] = device_graphs(**graphs["int8-native"])
    observed = (
        []
        if model.config.memory_length or model.config.recurrent
        else [with_maps(graph) for graph in graphs["float32"].values()]
    )
    share_weights([*(graph for made in graphs.values() for graph in made.values()), *observed], folder / WEIGHTS)
    for graph, name in zip(observed, ATTENTION.files.values(), strict=False):
        onnx.save(graph, folder / name)
    return {precision: Graphs(**_save(made, folder, precision)) for precision, made in graphs.items()}


def _with_multi_step(decoder: onnx.ModelProto, config: TransformerConfig) -> Models:
    """A decoder graph with its multi-step graphs, which need a step that appends to the past in place."""
    if not any(given.name == "lengths" for given in decoder.graph.input):
        return {"decoder": decoder}
    greedy, beam = (make(decoder, config.decoder_layers, config.eos_id) for make in (export_greedy, export_beam))
    return {"decoder": decoder, "greedy": greedy, "beam": beam}


def _save(graphs: Models, folder: Path, precision: Precision) -> dict[str, str]:
    """Save the graphs; returns the name of each file."""
    names = {role: f"{role}.{precision}.onnx" for role in graphs}
    for role, graph in graphs.items():
        onnx.save(graph, folder / names[role])
    return names
