"""Catalogs of messages, and tables as text: only the translations change."""

import csv
import gettext
import io

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from app.documents.formats import po, xliff
from app.documents.registry import find_format
from app.errors import DamagedDocument
from tests.support.documents import translate


def test_po():
    catalog = polib.POFile()
    catalog.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "de", "X-Tool": "x"}
    for number in range(150):
        catalog.append(
            polib.POEntry(
                msgid=f"Der Hund %(name)s läuft {number} mal",
                flags=["python-format"],
                occurrences=[("a.py", str(number))],
            )
        )
    catalog.append(polib.POEntry(msgid="eine Datei", msgid_plural="%d Dateien", msgstr_plural={0: "", 1: ""}))
    catalog.append(polib.POEntry(msgid="fertig", msgstr="done"))
    again = polib.pofile(translate(str(catalog).encode(), "a.po").decode())
    assert [entry.msgid for entry in again] == [entry.msgid for entry in catalog]
    assert [entry.msgstr for entry in again[:150]] == [f"DER HUND %(name)s LÄUFT {number} MAL" for number in range(150)]
    assert again[150].msgstr_plural == {0: "EINE DATEI", 1: "%d DATEIEN"}
    assert again[151].msgstr == "done"
    assert [entry.occurrences for entry in again] == [entry.occurrences for entry in catalog]
    assert (again.metadata["Language"], again.metadata["X-Tool"]) == ("en", "x")
    assert again.metadata["Plural-Forms"] == "nplurals=2; plural=(n != 1);"


def test_po_without_a_text_has_nothing_to_translate():
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    messages = 'msgctxt "a"\nmsgid ""\nmsgstr ""\n\nmsgid "Der Hund"\nmsgstr ""\n\nmsgid "läuft"\nmsgstr ""\n'
    document = find_format("a.po").reader()((head + messages).encode())
    assert document.texts == ("Der Hund", "läuft")
    again = polib.pofile(document.write(["The dog", "runs"], "en").decode())
    assert [(entry.msgid, entry.msgstr) for entry in again] == [("", ""), ("Der Hund", "The dog"), ("läuft", "runs")]


@pytest.mark.parametrize(
    "text",
    [
        'msgid "Der Hund\nmsgstr ""\n',
        'msgid ""\n"Der\n"Hund"\nmsgstr ""\n',
        'msgid "Der Hund\\"\nmsgstr ""\n',
        'msgid "Hund"\nmsgstr "dog\n',
        'msgid Hund\nmsgstr ""\n',
        'msgid "Hund"\nmsgstr ""\n\n#~ msgid "alt\n#~ msgstr "old"\n',
    ],
)
def test_po_with_a_string_that_does_not_end_is_damaged(text):
    with pytest.raises(DamagedDocument, match="not a message catalog"):
        find_format("a.po").reader()(text.encode())


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("head", ["", '# Firma\nmsgid ""\nmsgstr ""\n\n'])
def test_po_keeps_comments_with_their_messages_and_line_ends(head, line_end):
    messages = '# eins\n#\n# zwei\nmsgid "Der \\"Hund\\""\nmsgstr ""\n\n# drei\n#~ msgid "alt"\n#~ msgstr "old"\n'
    source = (head + messages).replace("\n", line_end).encode()
    translated = find_format("a.po").reader()(source).write(["Dog"], "en").decode()
    comments = [line for line in translated.split(line_end) if line.startswith("#") and line[1:2] != "~"]
    assert comments == ["# Firma"] * bool(head) + ["# eins", "#", "# zwei", "# drei"]
    assert translated.count(line_end) == translated.count("\n")
    [first, *others] = translated.split(line_end * 2)
    assert ("Firma" in first) == bool(head) and others[0].startswith("# eins")


def compiled(catalog: bytes) -> gettext.GNUTranslations:
    """As Python's own library reads the catalog once it is compiled."""
    return gettext.GNUTranslations(io.BytesIO(polib.pofile(catalog.decode("utf-8")).to_binary()))


HEADERS = [
    "",
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=\\n"\n\n',
    '#, fuzzy\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=CHARSET\\n"\n'
    '"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n\n',
    'msgid ""\nmsgstr ""\n"Language: \\n"\n\n',
]


@pytest.mark.parametrize("header", HEADERS)
def test_po_readers_know_the_encoding_and_the_plural_forms(header):
    source = header + 'msgid "Schließe das Fenster"\nmsgstr ""\n\n'
    source += 'msgid "eine Tür"\nmsgid_plural "%d Türen"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    translated = translate(source.encode(), "a.po")
    found = polib.pofile(translated.decode()).metadata
    assert found["Content-Type"] == "text/plain; charset=UTF-8"
    assert found["Plural-Forms"] == "nplurals=2; plural=(n != 1);"
    assert b"#" not in translated
    messages = compiled(translated)
    assert messages.gettext("Schließe das Fenster") == "SCHLIESSE DAS FENSTER"
    assert messages.ngettext("eine Tür", "%d Türen", 1) == "EINE TÜR"
    assert messages.ngettext("eine Tür", "%d Türen", 2) == "%d TÜREN"


PLURALS = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n==0 ? 1 : 2);\\n"
"Language: en\\n"
"MIME-Version: 1.0\\n"
"Content-Transfer-Encoding: 8bit\\n"

#, c-format
msgid "%d Tür"
msgid_plural "%d Türen"
msgstr[0]  ""
"%d "
"doorway"
msgstr[1] ""
msgstr[2] "%d doorways"

#, fuzzy
msgid "%d Hund"
msgid_plural "%d Hunde"
msgstr[0] "%d cat"
msgstr[1] ""
msgstr[2] ""

msgid "Berg"
msgstr "hill"
"""


def test_po_plural_forms_that_somebody_has_translated_stay_to_the_byte():
    document = find_format("a.po").reader()(PLURALS.encode())
    assert document.texts == ("%d Türen", "%d Hund", "%d Hunde")
    found = document.write(["%d doors", "%d dog", "%d dogs"], "en").decode()
    wanted = PLURALS.replace('msgstr[1] ""', 'msgstr[1] "%d doors"', 1).replace(
        'msgstr[0] "%d cat"', 'msgstr[0] "%d dog"'
    )
    for number in (1, 2):
        wanted = wanted.replace(f'msgstr[{number}] ""', f'msgstr[{number}] "%d dogs"')
    assert found == wanted.replace("#, fuzzy\n", "")


def test_a_language_with_one_form_gets_the_plural():
    source = 'msgid "eine Tür"\nmsgid_plural "%d Türen"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    found = find_format("a.po").reader()(source.encode()).write(["one", "%d many"], "ja").decode()
    assert [entry.msgstr_plural for entry in polib.pofile(found)] == [{0: "%d many"}]


def test_po_keeps_its_encoding_if_it_has_the_letters():
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=ISO-8859-1\\n"\n\n'
    document = find_format("a.po").reader()((head + 'msgid "Tür"\nmsgstr ""\n').encode("latin-1"))
    assert document.texts == ("Tür",)
    assert "Öl" in document.write(["Öl"], "en").decode("latin-1")
    document = find_format("a.po").reader()((head + 'msgid "Tür"\nmsgstr ""\n').encode("latin-1"))
    written = document.write(["5 €"], "en").decode()
    assert "charset=UTF-8" in written and "5 €" in written


# Backslashes and quotation marks are escaped in a catalog; a line break at an end has to stay there.
MESSAGES = st.text(st.sampled_from('Hund läuft "über" die\\ Wiese %s {0}\t'), min_size=1, max_size=40).map(
    lambda text: f"Der {text} hier"
)


@given(
    st.lists(
        st.tuples(MESSAGES, MESSAGES, st.sampled_from(["", "\n"])), min_size=1, max_size=5, unique_by=lambda x: x[0]
    )
)
def test_po_messages_are_read_as_they_were_written(messages):
    catalog = polib.POFile()
    for one, other, end in messages:
        plural = {"msgid_plural": other + end, "msgstr_plural": {0: "", 1: ""}} if len(other) % 2 else {}
        catalog.append(polib.POEntry(msgid=one + end, comment="Kommentar", **plural))
    document = find_format("a.po").reader()(str(catalog).encode())
    translated = document.write([text.replace("Der", "The") for text in document.texts], "en")
    read = compiled(translated)
    for entry in catalog:
        if not entry.msgid_plural:
            assert read.gettext(entry.msgid) == entry.msgid.replace("Der", "The")
        else:
            assert read.ngettext(entry.msgid, entry.msgid_plural, 1) == entry.msgid.replace("Der", "The")
            assert read.ngettext(entry.msgid, entry.msgid_plural, 5) == entry.msgid_plural.replace("Der", "The")
    assert [entry.comment for entry in polib.pofile(translated.decode())] == ["Kommentar"] * len(catalog)


@pytest.mark.parametrize(
    ("unit", "target", "translated"),
    [
        ("", "<target>Der Hund</target>", True),
        ("", '<target state="new">Hund</target>', True),
        ("", '<target state="translated">Der Hund</target>', False),
        ("", '<target state="final">Der Hund</target>', False),
        (' approved="yes"', "<target>Der Hund</target>", False),
        ("", "<target>The dog</target>", False),
        ("", "<target/>", True),
    ],
)
def test_xliff_a_copy_of_the_source_is_no_translation(unit, target, translated):
    source = (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file source-language="de" '
        f'original="a" datatype="plaintext"><body><trans-unit id="h"{unit}><source>Der Hund</source>{target}'
        "</trans-unit></body></file></xliff>"
    )
    [found] = etree.fromstring(translate(source.encode(), "a.xlf")).iter("{*}target")
    assert (found.text == "DER HUND") == translated


def test_csv():
    rows = [["Nummer", "Text"], *([str(number), f'Der "Hund" {number};\nläuft'] for number in range(150))]
    file = io.StringIO()
    csv.writer(file, delimiter=";").writerows(rows)
    translated = translate(file.getvalue().encode(), "a.csv").decode()
    assert translated == file.getvalue().upper()


def test_tsv_is_cut_at_tabs_whatever_else_a_line_has():
    source = "Name, Vorname, Titel\tOrt\nMeier, Hans\tKöln\n"
    document = find_format("a.tsv").reader()(source.encode())
    assert document.texts == ("Name, Vorname, Titel", "Ort", "Meier, Hans", "Köln")
    translated = document.write(["Surname, name, title", "Place", "Meier\tHans", "Cologne"], "en")
    assert translated == b'Surname, name, title\tPlace\n"Meier\tHans"\tCologne\n'


@pytest.mark.parametrize(
    ("name", "source", "translations", "translated"),
    [
        ("a.tsv", 'blue "car"\t5" long\n', ['"Auto" blau', '5" lang'], '"Auto" blau\t5" lang\n'),
        ("a.tsv", 'blue "car"\t"a\tb"\n', ['"Auto" blau', "c\td"], '"""Auto"" blau"\t"c\td"\n'),
        ("a.tsv", 'a "b"\t"a ""b"""\n', ['c "d"', 'c "d"'], 'c "d"\t"c ""d"""\n'),
        ("a.csv", 'red,"a ""b"""\n', ['"rot"', 'c "d"'], '"""rot""","c ""d"""\n'),
    ],
)
def test_cells_get_quotes_only_where_they_need_them(name, source, translations, translated):
    document = find_format(name).reader()(source.encode())
    assert document.write(translations, "de").decode() == translated


@pytest.mark.parametrize(
    ("named", "language", "expected"),
    [
        ("en_US", "en", "en_US"),
        ("en-US", "en", "en-US"),
        ("en_US", "en-GB", "en-GB"),
        ("en", "en-GB", "en-GB"),
        ("fr_FR", "en", "en"),
        ("", "en", "en"),
    ],
)
def test_a_file_keeps_the_region_of_its_target(named: str, language: str, expected: str) -> None:
    unit = '<trans-unit id="1"><source>ja</source></trans-unit>'
    file = f'<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file target-language="{named}"><body>'
    written = xliff.read(f"{file}{unit}</body></file></xliff>".encode()).write(["yes"], language)
    assert f'target-language="{expected}"'.encode() in written
    header = f'msgid ""\nmsgstr ""\n"Language: {named}\\n"\n\nmsgid "ja"\nmsgstr ""\n'
    catalog = polib.pofile(po.read(header.encode()).write(["yes"], language).decode())
    assert catalog.metadata["Language"] == expected.replace("-", "_")
