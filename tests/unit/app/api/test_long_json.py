"""JSON read in pieces means the same as JSON read at once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api import long_json
from app.api.long_json import MAX_VALUES, parse_json

CHARACTERS = st.sampled_from(["a", "ä", '"', "\\", "\n", "\u2028", "\U0001f600", "/", "abc" * 9, "u00e4", "\ud83d"])
STRINGS = st.lists(CHARACTERS, max_size=60).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["q", "source", "x"]), VALUES), st.booleans(), st.integers(13, 60))
def test_strings_cut_anywhere_are_put_together_again(value: dict[str, object], ascii_only: bool, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # A name, and what is inside an inner object, is only ever read for its own sake: see below.
        patch.setattr(long_json, "_PIECE_CHARS", piece)
        text = json.dumps(value, ensure_ascii=ascii_only)
        expected = json.loads(text)
        found = parse_json(text)
    assert isinstance(found, dict)
    for name, item in expected.items():
        is_flat = not isinstance(item, dict) and not (
            isinstance(item, list) and any(isinstance(one, list | dict) for one in item)
        )
        assert name in found and (not is_flat or found[name] == item)


@pytest.mark.parametrize(
    "text",
    [
        '{"q": "' + "a" * 70_000,
        '{"q": "' + "a" * 70_000 + '\\u12"}',
        '{"q": "' + "a" * 70_000 + '\\x"}',
        '{"q": "' + "a" * 70_000 + '\x01"}',
        '{"q": "' + "\\" * 70_001 + '"}',
        '{"q": "' + "a" * 70_000 + '", "beam_size": NaN}',
        '{"q": "' + "a" * 70_000 + '"} "',
    ],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        json.loads(text, parse_constant=long_json._refuse_constant)
    with pytest.raises(ValueError):
        parse_json(text)


@pytest.mark.parametrize("value", ["[],", "{},", '"",', "1,"])
def test_more_values_than_a_request_can_need_are_refused(value: str) -> None:
    assert parse_json('{"x": [' + value * (MAX_VALUES // 2 - 10) + "0]}")
    with pytest.raises(ValueError, match="too many values"):
        parse_json('{"x": [' + value * 2 * MAX_VALUES + "0]}")
