"""The memory that a translation takes beyond its texts doesn't grow with them."""

import gc
import tracemalloc
from contextlib import aclosing

import pytest

from app.engine.options import SearchOptions
from app.text import pieces
from app.text.markup import html
from app.text.markup.extraction import HTML, MARKDOWN, Rules
from app.translation import passages
from app.translation.pipeline import Translator
from app.translation.request import Answer, TranslationRequest
from tests.support.fakes import DETECTOR, FakeEngine

CHARS = 1_000
# Copies of the source, the translation, and the fake engine's record of them.
BYTES_A_CHARACTER = 40


XML = Rules(syntax="xml")
TEXTS = {
    "sentences": ("Das ist ein Satz. ", None),
    "numerals": ("1.234,5 Euro ", None),
    "code": ("a_b x ", None),
    "emoji": ("Wort \U0001f600 ", HTML),
    "misnested": ("<a><b>Wort</a></b> ", HTML),
    "points": ("Wort <img> ", HTML),
    "blocks": ("<p>Wort</p>", XML),
    "html in markdown": ("<p>Wort</p>", MARKDOWN),
}


@pytest.fixture(autouse=True)
def as_if_they_were_long(monkeypatch):
    """Cuts texts into small pieces, and works on them in the pool."""
    monkeypatch.setattr("app.fairness.offload.is_brief", lambda *arguments, **options: False)
    for module in (pieces, html, passages):
        monkeypatch.setattr(module, "PIECE_CHARS", 128)
    monkeypatch.setattr(passages, "_BATCH_CHARS", 512)
    monkeypatch.setattr("app.text.markup.collector._MAX_CHARS", 256)


async def peak_bytes(text, markup):
    gc.collect()
    gc.freeze()  # what other tests left behind: it would make the collections below slow
    engine = FakeEngine()
    engine.known_characters = "abcdefghijklmnopqrstuvwxyzADESWZ ./<>\n"
    request = TranslationRequest(texts=(text,), source="de", target="en", options=SearchOptions(), markup=markup)
    tracemalloc.start()
    try:
        async with aclosing(Translator(engine, DETECTOR).stream(request)) as events:
            async for event in events:
                last = event
                gc.collect()  # when Python finds cycles depends on what else there is
        assert isinstance(last, Answer)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", TEXTS)
async def test_each_character_takes_few_bytes(name):
    unit, markup = TEXTS[name]
    # The first text fills the caches.
    _, small, large = [await peak_bytes(unit * (chars // len(unit)), markup) for chars in (200, CHARS, 2 * CHARS)]
    assert (large - small) / CHARS < BYTES_A_CHARACTER
