"""A result has the amounts, numbers, marks and placeholders of its source, by value and with tags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.well_formed import Fault, faults, is_malformed, is_malformed_markup
from benchmarks.damaged_texts import damaged
from languages.registry import language_of

GERMAN, ENGLISH = language_of("de"), language_of("en")


@pytest.mark.parametrize(
    ("source", "result", "fault"),
    [
        ("Ab 19 €<sup>1)</sup> im Monat", "From €<sup>19)</sup> a month", Fault.MARK),
        ("<b>hier</b> und <i>da</i>", "</b>here <b>and <i>there</i>", Fault.TAG),
        ("<b>hier</b> da", "<b></b> there", Fault.TAG),
        ("Es kostet 1.500 Euro", "It costs 1.500 euros", Fault.NUMBER),
        ("Für CLI 4.0", "For CLI 4,0", Fault.NUMBER),
        ("Ein Motor mit 1.4 TSI", "An engine with 1,4 TSI", Fault.NUMBER),
        ("Eine Kaution von 850 € ist fällig", "A bail of 850 is due", Fault.NUMBER),
        ("850 € (achthundert Euro)", "850 (eight hundred euros)", Fault.NUMBER),
        ("Siehe 10.1038/s41586-020 dort", "See 10,1038/s41586-020 there", Fault.NUMBER),
        ("%d%% von %s", "%d% % of %s", Fault.PLACEHOLDER),
        ("Hallo {name}", "Hello { name}", Fault.PLACEHOLDER),
        ("Ein [quote]Wort[/quote]", "A [zitat]word[/quote]", Fault.PLACEHOLDER),
        ("Bitte [hier", "Please here", Fault.SIGN),
        ("H₂SO₄ ist sauer", "H₂SO is acid", Fault.SIGN),
        ("Name     Menge", "Name quantity", Fault.SPACES),
        ("JA: Ja\nNEIN: Nein", "JA: Yes NEIN:\nNo", Fault.LINES),
        ("Das ist „gut“.", 'That is "good".', Fault.QUOTES),
        ("40 Stunden/Woche", "40 hours and week", Fault.SIGN),
        ("½ TL Salz und 1½ Tassen Milch", "Salt and 1½ cups of milk", Fault.SIGN),
        ("Wir (a) gehen oder (b) bleiben", "We (a) go or stay", Fault.ITEMS),
        ("Wir (i) gehen oder (ii) bleiben", "We (ii) go or (ii) stay", Fault.ITEMS),
        ("Man muss (1) gehen und (2) sehen", "You must (1) (2) go and see", Fault.ITEMS),
        ("Be&enden", "Be & end", Fault.PLACEHOLDER),
        (r"Wie geht\'s?", "What's up?", Fault.PLACEHOLDER),
        (r"Wie geht\'s?", "How\\ goes?", Fault.PLACEHOLDER),
    ],
)
def test_each_kind_of_damage_is_found(source: str, result: str, fault: Fault) -> None:
    assert fault in faults(source, result, GERMAN, ENGLISH)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("Es kostet 1.500,50 € am 25.07.1982 um 16 Uhr.", "It costs €1,500.50 on 25/07/1982 at 4 PM."),
        ("Es kostet 5 € bis 7 €, also 6 €", "It costs 5 to 7 euros, so EUR 6 or 6 euros"),
        ("Von $5–$10", "From 5 to $10"),
        ("Wir (a) gehen, (b) bleiben", "We (a) go, (b), however, stay"),
        ("Nach Satz (a) gilt das", "Under sentence a) this holds"),
        ("SPRACHEN: Englisch (B2)", "LANGUAGES: English (B2)"),
        ("Tom (7) und Eva (a. D.)", "Tom (7) and Eva (ret.)"),
        ("Version 1.2.3 kostet 1.234.567 Euro", "Version 1.2.3 costs 1,234,567 euros"),
        ("Klicke <b>hier</b> jetzt", "Now click <b>here</b>"),
        ("Das ist „gut“ & schön.", "That is “good” and nice."),
        ("Ab 19 €<sup>1</sup>", "From €19<sup>1</sup>"),
        ("Er ging – sie blieb.", "He went - she stayed."),
        ("Essen/Mülheim und Rot/Weiß", "Essen / Mülheim and red-white"),
        ("Gültig bis 31.12.2024.", "Valid until December 31, 2024."),
        ("WARNUNG: 5 € *NUR* HEUTE", "WARNING: €5 *ONLY* TODAY"),
        ("STOFF 1170, 3, (D/E)", "SUBSTANCE 1170, 3, (D/E)"),
        ("Das sind 5 % zu viel, 3 % p. a.", "That's 5% too much, 3% p.a."),
        ("Ein Motor mit 2.0 TDI", "An engine with 2.0 TDI"),
        ("Da waren 10 000 Leute", "There were 10,000 people"),
        ("Punkte (91,0/86,5)", "points (91.0/86.5)"),
        ("Park&Ride bei Brighton&Hove", "park and ride near Brighton & Hove"),
        ("Start » Brot » Semmel", "Home » Bread » Roll"),
        ("Sie steigen um 5% außerhalb, um 5 % außen.", "They rise by 5% outside, by 5 % outdoors."),
        ("Drücke [Angriff].", "Press [attack]."),
        ("Mit 31%, er führt", "With 31%, he leads"),
        ("Für CLI 4.0 und GTK+ 3.0.", "For CLI 4.0 and GTK+ 3.0."),
        (r"Wie geht\'s %s?", "How are you, %s?"),
        (r"Sag \"%s\" an", r"Say “%s” and don\'t"),
    ],
)
def test_a_sound_result_is_left_in_peace(source: str, result: str) -> None:
    assert not faults(source, result, GERMAN, ENGLISH)


@pytest.mark.parametrize("form", ["Leser_innen", "Leser/innen", "Leser(innen)", "Leser:innen"])
def test_the_sign_of_a_gender_form_may_be_missing(form: str) -> None:
    assert not is_malformed(f"Alle {form} warten", "All readers wait", GERMAN, ENGLISH)
    assert is_malformed(f"Alle {form} [warten", "All readers wait", GERMAN, ENGLISH)


def test_markup_may_be_written_in_other_ways() -> None:
    assert not is_malformed_markup(
        "Tee &amp; <b>Milch</b>\n  da", "tea &amp; <b>milk</b> there", GERMAN, ENGLISH, "html"
    )
    assert is_malformed_markup("<b>Tee</b> da", "tea<b></b> there", GERMAN, ENGLISH, "html")
    assert not is_malformed_markup("~ Tee", r"\~ tea", GERMAN, ENGLISH, "markdown")


def test_it_finds_most_damage_that_is_more_than_words() -> None:
    texts = damaged()
    assert len(texts) == 106
    words_only = {
        "German without umlauts", "capitals", "greetings", "the target's language", "streets", "laws", "gender forms",
    }  # fmt: skip
    others = [text for text in texts if text.family not in words_only]
    assert not any(text.faults for text in texts if text.family in words_only)
    assert sum(bool(text.faults) for text in others) / len(others) > 0.7


@given(st.text("aä1.,<>b/{}%[]\\ \n„“", max_size=30))
def test_a_text_has_no_fault_beside_itself(text: str) -> None:
    assert not is_malformed(text, text, ENGLISH, ENGLISH)
    assert not is_malformed_markup(text, text, ENGLISH, ENGLISH, "html")
