import math

import pytest
import torch

from model.network.config import TransformerConfig
from model.network.positions import PositionSignal, sinusoids
from model.network.transformer import Transformer

WIDTH = 12


def paper_signal(position: int, width: int) -> list[float]:
    """Section 3.5: PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos(p / 10000^(2i/D))."""
    signal = []
    for i in range(width // 2):
        angle = position / 10000 ** (2 * i / width)
        signal += [math.sin(angle), math.cos(angle)]
    return signal


def position_signal(positions: str, max_positions: int = 16) -> PositionSignal:
    return PositionSignal(
        TransformerConfig(
            source_vocabulary=9,
            target_vocabulary=9,
            width=WIDTH,
            heads=2,
            positions=positions,  # type: ignore[arg-type]
            max_positions=max_positions,
        )
    )


def close(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=1e-6)


def test_interleaved_sinusoids_are_the_papers() -> None:
    positions = [0, 1, 2, 7, 511, 4000]
    expected = torch.tensor([paper_signal(position, WIDTH) for position in positions])
    close(sinusoids(torch.tensor(positions), WIDTH, concatenated=False), expected)


def test_concatenated_sinusoids_are_the_same_with_all_sines_first() -> None:
    expected = torch.tensor([paper_signal(position, WIDTH) for position in range(6)])
    close(
        sinusoids(torch.arange(6), WIDTH, concatenated=True), torch.cat([expected[:, 0::2], expected[:, 1::2]], dim=-1)
    )


def test_marians_sinusoids_end_at_the_lowest_frequency() -> None:
    """As tensor2tensor computes them: the increment of the logarithm is log(10000) / (D/2 - 1)."""
    angles = [[p * math.exp(-i * math.log(10000) / (WIDTH / 2 - 1)) for i in range(WIDTH // 2)] for p in range(6)]
    expected = torch.tensor([[*map(math.sin, row), *map(math.cos, row)] for row in angles])
    close(sinusoids(torch.arange(6), WIDTH, concatenated=True, to_the_end=True), expected)
    close(position_signal("sinusoidal-marian")(0, 6), expected)
    assert sinusoids(torch.arange(3), 2, concatenated=True, to_the_end=True).isfinite().all()


def test_positions_may_have_any_shape() -> None:
    positions = torch.tensor([[3, 1], [0, 5]])
    signal = sinusoids(positions, 4, concatenated=False)
    assert signal.shape == (2, 2, 4)
    close(signal[1, 1], torch.tensor(paper_signal(5, 4)))


@pytest.mark.parametrize("scheme", ["sinusoidal", "sinusoidal-halves"])
def test_sinusoids_extrapolate_beyond_max_positions(scheme: str) -> None:
    module = position_signal(scheme, max_positions=4)
    short, long = module(0, 3), module(0, 5000)
    close(long[:3], short)
    expected = paper_signal(4999, WIDTH)
    close(long[4999], torch.tensor(expected if scheme == "sinusoidal" else expected[0::2] + expected[1::2]))
    assert not list(module.state_dict()), "sinusoids are no weights"


@pytest.mark.parametrize("scheme", ["sinusoidal", "sinusoidal-halves", "sinusoidal-marian", "learned"])
def test_a_signal_may_start_anywhere(scheme: str) -> None:
    module = position_signal(scheme)
    close(module(5, 4), module(0, 9)[5:])


def test_the_signal_takes_the_type_of_what_it_is_added_to() -> None:
    config = TransformerConfig(source_vocabulary=20, target_vocabulary=20, width=WIDTH, heads=1, feed_forward=8)
    model = Transformer(config).to(torch.bfloat16)
    assert model.encode(torch.tensor([[3, 4, 2]])).states.dtype == torch.bfloat16


def test_learned_positions_end() -> None:
    module = position_signal("learned", max_positions=16)
    assert module(0, 16).shape == (16, WIDTH)
    with pytest.raises(ValueError, match="17 positions asked for, 16 learned"):
        module(16, 1)
    assert [name for name, _ in module.named_parameters()] == ["learned"]
