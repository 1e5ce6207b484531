"""JSON read in pieces means the same as JSON read at once."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api import long_json
from app.api.long_json import MAX_VALUES, parse_json
from app.errors import TextTooLong

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
        for name, size in {"_AT_ONCE_BYTES": 0, "_PIECE_BYTES": piece, "_SHORT_BYTES": piece // 2}.items():
            patch.setattr(long_json, name, size)
        text = json.dumps(value, ensure_ascii=ascii_only)
        with suppress(UnicodeEncodeError):  # half of a character, which only an escape can spell
            assert parse_json(text.encode()) == json.loads(text)


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
        parse_json(text.encode())


@pytest.mark.parametrize("value", ["[],", "{},", '"",', "1,"])
def test_more_values_than_a_request_can_need_are_refused(value: str) -> None:
    assert parse_json(f'{{"x": [{value * (MAX_VALUES // 2 - 10)}0]}}'.encode())
    with pytest.raises(TextTooLong, match="more than 100,000 values"):
        parse_json(f'{{"x": [{value * 2 * MAX_VALUES}0]}}'.encode())


def test_more_short_texts_than_a_request_can_need_are_refused() -> None:
    with pytest.raises(TextTooLong, match="more than 8,388,608 bytes beside long texts"):
        parse_json(json.dumps({"q": ["a" * 200] * 50_000}).encode())


def test_a_list_of_long_texts_is_read_whole() -> None:
    texts = ["ä" * 15_000, 'a"\\' * 5_000] * 500
    assert parse_json(json.dumps({"q": texts}, ensure_ascii=False).encode()) == {"q": texts}


@pytest.mark.parametrize("before", range(6))
def test_an_escaped_backslash_at_a_cut_is_no_escape(before: int) -> None:
    text = "a" * (long_json._PIECE_BYTES - 6 - before) + r"\\ud83d" + "b" * 70_000
    found = parse_json(f'{{"q": "{text}"}}'.encode())
    assert found == json.loads(f'{{"q": "{text}"}}'), "a cut fell between two backslashes"


def test_a_text_over_the_limit_is_not_read_to_its_end() -> None:
    begin = b'{"q": "' + b"\\n" * 100_000
    with pytest.raises(TextTooLong, match="more than 1000"):
        parse_json(begin + b"and here the text ends", max_string_chars=1_000)
    with pytest.raises(ValueError, match="without an end"):
        parse_json(begin + b"and here the text ends", max_string_chars=200_000)
