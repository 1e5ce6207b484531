"""Holds the exported graphs to the PyTorch model, through the runtime that ships.

Errors are absolute differences from the model in float64: of the encoder features, and of next-token log-probabilities
over the whole vocabulary.
"""

import copy
from dataclasses import asdict, astuple, dataclass
from typing import NamedTuple

import numpy as np
import torch

from app.engine.memory import Memory
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.native import NativeModel
from model.data.batches import pad
from model.network.memory import Memories
from model.network.transformer import Encoded, Transformer

# Sentences and longest source of each batch; target lengths differ from both on purpose.
SHAPES = ((1, 1), (1, 17), (3, 5), (8, 40), (2, 130))
TARGET_LENGTH = 9

# Largest error that float32 may show. Trained models reach some 1e-4: sums of a few hundred terms in another order.
TOLERANCE = 2e-3


class ParityError(ValueError):
    """An exported graph computes something else than the model."""


@dataclass(frozen=True)
class Parity:
    """Largest errors over the grid of shapes.

    Attributes:
        encoder: Error of the graph's features.
        step: Error of the graph's log-probabilities where the model, too, goes step by step.
        full_pass: The same, where the model passes over the whole target at once: both caches must be right.
    """

    encoder: float
    step: float
    full_pass: float


def measure(model: Transformer, graphs: OnnxModel | NativeModel) -> Parity:
    """Compare on random ids over ``SHAPES``.

    The graphs decode step by step. A model with a memory translates two sentences in a row; both count.
    """
    rng = np.random.default_rng(0)
    most = model.config.max_positions
    exact = copy.deepcopy(model).double()
    errors = []
    for batch, longest in SHAPES:
        memory = _NO_MEMORY
        for _ in range(2 if model.config.memory_length else 1):
            error, memory = _compare(exact, graphs, rng, batch, min(longest, most), memory)
            errors.append(error)
    return Parity(*(max(column) for column in zip(*map(astuple, errors), strict=True)))


class _Memory(NamedTuple):
    """The memories of the model and of the graphs after the sentences so far."""

    expected: Memories
    got: list[Memory] | None


_NO_MEMORY = _Memory(Memories(None, None), None)


@torch.no_grad()
def _compare(
    exact: Transformer,
    graphs: OnnxModel | NativeModel,
    rng: np.random.Generator,
    batch: int,
    longest: int,
    memory: _Memory,
) -> tuple[Parity, _Memory]:
    """The errors on one batch, and the memories after it."""
    config = exact.config
    special = [config.pad_id, config.eos_id, config.decoder_start_id]
    lengths = [longest, *rng.integers(1, longest + 1, batch - 1)]
    plain = np.setdiff1d(np.arange(config.source_vocabulary), special)
    sources = [rng.choice(plain, length) for length in lengths]
    plain = np.setdiff1d(np.arange(config.target_vocabulary), special)
    target = rng.choice(plain, (batch, TARGET_LENGTH))
    target[:, 0] = config.decoder_start_id
    features = graphs.encode([source.tolist() for source in sources], memory.got)
    encoded: Encoded = exact.encode(pad(sources, config.pad_id), memory.expected.encoder)
    cache = exact.start(encoded, memory.expected.decoder)
    expected = [side for pair in cache.cross for side in pair]
    encoder = max(
        float(np.abs(array - wanted[row, : len(array)].numpy()).max())
        for row, item in enumerate(features)
        for array, wanted in zip(item.arrays, expected, strict=True)
    )
    states, _, later = exact.read(pad(sources, config.pad_id), torch.from_numpy(target), memory.expected)
    full = torch.log_softmax(exact.logits(states), dim=-1).numpy()  # (B, T, V)
    rows = graphs.rows()
    rows.join(features)
    step_error = full_error = 0.0
    for position in range(TARGET_LENGTH):
        tokens = target[:, position]
        scores, candidates, _ = rows.step(tokens.tolist(), config.target_vocabulary)
        got = np.empty_like(scores)
        np.put_along_axis(got, candidates, scores, axis=1)  # from sorted back to vocabulary order
        logits = exact.step(torch.from_numpy(tokens).unsqueeze(1), cache)
        step_error = max(step_error, float(np.abs(got - torch.log_softmax(logits, -1).numpy()).max()))
        full_error = max(full_error, float(np.abs(got - full[:, position]).max()))
    kept = [
        Memory.after(None, (), (), item.remembered, rows.remembered(row)) for row, item in enumerate(features) if later
    ]
    return Parity(encoder, step_error, full_error), _Memory(later or Memories(None, None), kept or None)


def require(parity: Parity, tolerance: float = TOLERANCE) -> None:
    """Refuse float32 graphs whose errors exceed the tolerance.

    Raises:
        ParityError: Names the graph and the error.
    """
    for name, error in asdict(parity).items():
        if not error <= tolerance:  # NaN must fail too
            raise ParityError(f"{name}: the exported graph differs from the model by {error:.1e}, over {tolerance:.0e}")
