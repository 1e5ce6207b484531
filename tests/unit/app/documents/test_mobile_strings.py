"""Strings of apps for Android and Apple's systems, and Trados's XLIFF; translate-toolkit reads what we write."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from translate.storage.aresource import AndroidResourceFile
from translate.storage.properties import stringsutf8file

from app.documents.android_strings import escaped, unescaped
from app.documents.formats.strings import unescaped as apple_unescaped
from app.documents.registry import find_format
from app.errors import DamagedDocument
from tests.support.documents import translate

ANDROID = """<?xml version="1.0" encoding="utf-8"?>
<!-- A licence -->
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2" xmlns:tools="http://schemas.android.com/tools">
    <string name="app" translatable="false">Hund</string>
    <string name='hello'  formatted="false">Hallo <xliff:g id="name">%1$s</xliff:g>, wie geht\\'s?</string>
    <string name="bold">Das ist <b>fett</b> und kostet&#160;nichts &amp; mehr</string> <!-- bleibt -->
    <string name="alias">@string/hello</string>
    <string name="html"><![CDATA[Mehr <a href="https://example.org/">hier</a>]]></string>
    <string name="quoted">" zwei  Leerzeichen"</string>
    <string name="empty"/>
    <plurals name="files">
        <item quantity="one">Eine Datei</item>
        <item quantity="other">%d Dateien\\nmehr</item>
    </plurals>
    <string-array name="days"><item>Montag</item><item>Dienstag</item></string-array>
    <integer name="n">5</integer>
</resources>
"""
APPLE = """/* Überschrift; "kein" = "Text"; */
"title" = "Der Hund";
// Kommentar
"count"="Es sind %1$@ Hunde und %lu Katzen\\n\\"hier\\"";
bare.key   =   "Bitte \\U00fcben";
"ID" = "com.example.app";
"same";
"""
DICT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>files left</key>
    <dict>
        <key>NSStringLocalizedFormatKey</key>
        <string>Noch %#@files@</string>
        <key>files</key>
        <dict>
            <key>NSStringFormatSpecTypeKey</key> <string>NSStringPluralRuleType</string>
            <key>NSStringFormatValueTypeKey</key> <string>d</string>
            <key>one</key>   <string>eine Datei</string>
            <key>other</key> <string>%d Dateien &amp; mehr</string>
        </dict>
    </dict>
</dict>
</plist>
"""
TRADOS = """<?xml version="1.0" encoding="utf-8"?>
<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file original="a.docx" datatype="x-sdlfilterframework2" source-language="de-DE" target-language="en-US">
<header><sdl:ref-files uid="0"/></header>
<body><group><trans-unit id="u1"><source>Der Hund. Die Katze.</source>
<seg-source><mrk mtype="seg" mid="1">Der Hund.</mrk>
<mrk mtype="seg" mid="2">Die <g id="5">Katze</g>.</mrk></seg-source>
<target><mrk mtype="seg" mid="1"/> <mrk mtype="seg" mid="2"/></target>
<sdl:seg-defs><sdl:seg id="1"/><sdl:seg id="2" conf="Draft"/></sdl:seg-defs></trans-unit></group></body></file></xliff>
"""


def test_android_strings_change_and_nothing_else():
    found = translate(ANDROID.encode(), "strings.xml").decode()
    expected = ANDROID
    for old, new in (
        ("Hallo <x", "HALLO <x"),
        (", wie geht\\'s?", ", WIE GEHT\\'S?"),
        (
            "Das ist <b>fett</b> und kostet&#160;nichts &amp; mehr",
            "DAS IST <b>FETT</b> UND KOSTET\u00a0NICHTS &amp; MEHR",
        ),
        ("Mehr <a", "MEHR <a"),
        (">hier<", ">HIER<"),
        ('" zwei  Leerzeichen"', '" ZWEI  LEERZEICHEN"'),
        ("Eine Datei", "EINE DATEI"),
        ("%d Dateien\\nmehr", "%d DATEIEN\\nMEHR"),
        ("Montag", "MONTAG"),
        ("Dienstag", "DIENSTAG"),
    ):
        assert old in expected
        expected = expected.replace(old, new)
    assert found == expected
    names = [unit.getid() for unit in AndroidResourceFile.parsestring(found.encode()).units]
    assert names == [unit.getid() for unit in AndroidResourceFile.parsestring(ANDROID.encode()).units]


@given(st.text(st.sampled_from(" aäÖ'\"\\@?\n\t<>&%1$s{}€😀\u00a0"), max_size=30))
def test_android_escapes_are_read_as_they_are_written(text):
    assert unescaped(escaped(text)) == text


@pytest.mark.parametrize(
    "file",
    [
        "<a><resources><string>Hund</string></resources></a>",
        "<resources><book><title>Hund</title></book></resources>",
        "<resources><book><string>Hund</string></book></resources>",
    ],
)
def test_another_xml_document_is_no_android_file(file: str):
    assert translate(file.encode(), "a.xml").decode() == file.replace("Hund", "HUND")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"a &lt; b und \"c\"", 'a < b und "c"'),
        (r"<![CDATA[a < b und \"c\"]]>", 'a < b und "c"'),
        (r'<![CDATA[<a href="x">\"c\"</a>]]>', '<a href="x">"c"</a>'),
        (r"&lt;a href=\"x\">c&lt;/a>", r"<a href=\"x\">c</a>"),
    ],
)
def test_quotation_marks_beside_a_less_than_sign_stay_escaped(written: str, meant: str):
    text = written.removeprefix("<![CDATA[").removesuffix("]]>").replace("&lt;", "<")
    assert unescaped(text) == meant and escaped(meant) == text
    file = f'<resources><string name="a">{written}</string></resources>'
    found = translate(file.encode(), "strings.xml").decode()
    assert found.count('\\"') == file.count('\\"') and found.count('"') == file.count('"')


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('" und "', '" UND "'),
        ('"sagt \\"ja\\" zu @ich"', '"SAGT \\"JA\\" ZU @ICH"'),
        ('"?"', '"?"'),
        ('"eins" "zwei"', "EINS ZWEI"),
    ],
)
def test_a_string_in_quotation_marks_keeps_them_and_its_spaces(written: str, found: str):
    file = f'<resources><string name="a">{written}</string></resources>'
    assert translate(file.encode(), "strings.xml").decode() == file.replace(written, found)


def test_apples_strings_change_and_nothing_else():
    found = translate(APPLE.encode(), "Localizable.strings").decode()
    expected = APPLE
    for old, new in (
        ("Der Hund", "DER HUND"),
        ('Es sind %1$@ Hunde und %lu Katzen\\n\\"hier\\"', 'ES SIND %1$@ HUNDE UND %lu KATZEN\\n\\"HIER\\"'),
        ("Bitte \\U00fcben", "BITTE ÜBEN"),
    ):
        assert old in expected
        expected = expected.replace(old, new)
    assert found == expected
    again = stringsutf8file(io.BytesIO(found.encode()))
    assert {unit.name: unit.value for unit in again.units if unit.name}["title"] == "DER HUND"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028"])
def test_apples_strings_have_lines_of_any_system(end: str):
    file = end.join(('// the "dog" = "Hund";', '"a" = "Hund"; // Katze', '"b" = "Maus";', ""))
    expected = file.replace('= "Hund"; //', '= "HUND"; //').replace("Maus", "MAUS")
    assert translate(file.encode(), "Localizable.strings").decode() == expected


def test_apples_strings_keep_utf_16():
    data = '"a" = "Der Hund läuft";\n'.encode("utf-16")
    assert translate(data, "a.strings") == '"a" = "DER HUND LÄUFT";\n'.encode("utf-16")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20), st.text(max_size=20))
def test_apples_strings_are_read_and_written(text, other):
    written = text.replace("\\", "\\\\").replace('"', '\\"')
    document = find_format("a.strings").reader()(f'/* a */ "key" = "Ein {written}";'.encode())
    assert document.texts == (f"Ein {text}",)
    other = "".join(character for character in other if character != "\0" and not "\ud800" <= character <= "\udfff")
    [again] = find_format("a.strings").reader()(document.write([f"Das {other}"], "en")).texts
    assert again == f"Das {other}"


@pytest.mark.parametrize("text", ['"a" = "b"', '"a" "b";', '"a" = b c;', "/* a", '"a" = "\\Ud800";', '"a" = "x\\0";'])
def test_damaged_strings_are_refused(text):
    with pytest.raises(DamagedDocument):
        find_format("a.strings").reader()(text.encode())


@pytest.mark.parametrize("unit", ["/*", '"a" = "', "a.", '\\"', "/", " ", '"a"="b";'])
def test_hostile_strings_are_read_in_linear_time(unit):
    try:
        document = find_format("a.strings").reader()((unit * 100_000).encode()[:1_000_000])
        assert len(document.texts) <= 100_000
    except DamagedDocument:
        pass


def test_an_escape_outside_the_basic_plane_is_one_character():
    assert apple_unescaped("\\Ud83d\\Ude00") == "😀"
    assert apple_unescaped("\\303") == "Ã"


def test_plural_forms_change_and_nothing_else():
    found = translate(DICT.encode(), "Localizable.stringsdict").decode()
    expected = DICT
    for text in ("Noch ", "eine Datei", "d Dateien &amp; mehr"):
        expected = expected.replace(text, text.upper().replace("&AMP;", "&amp;").replace("D DATEIEN", "d DATEIEN"))
    assert found == expected


def test_another_list_is_no_stringsdict():
    with pytest.raises(DamagedDocument):
        find_format("a.stringsdict").reader()(b"<a><key>one</key><string>Hund</string></a>")


def test_trados_gets_each_segment_in_its_mark():
    found = translate(TRADOS.encode(), "a.docx.sdlxliff").decode()
    outside = re.compile(r"<target>.*?</target>| target-language=\"[^\"]*\"", re.DOTALL)
    assert outside.sub("", found) == outside.sub("", TRADOS)
    target = etree.fromstring(found.encode()).find(".//{*}target")
    assert [(mark.get("mid"), "".join(mark.itertext())) for mark in target] == [("1", "DER HUND."), ("2", "DIE KATZE.")]
    assert target[1][0].get("id") == "5"
    assert target[1][0].text == "KATZE"


def test_the_open_segments_of_a_unit_are_translated():
    begun = TRADOS.replace('<mrk mtype="seg" mid="1"/> ', '<mrk mtype="seg" mid="1">The &#100;og.</mrk> ')
    found = translate(begun.encode(), "a.sdlxliff").decode()
    done = '<mrk mtype="seg" mid="2">DIE <g id="5">KATZE</g>.</mrk>'
    assert found.replace(' target-language="en"', ' target-language="en-US"') == begun.replace(
        '<mrk mtype="seg" mid="2"/>', done
    )
    assert translate(found.encode(), "a.sdlxliff").decode() == found
