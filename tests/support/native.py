"""Native graphs of random models, and a batch to feed them."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray

from app.engine.decoding.word_trees import ENDS, OF_NAME
from app.engine.onnx import native
from export.arrays import arrays_of
from export.native_graphs import native_decoder, native_encoder
from model.network.transformer import Transformer
from tests.support.tiny import random_model

Array = NDArray[Any]

SHAPES: dict[str, dict[str, object]] = {
    "pre-norm": {},
    "post-norm, swish": {"norm": "post", "activation": "swish", "width": 96, "heads": 3, "feed_forward": 100},
    "heads of 8": {"activation": "gelu", "embedding_norm": True, "width": 24, "heads": 3, "scale_embeddings": False},
    "no biases": {"biases": False, "output_bias": True, "tie_output": False, "feed_forward": 200},
    "recurrent": {"decoder_cell": "ssru", "norm": "post", "width": 120, "heads": 5, "decoder_layers": 3},
    "recurrent, pre-norm": {"decoder_cell": "ssru", "biases": False},
    "no alignment head": {"alignment_layer": None, "encoder_layers": 1, "decoder_layers": 3},
    "two vocabularies": {
        "source_vocabulary": 300,
        "target_vocabulary": 777,
        "tie_source_target": False,
        "width": 256,
        "heads": 4,
        "norm": "post",
    },
}


def rounded_model(**changes: object) -> Transformer:
    """A random model whose weights float16 can hold."""
    model = random_model(**changes)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    return model


def no_neighbours(width: int, sentences: int) -> dict[str, Array]:
    """A strip that is no sentence's."""
    quads = -(-width // 16) * 4
    return {
        "keys": np.zeros((1, quads, 256), np.int8),
        "key_scales": np.ones(64, np.float32),
        "key_sums": np.zeros((64, 2), np.int32),
        "key_tokens": np.zeros(64, np.int32),
        "key_counts": np.zeros(sentences, np.int64),
    }


class Operators:
    """Encode and Decode over one model, called as they are."""

    def __init__(self, model: Transformer, kernels: str, *, choices: bool = False) -> None:
        assert native.choose_kernels(kernels) == kernels
        self.config = model.config
        arrays = arrays_of(model)
        self._encoder = _session(native_encoder(model.config, arrays))
        self._decoder = _session(native_decoder(model.config, arrays, choices=choices))

    def encode(self, ids: Array, lengths: Array) -> Array:
        """Features (2L, T, D)."""
        [features] = self._encoder.run(None, {"source": ids, "lengths": lengths})
        return np.asarray(features)

    def decode(self, given: dict[str, Array]) -> dict[str, Array]:
        """All outputs by name; without neighbours unless they are given."""
        if "keys" not in given:
            given = given | no_neighbours(self.config.width, len(given["sentences"]))
        names = [output.name for output in self._decoder.get_outputs()]
        return dict(zip(names, self._decoder.run(names, given), strict=True))


def a_batch(operators: Operators, *, beams: int = 3, steps: int = 6, top: int = 0, seed: int = 0) -> dict[str, Array]:
    """Inputs of Decode for three sentences at their first position."""
    config, rng = operators.config, np.random.default_rng(seed)
    lengths = np.array([5, 1, 18])
    features = operators.encode(rng.integers(3, config.source_vocabulary, int(lengths.sum())), lengths)
    wanted = len(lengths) * (1 if top else beams)
    memory = np.full((2 * config.decoder_layers, 40 + wanted * steps, config.width), np.nan, np.float32)
    memory[:, : lengths.sum()] = features
    sources = np.zeros((len(lengths), 18), np.int32)
    for row, (length, end) in enumerate(zip(lengths, np.cumsum(lengths), strict=True)):
        sources[row, :length] = np.arange(end - length, end)
    fresh = 40 + rng.permutation(wanted * steps).astype(np.int32).reshape(wanted, steps)
    start = np.array([[config.decoder_start_id, 0]] * len(lengths))
    return {
        "memory": memory,
        "rows": start,
        "totals": np.zeros(len(lengths)),
        "histories": np.zeros((len(lengths), 32), np.int32),
        "sentences": np.array([[1, 1 if top else beams, length] for length in lengths]),
        "sources": sources,
        "fresh": fresh,
        "thresholds": np.full(len(lengths), 5.0),
        "top": np.array(top),
        **a_lexicon(len(lengths)),
    }


def a_lexicon(sentences: int) -> dict[str, Array]:
    """The lexicon of a batch: two words at the first 18 positions of each sentence, with two translations and one."""
    # Token, sibling, child, flags; the second word is a name.
    nodes = [
        (0, 0, 0, 0),
        (0, 0, 2, 0),
        (7, 4, 3, 0),
        (9, 0, 0, ENDS),
        (11, 0, 0, ENDS),
        (1, 0, 6, OF_NAME),
        (12, 0, 7, OF_NAME | ENDS),
        (13, 0, 0, OF_NAME | ENDS),
    ]
    return {
        "nodes": np.array(nodes, np.int32),
        "roots": np.resize(np.array([1, 0, 5], np.int32), (sentences, 18)),
        "progress": np.zeros((sentences, 2), np.int64),
    }


def _session(graph: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(str(Path(native.LIBRARY)))
    return onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
