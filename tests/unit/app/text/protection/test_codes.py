"""Codes of games, terminals and chats stand before their words; values in them are like words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.protection.defaults import untranslatable
from tests.support.notation import GARBLES, WORDS, check_seen, seen, translation

_CODES = st.sampled_from(
    ["§a", "§r", "§l", "§4", "\\C[2]", "\\I[64]", "\x1b[31m", "\\033[0m", "|cffff0000", "§Y", "{\\an8}"]
)


@given(st.lists(st.tuples(_CODES, WORDS), min_size=1, max_size=5), GARBLES)
def test_codes_come_back_once_and_touch_the_same_words(pairs: list[tuple[str, str]], garble) -> None:
    text = " ".join(code + word for code, word in pairs)
    assert seen(text) == [" ".join(word for _, word in pairs)]
    translated = translation(text, garble)
    for code, _ in pairs:
        assert translated.count(code) == text.count(code)
        assert f"{code} " not in translated


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("§aWelcome!§r Type §e/help§r for help.", ["Welcome!", "Type \ue000 for help."]),
        ("\\C[2]Hero\\C[0] found \\V[3] coins!", ["Hero found \ue000 coins!"]),
        ("|cffff0000Red|r and |Hitem:1|h[Axe]|h", ["Red and [Axe]"]),
        ("§YGold§! of [Root.GetName]", ["Gold of \ue000"]),
        ("&aWelcome &lback", ["Welcome back"]),
        ("^1Red ^7text", ["Red text"]),
        ("\x02Bold\x0f and \x0304red\x03", ["Bold and red"]),
        ("{b}Bold{/b} and {color=#f00}red{/color}", ["Bold and red"]),
    ],
)
def test_words_beside_codes_are_translated(text: str, sentences: list[str]) -> None:
    check_seen(text, sentences, source="en", target="de")


@pytest.mark.parametrize("text", ["Nach § 5 und §1 Abs. 2, §§ 3 und §5a BGB gilt das", "Kosten: £5, 2^3 = 8"])
def test_sections_of_a_law_are_no_codes(text: str) -> None:
    assert untranslatable(text, frozenset()).marks == ()
