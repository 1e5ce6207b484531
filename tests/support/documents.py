"""Translates documents of every format, and compares them with their translations.

The engine writes capitals: a text that was left out shows, and everything else has to be as it was.
"""

import asyncio
import io
import zipfile
from collections.abc import Collection

from lxml import etree

from app.documents.reading.readers import Readers
from app.documents.registry import find_format
from app.documents.translation import translate_document
from app.engine.options import SearchOptions
from app.translation.pipeline import Translator
from app.translation.request import TranslationRequest
from tests.support.fakes import DETECTOR, FakeEngine


class ShoutingEngine(FakeEngine):
    """Writes capitals."""

    def __init__(self) -> None:
        super().__init__()
        self.known_placeholders = ("\ue000", "\ue001", "\ue002", "\ue003")

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (sentence.upper(),)


def translate(data: bytes, name: str, *, output: str | None = None, engine: FakeEngine | None = None) -> bytes:
    """The German file in capitals, or as another engine translates it."""

    async def run() -> bytes:
        format_ = find_format(name)
        translator = Translator(engine or ShoutingEngine(), DETECTOR)
        wanted = TranslationRequest(source="de", target="en", options=SearchOptions(beam_size=1))
        async with Readers().document(data, format_.name, format_.output(output), 10**7, target="en") as document:
            return (await translate_document(translator, document, wanted, lambda _: None)).content

    return asyncio.run(run())


def assert_same_package(data: bytes, translated: bytes, changed: Collection[str] = ()) -> None:
    """All parts are there, in order; XML has the same elements and attributes, and its texts in capitals or as it was.

    Args:
        data: A file that is a zip archive.
        translated: Its translation.
        changed: Attributes and elements that a translation changes: names of columns, languages.
    """
    before, after = zipfile.ZipFile(io.BytesIO(data)), zipfile.ZipFile(io.BytesIO(translated))
    assert before.namelist() == after.namelist()
    for name in before.namelist():
        old, new = before.read(name), after.read(name)
        if old != new:
            assert_same_tree(etree.fromstring(old), etree.fromstring(new), changed)


def assert_same_tree(old: etree._Element, new: etree._Element, changed: Collection[str] = ()) -> None:
    """As ``assert_same_package``, for one part."""
    olds, news = list(old.iter("*")), list(new.iter("*"))
    assert [each.tag for each in olds] == [each.tag for each in news]
    for one, other in zip(olds, news, strict=True):
        assert _attributes(one, changed) == _attributes(other, changed), one.tag
        if etree.QName(one).localname in changed:
            continue
        for before, after in ((one.text, other.text), (one.tail, other.tail)):
            assert (after or "") in ((before or "").upper(), before or ""), one.tag


def _attributes(element: etree._Element, changed: Collection[str]) -> dict[str, str]:
    return {
        name: value for name, value in element.attrib.items() if etree.QName(name).localname not in {"space", *changed}
    }


def texts(data: bytes, *names: str) -> list[str]:
    """All texts with a letter in parts of a package."""
    package = zipfile.ZipFile(io.BytesIO(data))
    return [
        text
        for name in names
        for text in etree.fromstring(package.read(name)).itertext()
        if any(map(str.isalpha, text))
    ]
