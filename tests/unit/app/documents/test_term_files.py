"""TBX files: what other programs write is read, and what is written here is read by translate-toolkit."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage.tbx import tbxfile

from app.documents import term_files
from app.documents.reading.readers import Readers
from app.errors import DamagedDocument, InvalidGlossary

OLD = b"""<?xml version="1.0"?><!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body>
<termEntry id="a"><descrip type="definition">x</descrip>
 <langSet xml:lang="de-AT"><tig><term>Vorstand</term></tig><tig><term>Vorstands&#xAD;etage</term></tig></langSet>
 <langSet xml:lang="en-GB"><ntig><termGrp><term> board
   of directors</term></termGrp></ntig><tig><term>management</term></tig></langSet>
 <langSet xml:lang="fr"><tig><term>direction</term></tig></langSet></termEntry>
<termEntry id="b"><langSet xml:lang="de"><tig><term>Vorstand</term></tig></langSet>
 <langSet xml:lang="en"><tig><term>executives</term></tig></langSet></termEntry>
<termEntry id="c"><langSet xml:lang="de"><tig><term>allein</term></tig></langSet></termEntry>
</body></text></martif>"""
NEW = b"""<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="c1"><langSec xml:lang="de"><termSec><term>Haus</term></termSec></langSec>
<langSec xml:lang="en"><termSec><term>house</term></termSec></langSec></conceptEntry></body></text></tbx>"""


def test_both_versions_are_read() -> None:
    assert term_files.read(OLD, "de", "en") == [
        ("Vorstand", "board of directors"),
        ("Vorstands\xadetage", "board of directors"),
    ]
    assert term_files.read(OLD, "en", "fr") == [("board of directors", "direction"), ("management", "direction")]
    assert term_files.read(NEW, "de", "en") == [("Haus", "house")]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"<a/>", InvalidGlossary),
        (OLD.replace(b"xml:lang", b"lan"), InvalidGlossary),
        (b"<tbx>", DamagedDocument),
        (b'<!DOCTYPE tbx [<!ENTITY a "b">]><tbx>&a;</tbx>', DamagedDocument),
    ],
)
def test_other_files_are_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        term_files.read(data, "de", "en")


TERM = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn"]), min_size=1, max_size=20).map(
    lambda text: " ".join(text.split()) or "x"
)


@given(st.dictionaries(TERM, TERM, min_size=1, max_size=5))
def test_what_is_written_is_read_here_and_by_another_program(terms: dict[str, str]) -> None:
    written = b"".join(term_files.write(terms.items(), "de", "en"))
    assert dict(term_files.read(written, "de", "en")) == terms
    units = tbxfile.parsestring(written).units
    assert [(unit.source, unit.target) for unit in units] == list(terms.items())


def test_a_stranger_s_file_is_read_in_a_process() -> None:
    assert asyncio.run(Readers().term_file(OLD, "en", "fr")) == term_files.read(OLD, "en", "fr")
    with pytest.raises(InvalidGlossary, match="no terms from en to xx"):
        asyncio.run(Readers().term_file(OLD, "en", "xx"))
