"""Texts with notation in them, and engines that translate them badly."""

import asyncio
import re
import string
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from app.engine.options import SearchOptions
from app.text.protection.defaults import untranslatable
from app.text.protection.protected import protect
from app.translation.pipeline import Translator
from app.translation.request import TranslationRequest
from tests.support.fakes import DETECTOR, FakeEngine
from tests.support.segmentation import split

PLACEHOLDERS = tuple(map(chr, range(0xE000, 0xE010)))
KNOWN = "abcdefghijklmnopqrstuvwxyzäöüßABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ0123456789 .,;:!?-()\"'/%&$€+*\n"
ALL_KNOWN = frozenset(string.printable + "äöüßÄÖÜé…“„")
WORDS = st.sampled_from("Hund Katze Fenster offen schnell Morgen heute lesen Garten Zeile".split())

_STAND_IN = re.compile("[\ue000-\uf8ff]")
GARBLED: dict[str, Callable[[str], str]] = {
    "copied": str,
    "reversed": lambda sentence: " ".join(reversed(sentence.split())),
    "in capitals": str.upper,
    "with letters": lambda sentence: _STAND_IN.sub(r"x\g<0>fotos", sentence),
    "without spaces": lambda sentence: re.sub("\\s*([\ue000-\uf8ff])\\s*", r"\1", sentence),
    "with spaces": lambda sentence: _STAND_IN.sub(r" \g<0> ", sentence),
    "without stand-ins": lambda sentence: _STAND_IN.sub("", sentence),
    "doubled": lambda sentence: _STAND_IN.sub(r"\g<0> \g<0>", sentence),
    "swapped": lambda sentence: _STAND_IN.sub("\ue000", sentence),
}
"""What a model may make of a sentence."""
GARBLES = st.sampled_from(list(GARBLED.values()))


class Garbling(FakeEngine):
    """Translates each sentence by a function; the alignment takes words to keep their order."""

    def __init__(self, garble: Callable[[str], str]) -> None:
        super().__init__()
        self._garble = garble
        self.known_placeholders, self.known_characters = PLACEHOLDERS, KNOWN

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (self._garble(sentence),)


def translation(text: str, garble: Callable[[str], str] = str, *, source: str = "de", target: str = "en") -> str:
    """The text, translated by a function of its sentences."""
    wanted = TranslationRequest(texts=(text,), source=source, target=target, options=SearchOptions())
    answer = asyncio.run(Translator(Garbling(garble), DETECTOR).translate(wanted))
    return answer.items[0].text


def seen(text: str, *, source: str = "de", target: str = "en") -> list[str]:
    """The sentences that the model gets."""
    engine = Garbling(str)
    wanted = TranslationRequest(texts=(text,), source=source, target=target, options=SearchOptions())
    asyncio.run(Translator(engine, DETECTOR).translate(wanted))
    return [
        sentence
        for texts, *_ in engine.calls[:1]
        for one in texts
        for sentence in split(one, language=source).sentences
    ]


def check_seen(text: str, sentences: Sequence[str], *, source: str = "de", target: str = "en") -> None:
    """Checks which sentences of a text the model gets, and that the text comes back if it copies them."""
    assert seen(text, source=source, target=target) == sentences
    assert translation(text, source=source, target=target) == text


def spans(text: str) -> list[str]:
    """The protected spans of a text, for a model that knows most signs."""
    protected = protect(text, untranslatable(text, ALL_KNOWN))
    assert protected.source == text
    return list(protected.spans)


def texts_with(notation: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[tuple[str, list[str]]]:
    """Sentences with different pieces of notation between their words, and these pieces."""

    def build(words: Sequence[str], pieces: Sequence[str], places: Sequence[int]) -> tuple[str, list[str]]:
        items = list(words)
        for piece, place in zip(pieces, places, strict=False):
            items.insert(place % (len(items) + 1), piece)
        return " ".join(items), list(pieces)

    return st.builds(
        build,
        st.lists(WORDS, min_size=1, max_size=6),
        st.lists(notation, min_size=1, max_size=most, unique=True),
        st.lists(st.integers(0, 20), min_size=most, max_size=most),
    ).filter(lambda found: all(found[0].count(piece) == 1 for piece in found[1]))


def check_kept(text: str, pieces: Sequence[str], translated: str) -> None:
    """Checks that a translation has each piece exactly once, and no letters or digits that touch it."""
    for piece in pieces:
        assert translated.count(piece) == 1, (text, translated)
        begin = translated.index(piece)
        around = translated[begin - 1 : begin] + translated[begin + len(piece) : begin + len(piece) + 1]
        assert not any(map(str.isalnum, around)), (text, translated)
