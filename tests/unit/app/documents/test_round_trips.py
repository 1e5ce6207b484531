"""Long documents of every format: the same structure, every text translated, and opened again by the library."""

import io
import json
import re
import zipfile

import docx
import openpyxl
import pptx
import pytest
from ebooklib import epub
from lxml import etree
from odf import draw
from odf import text as odf_text
from odf.opendocument import OpenDocumentPresentation, load
from odf.style import MasterPage, PageLayout
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table as SheetTable

from app.text.inline.target_tokens import Link
from tests.support.documents import ShoutingEngine, assert_same_package, assert_same_tree, texts, translate
from tests.support.office_files import LONG, PARAGRAPHS, presentation, saved, text_document, word


def test_docx():
    data = word()
    translated = translate(data, "a.docx")
    assert_same_package(data, translated, changed=("val",))
    parts = [f"word/{name}.xml" for name in ("document", "header1", "footer1", "footnotes", "comments")]
    shouted = [text for text in texts(translated, *parts) if text != "PAGE"]
    assert len(shouted) > PARAGRAPHS and all(map(str.isupper, shouted))
    document = docx.Document(io.BytesIO(translated))
    assert len(document.paragraphs) == len(docx.Document(io.BytesIO(data)).paragraphs)
    assert document.core_properties.title == "EIN TITEL"


def test_pptx():
    data = presentation()
    translated = translate(data, "a.pptx")
    assert_same_package(data, translated)
    names = [
        name for name in zipfile.ZipFile(io.BytesIO(data)).namelist() if re.search(r"slides/slide|notesSlides/n", name)
    ]
    shouted = texts(translated, *(name for name in names if name.endswith(".xml")))
    assert len(shouted) > 60 * 26 and all(text.isupper() for text in shouted)
    again = pptx.Presentation(io.BytesIO(translated))
    assert len(again.slides) == 60
    assert again.slides[59].shapes[2].table.cell(0, 0).text == "EINE ZELLE"


def test_xlsx():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Tier", "Anzahl", "Menge", "Farbe"])
    for number in range(150):
        sheet.append([f"Ein Hund namens {number}", number + 0.5, f"=B{number + 2}*2", "ein Braun"])
    sheet.add_table(SheetTable(displayName="Tiere", ref="A1:D151"))
    sheet["A2"].comment = Comment("Ein Kommentar", "a")
    sheet["F1"] = "=SUM(Tiere[Anzahl])"
    book.properties.title = "Ein Titel"
    data = saved(book)
    translated = translate(data, "a.xlsx")
    assert_same_package(data, translated, changed=("name",))
    again = openpyxl.load_workbook(io.BytesIO(translated)).active
    assert [cell.value for cell in again[1]] == ["TIER", "Anzahl", "MENGE", "FARBE", None, "=SUM(Tiere[Anzahl])"]
    assert [column.name for column in again.tables["Tiere"].tableColumns] == ["TIER", "Anzahl", "MENGE", "FARBE"]
    assert [cell.value for cell in again[151]][:4] == ["EIN HUND NAMENS 149", 149.5, "=B151*2", "EIN BRAUN"]
    assert again["A2"].comment.text == "EIN KOMMENTAR"


def test_odt():
    data = text_document()
    translated = translate(data, "a.odt")
    assert_same_package(data, translated)
    shouted = texts(translated, "content.xml")
    assert len(shouted) > 6 * PARAGRAPHS and all(map(str.isupper, shouted))
    again = load(io.BytesIO(translated))
    assert len(again.text.getElementsByType(odf_text.P)) == 2 * PARAGRAPHS + 1


def test_odp():
    document = OpenDocumentPresentation()
    layout = PageLayout(name="seite")
    document.automaticstyles.addElement(layout)
    master = MasterPage(name="meister", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    for number in range(20):
        page = draw.Page(masterpagename=master)
        frame = draw.Frame(width="20cm", height="5cm", x="1cm", y="1cm")
        box = draw.TextBox()
        for _ in range(5):
            box.addElement(odf_text.P(text=f"Auf Folie {number}: {LONG}"))
        frame.addElement(box)
        page.addElement(frame)
        document.presentation.addElement(page)
    file = io.BytesIO()
    document.write(file)
    translated = translate(file.getvalue(), "a.odp")
    assert_same_package(file.getvalue(), translated)
    assert all(map(str.isupper, texts(translated, "content.xml")))
    assert len(load(io.BytesIO(translated)).presentation.getElementsByType(draw.Page)) == 20


def test_epub():
    book = epub.EpubBook()
    book.set_title("Ein Buch")
    book.set_language("de")
    for number in range(30):
        chapter = epub.EpubHtml(title=f"Kapitel {number}", file_name=f"{number}.xhtml", lang="de")
        chapter.content = f"<h1>Kapitel {number}</h1>" + f"<p>Das ist <b>sehr fett</b> und {LONG}.</p>" * 20
        book.add_item(chapter)
        book.spine.append(chapter)
        book.toc.append(chapter)
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    file = io.BytesIO()
    epub.write_epub(file, book)
    translated = translate(file.getvalue(), "a.epub")
    assert_same_package(file.getvalue(), translated, changed=("lang", "language"))
    again = epub.read_epub(io.BytesIO(translated))
    assert (again.title, again.language) == ("EIN BUCH", "en")
    assert zipfile.ZipFile(io.BytesIO(translated)).infolist()[0].compress_type == zipfile.ZIP_STORED
    chapter = again.get_item_with_href("7.xhtml").get_body_content().decode()
    assert "DAS IST <b>SEHR FETT</b> UND DER HUND" in chapter
    assert [entry.title for entry in again.toc][7] == "KAPITEL 7"


def test_epub_goes_on_behind_a_self_closed_script():
    chapter = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/><title>Titel</title></head>'
        '<body><p>Der <b>Hund</b></p><iframe title="Ein Bild" src="a"/><p>läuft</p></body></html>'
    )
    parts = {
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="a.opf"/></rootfiles></container>',
        "a.opf": '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item href="a.xhtml" media-type="application/xhtml+xml"/></manifest></package>',
        "a.xhtml": chapter,
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    translated = zipfile.ZipFile(io.BytesIO(translate(file.getvalue(), "a.epub"))).read("a.xhtml").decode()
    shouted = chapter
    for text in ("Titel", "Der", "Hund", "Ein Bild", "läuft"):
        shouted = shouted.replace(text, text.upper())
    assert translated == shouted


CUE = re.compile(r"(\d\d:\d\d:\d\d[,.]\d{3} --> \d\d:\d\d:\d\d[,.]\d{3})\n(.*?)\n\n", re.S)


def subtitles(separator: str) -> str:
    cues = []
    for number in range(150):
        begin, end = (f"00:{second // 60:02}:{second % 60:02}{separator}000" for second in (number * 2, number * 2 + 1))
        lines = ["Der Hund läuft\nüber die Wiese und", "sieht eine Katze.", "<i>Sie schläft.</i>", "- Wer?\n- Ich!"]
        cues.append(f"{number + 1}\n{begin} --> {end}\n{lines[number % 4]}\n\n")
    return "".join(cues)


@pytest.mark.parametrize(("name", "separator", "head"), [("a.srt", ",", ""), ("a.vtt", ".", "WEBVTT\n\nNOTE hier\n\n")])
def test_subtitles(name, separator, head):
    source = head + subtitles(separator)
    translated = translate(source.encode(), name).decode()
    cues, shouted = CUE.findall(source), CUE.findall(translated)
    assert [time for time, _ in shouted] == [time for time, _ in cues]
    assert [text.replace("I>", "i>") for _, text in shouted] == [text.upper().replace("I>", "i>") for _, text in cues]
    assert translated.startswith(head)


GLUED = "1\n{0}\nDer Hund läuft.\n2\n{1}\n3\n{2}\nEine Katze schläft.\n{3}\nDer Hund\nist 3\n\n5\n{4}\n42\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_subtitles_without_blank_lines_keep_their_times(line_end):
    times = [f"00:00:0{number},000 --> 00:00:0{number},900" for number in range(5)]
    source = GLUED.replace("\n", line_end).format(*times)
    assert translate(source.encode(), "a.srt").decode() == source.upper()


def test_an_arrow_makes_no_cue_and_ends_none():
    source = "WEBVTT\n\nNOTE a --> b\nDer Hund\n\n00:01.000-->00:02.000 align:start\nvon A --> nach B\n"
    shouted = source.replace("von", "VON").replace("nach", "NACH")
    assert translate(source.encode(), "a.vtt").decode() == shouted


XLIFF_1 = '<trans-unit id="{0}"><source>Der <g id="1">Hund {0}</g> läuft<x id="2"/></source></trans-unit>'
XLIFF_2 = '<unit id="{0}"><segment><source>Der <pc id="1">Hund {0}</pc> läuft<ph id="2"/></source></segment></unit>'


@pytest.mark.parametrize(
    ("unit", "begin", "end", "language"),
    [
        (XLIFF_1, '<file original="a" datatype="x" source-language="de"><body>', "</body></file>", "target-language"),
        (XLIFF_2, '<file id="f">', "</file>", "trgLang"),
    ],
)
def test_xliff(unit, begin, end, language):
    version = "1.2" if unit == XLIFF_1 else "2.0"
    head = f'<xliff xmlns="urn:oasis:names:tc:xliff:document:{version}" version="{version}">'
    source = head + begin + "".join(map(unit.format, range(150))) + end + "</xliff>"
    root = etree.fromstring(translate(source.encode(), "a.xlf"))
    targets = list(root.iter("{*}target"))
    assert len(targets) == 150
    assert "".join(targets[7].itertext()) == "DER HUND 7 LÄUFT"
    for target in targets:
        target.tag = target.tag.replace("target", "source")
        assert_same_tree(target.getprevious(), target)
        target.getparent().remove(target)
    holder = root if version == "2.0" else root[0]
    assert holder.attrib.pop(language) == "en"
    assert_same_tree(etree.fromstring(source), root)


UNIT_1 = '<trans-unit id="{}"{}><source>{}</source></trans-unit>'
UNIT_2 = '<unit id="{}"{}><segment><source>{}</source></segment></unit>'


@pytest.mark.parametrize(
    ("version", "unit", "mark"), [("1.2", UNIT_1, 'mtype="protected"'), ("2.0", UNIT_2, 'translate="no"')]
)
def test_xliff_keeps_what_is_marked_as_not_for_translation(version, unit, mark):
    marked = f'Der <mrk id="m" {mark}>Hund <b/>Bello</mrk> läuft'
    no, yes = ' translate="no"', ' translate="yes"'
    source = (
        f'<xliff xmlns="urn:oasis:names:tc:xliff:document:{version}" version="{version}">'
        f"<file>{unit.format(1, '', marked)}{unit.format(2, no, 'zwei')}<group{no}>{unit.format(3, '', 'drei')}"
        f"<group>{unit.format(4, '', 'vier')}{unit.format(5, yes, 'fünf')}</group>"
        f"<group{yes}>{unit.format(6, '', 'sechs')}</group></group></file>"
        f"<file{no}>{unit.format(7, '', 'sieben')}</file></xliff>"
    )
    root = etree.fromstring(translate(source.encode(), "a.xlf"))
    assert ["".join(target.itertext()) for target in root.iter("{*}target")] == [
        "DER Hund Bello LÄUFT",
        "FÜNF",
        "SECHS",
    ]
    old, new = root.iter("{*}mrk")
    assert_same_tree(old, new)


def test_json():
    value = {f"key{number}": [f"Der Hund {{name}} läuft {number} mal", number, None, "42"] for number in range(150)}
    source = json.dumps(value, indent=3, ensure_ascii=False)
    translated = translate(source.encode(), "a.json").decode()
    expected = {key: [each[0].upper().replace("{NAME}", "{name}"), *each[1:]] for key, each in value.items()}
    assert translated == json.dumps(expected, indent=3, ensure_ascii=False)


@pytest.mark.parametrize(
    ("name", "source", "translated"),
    [
        ("a.txt", "\ufeffDer Hund\r\n\r\nläuft.", "\ufeffDER HUND\r\n\r\nLÄUFT."),
        ("a.md", "# Der Hund\n\n* läuft `hier` **jetzt**\n", "# DER HUND\n\n* LÄUFT `hier` **JETZT**\n"),
        ("a.xml", "<a><p k='Hund'>Der <b>Hund</b></p></a>", "<a><p k='Hund'>DER <b>HUND</b></p></a>"),
        ("a.xml", "<a>Hund <b><![CDATA[Hund]]> Hund</b></a>", "<a>HUND <b><![CDATA[Hund]]> HUND</b></a>"),
        (
            "a.xml",
            "<a xml:lang='de'><p xml:lang=\"de-AT\">Hund</p><p xml:lang='fr'/><p>Lies <codeph>hier</codeph></p></a>",
            "<a xml:lang='en'><p xml:lang=\"en\">HUND</p><p xml:lang='fr'/><p>LIES <codeph>hier</codeph></p></a>",
        ),
        ("a.xml", "<a><b xml:lang='de'>Hund</b></a>", "<a><b xml:lang='de'>HUND</b></a>"),
        (
            "a.html",
            '<html lang="de"><p title="Der Hund">Der <b>Hund</b></p><code>hier</code>',
            '<html lang="en"><p title="DER HUND">DER <b>HUND</b></p><code>hier</code>',
        ),
        (
            "a.xhtml",
            '<?xml version="1.0"?><html><script/><p>Hund</p>',
            '<?xml version="1.0"?><html><script/><p>HUND</p>',
        ),
        ("a.html", "<html><p>Hund</p><script/><p>Hund</p>", "<html><p>HUND</p><script/><p>Hund</p>"),
    ],
)
def test_text(name, source, translated):
    assert translate(source.encode(), name).decode() == translated


def test_encodings_stay():
    page = '<meta charset="iso-8859-1"><p>läuft</p>'
    assert translate(page.encode("latin-1"), "a.html") == page.replace("läuft", "LÄUFT").encode("latin-1")
    assert translate("Der Hund".encode("utf-16"), "a.txt").decode("utf-16") == "DER HUND"


class ReversingEngine(ShoutingEngine):
    """Writes the words in the opposite order."""

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (" ".join(reversed(sentence.split())),)

    def links(self, source: str, target: str) -> tuple[Link, ...]:
        words, others = ([match.span() for match in re.finditer(r"\S+", text)] for text in (source, target))
        return tuple(Link(*word, *other) for word, other in zip(reversed(words), others, strict=True))


def test_formatting_goes_with_the_words():
    document = docx.Document()
    paragraph = document.add_paragraph("eins ")
    for content, style in (("zwei", "bold"), (" drei ", None), ("vier", "italic"), (" fünf", None)):
        run = paragraph.add_run(content)
        if style:
            setattr(run, style, True)
    translated = translate(saved(document), "a.docx", engine=ReversingEngine())
    [paragraph] = docx.Document(io.BytesIO(translated)).paragraphs
    assert [(run.text, run.bold, run.italic) for run in paragraph.runs] == [
        ("fünf ", None, None),
        ("vier", None, True),
        (" drei ", None, None),
        ("zwei", True, None),
        (" eins", None, None),
    ]


def test_a_sentence_of_several_cues_is_cut_where_its_words_are():
    cue = "00:00:0{0},000 --> 00:00:0{0},900\n{1}\n\n"
    source = cue.format(1, "eins zwei drei") + cue.format(2, "vier fünf")
    translated = translate(source.encode(), "a.srt", engine=ReversingEngine()).decode()
    assert " ".join(text for _, text in CUE.findall(translated)) == "fünf vier drei zwei eins"
    assert all(text for _, text in CUE.findall(translated))


@pytest.mark.parametrize(
    ("cue", "expected"),
    [
        ("♪ eins zwei ♪", "♪ zwei eins ♪"),
        ("<i>♪ eins zwei ♪</i>", "<i>♪ zwei eins ♪</i>"),
        ("♪ eins\nzwei ♪", "♪ zwei\neins ♪"),
        (">> eins zwei", ">> zwei eins"),
        ("{\\an8}♪♪ eins zwei", "{\\an8}♪♪ zwei eins"),
        (">> eins zwei\n>> drei", ">> zwei eins\n>> drei"),
        ("<I>♪ eins zwei ♪</I>", "<I>♪ zwei eins ♪</I>"),
        ("♪♪", "♪♪"),
    ],
)
def test_notes_and_arrows_stay_around_the_words_of_a_cue(cue, expected):
    times = "00:00:01,000 --> 00:00:01,900\n{}\n"
    translated = translate(times.format(cue).encode(), "a.srt", engine=ReversingEngine()).decode()
    assert translated == times.format(expected)


def test_a_line_that_becomes_too_long_is_broken_as_the_file_breaks_its_lines():
    source = "00:00:01,000 --> 00:00:01,900\r\n♪ " + "ßß " * 12 + "♪\r\n"  # in capitals it is longer
    translated = translate(source.encode(), "a.srt").decode()
    assert translated.count("\n") == translated.count("\r\n") > 2


def test_tags_and_speakers_of_subtitles_stay():
    source = "1\n00:01.000 --> 00:02.000\n- <i>Wer?</i>\n- {\\an8}Ich <00:01.500>bin\n\n"
    assert translate(source.encode(), "a.vtt").decode() == source.replace("Wer", "WER").replace("Ich", "ICH").replace(
        "bin", "BIN"
    )
