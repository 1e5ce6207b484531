"""The graph files of an imported model: float32, float16 for GPUs, native operators, float32 with attention maps.

They share a file of weights. PyTorch is not needed.
"""

from pathlib import Path

import onnx

from app.engine.decoding.shortlist import Shortlist
from app.engine.models.manifest import Graphs, Precision
from export.arrays import Arrays
from export.attention_graphs import ATTENTION, with_maps
from export.external_data import share_weights, store_halves
from export.half_precision import halved
from export.native_graphs import native_decoder, native_encoder
from model.network.config import TransformerConfig

_WEIGHTS = "weights.bin"
SHORTLIST = "shortlist.npz"


def write_graphs(
    config: TransformerConfig,
    arrays: Arrays,
    floats: tuple[onnx.ModelProto, onnx.ModelProto],
    folder: Path,
    shortlist: Shortlist | None,
) -> dict[Precision, Graphs]:
    """Write the graphs into the folder of a bundle; and the table of the shortlist, if any.

    Args:
        config: Of the model.
        arrays: Its weights.
        floats: Its float32 encoder and decoder; afterwards their weights are those of a file.
        folder: Of the bundle.
        shortlist: Likely pieces for the native operators.
    """
    graphs: dict[Precision, tuple[onnx.ModelProto, onnx.ModelProto]] = {
        "float32": floats,
        "float16": (halved(floats[0]), halved(floats[1])),
    }
    for graph in floats:
        store_halves(graph)
    if config.native:
        decoder = native_decoder(config, arrays, choices=shortlist is not None)
        graphs["int8-native"] = native_encoder(config, arrays), decoder
    maps = with_maps(floats[0]), with_maps(floats[1])
    share_weights([*(graph for pair in graphs.values() for graph in pair), *maps], folder / _WEIGHTS)
    for graph, name in zip(maps, (ATTENTION.encoder, ATTENTION.decoder), strict=True):
        onnx.save(graph, folder / name)
    written: dict[Precision, Graphs] = {}
    for precision, (encoder, decoder) in graphs.items():
        names = Graphs(encoder=f"encoder.{precision}.onnx", decoder=f"decoder.{precision}.onnx")
        onnx.save(encoder, folder / names.encoder)
        onnx.save(decoder, folder / names.decoder)
        written[precision] = names
    if shortlist and config.native:
        shortlist.save(folder / SHORTLIST)
        written["int8-native"] = written["int8-native"].model_copy(update={"shortlist": SHORTLIST})
    return written
