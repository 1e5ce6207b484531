import math

import pytest

from app.engine.options import MAX_BEAM_SIZE, SearchOptions
from app.errors import OptionOutOfRange
from app.settings import MAX_BEAM_SIZE as SETTINGS_MAX_BEAM_SIZE


def test_defaults_are_valid_and_frozen():
    options = SearchOptions()
    with pytest.raises(AttributeError):
        options.beam_size = 2  # type: ignore[misc]
    assert options == SearchOptions(beam_size=4)


def test_the_settings_know_the_same_widest_beam():
    assert MAX_BEAM_SIZE == SETTINGS_MAX_BEAM_SIZE


@pytest.mark.parametrize(
    ("name", "lowest", "highest", "step"),
    [
        ("beam_size", 1, 16, 1),
        ("beam_threshold", 0, 100, 0.01),
        ("length_penalty", 0, 3, 0.01),
        ("max_length", 1, 512, 1),
        ("no_repeat_ngram", 0, 10, 1),
        ("repetition_penalty", 1, 5, 0.01),
    ],
)
def test_ranges(name, lowest, highest, step):
    for value in (lowest, highest):
        assert getattr(SearchOptions(**{name: value}), name) == value
    for value in (lowest - step, highest + step, math.nan, math.inf, -math.inf, True, "1", [1], 10**400):
        with pytest.raises(OptionOutOfRange, match=f"^{name} is .*; it must be a (whole )?number from .*\\.$"):
            SearchOptions(**{name: value})


def test_whole_numbers_are_not_floats():
    with pytest.raises(OptionOutOfRange, match=r"^beam_size is 2.0; it must be a whole number from 1 to 16\.$"):
        SearchOptions(beam_size=2.0)  # type: ignore[arg-type]


def test_options_fit_together():
    assert SearchOptions(min_length=5, max_length=5).max_length == 5
    assert SearchOptions(min_length=512).max_length is None
    with pytest.raises(OptionOutOfRange, match="min_length is 6; it must not exceed max_length, which is 5"):
        SearchOptions(min_length=6, max_length=5)
    with pytest.raises(OptionOutOfRange, match="n_best is 5; it must not exceed beam_size, which is 4"):
        SearchOptions(n_best=5)
    with pytest.raises(OptionOutOfRange, match="min_length is 513"):
        SearchOptions(min_length=513)
