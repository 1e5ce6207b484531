"""The weights of a model as plain arrays, by the names that PyTorch gives them: what graphs are written from."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.padding import pad_to_multiple
from model.network.config import TransformerConfig

if TYPE_CHECKING:
    from model.network.transformer import Transformer

Array: TypeAlias = NDArray[np.float32]
Arrays: TypeAlias = Mapping[str, Array]
"""Matrices are (out, in), as in ``torch.nn.Linear``. ``positions`` are the signals that are added, (positions, D).

``distances`` are those of relative positions, (N + 2Q, D), of the distances N + Q - 1 to -Q, where Q positions are a
whole number of blocks, and N of the sentences before are remembered.
"""


def arrays_of(model: "Transformer") -> Arrays:
    """The weights of a model, float32."""
    config = model.config
    tensors = {**model.state_dict(), "positions": model.positions.table(config.position_rows)}
    arrays = {name: tensor.detach().float().numpy() for name, tensor in tensors.items()}
    if config.positions == "relative":
        rows = pad_to_multiple(config.position_rows)
        distances = np.arange(rows + config.memory_length - 1, -rows - 1, -1)
        arrays["distances"] = sinusoids(distances, config.width, to_the_end=False)
    return arrays


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


def sinusoids(positions: NDArray[np.int64], width: int, *, to_the_end: bool) -> Array:
    """Signals (T, D) of positions (T,) in Marian's layout, see ``model.network.positions.sinusoids``."""
    steps = max(width // 2 - 1, 1) if to_the_end else width // 2
    rates = np.exp(-math.log(10000.0) * np.arange(width // 2) / steps)
    angles = positions[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
