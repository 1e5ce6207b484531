"""A bundle's weights as a CTranslate2 model, so that both engines can be timed on the same network.

For bundles whose output matrix is the target embedding: the shipped one, and imported Marian models. Others are
refused.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
import onnx
import sentencepiece
from ctranslate2.specs import TransformerSpec, common_spec
from numpy.typing import NDArray
from onnx import numpy_helper

from app.engine.models.bundle import Bundle

Weights = dict[str, NDArray[Any]]

_ACTIVATIONS = {
    "Relu": common_spec.Activation.RELU,
    "Gelu": common_spec.Activation.GELU,
    "Sigmoid": common_spec.Activation.SWISH,
}
_RENAMED = [
    (re.compile(pattern), traced)
    for pattern, traced in (
        (r"(?:en|de)coder\.(\d+)\.self_attention\.query\.bias", r"self_projections.\1.bias"),
        (r"decoder\.0\.cross_attention\.key\.bias", "cross_projection.bias"),
        (r"target_embedding\.weight", "model.projection.weight"),
        (r"((?:source_embedding|encoder|decoder|projection)\b.*|(?:encoder|decoder)_norm\..*)", r"model.\1"),
    )
]


def convert(bundle: Bundle, out: Path, quantization: str | None = None) -> None:
    """Write a CTranslate2 model folder.

    Args:
        bundle: Source of weights, sizes and vocabulary.
        out: Folder to make.
        quantization: Number format on the disk, such as "int8"; None is float32.

    Raises:
        ValueError: The graphs are not of the shape that this converter knows.
    """
    shape = bundle.manifest.shape
    encoder, decoder = (_read(bundle.graphs("float32")[role]) for role in ("encoder", "decoder"))
    pre_norm = "model.decoder_norm.weight" in decoder.weights
    spec = TransformerSpec.from_config(
        (shape.encoder_layers, shape.decoder_layers),
        shape.heads,
        pre_norm=pre_norm,
        activation=next(value for name, value in _ACTIVATIONS.items() if name in encoder.operators),
    )
    _fill_encoder(spec.encoder, encoder, pre_norm)
    crosses = _fill_decoder(spec.decoder, decoder, pre_norm)
    # The encoder graph projects for all decoder layers at once; here each layer has its own projections.
    fused = np.split(encoder.matrices[-1].T, 2 * shape.decoder_layers)
    biases = np.split(encoder.weights["cross_projection.bias"], 2 * shape.decoder_layers)
    for layer, attention in enumerate(crosses):
        attention.linear[1].weight = np.concatenate(fused[2 * layer : 2 * layer + 2])
        attention.linear[1].bias = np.concatenate(biases[2 * layer : 2 * layer + 2])
    source, target = piece_names(bundle)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = "<s>", "</s>", "<unk>"
    spec.config.decoder_start_token = target[bundle.manifest.ids.decoder_start]
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.validate()
    if quantization:
        spec.optimize(quantization)
    out.mkdir(parents=True)
    spec.save(str(out))


def piece_names(bundle: Bundle) -> tuple[list[str], list[str]]:
    """Source and target pieces by id; ids without one get a name of their own."""
    *models, source, target = bundle.tokenizer_files
    if source is None or target is None:
        processor = sentencepiece.SentencePieceProcessor(model_file=str(models[0]))
        pieces = [processor.id_to_piece(index) for index in range(processor.vocab_size())]
        return pieces, pieces
    lists = [json.loads(path.read_text(encoding="utf-8")) for path in (source, target)]
    found = [[piece or f"<no piece {index}>" for index, piece in enumerate(pieces)] for pieces in lists]
    return found[0], found[1]


@dataclass(frozen=True)
class _Graph:
    """Named initialisers, constant matrices (in, out) in the order in which they are multiplied, kinds of operators."""

    weights: Weights
    matrices: list[NDArray[Any]]
    operators: set[str]


def _read(path: Path) -> _Graph:
    graph = onnx.load(path).graph
    halves = {node.input[0]: node.output[0] for node in graph.node if node.op_type == "Cast"}
    weights = {
        _traced_name(halves.get(tensor.name, tensor.name)): numpy_helper.to_array(tensor).astype(np.float32)
        for tensor in graph.initializer
        if tensor.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16)
    }
    products = [node.input[1] for node in graph.node if node.op_type == "MatMul"]
    matrices = [weights[name] for name in map(_traced_name, products) if name in weights]
    return _Graph(weights, matrices, {node.op_type for node in graph.node})


def _traced_name(name: str) -> str:
    """The name of a weight in a traced graph, for one of a written graph (``export.written_graphs``)."""
    for pattern, traced in _RENAMED:
        if found := pattern.fullmatch(name):
            return found.expand(traced)
    return name


def _fill_encoder(spec: Any, graph: _Graph, pre_norm: bool) -> None:
    weights = graph.weights
    _fill_common(spec, weights, "encoder_norm" if pre_norm else None)
    if len(graph.matrices) != 4 * len(spec.layer) + 1:
        raise ValueError("the encoder graph is not of the expected shape")
    ordered = iter(graph.matrices)
    for index, layer in enumerate(spec.layer):
        prefix = f"model.encoder.{index}"
        _linear(layer.self_attention.linear[0], ordered, weights[f"self_projections.{index}.bias"])
        _linear(layer.self_attention.linear[1], ordered, weights[f"{prefix}.self_attention.output.bias"])
        _norm(layer.self_attention.layer_norm, weights, f"{prefix}.self_residual.norm")
        _feed_forward(layer.ffn, ordered, weights, prefix)


def _fill_decoder(spec: Any, graph: _Graph, pre_norm: bool) -> list[Any]:
    """Returns the cross-attention of each layer, whose keys and values are the encoder graph's."""
    weights = graph.weights
    _fill_common(spec, weights, "decoder_norm" if pre_norm else None)
    # One more is the output matrix of a small model, which the exporter stores transposed.
    if len(graph.matrices) not in (6 * len(spec.layer), 6 * len(spec.layer) + 1):
        raise ValueError("the decoder graph is not of the expected shape")
    spec.projection.weight = weights["model.projection.weight"]
    if "model.projection.bias" in weights:
        spec.projection.bias = weights["model.projection.bias"]
    ordered = iter(graph.matrices)
    for index, layer in enumerate(spec.layer):
        prefix = f"model.decoder.{index}"
        _linear(layer.self_attention.linear[0], ordered, weights[f"self_projections.{index}.bias"])
        _linear(layer.self_attention.linear[1], ordered, weights[f"{prefix}.self_attention.output.bias"])
        _norm(layer.self_attention.layer_norm, weights, f"{prefix}.self_residual.norm")
        _linear(layer.attention.linear[0], ordered, weights[f"{prefix}.cross_attention.query.bias"])
        _linear(layer.attention.linear[2], ordered, weights[f"{prefix}.cross_attention.output.bias"])
        _norm(layer.attention.layer_norm, weights, f"{prefix}.cross_residual.norm")
        _feed_forward(layer.ffn, ordered, weights, prefix)
    return [layer.attention for layer in spec.layer]


def _fill_common(spec: Any, weights: Weights, final_norm: str | None) -> None:
    embeddings = spec.embeddings[0] if isinstance(spec.embeddings, list) else spec.embeddings
    own = weights.get("model.source_embedding.weight")
    embeddings.weight = weights["model.projection.weight"] if own is None else own
    spec.position_encodings.encodings = next(weights[name] for name in weights if name.startswith("positions"))
    if final_norm:
        _norm(spec.layer_norm, weights, f"model.{final_norm}")


def _feed_forward(spec: Any, ordered: Iterator[NDArray[Any]], weights: Weights, prefix: str) -> None:
    _linear(spec.linear_0, ordered, weights[f"{prefix}.feed_forward.inner.bias"])
    _linear(spec.linear_1, ordered, weights[f"{prefix}.feed_forward.outer.bias"])
    _norm(spec.layer_norm, weights, f"{prefix}.feed_forward_residual.norm")


def _linear(spec: Any, ordered: Iterator[NDArray[Any]], bias: NDArray[Any]) -> None:
    spec.weight, spec.bias = np.ascontiguousarray(next(ordered).T), bias


def _norm(spec: Any, weights: Weights, name: str) -> None:
    spec.gamma, spec.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]


def open_model(folder: Path, *, compute_type: str, threads: int, device: str = "cpu") -> ctranslate2.Translator:
    """A translator with one worker; ``threads`` are those of a CPU, ``device`` is "cpu" or "cuda"."""
    return ctranslate2.Translator(
        str(folder), device=device, compute_type=compute_type, inter_threads=1, intra_threads=threads
    )
