import itertools
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.terms.glossary import Glossary, Term, TermStatus, target_forms, uses
from tests.support.work import lines_of

APPLIED, INFLECTED, NOT_FOUND = TermStatus


def found(entries: dict[str, str], text: str, language: str = "de") -> list[tuple[str, str]]:
    """The words of the text that are terms, and their entries."""
    other = "en" if language == "de" else "de"
    return [(text[term.begin : term.end], term.source) for term in Glossary(entries, language, other).find(text)]


@pytest.mark.parametrize(
    ("entry", "text", "words"),
    [
        ("Vorstand", "Die Vorstände und des Vorstands VORSTAND.", ["Vorstände", "Vorstands", "VORSTAND"]),
        ("Vorstand", "Die Vorstandssitzung, der Vorstandsvorsitzende", []),
        ("Vorstand", "der vorstand tagt", ["vorstand"]),  # no capitals at all
        ("Essen", "Wir essen das Essen.", ["Essen"]),
        ("IT", "Die IT gefällt it nicht, It auch nicht.", ["IT"]),
        ("PC", "Zwei PCs und ein PC", ["PCs", "PC"]),
        ("E-Mail", "E-Mails, E-Mail, E - Mail, EMail", ["E-Mails", "E-Mail"]),
        ("gesetzlicher Vertreter", "des gesetzlichen  Vertreters", ["gesetzlichen  Vertreters"]),
        ("Allgemeine Geschäftsbedingung", "der Allgemeinen Geschäftsbedingungen", ["Allgemeinen Geschäftsbedingungen"]),
        ("C++", "C++ und C", ["C++"]),
        ("§ 5", "Nach § 5 und §5.", ["§ 5"]),
    ],
)
def test_terms_in_german(entry: str, text: str, words: list[str]) -> None:
    assert found({entry: "x"}, text) == [(word, entry) for word in words]


@pytest.mark.parametrize(
    ("entry", "text", "words"),
    [
        ("board", "The Board's boards on board.", ["Board's", "boards", "board"]),
        ("board of directors", "two boards of directors", ["boards of directors"]),
        ("US", "They told us about the US.", ["US"]),
        ("person", "people's lives", ["people's"]),
    ],
)
def test_terms_in_english(entry: str, text: str, words: list[str]) -> None:
    assert found({entry: "x"}, text, "en") == [(word, entry) for word in words]


def test_the_longest_term_wins_and_then_the_one_in_the_same_case() -> None:
    entries = {"Bank": "bank", "Bank für Wiederaufbau": "KfW", "Wiederaufbau": "rebuilding", "bank": "x"}
    assert [source for _, source in found(entries, "Bank für Wiederaufbau")] == ["Bank für Wiederaufbau"]
    assert [source for _, source in found(entries, "Bank für Banken")] == ["Bank", "Bank"]
    assert [source for _, source in found({"US": "USA", "us": "uns"}, "us, US", "en")] == ["us", "US"]


def test_a_text_without_terms_has_none() -> None:
    for text in ("", " \n", "42", "🙂", "ﷺ" * 50):
        assert found({"Vorstand": "board"}, text) == []


@pytest.mark.parametrize(
    ("translation", "statuses"),
    [
        ("The board and the house.", [APPLIED, APPLIED]),
        ("Boards and houses.", [INFLECTED, INFLECTED]),
        ("The Board's rooms.", [INFLECTED, NOT_FOUND]),
        ("Cupboards and boarders in housing.", [NOT_FOUND, NOT_FOUND]),
    ],
)
def test_what_a_translation_has_of_the_terms(translation: str, statuses: list[TermStatus]) -> None:
    terms = Glossary({"Vorstand": "board", "Haus": "house"}, "de", "en").find("Der Vorstand und das Haus.")
    assert [use.status for use in uses(translation, terms)] == statuses


def test_each_place_in_a_translation_counts_once() -> None:
    terms = Glossary({"Vorstand": "board", "Gremium": "board"}, "de", "en").find("Vorstand, Gremium, Vorstände")
    assert [use.status for use in uses("boards and a board", terms)] == [APPLIED, INFLECTED, NOT_FOUND]


def test_numbers_and_words_in_brackets_or_before_a_hyphen_have_one_form() -> None:
    assert target_forms("Schnittstelle (API)", "de")[:2] == ("Schnittstelle (API)", "Schnittstellen (API)")
    assert all(form.endswith(" (rot)") for form in target_forms("Äpfel (rot)", "de"))
    assert all(form.startswith("C-Plus-Pl") for form in target_forms("C-Plus-Plus", "de"))
    assert all(form.startswith("fünf Gigabyte") for form in target_forms("fünf Gigabyte", "de"))
    assert "grünen Tee" in target_forms("grüner Tee", "de")
    assert target_forms("unit (red)", "en")[:2] == ("unit (red)", "units (red)")


def test_forms_of_several_words_agree_in_number() -> None:
    forms = target_forms("gesetzlicher Vertreter", "de")
    assert forms[0] == "gesetzlicher Vertreter"
    assert {"gesetzlichen Vertreters", "gesetzliche Vertreter", "gesetzlichen Vertretern"} <= set(forms)
    assert {"boards of directors", "board of directors"} <= set(target_forms("board of directors", "en"))


@pytest.mark.parametrize("kind", ["many entries", "long entries", "alike entries"])
def test_the_work_grows_with_the_text_and_not_with_the_glossary(kind: str) -> None:
    alike = itertools.product(["a", "ae", "an", "as", "aen", "aes", "aer"], repeat=5)
    entries = {
        "many entries": [f"Wort{number} Zahl" for number in range(2_000)],
        "long entries": ["a " * 19 + "b"],
        "alike entries": [" ".join(words) for words in itertools.islice(alike, 2_000)],
    }[kind]
    glossary = Glossary(dict.fromkeys(entries, "x"), "de", "en")
    small, large = (lines_of(lambda size=size: glossary.find("a aens Wort7 " * size)) for size in (20, 80))
    assert large < 6 * small < 6 * 100_000


WORDS = st.sampled_from(
    ["a", "board", "boards", "of", "$", "-", "C++", "man", "men", "IT", "its", "_a", "ß", "10", "'"]
)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3), max_size=4), st.lists(WORDS), st.sampled_from([" ", "", ", "]))
def test_one_pass_finds_the_forms_that_a_search_for_each_term_finds(
    targets: list[list[str]], words: list[str], between: str
) -> None:
    terms = [Term(0, 1, "x", " ".join(target), target_forms(" ".join(target), "en")) for target in targets]
    translation = between.join(words)
    left: dict[tuple[str, ...], Counter[bool]] = {}
    for term in terms:
        forms = sorted({form.casefold() for form in term.forms}, key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)"
        found = re.findall(pattern, translation.casefold())
        left.setdefault(term.forms, Counter(form == term.target.casefold() for form in found))
    for use in uses(translation, terms):
        term = next(term for term in terms if term.target == use.target)
        wanted = APPLIED if left[term.forms][True] else INFLECTED if left[term.forms][False] else NOT_FOUND
        left[term.forms][wanted is APPLIED] -= wanted is not NOT_FOUND
        assert use.status == wanted
