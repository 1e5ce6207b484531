from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from app.text.ranges import overlapping


class Span(NamedTuple):
    begin: int
    end: int


PLACES = st.lists(st.integers(0, 40), max_size=12).map(sorted)


@given(PLACES, st.integers(1, 3), st.integers(0, 40), st.integers(1, 20))
def test_it_finds_what_a_look_at_each_range_finds(places, times, begin, length):
    spans = [Span(*both) for both in zip(places[::2], places[1::2], strict=False) if both[0] < both[1]]
    ranges = [span for span in spans for _ in range(times)]
    end = begin + length
    assert overlapping(ranges, begin, end) == [each for each in ranges if each.begin < end and begin < each.end]
