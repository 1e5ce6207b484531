"""What a person should look at in a document: in its report, and in the file if it has a place for that."""

import asyncio
import csv
import io
from functools import partial
from typing import Any

import polib
import pytest
from lxml import etree

from app.documents.reading.readers import Readers
from app.documents.registry import find_format
from app.documents.review_report import as_csv, as_html, find_form
from app.documents.translation import DocumentTranslation, translate_document
from app.engine.options import SearchOptions
from app.errors import InvalidRequest
from app.text.terms.glossary import Glossary
from app.translation.pipeline import Translator
from app.translation.request import TranslationRequest
from tests.support.fakes import DETECTOR, FakeEngine

CATALOG = 'msgid "Guten Morgen!"\nmsgstr ""\n\nmsgid "Ein LOOP."\nmsgstr ""\n\nmsgid "Der Berg"\nmsgstr "Done"\n'


def translated(
    data: str, name: str, *, below: float | None, confidence: float = 0.9, **wanted: Any
) -> DocumentTranslation:
    engine = FakeEngine()
    engine.confidence = confidence

    async def run() -> DocumentTranslation:
        format_ = find_format(name)
        request = TranslationRequest(
            source="de", target="en", options=SearchOptions(beam_size=1), review_below=below, **wanted
        )
        async with Readers().document(data.encode(), format_.name, format_.output(), 10**6, target="en") as document:
            return await translate_document(Translator(engine, DETECTOR), document, request, lambda _: None)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("confidence", "below", "notes"),
    [
        (0.9, 0.5, ["", "Dragoman: truncated", ""]),
        (0.25, 0.5, ["Dragoman: confidence 0.25", "Dragoman: confidence 0.25; truncated", ""]),
        (0.25, None, ["", "", ""]),
    ],
)
def test_messages_below_the_threshold_or_with_a_verdict_are_fuzzy(
    confidence: float, below: float | None, notes: list[str]
) -> None:
    catalog = polib.pofile(translated(CATALOG, "a.po", below=below, confidence=confidence).content.decode())
    assert [entry.tcomment for entry in catalog] == notes
    assert [entry.fuzzy for entry in catalog] == [bool(note) for note in notes]


def test_an_exact_match_of_the_memory_needs_no_review() -> None:
    from contextlib import closing

    from app.storage.database import Database
    from app.translation.stored_memories import Memories

    with closing(Database(None)) as database:
        memories = Memories(database)
        assert memories.store
        added = memories.store.add(None, "m", "de", "en")
        memories.store.put(None, added.id, [("Guten Morgen!", "Top of the morning!")], "import")
        memory = asyncio.run(memories.find(None, added.id, 75, ("de", "en")))
        source = (
            '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file original="a">'
            '<body><trans-unit id="1"><source>Guten Morgen!</source></trans-unit></body></file></xliff>'
        )
        made = translated(source, "a.xlf", below=0.99, confidence=0.1, memory=memory)
    [target] = etree.fromstring(made.content).iter("{*}trans-unit")
    assert target.find("{*}target").attrib == {"state": "translated", "state-qualifier": "exact-match"}
    assert target.find("{*}alt-trans/{*}target").text == "Top of the morning!"
    [row] = [row for row in csv.DictReader(io.StringIO(as_csv(made.report))) if row["kind"] == "match"]
    assert (row["value"], row["note"], row["translation"]) == ("100", "used", "Top of the morning!")


def test_the_report_lists_what_to_look_at() -> None:
    text = "Guten Morgen!\nEin LOOP.\n=1+1 Hund\nDie Datei https://a.b/c ist da.\n"
    glossary = partial(Glossary, {"Hund": "hound"})
    made = translated(text, "a.txt", below=None, glossary=glossary)
    assert made.report["review"]["doubtful"] == 1 and made.report["review"]["sentences"] == 4
    low = translated(text, "a.txt", below=0.95)
    rows = list(csv.DictReader(io.StringIO(as_csv(low.report))))
    sentences = [row for row in rows if row["kind"] == "sentence"]
    assert [row["source"] for row in sentences] == [
        "Guten Morgen!",
        "Ein LOOP.",
        "'=1+1 Hund",
        "Die Datei https://a.b/c ist da.",
    ]
    assert [row["value"] for row in sentences] == ["0.90"] * 4
    assert sentences[1]["note"] == "confidence 0.90, truncated"
    kinds = {row["kind"] for row in csv.DictReader(io.StringIO(as_csv(made.report)))}
    assert kinds == {"sentence", "term", "untranslated"}


def test_the_page_of_a_report_escapes_texts() -> None:
    made = translated("<script>alert(1)</script> & LOOP\n", "a.txt", below=None)
    page = as_html(made.report)
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page
    tree = etree.fromstring(page.encode(), etree.HTMLParser())
    assert [each.text for each in tree.iter("caption")][:1] == ["sentence"]
    assert "1 of 1 sentences" in "".join(tree.itertext())


def test_other_forms_of_a_report_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="A report can be: html, csv"):
        find_form("pdf")
