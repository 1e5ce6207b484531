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
from model.network.transformer import Transformer
from model.recipe import Recipe
from model.training.checkpoint import model_tensors, write_model
from model.training.provenance import CARD, ModelCard


class RestoreError(ValueError):
    """No model can be restored from this bundle; the message says why."""


def restore(bundle: Bundle, out: Path) -> None:
    """Write the weights of a bundle's float32 graphs as a model folder.

    They are the exported weights, rounded to float16; the optimiser's state is lost.

    Args:
        bundle: One that ``dragoman export`` wrote from a run of ``dragoman train``, of one model.
        out: Folder to make.

    Raises:
        RestoreError: ``out`` exists, or the bundle was made in another way.
        BundleError: It has no float32 graphs.
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
    encoder, decoder = (_Weights(bundle.graphs("float32")[role]) for role in ("encoder", "decoder"))
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
    """The weights of one graph: vectors by their names, and matrices in the order in which they are multiplied."""

    def __init__(self, path: Path) -> None:
        graph = onnx.load(path).graph
        self._vectors = {
            tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).astype(np.float32))
            for tensor in graph.initializer
        }
        stored = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Cast"}
        self._vectors.update(
            {name: self._vectors[source] for name, source in stored.items() if source in self._vectors}
        )
        # PyTorch has (outputs, inputs).
        self._matrices = [
            self._vectors[node.input[1]].T
            for node in graph.node
            if node.op_type == "MatMul" and node.input[1] in self._vectors
        ]
        self._matrices.reverse()

    def named(self, module: nn.Module, prefix: str) -> None:
        """The parameters that kept their names: norms, biases, tables."""
        for name, parameter in module.named_parameters(prefix, remove_duplicate=False):
            if name in self._vectors:
                parameter.copy_(self._vectors[name])

    def table(self, name: str) -> torch.Tensor:
        """A buffer."""
        return self._vectors[name]

    def product(self, *layers: nn.Linear, bias: str = "") -> None:
        """The next matrix, into the layers that were fused into it; their fused bias has a name."""
        for layer, part in zip(layers, self._matrices.pop().chunk(len(layers)), strict=True):
            layer.weight.copy_(part)
        if bias in self._vectors:
            for layer, part in zip(layers, self._vectors[bias].chunk(len(layers)), strict=True):
                layer.bias.copy_(part)


def _fill(model: Transformer, encoder: _Weights, decoder: _Weights) -> None:
    """Fill the model, layer by layer, in the order of ``export.graphs``."""
    encoder.named(model, "model")
    if model.positions.learned is not None:  # a buffer of the graph, whose rows fill up a block
        model.positions.learned.copy_(encoder.table("positions")[: model.config.max_positions])
    for index, layer in enumerate(model.encoder):
        attention = layer.self_attention
        encoder.product(attention.query, attention.key, attention.value, bias=f"self_projections.{index}.bias")
        encoder.product(attention.output)
        encoder.product(layer.feed_forward.inner)
        encoder.product(layer.feed_forward.outer)
    crosses = [layer.cross_attention for layer in model.decoder]
    encoder.product(*(linear for cross in crosses for linear in (cross.key, cross.value)), bias="cross_projection.bias")
    decoder.named(model, "model")
    for index, block in enumerate(model.decoder):
        attention = block.self_attention
        decoder.product(attention.query, attention.key, attention.value, bias=f"self_projections.{index}.bias")
        decoder.product(attention.output)
        decoder.product(block.cross_attention.query)
        decoder.product(block.cross_attention.output)
        decoder.product(block.feed_forward.inner)
        decoder.product(block.feed_forward.outer)
    if not model.config.tie_output:
        decoder.product(cast(nn.Linear, model.projection))


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
