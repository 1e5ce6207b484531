"""The weights of a model as plain arrays, by the names that PyTorch gives them: what graphs are written from."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
