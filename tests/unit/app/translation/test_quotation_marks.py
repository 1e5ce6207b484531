"""Quotation marks of a translation are those of its language, whatever marks and gaps the source has."""

import re
from collections.abc import Sequence

import pytest
from babel.localedata import locale_identifiers

from app.text.inline.placement import apply
from app.translation.rules.corrections import corrections
from app.translation.rules.marks import quotation_marks
from app.translation.rules.pair import Direction, Pair
from languages.registry import language_of
from languages.signs import QUOTATION_MARKS


def pair_of(here: str, there: str, source: str, translation: str) -> Pair:
    return Direction(language_of(here), language_of(there)).pair(source, translation)


def test_no_language_has_other_quotation_marks() -> None:
    codes = {code.replace("_", "-") for code in locale_identifiers()}
    quotes = [quotes for code in codes if (quotes := language_of(code).writing.quotes)]
    assert len(quotes) > 100
    for one in quotes:
        assert set(QUOTATION_MARKS).issuperset(f"{one.opening}{one.closing}{one.inner.opening}{one.inner.closing}")


@pytest.mark.parametrize(
    ("here", "there", "source", "translation", "expected"),
    [
        ("en", "de", "\"I read 'It' now.\"", "„Ich lese „Es“ jetzt.“", "\"Ich lese 'Es' jetzt.\""),
        ("en", "de", "'Why!' said Tom. 'Do you", "»Warum!« sagte Tom.«Wirst du", "'Warum!' sagte Tom. 'Wirst du"),
        ("en", "de", 'I read "It" now.', "Ich lese „Es“ jetzt.", 'Ich lese "Es" jetzt.'),
        ("en", "fr", 'I read "It" now.', "Je lis «\u00a0Ça\u00a0» ici.", 'Je lis "Ça" ici.'),
        ("en", "de", "“I read ‘It’ now.”", '"Ich lese "Es" jetzt."', "„Ich lese ‚Es‘ jetzt.“"),
        ("en", "de", "\"I read 'It' now.\"", '"Ich lese "Es" jetzt."', "\"Ich lese 'Es' jetzt.\""),
        ("de", "en", "„Lies ‚Es‘ jetzt.“", "“Read 'It' now.”", "“Read ‘It’ now.”"),
        ("en", "fr", "“I read ‘It’ now.”", "“Je lis “Ça” ici.”", "«\u00a0Je lis “Ça” ici.\u00a0»"),
        ("en", "de", "“The boys' dog”", "„Der Hund der Jungen“", "„Der Hund der Jungen“"),
        ("en", "de", "'Why?' asked Tom.", "»Warum?« fragte Tom.", "'Warum?' fragte Tom."),
        ("en", "de", "‘Why?’ asked Tom.", "»Warum?« fragte Tom.", "‚Warum?‘ fragte Tom."),
        ("en", "de", "The boys' and girls' dog", "»Ihr« Hund", "»Ihr« Hund"),
        ("en", "de", "“I read ‘It’ now.”", "„Ich lese Es jetzt.“", "„Ich lese Es jetzt.“"),
    ],
)
def test_a_quotation_in_a_quotation_has_the_inner_marks(
    here: str, there: str, source: str, translation: str, expected: str
) -> None:
    pair = pair_of(here, there, source, translation)
    assert apply(quotation_marks(pair), translation) == expected


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("Das ist „gut“.", "That's 'good'.", "That's “good”."),
        ("Er sagte: „Komm!“", 'He said, "Come!"', "He said, “Come!”"),
        ("»Komm«, sagte er, »her.«", "'Come,' he said, 'here.«", "“Come,” he said, “here.”"),
        ("Das ist 'gut'.", "That's 'good'.", "That's 'good'."),
        ('Das ist "gut".', 'That is "good".', 'That is "good".'),
        ("Die „Arbeit“ der Wochen", "The weeks' 'work'", "The weeks' 'work'"),  # which is which?
    ],
)
def test_curly_marks_stay_curly(source: str, translation: str, expected: str) -> None:
    pair = pair_of("de", "en", source, translation)
    assert apply(quotation_marks(pair), translation) == expected


@pytest.mark.parametrize(
    ("here", "there", "source", "translation", "expected"),
    [
        ("en", "de", "« Bonjour », he said.", "„ Bonjour“, sagte er.", "„ Bonjour“, sagte er."),
        ("en", "de", "« Bonjour », he said.", "« Bonjour », sagte er.", "„ Bonjour “, sagte er."),
        ("de", "en", "(“ Hello ”)", "(“ Hello ”)", "(“ Hello ”)"),
        ("de", "en", "(» Hallo «)", "(» Hi «)", "(“ Hi ”)"),
        ("de", "en", "„ A “, „ B “ und „ C “", "„ A “, „ B “ and „ C “", "“ A ”, “ B ” and “ C ”"),
        ("fr", "de", "« A », « B »", "„A“, „B“", "„A“, „B“"),
        ("fr", "de", "« A », « B »", "« A », « B »", "„A“, „B“"),
        ("fr", "en", "«\u00a0A\u00a0» et «\u202fB\u202f»", "«\u00a0A\u00a0» and «B»", "“A” and “B”"),
        ("fr", "en", "« A », « B » et « C », puis", "“A”, “B” and “C”, then", "“A”, “B” and “C”, then"),
        ("fr", "en", "Il dit l’« A » et d’« B ».", "He says the « A » and « B ».", "He says the “A” and “B”."),
        ("fr", "en", "Il dit : « Je viens.", "He says: « I come.", "He says: “I come."),
        (
            "fr",
            "en",
            "Je viens », dit-il, « ici », et part.",
            "I come », he says, « here ».",
            "I come”, he says, “here”.",
        ),
        ("fr", "en", "« Je lis “Ça” ici. »", "« I read “It” here. »", "“I read ‘It’ here.”"),
        ("fr", "en", "Il dit « lire « Ça » » ici.", "He says « read « It » » here.", "He says “read “It”” here."),
        ("fr", "de", "« A »/« B », « C »-D", "„A“/„B“, „C“-D", "„A“/„B“, „C“-D"),
        (
            "en",
            "de",
            "He called ‹ Bonjour ›, then left.",
            "Er rief ‚Bonjour‘, dann ging er.",
            "Er rief ‚Bonjour‘, dann ging er.",
        ),
        ("en", "fr", "“A”, ‘B’", "« A », “B”", "«\u00a0A\u00a0», “B”"),
        ("en", "fr", "“A”, ‘B’", "»A«, ›B‹", "«\u00a0A\u00a0», “B”"),
        ("en", "de", "“A”, ‘B’", "‘B’, “A”", "‚B‘, „A“"),
        ("en", "de", "Use “,” or “;” here.", "Hier “,” oder “;” schreiben.", "Hier „,“ oder „;“ schreiben."),
        ("en", "de", "A 27” “Foo” screen", "Ein 27” “Foo” Schirm", "Ein 27” „Foo“ Schirm"),
        ("en", "de", "He left in 1999”.", "1999 ging er”.", "1999 ging er“."),
        ("en", "de", "The boys’ “A” and “B”", "“A” und “B” der Jungen", "„A“ und „B“ der Jungen"),
        ("fr", "de", "Pain » Bio", "Brot » Bio", "Brot » Bio"),
    ],
)
def test_gaps_inside_of_quotations_say_nothing(
    here: str, there: str, source: str, translation: str, expected: str
) -> None:
    assert apply(quotation_marks(pair_of(here, there, source, translation)), translation) == expected


STYLES = ("„", "“"), ("»", "«"), ("“", "”"), ("« ", " »"), ("»", "»"), ("“ ", " ”"), ("«\u00a0", "\u00a0»")
TEMPLATES = (
    "{}, he said.",
    "He wrote ({}).",
    "{}, {}",
    "{} and {} are here.",
    "He ({}) and she ({}) left.",
    "He said {}, she said {}, then {}.",
)


@pytest.mark.parametrize("target", ["de", "en", "fr", "sv"])
@pytest.mark.parametrize("style", STYLES)
def test_quotations_in_any_style_have_the_marks_of_the_target(style: Sequence[str], target: str) -> None:
    source = "fr" if target != "fr" else "en"
    quotes = language_of(target).writing.quotes
    assert quotes
    for template in TEMPLATES:
        own = template.format(*("A{}B".join(style).format(" ") for _ in "123"))
        for other in STYLES:
            written = template.format(*("A{}B".join(other).format(" ") for _ in "123"))
            pair = pair_of(source, target, own, written)
            marks = re.findall("[„“”»«]", apply(corrections(pair), written))
            assert marks == [quotes.opening, quotes.closing] * (len(marks) // 2), (own, written)


def test_no_mark_of_a_long_text_is_taken_for_a_length() -> None:
    text = "“1” " * 4000
    assert apply(quotation_marks(pair_of("en", "de", text, text)), text) == "„1“ " * 4000
