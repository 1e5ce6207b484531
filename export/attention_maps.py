"""Reads the attention of a translation off a bundle's float32 graphs, whatever model they were made from.

Axes: H heads, S source length, T target length, P positions there is room for, D width.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper

from app.engine.models.bundle import Bundle, Pair
from app.engine.models.tokenizer import Tokenizer
from export.graphs import array_names
from model.evaluation.attention_maps import SentenceMaps

Array = NDArray[Any]
_AFTER_SOFTMAX = 3


class AttentionMapsError(ValueError):
    """No maps can be drawn of this; the message says why."""


def read_maps(bundle: Bundle, text: str, pair: Pair) -> SentenceMaps:
    """Translate one sentence greedily, and note what every head looks at.

    Args:
        bundle: One with float32 graphs.
        text: One sentence.
        pair: A direction of the bundle.

    Raises:
        AttentionMapsError: The text is empty, or too long for the model.
        BundleError: The bundle has no float32 graphs, or its tokenizer is damaged.
    """
    manifest, graphs = bundle.manifest, bundle.graphs("float32")
    tokenizer = Tokenizer(*bundle.tokenizer_files)
    pieces = tokenizer.encode(text)
    prefix = [tokenizer.piece_id(pair.tag)] if pair.tag else []
    source = [*prefix, *pieces, manifest.ids.eos]
    if not pieces or len(source) > manifest.longest_source:
        raise AttentionMapsError(
            f"the text has {len(pieces)} pieces; maps are drawn of 1 to {manifest.longest_source - len(prefix) - 1}"
        )
    encoder, decoder = _Session(graphs["encoder"]), _Session(graphs["decoder"])
    features, encoder_maps = encoder.run(
        {"source": np.array([source]), "source_mask": np.ones((1, len(source)), dtype=bool)}
    )
    steps = min(manifest.shape.max_positions, 2 * len(source) + 10)
    target, maps = _decode(decoder, features, bundle, len(source), steps)
    labels = [*([pair.tag] if pair.tag else []), *(tokenizer.decode([piece]) for piece in pieces), "</s>"]
    written = ["<s>", *(tokenizer.decode([piece]) for piece in target[1:])]
    own, cross = _sorted(maps, len(source), len(target), alone=manifest.shape.encoder_layers == 0)
    return SentenceMaps(labels, written, [each[0] for each in encoder_maps], own, cross)


class _Session:
    """A graph that returns its attention maps, too: of the operator, and of softmaxes where it is written out."""

    def __init__(self, path: Path) -> None:
        model = onnx.load(path)
        maps: list[str] = []
        for node in model.graph.node:
            if node.op_type == "Attention":
                node.output.extend([""] * (4 - len(node.output)))
                node.output[3] = node.output[3] or f"{node.output[0]}.map"
                if not any(attribute.name == "qk_matmul_output_mode" for attribute in node.attribute):
                    node.attribute.append(helper.make_attribute("qk_matmul_output_mode", _AFTER_SOFTMAX))
                maps.append(node.output[3])
            elif node.op_type == "Softmax":
                maps.append(node.output[0])
        self._names = [output.name for output in model.graph.output]
        model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in maps)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        providers = ["CPUExecutionProvider"]
        self._session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
        self._maps = maps

    def run(self, feeds: dict[str, Array]) -> tuple[dict[str, Array], list[Array]]:
        """The graph's outputs by name, and its maps, layer by layer."""
        wanted = {given.name for given in self._session.get_inputs()}
        results = self._session.run(
            [*self._names, *self._maps], {name: value for name, value in feeds.items() if name in wanted}
        )
        return dict(zip(self._names, results[: len(self._names)], strict=True)), results[len(self._names) :]


def _decode(
    decoder: _Session, features: dict[str, Array], bundle: Bundle, length: int, steps: int
) -> tuple[list[int], list[list[Array]]]:
    """Greedy search for one sentence: the tokens that the decoder was given, and for each of them its maps."""
    manifest = bundle.manifest
    layers, width = manifest.shape.decoder_layers, manifest.shape.width
    past = {name: np.zeros((1, steps, width), dtype=np.float32) for name in array_names("past", layers)}
    tokens, maps = [manifest.ids.decoder_start], list[list[Array]]()
    for position in range(steps):
        outputs, found = decoder.run(
            {
                **features,
                **past,
                "tokens": np.array([[tokens[-1]]]),
                "positions": np.array([[position]]),
                "places": np.array([[[0, position]]]),
                "target_mask": (np.arange(steps) <= position)[None, None, None],
                "source_mask": np.ones((1, 1, 2, length), dtype=bool),
                "members": np.zeros((1, 2, 2), dtype=np.int64),
                "seats": np.zeros((1, 1, 2), dtype=np.int64),
                "parents": np.zeros(1, dtype=np.int64),
                "top": np.array([1]),
            }
        )
        maps.append(found)
        best = int(outputs["candidates"][0, 0, 0])
        if best == manifest.ids.eos:
            break
        tokens.append(best)
        past = {name: outputs[name.replace("past_", "present_")] for name in past}
    return tokens[: len(maps)], maps


def _sorted(maps: list[list[Array]], source: int, target: int, *, alone: bool) -> tuple[list[Array], list[Array]]:
    """The maps of all steps by layer: self-attention (H, T, T), and attention to the source (H, T, S).

    A decoder alone has one map a layer, (1, 1, H, S + P), for both; otherwise they take turns, (1, H, 1, P) and, for
    two rows that are the same, (1, H, 2, S).
    """
    layers = [np.stack([step[layer] for step in maps]) for layer in range(len(maps[0]))]
    if alone:
        both = [layer[:, 0, 0].transpose(1, 0, 2) for layer in layers]  # (H, T, S + P)
        return [each[..., source : source + target] for each in both], [each[..., :source] for each in both]
    rows = [layer[:, 0, :, 0].transpose(1, 0, 2) for layer in layers]  # (H, T, P) or (H, T, S)
    return [each[..., :target] for each in rows[::2]], rows[1::2]
