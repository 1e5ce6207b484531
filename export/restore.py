"""Make a model folder from a bundle, so that training can continue from its weights."""

import shutil
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from app.engine.models.bundle import Bundle
from export.equivalents import standard_config
from model.network.layers import DecoderLayer, EncoderLayer
from model.network.transformer import Transformer
from model.recipe import Recipe
from model.training.checkpoint import model_tensors, write_model
from model.training.provenance import CARD, ModelCard


class RestoreError(ValueError):
    """No model can be restored from this bundle; the message says why."""


def restore(bundle: Bundle, out: Path) -> None:
    """Write the weights of a bundle's graphs for the native operators as a model folder.

    They are the exported weights, rounded to float16; the optimiser's state is lost.

    Args:
        bundle: One that ``dragoman export`` wrote from a run of ``dragoman train``, of one model.
        out: Folder to make.

    Raises:
        RestoreError: ``out`` exists, or the bundle was made in another way.
        BundleError: It has no such graphs.
    """
    if out.exists():
        raise RestoreError(f"{out} exists; choose another folder")
    manifest = bundle.manifest
    if len(manifest.models) > 1:
        raise RestoreError(f"{bundle.path} has a model for each direction; say of which, as in --pair en-de")
    if manifest.provenance.recipe is None:
        raise RestoreError(f"{bundle.path} has no training recipe in its manifest, so its configuration isn't known")
    recipe = Recipe.parse(manifest.provenance.recipe)
    config = standard_config(recipe.transformer(manifest.shape.vocabulary))
    if config.variants:
        raise RestoreError(f"{bundle.path} is not a standard Transformer: it has {', '.join(config.variants)}")
    model = Transformer(config)
    encoder, decoder = (_Weights(bundle.graphs("int8-native")[role]) for role in ("encoder", "decoder"))
    with torch.no_grad():
        _fill(model, encoder, decoder)
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    write_model(partial, model_tensors(model), model.config, bundle.path / manifest.source_tokenizer)
    card = _card(bundle, recipe)
    (partial / CARD).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    partial.rename(out)


class _Weights:
    """The weights of a graph for the native operators, see ``export.native_graphs``."""

    def __init__(self, path: Path) -> None:
        self._tensors = {
            tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).astype(np.float32))
            for tensor in onnx.load(path).graph.initializer
        }

    def __getitem__(self, name: str) -> torch.Tensor:
        return self._tensors[name]

    def linear(self, name: str, *layers: nn.Linear) -> None:
        """Fill layers that lie side by side in the graph, as (inputs, outputs); PyTorch has (outputs, inputs)."""
        weights, biases = (self[f"{name}.{part}"].chunk(len(layers), dim=-1) for part in ("weight", "bias"))
        for layer, weight, bias in zip(layers, weights, biases, strict=True):
            layer.weight.copy_(weight.T)
            if layer.bias is not None:
                layer.bias.copy_(bias)

    def norm(self, name: str, norm: nn.Module) -> None:
        """Fill a layer norm, if the model has it there."""
        if isinstance(norm, nn.LayerNorm):
            norm.weight.copy_(self[f"{name}.gain"])
            norm.bias.copy_(self[f"{name}.bias"])

    def layer(self, name: str, layer: EncoderLayer | DecoderLayer) -> None:
        """Fill the sublayers that encoder and decoder both have."""
        attention, feed_forward = layer.self_attention, layer.feed_forward
        self.norm(f"{name}.self_norm", layer.self_residual.norm)
        self.linear(f"{name}.self_projection", attention.query, attention.key, attention.value)
        self.linear(f"{name}.self_output", attention.output)
        self.norm(f"{name}.inner_norm", layer.feed_forward_residual.norm)
        self.linear(f"{name}.inner", feed_forward.inner)
        self.linear(f"{name}.outer", feed_forward.outer)


def _fill(model: Transformer, encoder: _Weights, decoder: _Weights) -> None:
    for weights, table, norm in (
        (encoder, model.source_embedding, model.source_norm),
        (decoder, model.target_embedding, model.target_norm),
    ):
        cast(nn.Embedding, table).weight.copy_(weights["embedding"])
        weights.norm("embedding_norm", norm)
    if model.positions.learned is not None:
        model.positions.learned.copy_(encoder["positions"])
    for index, layer in enumerate(model.encoder):
        encoder.layer(f"encoder.{index}", layer)
    encoder.norm("encoder_norm", model.encoder_norm)
    crosses = [layer.cross_attention for layer in model.decoder]
    encoder.linear("cross", *(linear for cross in crosses for linear in (cross.key, cross.value)))
    for index, block in enumerate(model.decoder):
        name = f"decoder.{index}"
        decoder.layer(name, block)
        decoder.norm(f"{name}.cross_norm", block.cross_residual.norm)
        decoder.linear(f"{name}.cross_query", block.cross_attention.query)
        decoder.linear(f"{name}.cross_output", block.cross_attention.output)
    decoder.norm("decoder_norm", model.decoder_norm)
    projection = cast(nn.Linear, model.projection)
    projection.weight.copy_(decoder["projection.weight"])
    if model.config.output_bias:
        projection.bias.copy_(decoder["projection.bias"])


def _card(bundle: Bundle, recipe: Recipe) -> ModelCard:
    provenance = bundle.manifest.provenance
    golden: dict[str, list[str]] = {}
    for item in bundle.golden:
        golden.setdefault(item.source_language, []).append(item.source)
    return ModelCard(
        name=recipe.name,
        languages=recipe.languages,
        direction=recipe.direction,
        longest_source=bundle.manifest.longest_source,
        golden={language: tuple(texts) for language, texts in golden.items()},
        **provenance.model_dump(exclude={"origin"}),
    )
