"""Catalogs of messages, and tables as text: only the translations change."""

import csv
import io

import polib
import pytest

from app.documents.registry import find_format
from app.errors import DamagedDocument
from tests.support.documents import translate


def test_po():
    catalog = polib.POFile()
    catalog.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "de", "X-Tool": "x"}
    for number in range(500):
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
    assert [entry.msgstr for entry in again[:500]] == [f"DER HUND %(name)s LÄUFT {number} MAL" for number in range(500)]
    assert again[500].msgstr_plural == {0: "EINE DATEI", 1: "%d DATEIEN"}
    assert again[501].msgstr == "done"
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
    comments = [line for line in translated.split(line_end) if line.startswith("# ")]
    assert comments == ["# Firma"] * bool(head) + ["# eins", "# ", "# zwei", "# drei"]
    assert translated.count(line_end) == translated.count("\n")
    [first, *others] = translated.split(line_end * 2)
    assert ("Firma" in first) == bool(head) and others[0].startswith("# eins")


def test_csv():
    rows = [["Nummer", "Text"], *([str(number), f'Der "Hund" {number};\nläuft'] for number in range(500))]
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
