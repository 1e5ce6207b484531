"""The graph files of an imported model: float32, float16 for GPUs, native operators. They share a file of weights."""

from pathlib import Path

import onnx

from app.engine.decoding.shortlist import Shortlist
from app.engine.models.manifest import Graphs, Precision
from export.arrays import Arrays
from export.external_data import share_weights, store_halves
from export.half_precision import halved
from export.native_graphs import native_decoder, native_encoder
from export.written_graphs import written_decoder, written_encoder
from model.network.config import TransformerConfig

_WEIGHTS = "weights.bin"
SHORTLIST = "shortlist.npz"


def write_graphs(
    config: TransformerConfig, arrays: Arrays, folder: Path, shortlist: Shortlist | None
) -> dict[Precision, Graphs]:
    """Write the graphs into the folder of a bundle, or replace them; and the table of the shortlist, if any."""
    floats = written_encoder(config, arrays), written_decoder(config, arrays)
    halves = halved(floats[0]), halved(floats[1])
    for graph in floats:
        store_halves(graph)
    natives = native_encoder(config, arrays), native_decoder(config, arrays, choices=shortlist is not None)
    share_weights([*floats, *halves, *natives], folder / _WEIGHTS)
    written: dict[Precision, Graphs] = {}
    graphs: dict[Precision, tuple[onnx.ModelProto, onnx.ModelProto]] = {
        "float32": floats,
        "float16": halves,
        "int8-native": natives,
    }
    for precision, (encoder, decoder) in graphs.items():
        names = Graphs(encoder=f"encoder.{precision}.onnx", decoder=f"decoder.{precision}.onnx")
        onnx.save(encoder, folder / names.encoder)
        onnx.save(decoder, folder / names.decoder)
        written[precision] = names
    if shortlist:
        shortlist.save(folder / SHORTLIST)
        written["int8-native"] = written["int8-native"].model_copy(update={"shortlist": SHORTLIST})
    return written
