"""Texts of users through the shipped bundle, by kind: what of an answer must hold whatever words the model chooses."""

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.support.bundles import SHIPPED
from tests.support.fakes import DETECTOR


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(bundle=SHIPPED, threads=1), detector=DETECTOR)) as client:
        yield client


def translated(client: TestClient, text: str, direction: str, format_: str = "text") -> str:
    source, target = direction.split("-")
    body = {"q": text, "source": source, "target": target, "format": format_}
    return str(client.post("/translate", json=body).raise_for_status().json()["translatedText"])


@pytest.mark.parametrize(
    ("direction", "format_", "text", "pattern"),
    [
        # Marks of footnotes stay behind their amounts, which keep their values.
        ("de-en", "html", "<p>Preis ab 19 €<sup>1)</sup> pro Monat<sup>2)</sup>.</p>", r"€19<sup>1\)<.*<sup>2\)<"),
        ("de-en", "html", "<p>Nur 19 €<sup>1</sup> im Monat!</p>", r"€19<sup>1</sup>"),
        ("de-en", "html", "<p>Ab 29 €<sup>*</sup> pro Person.</p>", r"€29<sup>\*</sup>"),
        ("de-en", "html", "<p>Nur 4,99 €<sup>1</sup></p>", r"€4\.99<sup>1</sup>"),
        ("en-de", "html", "<p>It costs $1,500<sup>2</sup>.</p>", r"1\.500\s\$<sup>2</sup>"),
        ("en-de", "html", "<p>It has 5,000<sup>2</sup> members.</p>", r"5\.000<sup>2</sup>"),
        ("en-de", "html", "<p>On 3 May 2024<sup>1</sup> at 10:30<sup>2</sup></p>", r"2024<sup>1<.*30(?: Uhr)?<sup>2"),
        # Cells, boxes, leaders.
        ("de-en", "text", "Name          Menge\nSchrauben        10    1,50 €", r"\w {10}\w.*\n\w+ {8}10 {4}€1"),
        ("de-en", "text", "[ ] Ja   [ ] Nein   [x] Vielleicht", r"\[ \] \w+   \[ \] \w+   \[x\] \w+"),
        ("de-en", "text", "Kapitel 1 .......... 5", r"1 \.{10} 5"),
        # Separators.
        ("de-en", "text", "Unser Laden – Startseite", r"\w – \w"),
        ("de-en", "text", "Start » Produkte » Brot", r"\w+ » \w+ » \w+"),
        ("de-en", "html", "<p><b>Datei</b> &gt; <b>Speichern</b></p>", r"<b>[\w ]+</b> &gt; <b>[\w ]+</b>"),
        # Slashes.
        ("de-en", "text", "5 Tage/Woche", r"5 [\w ]+/(?!Woche)\w+"),
        ("en-de", "text", "40 hours/week", r"40 \w+/(?!week)\w+"),
        ("en-de", "text", "Price: $5/person per night", r"5\s\$/\w+"),
        # Quotation marks.
        ("de-en", "text", "Das ist „gut“.", "“[^“”]+”"),
        ("de-en", "text", "»Komm her«, sagte er, »und setz dich.«", "“[^“”]+”.*“[^“”]+”"),
        ("de-en", "text", "»Gut«", "“[^“”]+”"),
        # Addresses and laws.
        ("de-en", "text", "Sie wohnt in der Bahnhofstraße 5 in Köln.", "Bahnhofstraße 5.*|.*Bahnhofstraße 5"),
        (
            "de-en", "text", "Nach § 5 Abs. 2 Satz 1 Nr. 3 BGB i. V. m. Art. 6 Abs. 1 lit. b DSGVO haftet er nicht.",
            r"Section 5\(2\) sentence 1 no\. 3 BGB in conjunction with Article 6\(1\)\(b\) GDPR",
        ),
    ],
)  # fmt: skip
def test_the_structure_of_an_answer(client, direction: str, format_: str, text: str, pattern: str) -> None:
    assert re.search(pattern, translated(client, text, direction, format_), re.DOTALL)


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("Fuer Rueckfragen stehen wir gerne zur Verfuegung.", "Für Rückfragen stehen wir gerne zur Verfügung."),
        ("Die Tuer ist offen.", "Die Tür ist offen."),
        ("Viele Gruesse aus Koeln", "Viele Grüße aus Köln"),
        ("Alle Mitarbeiter_innen sind eingeladen.", "Alle Mitarbeiter sind eingeladen."),
    ],
)
def test_an_unusual_spelling_is_translated_as_the_usual_one(client, written: str, usual: str) -> None:
    assert translated(client, written, "de-en") == translated(client, usual, "de-en")


@pytest.mark.parametrize("text", ["BITTE NICHT BERÜHREN!", "BITTE TÜR SCHLIESSEN", "RAUCHEN VERBOTEN"])
def test_capitals_come_back_as_other_capitals(client, text: str) -> None:
    answer = translated(client, text, "de-en")
    assert answer.isupper()
    assert set(answer.split()).isdisjoint(text.split())


@pytest.mark.parametrize(
    ("direction", "text"),
    [
        ("de-en", "Please contact our support team."),
        ("de-en", "This text is already in English and should stay the same."),
        ("en-de", "Bitte wenden Sie sich an uns."),
        ("de-en", "Musterstraße 1\n12345 Musterstadt"),
    ],
)
def test_what_needs_no_translation_stays(client, direction: str, text: str) -> None:
    assert translated(client, text, direction) == text


def test_the_most_usual_first_try(client) -> None:
    german, english = translated(client, "Hello world", "en-de"), translated(client, "Hallo Welt!", "de-en")
    assert english.endswith("!") and not re.search("hallo|welt", english, re.IGNORECASE)
    assert german[-1].isalpha() and not re.search("hello|world", german, re.IGNORECASE)
