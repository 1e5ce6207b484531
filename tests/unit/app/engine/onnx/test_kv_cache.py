"""The KV cache: each row finds its own keys and values when rows join, end or continue others."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from onnxruntime import OrtValue

from app.engine.onnx.kv_cache import KeyValueCache

WIDTH = 3
MODEL = SimpleNamespace(
    past=["keys", "values"],
    past_shape=lambda rows, room: (rows, room, WIDTH),
    dtype=np.float32,
    device="cpu",
    value=OrtValue.ortvalue_from_numpy,
)


@st.composite
def runs(draw):
    """Parents and room of some runs in a row."""
    found, rows = [], 1
    for _ in range(draw(st.integers(1, 8))):
        parents = draw(st.lists(st.integers(-1, rows - 1), min_size=1, max_size=8))
        found.append((np.array(parents), 4 * draw(st.integers(1, 3))))
        rows = len(parents)
    return found


def fitted(array, room):
    """The cache with another length; new positions are NaN."""
    grown = np.full(MODEL.past_shape(len(array), room), np.nan, np.float32)
    grown[:, : array.shape[1]] = array[:, :room]
    return grown


@given(plan=runs())
def test_rows_keep_what_they_had(plan):
    """A stand-in for the graph writes numbers of its own at one position of each row."""
    past = KeyValueCache(MODEL)
    expected = [np.zeros(MODEL.past_shape(1, 4), np.float32) for _ in MODEL.past]
    number = 0
    for parents, room in plan:
        read, written = past.arrange(parents, room)
        for index, (before, after) in enumerate(zip(read, written, strict=True)):
            rows = before.numpy()[np.maximum(parents, 0)]
            expected[index] = fitted(expected[index], room)[np.maximum(parents, 0)]
            expected[index][parents < 0] = np.nan
            assert (np.isnan(expected[index]) | (rows == expected[index])).all()
            assert np.isfinite(rows).all()  # the graph multiplies hidden values by zero
            for row in range(len(parents)):
                number += 1
                rows[row, number % room] = expected[index][row, number % room] = number
            after.update_inplace(rows)
