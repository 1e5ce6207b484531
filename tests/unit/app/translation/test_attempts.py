"""Further attempts at a sentence: other stand-ins, numbers kept, or the sentence cut at its spans."""

import re
from collections.abc import Iterable

import pytest

from app.text.inline.target_tokens import Link
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import Protected, protect
from app.translation.attempts import (
    Aligned,
    Attempt,
    cut,
    cut_at_numbers,
    in_usual_spelling,
    with_numbers_kept,
    with_other_stand_ins,
    with_signs_kept,
    with_words_said_once,
)
from languages.registry import language_of

BRACES = compile_patterns([r"regex:\{\d+\}"])
PLACEHOLDERS = ("\ue000", "\ue001", "\ue002")


def names(protected: Protected) -> list[str]:
    return [protected.text[begin:end] for begin, end in protected.stand_ins]


def word(text: str, part: str) -> tuple[int, int]:
    return text.index(part), text.index(part) + len(part)


def word_by_word(text: str, translation: str) -> tuple[Link, ...]:
    """Links the n-th word of the one to the n-th of the other."""
    sides = ([match.span() for match in re.finditer(r"\w+", side)] for side in (text, translation))
    return tuple(Link(*source, *target) for source, target in zip(*sides, strict=True))


def kinds(attempts: Iterable[Attempt]) -> list[str]:
    """What stands for the spans in each attempt; the last cuts the sentence around them."""
    return ["numbers" if re.search(r"\d\d", each.texts[0]) else "names" for each in [*attempts][:-1]]


def with_numbers(protected: Protected) -> Attempt:
    return next(each for each in with_other_stand_ins(protected) if re.search(r"\d\d", each.texts[0]))


def test_names_stand_in_where_placeholders_are_lost() -> None:
    placeholders = protect("Tom sah {0} und {1}.", BRACES, PLACEHOLDERS)
    first, *others = with_other_stand_ins(placeholders)
    assert kinds([first, *others]) == ["names", "numbers"]
    [text] = first.texts
    one, other = re.findall(r"[A-Z]\w+", text)[1:]
    assert text == f"Tom sah {one} und {other}."
    joined = first.join([Aligned(f"{other} was seen by {one} and Tom.", ())])
    assert joined and placeholders.restore(*joined).text == "{1} was seen by {0} and Tom."
    assert kinds(with_other_stand_ins(protect("Tom sah {0}.", BRACES))) == ["numbers"]
    crowd = protect("Da sind {0}" + ", {1}" * 8, BRACES, PLACEHOLDERS)
    assert kinds(with_other_stand_ins(crowd)) == ["numbers"]  # more than there are names


def test_numbers_stand_in_at_the_second_attempt() -> None:
    protected = protect("Um 57 Uhr kam {0} zu {1}.", BRACES)
    attempt = with_numbers(protected)
    [text] = attempt.texts
    first, second = re.findall(r"\d+", text)[1:]
    assert text == f"Um 57 Uhr kam {first} zu {second}." and "57" not in (first, second)
    translation = f"To {second} came {first} at 57."
    joined = attempt.join([Aligned(translation, (Link(*word(text, first), *word(translation, first)),))])
    assert joined and protected.restore(*joined).text == "To {1} came {0} at 57."
    # The link is now between the names.
    name = names(protected)[0]
    assert joined.links == ((*word(protected.text, name), *word(joined.text, name)),)


def test_numbers_stand_in_for_what_a_program_writes_numbers_for() -> None:
    def asked(text: str, *, cuts: bool) -> list[str]:
        protected = protect(text, untranslatable(text, frozenset()), PLACEHOLDERS)
        return [attempt.texts[0] for attempt in with_other_stand_ins(protected, PLACEHOLDERS, cuts=cuts)]

    assert asked("%d of %(total)s done", cuts=True)[:2] == ["57 of 70 done", "Tom of Boston done"]
    assert asked("%d minutes by %s", cuts=True)[:2] == ["Tom minutes by Boston", "57 minutes by 70"]
    assert asked("%d minutes by %s", cuts=False) == ["57 minutes by Tom"]
    assert asked("%s by %s", cuts=False) == ["Tom by Boston", "57 by 70"]


@pytest.mark.parametrize("output", ["He came.", "It is {} o'clock to {}.", "It is {}.5 o'clock.", "It is 1{} o'clock."])
def test_numbers_that_are_gone_or_doubled_or_in_others_do_not_count(output: str) -> None:
    attempt = with_numbers(protect("Er kam zu {0}.", BRACES))
    [number] = re.findall(r"\d+", attempt.texts[0])
    assert attempt.join([Aligned(output.replace("{}", number), ())]) is None


@pytest.mark.parametrize(
    ("text", "pieces", "translations", "expected"),
    [
        ("Ich sah {0} gestern.", ["Ich sah", "gestern."], ["I saw.", "yesterday."], "I saw {0} yesterday."),
        ("{0}, dass er {1}", ["dass er"], ["that he"], "{0}, that he {1}"),
        ("Klick {0}hier{1}!", ["Klick", "hier"], ["Click", "here"], "Click {0}here{1}!"),  # inside a word
        ("Die {0}Tür", ["Die", "Tür"], ["The", "door"], "The {0}door"),
        ("Was {0}", ["Was"], [""], "Was {0}"),  # never silently missing
        ("Kommt er? {0} ({1}) Ja?", ["Kommt er", "Ja?"], ["Is he coming?", "Yes?"], "Is he coming? {0} ({1}) Yes?"),
        ("Was {0}: {1} - 12 {2}", ["Was"], ["What"], "What {0}: {1} - 12 {2}"),
    ],
)
def test_the_last_attempt_translates_what_is_between_the_spans(
    text: str, pieces: list[str], translations: list[str], expected: str
) -> None:
    protected = protect(text, BRACES)
    attempt = cut(protected)
    assert list(attempt.texts) == pieces
    joined = attempt.join([Aligned(each, ()) for each in translations])
    assert joined
    restored = protected.restore(*joined)
    assert (restored.text, restored.lost) == (expected, ())


def test_links_of_the_pieces_are_links_of_the_sentence() -> None:
    protected = protect("Ich sah {0} gestern", BRACES)
    attempt = cut(protected)
    translations = ["I beheld", "yesterday"]
    pieces = [Aligned(new, word_by_word(old, new)) for old, new in zip(attempt.texts, translations, strict=True)]
    joined = attempt.join(pieces)
    assert joined and set(joined.links) == set(word_by_word(protected.text, joined.text))


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("Am 31. Mai 1999 um 10:45.", "Am \ue000. Mai \ue001 um \ue002."),
        ("Nur 7.000 von 3,5 und 1.2.3 nicht.", None),  # other languages write these otherwise
        ("(0-2), 4-4-2, 2017/18, 5%", "(\ue000), \ue001, \ue002, 5%"),  # no more than there are placeholders
        ("\ue001 sind 2", "\ue001 sind \ue000"),
        ("Keine.", None),
    ],
)
def test_placeholders_stand_in_for_numbers_that_languages_write_alike(text: str, numbered: str | None) -> None:
    found = [attempt.texts for attempt in with_numbers_kept(text, PLACEHOLDERS)]
    assert found == ([(numbered,)] if numbered else [])
    assert not list(with_numbers_kept(text, ())), "a model without placeholders"


def test_numbers_come_back_where_their_placeholders_are() -> None:
    [attempt] = with_numbers_kept("Der Hund 1999 und 2024", PLACEHOLDERS)
    assert attempt.texts == ("Der Hund \ue000 und \ue001",)
    assert attempt.join([Aligned("Hund \ue000", ())]) is None
    joined = attempt.join([Aligned("\ue001 und \ue000 Hund", (Link(15, 16, 0, 1), Link(9, 10, 6, 7)))])
    assert joined is not None
    assert joined.text == "2024 und 1999 Hund"
    assert joined.links == (Link(18, 22, 0, 4), Link(9, 13, 9, 13))


def test_an_ordinal_is_not_cut_from_its_word() -> None:
    [attempt] = cut_at_numbers("Er traf in der 89. Minute zum 1:1.", PLACEHOLDERS)
    assert attempt.texts == ("Er traf in der 89. Minute zum",)
    [attempt] = cut_at_numbers("Er kam um 8.", PLACEHOLDERS)
    assert attempt.texts == ("Er kam um",)


def test_an_attempt_in_the_usual_spelling_has_the_places_of_the_written_one() -> None:
    protected = protect("Kap. 2 hat {0}", BRACES, PLACEHOLDERS)
    attempt = next(with_other_stand_ins(protected))
    [written] = attempt.texts
    usual = in_usual_spelling(attempt, language_of("de"))
    [text] = usual.texts
    assert text == written.replace("Kap.", "Kapitel")
    translation = text.replace("Kapitel", "Chapter").replace("hat", "has")
    links = word_by_word(text, translation)
    joined = usual.join([Aligned(translation, links)])
    assert joined and protected.restore(*joined).text == "Chapter 2 has {0}"
    assert [link[:2] for link in joined.links] == [
        word(protected.text, part) for part in ("Kap.", "2", "hat", "\ue000")
    ]


@pytest.mark.parametrize(
    ("said", "once"),
    [
        ("The city fell without without a fight.", "The city fell without a fight."),
        ("Net net immigration rose.", "Net immigration rose."),
        ("That's for a child child-friendly Germany.", "That's for a child-friendly Germany."),
    ],
)
def test_a_word_that_follows_itself_is_taken_out(said: str, once: str) -> None:
    source = "Eine Quelle ohne Wiederholung."
    [attempt] = with_words_said_once(source, Aligned(said, word_by_word(said, said)), {"that"})
    joined = attempt.join([])
    assert attempt.texts == ()
    assert joined and joined.text == once
    assert [once[link.target_begin : link.target_end] for link in joined.links] == re.findall(r"\w+", once)


@pytest.mark.parametrize(
    ("source", "said", "doubled"),
    [
        ("Er hatte recht.", "He had had enough.", {"had"}),
        ("Duran Duran spielten.", "Duran Duran played.", {"had"}),
        ("Ja, ja.", "Yes, yes, a thirst thirsty.", {"had"}),
        ("Der Hund trinkt.", "The dog dog dog drinks.", {"had"}),  # a loop
        ("Sie sagte, nein.", "She said no no.", set()),  # nobody knows the language's words
    ],
)
def test_words_that_may_follow_themselves_stay(source: str, said: str, doubled: set[str]) -> None:
    assert not list(with_words_said_once(source, Aligned(said, ()), doubled))


def test_placeholders_stand_in_for_signs_and_the_letters_of_items() -> None:
    [attempt] = with_signs_kept("Wir [sie] (i) gehen oder (ii) bleiben (ja).", ("\ue000", "\ue001", "\ue002", "\ue003"))
    assert attempt.texts == ("Wir \ue000 sie \ue001 \ue002 gehen oder \ue003 bleiben (ja).",)
    joined = attempt.join([Aligned("We \ue000 they \ue001 \ue002 go or \ue003 stay (yes).", ())])
    assert joined and joined.text == "We [they] (i) go or (ii) stay (yes)."
