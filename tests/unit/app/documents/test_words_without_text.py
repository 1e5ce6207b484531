"""Objects without text, such as placeholders and pictures: one that stands for a word is like a word to the model."""

import io
import re
import struct
import zlib

import docx
import pytest
from odf.draw import Frame, Image
from odf.opendocument import OpenDocumentText
from odf.text import P

from app.documents.formats import docx as docx_format
from app.documents.formats import odt, xliff
from app.text.markup.extraction import MARKDOWN, extract
from tests.support.office_files import saved


def marked(markup: str) -> str:
    """The text with "W" for each word and "P" for each point."""
    return re.sub(r"<[^>]*>", "", re.sub("<m [^>]*></m>", "W", re.sub("<x [^>]*/>", "P", markup)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('Drücken Sie <ph id="1">{1}</ph>, um fortzufahren.', "Drücken Sie W, um fortzufahren."),
        ('Hallo <x id="1"/>!', "Hallo W!"),
        ('<g id="1">Hallo <x id="2"/>!</g>', "Hallo W!"),
        ('Erst <x id="1"/>, dann <x id="2"/>.', "Erst W, dann W."),
        ('Es gibt <ph id="1">%d</ph> neue Nachrichten.', "Es gibt P neue Nachrichten."),
        ('Eins <x id="1" ctype="lb"/>, zwei <ph id="2" ctype="pb"/>.', "Eins P, zwei P."),
        ('Eins <x id="1"/><x id="2"/>, zwei.', "Eins PP, zwei."),
        ('Eins <bpt id="1">b</bpt>, zwei <ept id="1">b</ept>.', "Eins P, zwei P."),
        ('Hallo <x id="1"/>', "Hallo P"),
        ('<x id="1"/>, hallo', "P, hallo"),
        ('Eins <x id="1"/><g id="2">, zwei</g>', "Eins P, zwei"),
    ],
)
def test_placeholders_of_xliff(source: str, expected: str) -> None:
    file = (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file source-language="de" original="a">'
        f'<body><trans-unit id="1"><source>{source}</source></trans-unit></body></file></xliff>'
    )
    [markup] = xliff.read(file.encode()).texts
    assert marked(markup) == expected


def test_placeholders_of_xliff_2() -> None:
    file = (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="de"><file id="f"><unit id="u">'
        '<segment><source>Erst <ph id="1"/>, dann <ph id="2" type="fmt" subType="xlf:lb"/>.</source></segment>'
        "</unit></file></xliff>"
    )
    [markup] = xliff.read(file.encode()).texts
    assert marked(markup) == "Erst W, dann P."


def picture() -> io.BytesIO:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pieces = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + pieces)


@pytest.mark.parametrize(("behind", "expected"), [(", um zu speichern.", "W"), (" und dann weiter.", "P")])
def test_pictures_of_word(behind: str, expected: str) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Klicken Sie auf ")
    paragraph.add_run().add_picture(picture())
    paragraph.add_run(behind)
    assert f"Klicken Sie auf {expected}{behind}" in map(marked, docx_format.read(saved(document)).texts)


@pytest.mark.parametrize(("anchor", "expected"), [("as-char", "W"), ("paragraph", "P")])
def test_pictures_of_opendocument(anchor: str, expected: str) -> None:
    document = OpenDocumentText()
    paragraph = P(text="Klicken Sie auf ")
    frame = Frame(anchortype=anchor, width="1cm", height="1cm")
    frame.addElement(Image(href="a.png"))
    paragraph.addElement(frame)
    paragraph.addText(", um zu speichern.")
    document.text.addElement(paragraph)
    file = io.BytesIO()
    document.write(file)
    assert f"Klicken Sie auf {expected}, um zu speichern." in map(marked, odt.read(file.getvalue()).texts)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Klicken Sie auf ![Icon](a.png), um zu speichern.", "Klicken Sie auf Tom, um zu speichern."),
        ("Das Bild ![Icon](a.png) zeigt einen Hund.", "Das Bild zeigt einen Hund."),
    ],
)
def test_pictures_of_markdown(source: str, text: str) -> None:
    assert extract(source, MARKDOWN).texts == (text,)
