"""PO and XLIFF: only targets change, to the byte, and programs find what a translator should know."""

import difflib
import re

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from translate.storage import pypo, xliff

from app.documents.marks import Mark, packed, unpacked
from app.documents.registry import find_format
from app.documents.xml_places import with_attributes

DOUBTFUL = Mark(("confidence 0.21", "digits_changed"), 0.21)
SURE = Mark((), 0.93)
EXACT = Mark((), None, 100, ("Der Hund <1>", "The dog <1>"))
FUZZY = Mark((), None, 92, ("Der Hund 1", "The dog 1"))
APPROVED = Mark((), 0.5, is_approved=True)
CORRECTED = Mark((), is_corrected=True)


def translated(name: str, source: str, marks: list[Mark] | None = None) -> str:
    document = find_format(name).reader()(source.encode())
    texts = [text.replace("Der", "The") for text in document.texts]
    arguments = [marks] if marks else []
    return document.write(texts, "en", *arguments).decode()


def changed(before: str, after: str) -> list[str]:
    """Lines that are new in a file; nothing else may have gone but lines like ``msgstr ""``."""
    lines = list(difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True)))
    assert [line for line in lines if line.startswith("- ") and "msgstr" not in line] == []
    return [line[2:] for line in lines if line.startswith("+ ")]


CATALOG = """\
# Firma
#, no-wrap
msgid ""
msgstr ""
"X-Generator: x\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"MIME-Version: 1.0\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Language: en\\n"

#.  Kommentar   mit Lücken
#: b.c:1   a.c:2
#, c-format,  no-wrap
msgctxt   "a"
msgid ""
"Der Hund "
"%s"
msgstr ""

msgid "Der fertige"
msgstr   "Do"
"ne"


#~ msgid "alt"
#~ msgstr "old"

msgid "Der Berg\\n"
msgstr ""
"""


def test_a_diff_of_a_catalog_shows_translations_only() -> None:
    assert changed(CATALOG, translated("a.po", CATALOG)) == ['msgstr "The Hund %s"\n', 'msgstr "The Berg\\n"\n']


def test_a_doubtful_message_is_fuzzy_and_says_why() -> None:
    after = translated("a.po", CATALOG, [DOUBTFUL, SURE])
    catalog = polib.pofile(after)
    dog, ready, mountain = (entry for entry in catalog if not entry.obsolete)
    assert dog.fuzzy and dog.tcomment == "Dragoman: confidence 0.21; digits_changed"
    assert dog.comment.strip() == "Kommentar   mit Lücken" and dog.flags == ["fuzzy", "c-format", "no-wrap"]
    assert not ready.fuzzy and not mountain.fuzzy
    store = pypo.pofile.parsestring(after.encode())
    found = {unit.source: unit for unit in store.units if not unit.isheader() and not unit.isobsolete()}
    assert found["Der Hund %s"].isfuzzy() and "digits_changed" in found["Der Hund %s"].getnotes("translator")
    assert found["Der Hund %s"].target == "The Hund %s"
    assert not found["Der Berg\n"].isfuzzy() and found["Der Berg\n"].target == "The Berg\n"


def test_a_catalog_is_as_before_when_it_was_reviewed_and_translated_again() -> None:
    doubtful = translated("a.po", CATALOG, [DOUBTFUL, SURE])
    again = translated("a.po", doubtful, [DOUBTFUL])
    assert again == doubtful
    sure = translated("a.po", doubtful, [SURE])
    assert sure.replace("#, c-format, no-wrap", "#, c-format,  no-wrap") == translated("a.po", CATALOG)


WORDS = st.text(st.sampled_from('Hund läuft "über" \\ %s\t'), max_size=120)
COMMENTS = st.lists(st.sampled_from(["#  eins\n", "#\n", "#. x\n", "#:  a.c:1\n", "#, c-format\n", '#| msgid "a"\n']))


@st.composite
def catalogs(draw: st.DrawFn) -> str:
    """Catalogs in any layout."""
    messages = []
    for number in range(draw(st.integers(1, 4))):
        text = polib.escape(f"Der {draw(WORDS)}")
        cut = draw(st.integers(0, len(text)))
        cut -= text[:cut].endswith("\\") and (len(text[:cut]) - len(text[:cut].rstrip("\\"))) % 2
        string = draw(st.sampled_from([f'"{text}"', f'"{text[:cut]}"\n"{text[cut:]}"', f'""\n  "{text}"']))
        space = draw(st.sampled_from([" ", "  ", "\t"]))
        target = draw(st.sampled_from(['""', '""\n""', '"fertig"']))
        end = draw(st.sampled_from(["\n\n", "\n", "\n  \n\n"]))
        comments = "".join(draw(COMMENTS))
        messages.append(f'{comments}msgctxt "{number}"\nmsgid{space}{string}\nmsgstr{space}{target}{end}')
    text = "".join(messages)
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def without_translations(catalog: str) -> str:
    """The catalog without its header, translations and what was before."""
    catalog = re.sub(r'(?m)^#\|.*\r?\n|^msgstr\s*"[^\r\n]*\r?\n?(?:^"[^\r\n]*\r?\n?)*', "", catalog)
    return catalog[catalog.index('msgid ""\n' if catalog[:9] == 'msgid ""\n' else catalog[:1]) :]


@given(catalogs(), st.lists(st.sampled_from([DOUBTFUL, SURE, None]), min_size=4, max_size=4))
def test_any_catalog_keeps_its_layout(source: str, marks: list[Mark | None]) -> None:
    document = find_format("a.po").reader()(source.encode())
    after = document.write([text.replace("Der", "The") for text in document.texts], "en").decode()
    line_end = "\r\n" if "\r\n" in source else "\n"
    head, _, body = after.partition(line_end * 2)
    assert head.startswith('msgid ""')
    assert without_translations(body) == without_translations(source)
    before, read = polib.pofile(source + "\n"), polib.pofile(after + "\n")
    assert [entry.msgid for entry in read] == [entry.msgid for entry in before]
    for old, new in zip(before, read, strict=True):
        assert new.msgstr == (old.msgstr or old.msgid.replace("Der", "The"))
        # Where there was no header, the library takes the first comment for its own.
        told = "\n".join(filter(None, [before.header if old is before[0] else "", old.tcomment]))
        assert (new.comment, new.tcomment.split(), new.flags) == (old.comment, told.split(), old.flags)
    wanted = [mark or Mark() for mark in marks[: len(document.texts)]]
    texts = [text.replace("Der", "The") for text in document.texts]
    again = find_format("a.po").reader()(source.encode()).write(texts, "en", wanted).decode()
    flagged = [entry.fuzzy for entry in polib.pofile(again + "\n") if entry.msgstr != "fertig"]
    assert flagged == [bool(mark.reasons) for mark in wanted]


XLIFF_1 = """\
<?xml version='1.0' encoding="utf-8" standalone='no' ?>
<!-- <trans-unit> -->
<xliff  version='1.2' xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:x='urn:x'>
\t<file original="a&gt;b" source-language='de' datatype="plaintext" target-language="en"><body>
\t\t<trans-unit id='1' x:y = "z" >
\t\t\t<source>Der <g id='1'>Hund</g> &#x2014;<x id="2" /> l&#228;uft</source>
\t\t</trans-unit>
\t\t<trans-unit id='2'><source>Der <![CDATA[<Berg>]]></source><target  xml:lang='en' state="new" ></target></trans-unit>
\t\t<trans-unit id="3"><source>Ja</source><target state='final'>Yes</target></trans-unit>
\t</body></file>
</xliff>
"""
TARGET_1 = '\t\t\t<target>The <g id="1">Hund</g> —<x id="2"/> läuft</target>'


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_diff_of_xliff_shows_targets_only(line_end: str) -> None:
    after = translated("a.xlf", XLIFF_1.replace("\n", line_end))
    wanted = XLIFF_1.replace("l&#228;uft</source>\n", f"l&#228;uft</source>\n{TARGET_1}\n")
    wanted = wanted.replace("""xml:lang='en' state="new" >""", "xml:lang='en' >The &lt;Berg&gt;")
    assert after == wanted.replace("\n", line_end)


def test_xliff_in_another_encoding_stays_in_it() -> None:
    source = XLIFF_1.replace("utf-8", "iso-8859-1").replace("Hund", "Hünd")
    document = find_format("a.xlf").reader()(source.encode("latin-1"))
    after = document.write(document.texts, "en")
    assert "Hünd".encode("latin-1") in after and b"&#8212;<x" in after
    assert "Hünd</g> —" in "".join(etree.tostring(etree.fromstring(after), encoding="unicode"))


def test_xliff_1_has_states_qualifiers_notes_and_matches() -> None:
    after = translated("a.xlf", XLIFF_1, [DOUBTFUL, EXACT])
    store = xliff.xlifffile.parsestring(after.encode())
    dog, mountain, yes = store.units
    assert (dog.get_state_id(dog.get_state_n()) or dog.xmlelement.find("{*}target").get("state")) is not None
    targets = [unit.xmlelement.find("{*}target") for unit in store.units]
    assert [target.get("state") for target in targets] == ["needs-review-translation", "translated", "final"]
    assert [target.get("state-qualifier") for target in targets] == ["leveraged-mt", "exact-match", None]
    assert dog.getnotes() == "confidence 0.21; digits_changed" and dog.isfuzzy()
    assert not mountain.getnotes() and not yes.getnotes()
    [alternative] = mountain.getalttrans()
    assert (alternative.source, alternative.target) == EXACT.entry
    assert alternative.xmlelement.get("match-quality") == "100"
    assert 'state-qualifier="fuzzy-match"' in translated("a.xlf", XLIFF_1, [FUZZY, SURE])
    assert translated("a.xlf", after, []) == after  # everything has a translation now


def test_xliff_1_says_what_a_person_has_approved_or_corrected() -> None:
    after = translated("a.xlf", XLIFF_1, [APPROVED, CORRECTED])
    dog, mountain, yes = xliff.xlifffile.parsestring(after.encode()).units
    assert [unit.isapproved() for unit in (dog, mountain, yes)] == [True, False, False]
    targets = [unit.xmlelement.find("{*}target") for unit in (dog, mountain)]
    assert [target.get("state") for target in targets] == ["signed-off", "translated"]
    assert [target.get("state-qualifier") for target in targets] == ["leveraged-mt", None]
    assert translated("a.xlf", after, []) == after


XLIFF_2 = """\
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="de" trgLang='en'>
 <file id='f'>
  <unit id='1'>
    <segment id='a' state='initial'>
      <source>Der Hund</source>
    </segment>
    <segment><source>Der Berg</source></segment>
  </unit>
  <unit id='2'>
    <mda:metadata xmlns:mda="urn:oasis:names:tc:xliff:metadata:2.0"><mda:metaGroup/></mda:metadata>
    <segment><source>Der</source><target/></segment>
  </unit>
 </file>
</xliff>
"""
META = "{urn:oasis:names:tc:xliff:metadata:2.0}"


def test_xliff_2_has_states_and_metadata() -> None:
    plain = translated("a.xlf", XLIFF_2)
    assert re.sub(r"\s*<target>[^<]*</target>", "", plain) == XLIFF_2.replace("<target/>", "")
    approved = etree.fromstring(translated("a.xlf", XLIFF_2, [APPROVED, CORRECTED, SURE]).encode())
    assert [each.get("state") for each in approved.iter("{*}segment")] == ["reviewed", "translated", "translated"]
    root = etree.fromstring(translated("a.xlf", XLIFF_2, [DOUBTFUL, SURE, EXACT]).encode())
    segments = list(root.iter("{*}segment"))
    assert [each.get("state") for each in segments] == ["translated"] * 3
    assert [each.get("subState") for each in segments] == ["dragoman:needs-review", None, None]
    units = list(root.iter("{*}unit"))
    for unit in units:
        [metadata] = unit.findall(f"{META}metadata")
        assert unit[0] is metadata  # the specification's place
    told = [{each.get("type"): each.text for each in group} for group in root.iter(f"{META}metaGroup")]
    assert told == [
        {"segment": "a", "confidence": "0.21", "review": "confidence 0.21; digits_changed"},
        {"confidence": "0.93"},
        {},
        {"match-quality": "100"},
    ]


SOURCES = ["Hund", "&lt;&#x41;&gt;", "<![CDATA[<a b=']'>]]>", "<{p}x id='>'/>", "<{p}g id='1' >a</{p}g >"]
TARGETS = ["", " ", "<{p}target/>", "<{p}target state='new'></{p}target >", "<{p}note>a</{p}note>"]
UNIT = "<{{p}}trans-unit id{0}=\t'{1}'{0}><!-- </x> -->{0}<{{p}}source>Der {2}</{{p}}source>{3}</{{p}}trans-unit>{0}"
SPACES = st.sampled_from(["", " ", "\n  "])
UNITS = st.builds(UNIT.format, SPACES, st.integers(0, 9), st.sampled_from(SOURCES), st.sampled_from(TARGETS))


@given(st.lists(UNITS, min_size=1, max_size=4), st.sampled_from(["", "x:"]))
def test_any_xliff_keeps_its_layout(units: list[str], prefix: str) -> None:
    declared = f"xmlns{prefix and ':x'}='urn:oasis:names:tc:xliff:document:1.2'"
    file = f"<{{p}}file target-language='en'>{''.join(units)}</{{p}}file>"
    source = f"<{{p}}xliff {declared} version='1.2'>{file}</{{p}}xliff>"
    source = source.replace("{p}", prefix)
    after = translated("a.xlf", source)
    target = rf"<{prefix}target\s*(?:/>|>.*?</{prefix}target\s*>|state='new'>.*?</{prefix}target\s*>)"
    kept = [re.sub(rf"{target}|(?<=source>)\s+", "", text, flags=re.DOTALL) for text in (after, source)]
    assert re.sub(r"(?<=source>)\s+", "", kept[0]) == re.sub(r"(?<=source>)\s+", "", kept[1])
    for unit in etree.fromstring(after).iter("{*}trans-unit"):
        one, other = (unit.find(f"{{*}}{name}") for name in ("source", "target"))
        assert "".join(other.itertext()) == "".join(one.itertext()).replace("Der", "The")
        assert [each.tag for each in other.iter()][1:] == [each.tag for each in one.iter()][1:]


@pytest.mark.parametrize("mark", [Mark(), DOUBTFUL, SURE, EXACT, APPROVED, CORRECTED])
def test_a_mark_travels_between_processes(mark: Mark) -> None:
    assert unpacked(packed(mark)) == mark


@pytest.mark.parametrize(
    ("tag", "values", "wanted"),
    [
        ("<a>", {"b": "c"}, '<a b="c">'),
        ("<a  />", {"b": 'c"'}, "<a b='c\"'  />"),
        ("<a b = 'c'\n d='e'>", {"b": "c", "d": "f"}, "<a b = 'c'\n d=\"f\">"),
        ("<a d=\" b='c'\" b='e'>", {"b": None}, "<a d=\" b='c'\">"),
        ("<a b='&amp;&quot;'>", {"b": '&"'}, "<a b='&amp;&quot;'>"),
    ],
)
def test_attributes_that_do_not_change_stay_as_written(tag: str, values: dict[str, str | None], wanted: str) -> None:
    assert with_attributes(tag, values) == wanted


def test_long_runs_of_spaces_take_linear_time() -> None:
    tag = f"<a{' ' * 1_000_000}>"
    assert with_attributes(tag, {"b": "c"}) == f'<a b="c"{tag[2:]}'
