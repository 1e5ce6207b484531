"""What holds of every room, and of languages without one. A new room is tested here without a change."""

import re

import pytest

from languages.address import Clues
from languages.clock import SpokenTime
from languages.language import Language
from languages.neutral import neutral
from languages.registry import language_of, rooms

ROOMS = pytest.mark.parametrize("room", rooms(), ids=lambda room: room.name)
WITHOUT = [language_of(code) for code in ("tr", "ja", "ar", "hi", "th", "he", "ru", "zh-Hant", "el", "und")]
ALL = pytest.mark.parametrize("language", [*rooms(), *WITHOUT], ids=lambda language: language.name)


@ROOMS
def test_a_room_is_found_by_its_code_in_every_region(room: Language) -> None:
    assert language_of(room.code).name == room.name == neutral(room.code).name
    for region in room.regions:
        regional = language_of(f"{room.code}-{region}")
        assert (regional.code, regional.region) == (room.code, region)


@ALL
def test_quotation_marks_pair(language: Language) -> None:
    quotes = language.writing.quotes
    if quotes:
        assert len(quotes.opening) == len(quotes.closing) == 1
        assert not quotes.gap.strip() and quotes.opened + quotes.closed


@ALL
def test_expressions_are_valid(language: Language) -> None:
    numbers = language.numbers
    for expression in (*numbers.traces, numbers.percent, numbers.currencies, numbers.named, numbers.versioned):
        re.compile(expression, re.IGNORECASE)
    re.compile(rf"x(?:{numbers.measures})", re.VERBOSE)
    if language.dotted_ordinals:
        re.compile(language.dotted_ordinals.after)
    for slip in language.writing.ordinal_slips:
        assert "ending" in slip.pattern.groupindex


@ALL
def test_words_are_in_the_letter_case_that_they_are_looked_for_in(language: Language) -> None:
    small = (*language.common_words, *language.conjunctions, *language.writing.small_words, *language.writing.doubled)
    assert all(word == word.lower() and word.strip() == word for word in (*small, *language.numbers.cardinals))
    assert set(language.numbers.scale_words) >= {
        power for abbreviation, power in language.numbers.scales.items() if len(abbreviation) > 2
    }


@ROOMS
def test_number_words_are_all_or_none(room: Language) -> None:
    numbers = room.numbers
    assert len(numbers.cardinals) in (0, 12) and len(set(numbers.cardinals)) == len(numbers.cardinals)
    assert len(numbers.traces) in (0, 11)
    for word, trace in zip(numbers.cardinals[1:], numbers.traces, strict=bool(numbers.traces and numbers.cardinals)):
        assert re.search(trace, word, re.IGNORECASE), f"{word} is a trace of its number"


@ROOMS
def test_the_clock_reads_what_it_writes(room: Language) -> None:
    clock = room.clock
    for hour in range(1, 13):
        for minute in clock.wordings if clock else ():
            for in_figures in (False, True):
                time = SpokenTime(hour, minute, in_figures, has_at=True)
                written = clock.write(time) if clock else None
                assert written and clock
                assert time in [found.time for found in clock.read(f"x {written}, x")], written
                assert clock.hint.search(written)


@ALL
def test_an_inflected_word_is_among_its_forms(language: Language) -> None:
    for word in ("Haus", "house", "maison", "casa", "X", "5"):
        forms = language.inflected(word)
        assert forms[0] == word and len(set(forms)) == len(forms)
        assert all(isinstance(base, str) and base for base in language.bases(word.casefold()))


@ROOMS
def test_articles_make_two_questions(room: Language) -> None:
    if room.noun_probe:
        first, second = room.noun_probe.ask("Test")
        assert first != second and all("test" in asked.lower() for asked in (first, second))
        answer = room.noun_probe.answer.fullmatch(second)
        assert answer is None or answer[1].lower() == "test"


@ROOMS
def test_registers_avoid_each_other(room: Language) -> None:
    assert room.clues("") == Clues()
    if room.address:
        assert set(room.address.formal_words).isdisjoint(room.address.informal_words)
        assert room.address.read(Clues(), "") == ((), (), ())
        for word in room.address.informal_words:
            assert not room.address.read(Clues(), f"x {word} x").formal


@ROOMS
def test_the_slots_of_frames_are_those_of_all_languages(room: Language) -> None:
    for name, frame in room.frames().items():
        for other in rooms():
            assert sorted(re.findall(r"{\w+}", other.frames().get(name, frame))) == sorted(re.findall(r"{\w+}", frame))


@ROOMS
def test_regional_spelling_is_there_and_back(room: Language) -> None:
    for region in room.regions:
        table = language_of(f"{room.code}-{region}").spelling()
        assert all(word == word.lower() and other == other.lower() for word, other in table.items())
        assert set(table).isdisjoint(table.values())
