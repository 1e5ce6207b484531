"""Sentences that are translated in another spelling, and that others cost nothing."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.text.protection.protected import protect_ranges
from app.translation.respelling import respell, respelled
from app.translation.rules.pair import Direction
from app.translation.sentence import SentenceTranslation, TextTranslation
from languages.registry import language_of
from tests.support.questions import answered_by

DE_EN, EN_DE = (Direction(language_of(here), language_of(there)) for here, there in (("de", "en"), ("en", "de")))


def sentence(source: str, text: str, score: float = -0.3) -> SentenceTranslation:
    return SentenceTranslation(
        source=source, source_begin=0, text=text, target_begin=0, score=score, alternatives=(), confidence=0.8
    )


class Model:
    """Says what it is told to say; remembers what it was asked."""

    def __init__(self, answers: dict[str, tuple[str, float]], links: dict[str, tuple[Link, ...]] | None = None) -> None:
        self.answers, self.links, self.asked = answers, links or {}, list[str]()

    async def __call__(self, texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        self.asked += texts
        found = [sentence(text, *self.answers.get(text, (text, -9.0))) for text in texts]
        found = [
            replace(each, alignment=self.links.get(each.source, (Link(0, len(each.source), 0, len(each.text)),)))
            for each in found
        ]
        return [TextTranslation(text=each.text, alternatives=(), sentences=(each,)) for each in found]


async def again(source: str, answers: dict[str, str], direction: Direction = DE_EN) -> str | None:
    model = Model({question: (answer, -0.5) for question, answer in answers.items()})
    found = await answered_by(model, respelled(sentence(source, "?"), None, direction, SearchOptions()))
    return found and found.text


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("Fuer Rueckfragen stehen wir gerne zur Verfuegung.", "Für Rückfragen stehen wir gerne zur Verfügung."),
        ("Die Tuer ist offen.", "Die Tür ist offen."),
        ("Viele Gruesse aus Koeln", "Viele Grüße aus Köln"),
        ("Der Haustuerschluessel", "Der Haustürschlüssel"),
        ("Wir müssen den Schlüssel zur STRASSE suchen.", None),
        ("Die schöne Stadt Muenchen", None),  # who writes ö could write ü
        ("Die neue Quelle der Poesie ist aktuell in Israel, zuerst im Abenteuer.", None),
        ("Alle Mitarbeiter_innen sind da", "Alle Mitarbeiter sind da"),
        ("Leser*innen", "Leserinnen und Leser"),
        ("Danke schön!", "Dankeschön!"),
        ("Jede*r Lehrer/in und alle Kund*innen", "Jeder Lehrer und alle Kunden"),
        ("KollegInnen, Ärzt:innen und Student(innen)", "Kollegen, Ärzte und Studenten"),
        ("Ich bin auf LinkedIn.", None),
        ("Den Body-Mass-Index berechnet es", None),
        ("Er arbeitet 20 Stunden/Woche.", "Er arbeitet 20 Stunden / Woche."),
        ("Kauf/Miete", "Kauf / Miete"),
        ("100 km/h mit TCP/IP und/oder a/b", None),
        ("Ja/Nein", "Ja / Nein"),
        ("Vor-/Nachname", "Vor- und Nachname"),
        ("Essen & Trinken", "Essen und Trinken"),
        ("9 € zzgl. Versand, inkl. MwSt.", "9 € zuzüglich Versand, inklusive Mehrwertsteuer."),
        ("9 € (inkl. MwSt.)", "9 € (inklusive Mehrwertsteuer)"),
        ("Die USt-IdNr. fehlt.", None),
        ("F & E bei A&B", None),
        ("Ort/Datum/Unterschrift", "Ort / Datum / Unterschrift"),
        ("»Warte«, rief er.", "„Warte“, rief er."),
        ("›Nein‹, dachte er, ›nie.‹", "„Nein“, dachte er, „nie.“"),
        ("«Nein», sagte sie.", "„Nein“, sagte sie."),
        ("Er sagte »Ja und „Nein“.«", None),
        ("Start » Brot » Rosinen", None),
        ("Öffnen mit...", "Öffnen mit"),
        ("Suchen nach …", "Suchen nach"),
        ("Bitte warten...", None),
        ("Hallo Welt", "Hallo, Welt!"),
        ("Hallo Welt!", "Hallo, Welt!"),
        ("Hallo Frau Braun,", "Hallo, Frau Braun,"),
        ("Hallo Frau Braun, danke für alles.", "Hallo, Frau Braun, danke für alles."),
        ("Ich sagte hallo Frau Braun, danke.", None),
        ("Geburtsdatum/-ort", "Geburtsdatum und Ort"),
        ("Die Lehrer/-innen kommen.", "Die Lehrer kommen."),
        ("Hallo zusammen!", None),
        ("Es war gut -- aber teuer--leider.", "Es war gut – aber teuer – leider."),
        ("Ja. . . und nein.", "Ja... und nein."),
        ("Von 1939--1945 in Rom", "Von 1939–1945 in Rom"),
        ("Der Ausdruck i-- zählt", None),
        ("Mit --force geht es --- oder nicht, mit (--) auch", None),
    ],
)
def test_german_is_written_as_models_know_it(written: str, usual: str | None) -> None:
    found = respell(written, DE_EN)
    assert (found and found.texts) == (None if usual is None else (usual,))


@pytest.mark.parametrize("text", ["Fuer dich", "Hallo Welt", "Kauf/Miete", "BITTE WARTEN"])
def test_a_language_into_itself_is_left_alone(text: str) -> None:
    assert respell(text, Direction(DE_EN.here, DE_EN.here)) is None


async def test_the_slash_and_the_comma_come_back_as_they_were() -> None:
    assert await again("Kauf/Miete", {"Kauf / Miete": "Purchase / rent"}) == "Purchase/rent"
    assert await again("Kauf/Miete", {"Kauf / Miete": "Purchase/ rent"}) == "Purchase/rent"
    assert await again("Vor-/Nachname", {"Vor- und Nachname": "First and last name"}) == "First/last name"
    assert await again("Start/-ende", {"Start und Ende": "Start and end"}) == "Start/end"
    assert await again("Hallo Frau Braun,", {"Hallo, Frau Braun,": "Hi, Mrs Braun,"}) == "Hi Mrs Braun,"
    assert await again("Hallo Frau Braun,", {"Hallo, Frau Braun,": "Hi Mrs Braun,"}) == "Hi Mrs Braun,"
    assert await again("Save & close", {"Save and close": "Speichern und schließen"}, EN_DE) == "Speichern & schließen"
    assert await again("Hello world", {"Hello, world!": "Hallo, Welt!"}, EN_DE) == "Hallo Welt!"
    assert await again(
        "It is $57/month.", {"It is $57 / month.": "Es ist 57 $/month.", "a month": "ein Monat"}, EN_DE
    ) == ("Es ist 57 $/Monat.")
    assert await again("$57/month", {"a month": "einen Monat"}, EN_DE) == "$57/Monat"


async def test_a_word_that_the_model_leaves_out_at_a_slash_is_translated_by_itself() -> None:
    model = Model(
        {
            "Namen / Adresse angeben": ("Specify / address", -0.5),
            "Namen angeben": ("Specify names", -0.5),
            "ein Adresse": ("an address", -0.5),
        },
        links={"Namen angeben": (Link(0, 5, 8, 13), Link(6, 13, 0, 7))},
    )
    asking = respelled(sentence("Namen/Adresse angeben", "?"), None, DE_EN, SearchOptions())
    found = await answered_by(model, asking)
    assert found and (found.text, found.source) == ("Specify names/address", "Namen/Adresse angeben")


async def test_where_several_slashes_are_lost_the_pieces_are_translated() -> None:
    answers = {"Name / Tag: Ort / Datum": "Name Tag", "Name": "name", "Tag: Ort": "day: place", "Datum": "date"}
    assert await again("Name/Tag: Ort/Datum", answers) == "name/day: place/date"


async def test_two_small_words_are_translated_each_in_the_sentence() -> None:
    answers = {"Vor dem Essen!": "Before eating!", "Nach dem Essen!": "After eating!"}
    assert await again("Vor/nach dem Essen!", answers) == "Before/after eating!"
    answers = {"Komm mit Brot.": "Come with bread.", "Komm ohne Brot.": "Bring no bread."}
    assert await again("Komm mit/ohne Brot.", answers | {"Komm mit / ohne Brot.": "So"}) == "So"


async def test_names_of_fields_are_translated_one_by_one() -> None:
    answers = {"a name": "ein Name", "Phone number": "die Telefonnummer"}
    assert await again("Name/Phone number/Key ID", answers, EN_DE) == "Name/Die Telefonnummer/Key ID"


async def test_a_noun_behind_a_unit_is_translated() -> None:
    assert await again("500 MB/Tag", {"ein Tag": "a day"}) == "500 MB/day"
    assert await again("500 MB/s", {}) is None


async def test_capitals_are_translated_in_the_likeliest_case() -> None:
    answers = {
        "Bitte tür schließen": ("Please tuer close", -2.0),
        "Bitte Tür Schließen": ("Please Door", -1.5),
        "Bitte Tür schließen": ("Please close the door", -0.5),
    }
    found = await answered_by(
        Model(answers), respelled(sentence("BITTE TÜR SCHLIESSEN", "?"), None, DE_EN, SearchOptions())
    )
    assert found and found.text == "PLEASE CLOSE THE DOOR"
    assert found.alignment == (Link(0, 20, 0, 21),)
    assert await again("DATE:", {"Date:": "Datum:"}, EN_DE) == "DATUM:"
    straight = await again("GO STRAIGHT AHEAD", {"Go straight ahead": "Geradeaus gehen, Straße"}, EN_DE)
    assert straight == "GERADEAUS GEHEN, STRASSE"


@pytest.mark.parametrize("text", ["USB HDMI VGA", "Bitte warten", "EIN haus", "12 345", "iPHONE", "OK", "HDMI", "NR:"])
def test_acronyms_are_no_text_in_capitals(text: str) -> None:
    assert respell(text, DE_EN) is None


def test_a_letter_in_capitals_is_no_text_in_capitals() -> None:
    assert respell("P.S. I ❤️ NY.", EN_DE) is None


async def test_a_stand_in_stays_as_it_is() -> None:
    source = "BITTE Tom ANRUFEN"
    protected = protect_ranges("BITTE {x} ANRUFEN", [(6, 9)])
    assert protected.text == source
    model = Model({"Bitte Tom anrufen": ("Please call Tom", -0.5)})
    found = await answered_by(model, respelled(sentence(source, "?"), protected, DE_EN, SearchOptions()))
    assert found and found.text == "PLEASE CALL Tom"


async def test_an_ordinary_sentence_costs_nothing() -> None:
    model = Model({})
    for text in ("Das ist ein ganz gewöhnlicher Satz.", "Er heißt Goethe und wohnt in Essen.", "Ein Haus"):
        assert await answered_by(model, respelled(sentence(text, "?"), None, DE_EN, SearchOptions())) is None
    assert (
        await answered_by(model, respelled(sentence("Hallo Welt", "?"), None, DE_EN, SearchOptions(prefix="Hi")))
        is None
    )
    assert not model.asked


@given(st.text("aeouäßsrR/*:_IinN. \ue000", max_size=40))
def test_any_text_is_read(text: str) -> None:
    found = respell(text, DE_EN)
    assert found is None or all(found.texts)
