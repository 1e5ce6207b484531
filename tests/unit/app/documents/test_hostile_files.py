"""Files that attack the server, or that it can't read: each gets an error with a stable code, soon and cheaply."""

import io
import subprocess
import sys
import time
import tracemalloc
import zipfile

import docx
import pytest

from app.documents import safe_xml
from app.documents.package import MAX_ENTRIES, Package
from app.documents.registry import FORMATS, find_format
from app.errors import (
    DamagedDocument,
    DocumentTooLarge,
    EncryptedDocument,
    ExtraMissing,
    InvalidRequest,
    UnsupportedDocument,
)
from tests.support.documents import translate
from tests.support.hostile_documents import packed
from tests.support.office_files import W
from tests.support.pdf_files import pdf

OFFICE = ["docx", "pptx", "xlsx", "odt", "odp", "epub", "idml"]
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "Hund">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 50}">' for before, name in zip("abcdefg", "bcdefgh", strict=True))
    + "]>"
)


def word(**parts: bytes) -> bytes:
    """A docx file with other content in some parts; the names of the parts have "__" for "/"."""
    document = docx.Document()
    document.add_paragraph("Der Hund")
    file = io.BytesIO()
    document.save(file)
    own = {name: zipfile.ZipFile(file).read(name) for name in zipfile.ZipFile(file).namelist()}
    return packed(own | {name.replace("__", "/").replace("_xml", ".xml"): data for name, data in parts.items()})


@pytest.mark.parametrize("unit", [b"<a/>", b"<!---->", b'<a b=""/>', b"<tuv/>"])
def test_xml_of_nothing_but_elements_is_refused_before_it_takes_memory(
    unit: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe_xml, "_MAX_NODES", 200_000)
    for begin, end in ((b"<tmx>", b"</tmx>"), (b"<tmx><tu>", b"</tu></tmx>")):
        data = begin + unit * 200_000 + end
        with pytest.raises(DamagedDocument, match="200,000 elements"):
            list(safe_xml.elements(data, "tu"))
        with pytest.raises(DamagedDocument, match="200,000 elements"):
            safe_xml.parse(data)


def test_a_long_file_of_small_units_is_read_to_its_end() -> None:
    data = b"<tmx>" + b"<tu><a/></tu>" * 100_000 + b"</tmx>"
    assert sum(1 for _ in safe_xml.elements(data, "tu")) == 100_000


@pytest.mark.parametrize("name", OFFICE)
@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", DamagedDocument),
        (b"Der Hund", DamagedDocument),
        (packed({"a": b"a"}), DamagedDocument),
        (packed({"a": b"a" * 1000})[:-40], DamagedDocument),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 512, EncryptedDocument),
        (packed({"mimetype": b"x", "word/vbaProject.bin": b"x"}), UnsupportedDocument),
        (packed({"mimetype": b"x", "Basic/Standard/a.xml": b"x"}), UnsupportedDocument),
    ],
    # Zip files have the time in them, and processes that test in parallel need the same names.
    ids=["empty", "text", "no office file", "cut off", "encrypted", "Word's macros", "LibreOffice's macros"],
)
def test_no_document(name, data, error):
    with pytest.raises(error):
        find_format(f"a.{name}").reader()(data)


def test_office_files_in_the_strict_format_are_refused_for_nothing_in_them_would_be_found() -> None:
    space = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    main = zipfile.ZipFile(io.BytesIO(word())).read("word/document.xml")
    strict = main.replace(space, b"http://purl.oclc.org/ooxml/wordprocessingml/main")
    with pytest.raises(UnsupportedDocument, match="strict"):
        find_format("a.docx").reader()(word(word__document_xml=strict))


@pytest.mark.parametrize("format_", [each.name for each in FORMATS if each.is_text])
def test_bytes_that_are_no_text(format_):
    for data in (b"\xff\xfe\xff", b"\x00\x01", b"\xe4 \x80"):
        with pytest.raises(DamagedDocument):
            find_format(f"a.{format_}").reader()(data)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("json", b"{"),
        ("json", b"[" * 100_000),
        ("json", b'["\\ud800 Hallo"]'),
        ("json", b'["\\u0000 Hallo"]'),
        ("json", b"[" + b"1" * 10_000 + b"]x"),
        ("po", b'msgid "a"\nnothing'),
        ("po", b"/etc/passwd"),
        ("xliff", b"<xliff/>"),
        ("xliff", b"<a"),
        ("html", b'<meta charset="punycode">'),
        ("html", b'<meta charset="rot13">'),
    ],
)
def test_damaged_text(name, data):
    with pytest.raises(DamagedDocument):
        find_format(f"a.{name}").reader()(data)


def test_a_bomb_is_not_unpacked():
    zeros = b"\0" * (20 << 20)
    bomb = packed({f"{number}.xml": zeros for number in range(10)})
    assert len(bomb) < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(DocumentTooLarge):
            Package(bomb)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_too_many_entries():
    with pytest.raises(DocumentTooLarge):
        Package(packed(dict.fromkeys(map(str, range(MAX_ENTRIES + 1)), b""), zipfile.ZIP_STORED))


def test_an_archive_that_lies_about_its_sizes():
    archive = bytearray(packed({"a.xml": b"x" * (1 << 20)}))
    for place in (archive.find(b"PK\x03\x04") + 22, archive.find(b"PK\x01\x02") + 24):
        archive[place : place + 4] = (10).to_bytes(4, "little")
    package = Package(bytes(archive))
    with pytest.raises(DamagedDocument):
        package.read("a.xml")


def test_xml_that_is_too_long():
    text = b"<a>" + bytes(range(32, 60)) * (2 << 20)
    with pytest.raises(DocumentTooLarge):
        find_format("a.docx").reader()(word(word__document_xml=text))


@pytest.mark.parametrize(
    "xml",
    [
        LAUGHS + "<a>&h;</a>",
        '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
        '<!DOCTYPE a [<!ENTITY % a SYSTEM "http://127.0.0.1:9/a">%a;]><a/>',
        "<a>" * 10_000,
        "<a" + ' b="c"' * 10_000 + "/>",
        "nothing",
    ],
)
def test_hostile_xml(xml):
    began = time.process_time()
    with pytest.raises(DamagedDocument):
        find_format("a.docx").reader()(word(word__document_xml=xml.encode()))
    with pytest.raises(DamagedDocument):
        find_format("a.xlf").reader()(xml.encode())
    assert time.process_time() - began < 2


def test_entities_of_text_formats_stay_as_they_are():
    source = LAUGHS + "<a>Der Hund &h; läuft</a>"
    assert translate(source.encode(), "a.xml").decode() == LAUGHS + "<a>DER HUND &h; LÄUFT</a>"


def test_a_zip_with_a_password():
    data = bytearray(packed({"mimetype": b"a"}))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(EncryptedDocument):
        Package(bytes(data))


def test_open_document_with_a_password():
    manifest = (
        b'<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry><m:encryption-data/>'
        b"</m:file-entry></m:manifest>"
    )
    with pytest.raises(EncryptedDocument):
        find_format("a.odt").reader()(packed({"mimetype": b"x", "META-INF/manifest.xml": manifest}))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("a.docm", "the format docm is not translated"),
        ("a.xlsm", "the format xlsm is not translated"),
        ("a.exe", "the format exe is not translated"),
        ("docx", "its name has no extension"),
        ("a.", "its name has no extension"),
    ],
)
def test_formats_that_are_not_translated(name, fault):
    with pytest.raises(UnsupportedDocument, match=f"^Invalid file: {fault}; use txt, md, .*pdf\\.$"):
        find_format(name)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    monkeypatch.setattr("app.documents.registry.is_installed", lambda name: name != "lxml")
    assert not find_format("a.docx").is_available
    with pytest.raises(ExtraMissing, match="needs the extra 'documents'"):
        find_format("a.docx").reader()


PAGE = (
    b"BT /F 20 Tf 50 750 Td (Der Titel) Tj ET BT /F 10 Tf 50 700 Td 12 TL (Der Hund ) Tj /B 10 Tf (bellt) Tj /F 10 Tf"
    b" ( und er l\xe4uft \xfcber die Wie-) Tj T* (se und sieht eine Katze.) Tj ET BT /F 10 Tf 300 30 Td (1) Tj ET"
)


def test_pdf_becomes_html_or_docx():
    page = translate(pdf(PAGE), "a.pdf", output="html").decode()
    assert '<html lang="en">' in page
    text = "DER HUND <b>BELLT</b> UND ER LÄUFT ÜBER DIE WIESE UND SIEHT EINE KATZE."
    assert page.endswith(f"<h1>DER TITEL</h1>\n<p>{text}</p>\n</body>\n</html>\n")
    title, paragraph = docx.Document(io.BytesIO(translate(pdf(PAGE), "a.pdf"))).paragraphs
    assert (title.style.name, title.text) == ("Heading 1", "DER TITEL")
    assert [run.text for run in paragraph.runs if run.bold] == ["BELLT"]


@pytest.mark.parametrize("references", [{1: 1}, {1: 5, 5: 1}, {2: 2}, {2: 6, 6: 5, 5: 6}])
def test_pdf_whose_references_form_a_ring(references):
    data = pdf(PAGE)
    for number, other in references.items():
        begin = data.index(b"%d 0 obj\n" % number) + len(b"%d 0 obj\n" % number)
        end = data.index(b"\nendobj", begin)
        data = data[:begin] + (b"%d 0 R" % other).ljust(end - begin) + data[end:]
    with pytest.raises(DamagedDocument):
        find_format("a.pdf").reader()(data)


def test_pdf_that_is_none_a_scan_or_has_a_password():
    read = find_format("a.pdf").reader()
    for data in (b"abc", pdf(b"")):
        with pytest.raises(DamagedDocument):
            read(data)
    rights = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >> /ID [<00> <00>] " % (
        b"00" * 32,
        b"11" * 32,
    )
    with pytest.raises(EncryptedDocument):
        read(pdf(PAGE, rights))


def test_every_error_has_a_code_of_its_own():
    kinds = InvalidRequest.__subclasses__()
    assert len({kind.code for kind in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("csv", b"a," * 1001),
        ("json", b"[" + b'"a",' * 1001 + b"1]"),
        ("srt", b"00:01 --> 00:02\na\n\n" * 1001),
        ("po", b'msgid "a"\nmsgstr ""\n\n' * 1501),
        ("docx", word(word__document_xml=f"<w:document {W}>{'<w:p/>' * 1001}</w:document>".encode())),
    ],
)
def test_more_texts_than_there_may_be(monkeypatch, name, data):
    monkeypatch.setattr("app.documents.document.MAX_TEXTS", 1000)
    monkeypatch.setattr("app.documents.formats.po.MAX_TEXTS", 1000)
    with pytest.raises(DocumentTooLarge):
        find_format(f"a.{name}").reader()(data)


def test_json_of_nothing_but_structure():
    with pytest.raises(DocumentTooLarge):
        find_format("a.json").reader()(b"[" + b"{}," * 500_000 + b"0]")


def test_a_format_is_checked_without_its_libraries():
    code = "import sys; from app.documents.registry import FORMATS; [each.check() for each in FORMATS]"
    code += "; sys.exit(bool({'lxml', 'pdfminer', 'docx', 'polib'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
