"""What the shipped model says: everyday sentences with words that must be in it, and what must hold for any text.

All texts of a direction are translated in one request to the service (int8, beam 4, a second attempt at what is visibly
wrong); placeholders by the engine, since the service would protect them.
"""

import asyncio
import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from app.engine.models.manifest import Manifest
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.main import create_app
from app.settings import Settings
from benchmarks.invariants import is_broken, keeps_capitals, keeps_digits, keeps_ending, loops
from tests.support.bundles import SHIPPED
from tests.support.engines import translate_texts
from tests.support.fakes import DETECTOR

Direction = tuple[str, str]
DE_EN, EN_DE = ("de", "en"), ("en", "de")

# Sentence -> a pattern that the translation must match somewhere, whatever its letter case.
EVERYDAY: dict[Direction, dict[str, str]] = {
    DE_EN: {
        "Guten Morgen!": r"good morning",
        "Wie geht es dir?": r"how are you",
        "Ich heiße Anna.": r"(name is|i'm|i am|called) anna",
        "Danke für deine Hilfe.": r"thank.*help",
        "Ich verstehe das nicht.": r"(don't|do not|can't) (understand|get)",
        "Wie spät ist es?": r"time",
        "Kannst du mir helfen?": r"(can|could) you help me",
        "Ich komme aus Deutschland.": r"from germany",
        "Er trinkt jeden Morgen Kaffee.": r"drinks.*coffee.*morning|every morning.*drinks.*coffee",
        "Sie wohnt in einem kleinen Haus.": r"(lives|living) in a (small|little) house",
        "Wir gehen morgen ins Kino.": r"(cinema|movies|movie).*tomorrow|tomorrow.*(cinema|movies|movie)",
        "Das ist zu teuer.": r"too (expensive|much)",
        "Haben Sie ein freies Zimmer?": r"\broom\b",
        "Ich bin müde.": r"\btired\b",
        "Mach bitte das Fenster auf.": r"open.*window",
        "Wann fährt der nächste Zug?": r"when.*next train",
        "Meine Schwester ist zwei Jahre älter als ich.": r"sister.*(two years|2 years).*older",
        "Ich habe meinen Schlüssel verloren.": r"lost my key",
        "Es regnet seit gestern.": r"rain.*yesterday",
        "Tom spielt gerne Fußball.": r"tom.*(football|soccer)",
        "Wo hast du das gekauft?": r"where did you (buy|get)",
        "Ich möchte nicht darüber sprechen.": r"(not|n't).*(talk|speak) about",
        "Entschuldigung, wo ist die nächste Apotheke?": r"pharmacy|chemist|drug",
        "Die Sitzung wurde auf nächsten Montag verschoben.": r"(meeting|session).*(postponed|moved|put off|shifted)",
        "Wenn es morgen regnet, bleiben wir zu Hause.": r"if it rains tomorrow.*(stay|remain)",
        "wo bist du": r"where are you",
        "Der Zug hat zwanzig Minuten Verspätung.": r"(twenty|20) minutes",
        "Der Zug fährt um viertel nach elf ab.": r"quarter past eleven",
        # The model begins to translate the rare word before the lexicon does.
        "Die Soße war grau und irgendwie gallertartig.": r"(somehow|kind of) gelatinous",
    },
    EN_DE: {
        "Good morning!": r"guten morgen",
        "How are you?": r"wie geht",
        "My name is Anna.": r"(mein name ist|ich heiße) anna",
        "Thank you for your help.": r"(danke|dank).*hilfe",
        "I don't understand that.": r"verstehe.*nicht",
        "What time is it?": r"(wie spät|wie viel uhr)",
        "Can you help me?": r"(kannst|können|könnt).*(mir|helfen)",
        "I come from Germany.": r"aus deutschland",
        "He drinks coffee every morning.": r"jeden morgen.*kaffee|kaffee.*jeden morgen",
        "She lives in a small house.": r"in einem kleinen haus",
        "We are going to the cinema tomorrow.": r"morgen.*kino|kino.*morgen",
        "That is too expensive.": r"zu teuer",
        "I am tired.": r"müde",
        "Please open the window.": r"fenster",
        "When does the next train leave?": r"wann.*nächste zug",
        "I have lost my key.": r"schlüssel.*verloren",
        "It has been raining since yesterday.": r"gestern.*(regen|regnet)|(regen|regnet).*gestern",
        "Tom likes to play football.": r"tom.*(fußball|football)",
        "Where did you buy that?": r"wo.*gekauft",
        "I don't want to talk about it.": r"nicht.*(darüber|davon).*(reden|sprechen)",
        "There is a dog in the garden.": r"hund.*garten|garten.*hund",
        "Excuse me, where is the nearest pharmacy?": r"apotheke",
        "The meeting has been postponed until next Monday.": r"(sitzung|treffen|besprechung|meeting).*(montag)",
        "If it rains tomorrow, we will stay at home.": r"wenn es morgen regnet.*(bleiben|hause)",
        "where are you": r"wo (bist|seid|sind)",
        "The train is twenty minutes late.": r"(zwanzig|20) minuten",
        # The model begins to translate the rare word before the lexicon does.
        "They have twin daughters.": r"^sie haben zwilling",
        "Maria is Tom's twin sister.": r"(toms|von tom|die) zwilling",
    },
}
NUMBERS: dict[Direction, list[str]] = {
    DE_EN: [
        "Ich wurde 1987 geboren.",
        "Das Zimmer 214 ist im 3. Stock.",
        "Der Zug fährt um 17:45 Uhr.",
        "Die Rechnung beträgt 1.249,90 Euro.",
        "Rufen Sie 030 4711 an.",
    ],
    EN_DE: [
        "I was born in 1987.",
        "Room 214 is on the 3rd floor.",
        "The train leaves at 17:45.",
        "The bill is 1,249.90 euros.",
        "Call 030 4711.",
    ],
}
WORDS: dict[Direction, list[str]] = {
    DE_EN: [
        "Salat",
        "ja",
        "Hund",
        "Donaudampfschifffahrtsgesellschaft",
        "Tschüss",
        "schnell",
        "Oberbürgermeister",
        "Ei",
    ],
    EN_DE: ["salad", "yes", "dog", "antidisestablishmentarianism", "bye", "quickly", "a", "hello"],
}
CAPITALS: dict[Direction, list[str]] = {
    DE_EN: ["GUTEN MORGEN!", "VIELEN DANK FÜR IHRE HILFE.", "DER HUND SCHLÄFT.", "RAUCHEN VERBOTEN!"],
    EN_DE: ["GOOD MORNING!", "THANK YOU VERY MUCH.", "THE DOG IS SLEEPING.", "NO SMOKING!"],
}
ODD = [
    "asdf jklö",
    "xqzvw",
    "aaaaaaaaaaaaaaaaaaaaaaaa",
    "bla bla bla",
    "na na na na na na na na na na",
    "a b c d e f g h i j k l m n",
    "!!!???...x",
    "😀 ok 😀",
    "Привет, как дела?",
    "你好",
    "<p>{}</p> %s && ||",
    "0x1F 0b1010 1e-9",
    "\ue000",
    "Z" * 300,
]
MARKS = ["{}.", "{}!", "{}?", "„{}.“"]
SAID = {DE_EN: "Du kommst heute", EN_DE: "You are coming today"}

PLACEHOLDERS: dict[Direction, list[str]] = {
    DE_EN: [
        "Hallo \ue000, wie geht es dir?",
        "Ich habe \ue001 gestern in \ue002 gesehen.",
        "Die Datei \ue003 wurde nach \ue004 kopiert.",
        "\ue005 ist älter als \ue006, aber jünger als \ue007.",
    ],
    EN_DE: [
        "Hello \ue000, how are you?",
        "I saw \ue001 in \ue002 yesterday.",
        "The file \ue003 was copied to \ue004.",
        "\ue005 is older than \ue006 but younger than \ue007.",
    ],
}
COPIED: dict[Direction, list[tuple[str, str]]] = {
    DE_EN: [
        ("Schreib an max.mustermann@firma.de, bitte.", "max.mustermann@firma.de"),
        ("Mehr dazu auf https://www.zeit.de/politik?id=7.", "https://www.zeit.de/politik?id=7"),
        ("Gestern sah ich Szymborska in Poughkeepsie.", "Poughkeepsie"),
        ("Das Wort Київ kenne ich nicht.", "Київ"),
    ],
    EN_DE: [
        ("Please write to max.mustermann@firma.de today.", "max.mustermann@firma.de"),
        ("Read more at https://www.zeit.de/politik?id=7.", "https://www.zeit.de/politik?id=7"),
        ("I saw Szymborska in Poughkeepsie yesterday.", "Poughkeepsie"),
        ("I don't know the word Київ.", "Київ"),
    ],
}
# Word alone -> its translation, or itself for a name.
ALONE: dict[Direction, dict[str, str]] = {
    DE_EN: {
        "Ja": "Yes",
        "Stuhl": "Chair",
        "Jacke": "Jacket",
        "Blume": "Flower",
        "Berlin": "Berlin",
        "Siemens": "Siemens",
    },
    EN_DE: {"No": "Nein", "Kitchen": "Küche", "Apple": "Apfel", "Door": "Tür", "Berlin": "Berlin", "Anna": "Anna"},
}


def cases(table: dict[Direction, list[str]]) -> list[tuple[Direction, str]]:
    return [(direction, text) for direction, texts in table.items() for text in texts]


def everyday() -> list[object]:
    return [(direction, text, pattern) for direction, texts in EVERYDAY.items() for text, pattern in texts.items()]


def endings() -> list[tuple[Direction, str]]:
    return [(direction, mark.format(text)) for direction, text in SAID.items() for mark in MARKS]


SANE = [*cases(WORDS), *((direction, text) for direction in (DE_EN, EN_DE) for text in ODD)]


class Shipped:
    """Translations of all texts here: by the service, of placeholders by the engine."""

    def __init__(self) -> None:
        wanted = [
            *((direction, text) for direction, texts in EVERYDAY.items() for text in texts),
            *((direction, text) for direction, texts in COPIED.items() for text, _ in texts),
            *((direction, word) for direction, words in ALONE.items() for word in words),
            *(case for table in (NUMBERS, CAPITALS) for case in cases(table)),
            *SANE,
            *endings(),
        ]
        self.translations = asyncio.run(translate_by_engine(PLACEHOLDERS))
        with TestClient(create_app(Settings(bundle=SHIPPED), detector=DETECTOR)) as client:
            for direction in (DE_EN, EN_DE):
                texts = [text for own, text in wanted if own == direction]
                request = {"q": texts, "source": direction[0], "target": direction[1]}
                found = client.post("/translate", json=request).raise_for_status().json()["translatedText"]
                self.translations |= {(direction, text): each for text, each in zip(texts, found, strict=True)}

    def __call__(self, direction: Direction, text: str) -> str:
        return self.translations[direction, text]


async def translate_by_engine(table: dict[Direction, list[str]]) -> dict[tuple[Direction, str], str]:
    engine = Engine.from_settings(Settings(bundle=SHIPPED))
    await engine.start()
    try:
        found: dict[tuple[Direction, str], str] = {}
        for direction, texts in table.items():
            source, target = direction
            options = SearchOptions(beam_size=4)
            translations = await translate_texts(engine, texts, source=source, target=target, options=options)
            found |= {(direction, text): each.text for text, each in zip(texts, translations, strict=True)}
        return found
    finally:
        await engine.stop()


@pytest.fixture(scope="module")
def shipped() -> Iterator[Shipped]:
    yield Shipped()


@pytest.mark.parametrize(("direction", "text", "pattern"), everyday())
def test_everyday_sentences(shipped: Shipped, direction: Direction, text: str, pattern: str) -> None:
    translation = shipped(direction, text)
    assert re.search(pattern, translation, re.IGNORECASE), translation


@pytest.mark.parametrize(("direction", "text"), cases(CAPITALS))
def test_capitals_stay(shipped: Shipped, direction: Direction, text: str) -> None:
    assert keeps_capitals(text, shipped(direction, text)), shipped(direction, text)


@pytest.mark.parametrize(("direction", "text"), cases(NUMBERS))
def test_digits_stay(shipped: Shipped, direction: Direction, text: str) -> None:
    assert keeps_digits(text, shipped(direction, text), direction), shipped(direction, text)


@pytest.mark.parametrize(("direction", "text"), SANE)
def test_no_loop_and_no_silence(shipped: Shipped, direction: Direction, text: str) -> None:
    translation = shipped(direction, text)
    assert translation.strip()
    assert not loops(text, translation) and not is_broken(text, translation), translation


@pytest.mark.parametrize(("direction", "text"), endings())
def test_the_final_punctuation_stays(shipped: Shipped, direction: Direction, text: str) -> None:
    assert keeps_ending(text, shipped(direction, text)), shipped(direction, text)


@pytest.mark.parametrize(("direction", "text"), cases(PLACEHOLDERS))
def test_placeholders_come_back_exactly_once(shipped: Shipped, direction: Direction, text: str) -> None:
    translation = shipped(direction, text)
    for placeholder in Manifest.read(SHIPPED).placeholders:
        assert translation.count(placeholder) == text.count(placeholder), translation


@pytest.mark.parametrize(
    ("direction", "text", "thing"), [(direction, *case) for direction, own in COPIED.items() for case in own]
)
def test_names_and_addresses_are_copied(shipped: Shipped, direction: Direction, text: str, thing: str) -> None:
    assert thing in shipped(direction, text), shipped(direction, text)


@pytest.mark.parametrize("direction", ALONE)
def test_words_alone_are_translated_and_names_stay(shipped: Shipped, direction: Direction) -> None:
    words = ALONE[direction]
    assert {word: shipped(direction, word) for word in words} == words
