"""The inputs of ``benchmarks.robustness``: real sentences with inserted text that must survive, and odd inputs.

The inserted text is not the same as in training (``model.data.augmentation``), but of the same kinds.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.figures import read_sentences
from benchmarks.invariants import (
    ending,
    is_broken,
    keeps_capitals,
    keeps_digits,
    keeps_ending,
    keeps_title_case,
    loops,
)
from benchmarks.protection import put_in
from model.data.pairs import read_pairs

Keeps = Callable[[str, str], bool]
"""Takes source and translation."""

NAMES = """
Okonkwo Szymborska Nguyen Papadopoulos Çelik Ødegaard Kowalczyk Huxtable Wojciechowski Eszterházy Ramanujan Quiñones
Grzegorz Siobhan Mbappé Tchaikovsky Krzyżewski Featherstonehaugh Timișoara Reykjavík Ouagadougou Llanelli Zwickau
Poughkeepsie Ljubljana Bydgoszcz Tlaxcala Xiaomi Kubernetes PostgreSQL Logitech Wolfsburg Ngozi Aoife Thandiwe Håkon
""".split()
EMOJI = "😀 😭 🤔 🙈 👩‍💻 👍🏽 🇩🇪 ❤️ 🎂 🚲 🦊 🥑 ☔ ✨ 🧪".split()
SCRIPTS = """
Привет Спасибо Київ καλημέρα Αθήνα שלום ירושלים مرحبا القاهرة 你好 北京市 東京 こんにちは カタカナ 안녕하세요 서울 नमस्ते
दिल्ली สวัสดี Việt Łódź ქართული Հայաստան አማርኛ ខ្មែរ
""".split()
URLS = """
https://www.zeit.de/politik/2021-09/wahl https://example.org/a?b=1&c=2 http://localhost:8080/index.html www.bbc.co.uk
https://en.wikipedia.org/wiki/Berlin_(disambiguation) github.com/python/cpython https://bit.ly/3xYz9Q ftp://ftp.gnu.org/pub
https://shop.example.com/de/produkt-4711.html#details sub.domain.example.net
""".split()
ADDRESSES = """
info@example.com max.mustermann@firma.de support+ticket@mail.example.org j_doe99@uni-leipzig.de noreply@github.com
anna-lena.weiss@web.de x@y.io hello.world@service.co.uk
""".split()
PUTTABLE = {"names": NAMES, "URLs": URLS, "e-mail": ADDRESSES, "emoji": EMOJI, "other scripts": SCRIPTS}

_SPELLED = {
    "de": re.compile(r"\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|hundert)\b", re.IGNORECASE),
    "en": re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\b", re.IGNORECASE),
}
_POINTS = {"de": ",.", "en": ".,"}  # for decimals, for thousands
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_MARKS = (".", "?", "!", "…", ":", "?!")


class Case(NamedTuple):
    """A text, its kind, and a check whether a translation keeps the tested property."""

    check: str
    text: str
    keeps: Keeps


class Material(NamedTuple):
    """Real sentences of the source language with references, and words of it."""

    pairs: Sequence[tuple[str, str]]
    words: Sequence[str]


def read_material(files: Sequence[Path], words: Path, source: str, seed: int) -> Material:
    """Reads pair files and a dictionary, whose first columns are German."""
    reverse = source == "en"
    singles = sorted({pair[reverse] for pair in read_pairs(words) if _WORD.fullmatch(pair[reverse])})
    return Material(read_sentences(files, seed=seed, reverse=reverse), singles)


def make_cases(material: Material, languages: tuple[str, str], placeholders: Sequence[str], seed: int) -> list[Case]:
    """All cases of one direction."""
    random = Random(seed)
    sentences = [source for source, _ in material.pairs]
    everyday = [sentence for sentence in sentences if len(sentence) < 120 and sentence[:1].isupper()]
    cases = [
        *_digits(material, languages, random),
        *_placeholders(sentences, placeholders, random),
        *(Case("single words", text, _sane) for text in random.sample(material.words, 1500)),
        *(Case("odd inputs", text, _sane) for text in _odd_inputs(material.words, random)),
        *_letter_case(everyday),
        *_endings(everyday, random),
    ]
    for check, things in PUTTABLE.items():
        cases += _put_in(check, things, everyday, random)
    return cases


def _digits(material: Material, languages: tuple[str, str], random: Random) -> list[Case]:
    """Real sentences whose reference keeps the digits, and sentences with a new number for a spelled one."""

    def keeps(source: str, translation: str) -> bool:
        return keeps_digits(source, translation, languages)

    real = [
        source
        for source, reference in material.pairs
        if any(map(str.isdecimal, source)) and keeps_digits(source, reference, languages)
    ][:500]
    spelled = _SPELLED[languages[0]]
    made = [
        spelled.sub(lambda _: _number(languages[0], random), source, count=1)
        for source, _ in material.pairs
        if spelled.search(source) and not any(map(str.isdecimal, source))
    ][:500]
    return [
        *(Case("digits, real", text, keeps) for text in real),
        *(Case("digits, made", text, keeps) for text in made),
    ]


def _number(language: str, random: Random) -> str:
    decimal, thousand = _POINTS[language]
    number = random.randint(2, 10 ** random.randint(2, 7))
    form = random.random()
    if form < 0.2:
        return f"{number % 1000}{decimal}{random.randint(1, 9)}"
    return f"{number:,}".replace(",", thousand) if form < 0.4 else str(number)


def _placeholders(sentences: Sequence[str], placeholders: Sequence[str], random: Random) -> list[Case]:
    if not placeholders:
        return []

    def keeps(source: str, translation: str) -> bool:
        return all(source.count(each) == translation.count(each) for each in placeholders)

    cases = (put_in(sentence, random, lambda random: (random.choice(placeholders), "")) for sentence in sentences)
    return [Case("placeholders", case.text, keeps) for case in cases if case.spans][:500]


def _odd_inputs(words: Sequence[str], random: Random) -> list[str]:
    """1,000 texts that are no sentences: letters, repetitions, signs."""
    letters = "abcdefghijklmnopqrstuvwxyzäöüß"

    def nonsense() -> str:
        return "".join(random.choices(letters, k=random.randint(1, 12)))

    makers: list[Callable[[], str]] = [
        nonsense,
        lambda: " ".join(nonsense() for _ in range(random.randint(2, 12))),
        lambda: random.choice(letters) * random.randint(2, 60),
        lambda: " ".join([random.choice(words)] * random.randint(2, 12)),
        lambda: "".join(random.choices("abcXYZ019 .,;:!?-_/\\()[]{}<>@#$%&*+=~^|\"'", k=random.randint(1, 40))),
        lambda: " ".join(random.choices(SCRIPTS, k=random.randint(1, 8))),
        lambda: "".join(random.choices(EMOJI, k=random.randint(1, 6))) + random.choice((" ok", " " + nonsense(), "a")),
        lambda: "".join(chr(random.randint(0x20, 0x2FFF)) for _ in range(random.randint(1, 15))),
        lambda: " ".join(random.choices(words, k=random.randint(2, 8))),
        lambda: random.choice(words).upper() + random.choice("!?.…") * random.randint(1, 5),
    ]
    return [random.choice(makers)() for _ in range(1000)]


def _sane(source: str, translation: str) -> bool:
    return bool(translation.strip()) and not loops(source, translation) and not is_broken(source, translation)


def _letter_case(sentences: Sequence[str]) -> list[Case]:
    plain = [sentence for sentence in sentences if not any(map(str.isdecimal, sentence))]
    return [
        *(Case("ALL CAPITALS", text.upper(), keeps_capitals) for text in plain[:150]),
        *(
            Case("Title Case", _WORD.sub(lambda word: word[0][0].upper() + word[0][1:], text), keeps_title_case)
            for text in plain[150:300]
        ),
    ]


def _endings(sentences: Sequence[str], random: Random) -> list[Case]:
    bare = [sentence.rstrip(".?!") for sentence in sentences if ending(sentence) in (".", "?", "!")]
    return [Case("final punctuation", text + random.choice((*_MARKS, "")), keeps_ending) for text in bare[:300]]


def _put_in(check: str, things: Sequence[str], sentences: Sequence[str], random: Random) -> list[Case]:
    """200 sentences with one or two of the things in them."""

    def keeps(source: str, translation: str) -> bool:
        return all(source.count(thing) <= translation.count(thing) for thing in things)

    chosen = random.sample(sentences, min(300, len(sentences)))
    cases = (put_in(sentence, random, lambda random: (random.choice(things), ""), most=2) for sentence in chosen)
    return [Case(check, case.text, keeps) for case in cases if case.spans][:200]
