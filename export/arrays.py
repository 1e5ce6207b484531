"""The weights of a model as plain arrays, by the names that PyTorch gives them: what graphs are written from."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from model.network.config import TransformerConfig

if TYPE_CHECKING:
    from model.network.transformer import Transformer

Array: TypeAlias = NDArray[np.float32]
Arrays: TypeAlias = Mapping[str, Array]
"""Matrices are (out, in), as in ``torch.nn.Linear``. ``positions`` are the signals that are added, (positions, D)."""


def arrays_of(model: "Transformer") -> Arrays:
    """The weights of a standard model or of a recurrent one, float32."""
    positions = model.positions.table(model.config.max_positions)
    tensors = {**model.state_dict(), "positions": positions}
    return {name: tensor.detach().float().numpy() for name, tensor in tensors.items()}


def side_by_side(arrays: Arrays, *names: str) -> tuple[Array, Array]:
    """Linear layers of the same input as one: (inputs, outputs) and (outputs,), whose zeros are biases there aren't."""
    weights = [arrays[f"{name}.weight"] for name in names]
    biases = [
        arrays.get(f"{name}.bias", np.zeros(len(weight), np.float32))
        for name, weight in zip(names, weights, strict=True)
    ]
    return np.ascontiguousarray(np.concatenate(weights).T), np.concatenate(biases)


def layer_shapes(config: TransformerConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes of all parameters but the tables, of a standard model or of a recurrent one."""
    width, inner = config.width, config.feed_forward

    def linear(name: str, outputs: int, inputs: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        yield f"{name}.weight", (outputs, inputs)
        if not name.endswith(".candidate"):
            yield f"{name}.bias", (outputs,)

    def norm(name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        yield from ((f"{name}.{kind}", (width,)) for kind in ("weight", "bias"))

    def attention(name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        for part in ("query", "key", "value", "output"):
            yield from linear(f"{name}_attention.{part}", width, width)
        yield from norm(f"{name}_residual.norm")

    for stack, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        for layer in range(layers):
            name, recurrent = f"{stack}.{layer}", stack == "decoder" and config.recurrent
            if recurrent:
                for part in ("candidate", "gate"):
                    yield from linear(f"{name}.recurrence.{part}", width, width)
                yield from norm(f"{name}.self_residual.norm")
            else:
                yield from attention(f"{name}.self")
            if stack == "decoder":
                yield from attention(f"{name}.cross")
            yield from linear(f"{name}.feed_forward.inner", inner, width)
            yield from linear(f"{name}.feed_forward.outer", width, inner)
            yield from norm(f"{name}.feed_forward_residual.norm")
        if config.norm == "pre":
            yield from norm(f"{stack}_norm")
    if config.embedding_norm:
        yield from norm("source_norm")
        yield from norm("target_norm")


def sinusoids(length: int, width: int, *, to_the_end: bool) -> Array:
    """The signals of positions in Marian's layout, see ``model.network.positions.sinusoids``, (length, D)."""
    steps = max(width // 2 - 1, 1) if to_the_end else width // 2
    rates = np.exp(-math.log(10000.0) * np.arange(width // 2) / steps)
    angles = np.arange(length)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
