"""Which rows belong to which sentence."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.engine.rows import seating


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.randoms())
def test_every_row_sits_with_its_sentence(beams, random):
    owner = [sentence for sentence, count in enumerate(beams) for _ in range(count)]
    random.shuffle(owner)
    members, seats = seating(np.array(owner), len(beams))
    assert members.shape == (len(beams), max(2, *beams), 2)
    for row, ((sentence, seat),) in enumerate(seats.tolist()):
        assert sentence == owner[row]
        assert members[sentence, seat].tolist() == [row, 0]
    assert len({tuple(seat) for (seat,) in seats.tolist()}) == len(owner)
    assert members.max() < len(owner)  # what fills a sentence up is a row, too
