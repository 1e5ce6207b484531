"""A language for every code; what holds of every room is in test_rooms.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from languages.codes import Code, parse
from languages.registry import language_of, rooms


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("de", Code("de")),
        ("DE-at", Code("de", None, "AT")),
        ("zh_hant", Code("zh", "Hant")),
        ("zh-Hant-TW", Code("zh", "Hant", "TW")),
        ("es-419", Code("es", None, "419")),
        ("de-CH-1996", Code("de", None, "CH")),
        ("zh-yue-hk", Code("zh", None, "HK")),
        ("not a code", Code("not a code")),
        ("", Code("")),
    ],
)
def test_codes_are_read_by_their_parts(written: str, parts: Code) -> None:
    assert parse(written) == parts


@given(st.text(max_size=20))
def test_every_string_has_a_language(code: str) -> None:
    assert language_of(code) is language_of(code)
    assert language_of(code).name or not code


def test_regions_and_scripts_are_those_of_the_code() -> None:
    swiss, traditional = language_of("de-ch"), language_of("zh-Hant")
    assert (swiss.code, swiss.region, swiss.script) == ("de", "CH", "Latn")
    assert swiss.common_words is language_of("de").common_words
    assert (traditional.code, traditional.region, traditional.script) == ("zh", None, "Hant")


def test_a_language_without_a_room_is_what_cldr_says() -> None:
    turkish, arabic, klingon = language_of("tr"), language_of("ar"), language_of("tlh")
    assert (turkish.name, turkish.script, turkish.right_to_left) == ("Turkish", "Latn", False)
    assert (arabic.name, arabic.script, arabic.right_to_left) == ("Arabic", "Arab", True)
    assert (klingon.code, klingon.regions) == ("tlh", ())


def test_rooms_are_found_by_their_english_names() -> None:
    assert {"de", "en"} <= {language.code for language in rooms()}
    assert all(language_of(language.code).common_words is language.common_words for language in rooms())


@pytest.mark.parametrize("code", ["registry", "codes", "neutral", "language"])
def test_a_module_that_is_no_room_is_no_language(code: str) -> None:
    assert language_of(code).regions == ()
