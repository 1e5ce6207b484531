from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from app.text.quality_checks import Verdict, doubled_in, is_useless, loses_negation, loses_number
from app.text.quality_checks import judge as judge_with
from languages.registry import language_of

GERMAN, ENGLISH = language_of("de").numbers, language_of("en").numbers
judge = partial(judge_with, doubled=doubled_in(["de", "en"]))

REFERENCES = sorted(Path(__file__).parents[4].glob("data/de-en/eval/*.tsv"))


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Ich möchte ein Bier.", "I'd like a beer."),
        ("Nein, nein, nein!", "No, no, no!"),
        ("Die, die kommen, sind Freunde.", "Those who come are friends."),
        ("Hahahaha!", "Hahahaha!"),
        ("Berlin", "Berlin"),
        ("Tom Smith, Berlin, Hamburg", "Tom Smith, Berlin, Hamburg"),
        ("Maße (B x H x T): 26 x 36 cm, 9,2 kg, 1,1 m", "Size (B x H x T): 26 x 36 cm, 9.2 kg, 1.1 m"),
        ("Pilze (a, g), d = 25 cm", "Mushrooms (a, g), d = 25 cm"),
        ("Es kostet 10.000 Euro.", "It costs 10,000 euros."),
        ("Es kostet 10 000 Euro.", "It costs 10000 euros."),
        ("They paid $4,763.13 for it.", "Sie zahlten 4.763,13 $ dafür."),
        ("Version 1.2.3 vom 25.07.1982", "Version 1.2.3 of 25.07.1982"),
        ("On 07/25/1982", "Am 25.07.1982"),
        ("Er hat 5 Euro.", "He has €5."),
        ("Er hat zwei Euro und zwei Dollar.", "He has €2 and $2."),
        ("€ und $", "$ and €"),
        ("Das Spiel endete 21:17.", "The game ended 21-17."),
        ("Das Spiel endete 2:1.", "The game ended 2 to 1."),
        ("Wir sehen uns um 3.", "See you at three."),
        ("Am 04.05.2018 um 11:11", "On 04/05/2018 at 11:11"),
        ("Ja", "Yes"),
        ("Um 15 Uhr geht es los.", "It starts at 3:00 p.m."),
        ("The shop closes at 8 pm.", "Der Laden schließt um 20 Uhr."),
        ("I'll call you at 5:00 p.m.", "Ich rufe dich um 17:00 Uhr an."),
        ("Es ist 16 Uhr.", "It is 16:00."),
        ("Twenty years later, she came back.", "20 Jahre später kam sie zurück."),
        ("Is that the house?", "Ist das das Haus?"),
        ("Did they find them?", "Haben sie sie gefunden?"),
        ("Er hatte gehabt, was er wollte.", "He had had what he wanted."),
        ("我想要一杯啤酒。", "I would like a glass of beer, please."),
        ("I would like a glass of beer.", "我想要一杯啤酒。"),
        ("…", "…"),
        ("Die \ue000.", "\ue000."),
        ("", ""),
    ],
)
def test_good_translations_get_no_verdict(source, translation):
    assert judge(source, translation) == ()


@pytest.mark.parametrize(
    ("source", "translation", "verdict"),
    [
        ("Salat", "salad salad", Verdict.REPETITION),
        ("Der Hund bellt.", "The dog dog barks.", Verdict.REPETITION),
        ("Ich weiß es nicht.", "I don't know I don't know.", Verdict.REPETITION),
        ("Nein, nein!", "No, no, no, no, no, no!", Verdict.REPETITION),
        ("Der Aufsatz", "The essessessess", Verdict.REPETITION),
        ("Das ist nicht so gut.", "Das ist nicht so gut.", Verdict.COPIED_SOURCE),
        ("Das ist nicht so gut, sagte er dann.", "Well, das ist nicht so gut, sagte he.", Verdict.COPIED_SOURCE),
        ("Der Mann ging gestern mit seinem Hund in den Wald.", "The man.", Verdict.TOO_SHORT),
        ("!?...x", "!?...", Verdict.TOO_SHORT),
        ("Ja.", "Yes, of course I will, and you know that as well as everybody else.", Verdict.TOO_LONG),
        ("58 € ermäßigt", "58 € €", Verdict.DIGITS_CHANGED),
        ("58 € im Angebot", "58 €t", Verdict.DIGITS_CHANGED),
        ("Sie wurde 1987 geboren.", "She was born in 1978.", Verdict.DIGITS_CHANGED),
        ("Es kostet 500 Euro.", "It costs money.", Verdict.DIGITS_CHANGED),
        ("Es kostet viel Geld.", "It costs 500 euros.", Verdict.DIGITS_CHANGED),
        ("Sie siegten mit 2:1.", "They won.", Verdict.DIGITS_CHANGED),
        ("They won.", "Sie siegten mit 2:1.", Verdict.DIGITS_CHANGED),
        ("Tore: Kümper (2), Mühlhoff (2), van de Pol (2).", "Goals: Kümper (2), Mühlhoff (2).", Verdict.DIGITS_CHANGED),
        ("They paid $4,763.13 for it.", "Sie zahlten $4.763.13 dafür.", Verdict.DIGITS_CHANGED),
        ("Es kostet 6.917.892,40 Euro.", "It costs 6.917.892.40 euros.", Verdict.DIGITS_CHANGED),
        ("Am 25.07.1982 starb er.", "He died on 25,07.1982.", Verdict.DIGITS_CHANGED),
        ("Es ist 14:30 Uhr.", "It is 4:30 p.m.", Verdict.DIGITS_CHANGED),
        ("It is 9:00 a.m.", "Es ist 21:00 Uhr.", Verdict.DIGITS_CHANGED),
        ("Is that the house?", "Ist das das das Haus?", Verdict.REPETITION),
    ],
)
def test_each_rule_sees_what_it_is_for(source, translation, verdict):
    assert judge(source, translation) == (verdict,)


def test_numbers_may_have_any_number_of_digits():
    number = "1" * 5_000
    for end in ("", ":2"):
        assert judge(number + end, "0" + number + end) == ()
        assert judge(number + end, f"{number}1{end}") == (Verdict.DIGITS_CHANGED,)


def test_a_search_that_was_cut_off_is_said_to_be():
    assert judge("Der Hund bellt.", "The dog", truncated=True) == (Verdict.TRUNCATED,)


@pytest.mark.parametrize(
    ("source", "translation", "target", "is_lost"),
    [
        ("Er kam auf den 8. Platz.", "He came in.", "en", True),
        ("Er kam auf den 8. Platz.", "He came in eighth.", "en-GB", False),
        ("Er kam auf den 8. Platz.", "He came 8th.", "en", False),
        ("Er kam auf den 8. Platz.", "Hän tuli.", "fi", False),
        ("Two of 12 came.", "Zwei kamen.", "de", True),
        ("Two of 12 came.", "Zwei von einem Dutzend kamen.", "de", False),
        ("At 7 pm", "Um 19 Uhr", "de", False),
        ("Um 10 Uhr waren 9 Leute da.", "We often go running.", "en", True),
        ("8 people came.", "Sie kamen in der Nacht.", "de", True),
        ("8 people came.", "Achtzehn kamen.", "de", False),
        ("7 000 people, 3.5 km, 2:1, A4", "Leute", "de", False),
    ],
)
def test_a_small_number_is_there_as_figures_or_as_a_word(source, translation, target, is_lost):
    assert loses_number(source, translation, language_of(target).numbers) == is_lost


@pytest.mark.parametrize(
    ("source", "translation", "direction", "is_lost"),
    [
        ("Don't forget the milk!", "Vergiss die Milch!", "en-de", True),
        ("Don't forget the milk!", "Vergiss die Milch nicht!", "en-de", False),
        ("Don't forget the milk!", "Denk an die Milch!", "en-de", False),
        ("Never share it with anyone.", "Teile es mit jemandem.", "en-de", True),
        ("No smoking", "Rauchen verboten", "en-de", False),
        ("You like it, don't you?", "Du magst es, oder?", "en-de", False),
        ("No. 5", "Nr. 5", "en-de", False),
        ("Er ist nicht verfügbar.", "He is unavailable.", "de-en", False),
        ("Er ist nicht verfügbar.", "He is under the bus.", "de-en", True),
        ("Nicht nur er kam.", "He came, and others did.", "de-en", False),
        ("Keine Sorge!", "Worry!", "de-en", True),
        ("Guthaben nicht ausreichend", "Insufficient balance", "de-en", False),
        ("Guthaben nicht ausreichend", "Sufficient balance", "de-en", True),
        ("Nicht-EU-Bürger zahlen mehr.", "Non-EU citizens pay more.", "de-en", False),
        ("Das ist nicht lesbar.", "That is illegible.", "de-en", False),
        ("Es sind nicht weniger als 20.", "There are at least 20.", "de-en", False),
        ("Nicht später als Freitag", "By Friday at the latest", "de-en", False),
        ("Submit it no later than Friday.", "Reichen Sie es spätestens Freitag ein.", "en-de", False),
        ("No fewer than ten people came.", "Mindestens zehn Leute kamen.", "en-de", False),
        ("Not to mention the cost", "Ganz zu schweigen von den Kosten", "en-de", False),
        ("If not, call us.", "Andernfalls rufen Sie uns an.", "en-de", False),
        ("Keine Sorge!", "Huoli!", "de-fi", False),
    ],
)
def test_what_is_denied_is_denied_in_the_translation(source, translation, direction, is_lost):
    here, there = (language_of(code).negations for code in direction.split("-"))
    assert loses_negation(source, translation, here, there) == is_lost


@pytest.mark.skipif(not REFERENCES, reason="the evaluation sets are not here")
@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.name)
@pytest.mark.parametrize("backwards", [False, True], ids=["de-en", "en-de"])
def test_human_translations_are_hardly_ever_blamed(path, backwards):
    pairs = [line.split("\t")[:2] for line in path.read_text(encoding="utf-8").splitlines()]
    blamed = Counter(
        verdict
        for german, english in pairs
        for verdict in judge(*((english, german) if backwards else (german, english)))
    )
    blamed["small number"] = sum(
        loses_number(english, german, GERMAN) if backwards else loses_number(german, english, ENGLISH)
        for german, english in pairs
    )
    here, there = (language_of(code).negations for code in (("en", "de") if backwards else ("de", "en")))
    blamed["negation"] = sum(
        loses_negation(english, german, here, there) if backwards else loses_negation(german, english, here, there)
        for german, english in pairs
    )
    assert all(count < 0.01 * len(pairs) for count in blamed.values()), blamed


@pytest.mark.parametrize(
    ("source", "translation", "useless"),
    [
        ("Geoffrey Kamworor lief.", "Geoffrey ran Kamwororor.", False),  # one name is wrong, the rest is right
        ("Der Aufsatz ist gut.", "The essessessessessess is good.", True),
        ("Salat", "salad salad salad", True),
        ("Nein, nein, nein!", "No, no, no!", False),
        ("Das Haus!", "...", True),
    ],
)
def test_a_loop_is_useless_and_a_name_that_stutters_is_not(source, translation, useless):
    assert is_useless(source, translation) is useless
