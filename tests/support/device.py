"""The graphs for a GPU, in float32 on the CPU: what they compute is the same."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import onnx
from onnx import TensorProto

from app.engine.decoding.search import Search
from app.engine.models.bundle import Bundle
from app.engine.onnx.device import DeviceBatch, DeviceModel
from app.engine.onnx.device_graphs import DeviceGraphs, Source
from export.arrays import arrays_of
from export.device_steps import device_graphs
from export.native_graphs import native_decoder, native_encoder
from model.network.transformer import Transformer
from tests.support.tiny import open_graphs


def write_device_graphs(bundle: Bundle, folder: Path, *, has_lexicon: bool = True) -> dict[str, Path]:
    """Write float32 graphs beside copies of the weights of a bundle, of its first model."""
    native = bundle.graphs("int8-native")
    for weights in bundle.path.glob("*.bin"):
        shutil.copyfile(weights, folder / weights.name)
    encoder, decoder = (onnx.load(native[role], load_external_data=False) for role in ("encoder", "decoder"))
    return _save(device_graphs(encoder, decoder, TensorProto.FLOAT, has_lexicon=has_lexicon), folder)


def write_model_graphs(model: Transformer, folder: Path) -> dict[str, Path]:
    """Write float32 graphs of a model."""
    encoder, decoder = (make(model.config, arrays_of(model)) for make in (native_encoder, native_decoder))
    return _save(device_graphs(encoder, decoder, TensorProto.FLOAT), folder)


def _save(graphs: dict[str, onnx.ModelProto], folder: Path) -> dict[str, Path]:
    paths = {role: folder / f"{role}.device.onnx" for role in graphs}
    for role, graph in graphs.items():
        onnx.save(graph, paths[role])
    return paths


def open_device_model(bundle: Bundle, paths: dict[str, Path], *, sentences: int = 3) -> DeviceModel:
    """The graphs with few slots, so that they are used again."""
    ids = bundle.manifest.ids
    graphs = DeviceGraphs(paths, pad_id=ids.pad, provider="cpu")
    return DeviceModel(graphs, open_graphs(bundle, "float32"), eos_id=ids.eos, sentences=sentences)


def device_batch(model: DeviceModel) -> DeviceBatch:
    """An empty batch without the part that goes step by step."""
    return DeviceBatch(model.graphs, sentences=model.sentences, eos_id=model.eos_id)


def run(batch: DeviceBatch, pairs: list[tuple[Search, Source]], joins: Iterator[int], steps: Iterator[int]) -> None:
    """Let the searches join a few at a time, and step until all have ended."""
    while pairs or batch.live_rows:
        count = next(joins) if batch.live_rows else max(1, next(joins))
        now, pairs = pairs[:count], pairs[count:]
        batch.join([each for each, _ in now], [source for _, source in now])
        for done in batch.step(next(steps)):
            assert not done.rows
