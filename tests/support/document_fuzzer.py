"""Feeds the readers of documents with repetitive files in a process whose memory is limited; a part of ``make fuzz``.

A file is a few fragments of its format, a short unit of such fragments thousands of times, and a few more. A reader
fails if it raises anything but a refusal, if it needs more memory than the limit, or if four times the file takes more
than eight times the processor time to read and to write.
"""

import math
import sys
from functools import partial
from random import Random

from tests.fuzzing.targets import PACKED, TARGETS
from tests.support.text_fuzzer import fuzz

_WORD = """<w:r><w:rPr><w:b/></w:rPr><w:t>Wort </w:t></w:r>|<w:r><w:t>und </w:t></w:r>|<w:r><w:br/></w:r>|
    <w:r><w:tab/><w:t>Wort</w:t></w:r>|<w:r><w:footnoteReference w:id="1"/></w:r>|<w:bookmarkStart w:id="1"/>|
    <w:bookmarkEnd w:id="1"/>|<w:r><w:fldChar w:fldCharType="begin"/></w:r>|
    <w:r><w:fldChar w:fldCharType="separate"/></w:r>|<w:r><w:fldChar w:fldCharType="end"/></w:r>|
    <w:hyperlink><w:r><w:t>Seite</w:t></w:r></w:hyperlink>|<w:sdt><w:sdtContent><w:r><w:t>a</w:t></w:r></w:sdtContent>
    </w:sdt>|</w:p><w:p>|<w:ins><w:r><w:t>neu</w:t></w:r></w:ins>|<w:commentRangeStart w:id="2"/>"""
_DRAWING = """<a:r><a:rPr b="1"/><a:t>Wort </a:t></a:r>|<a:r><a:t>und </a:t></a:r>|<a:br/>|
    <a:fld id="1"><a:t>7</a:t></a:fld>|</a:p><a:p>|<a:endParaRPr/>|<a:r><a:t>a</a:t><a:t>b</a:t></a:r>"""
_SHEET = """<si><t>Wort</t></si>|<si><r><t>a</t></r><r><rPr><b/></rPr><t>b </t></r></si>|<si><t>_x000D_</t></si>|
    <si><t>1</t></si>|<si><rPh><t>x</t></rPh><t>Wort</t></si>"""
_ODF = """<text:span>Wort</text:span>|und |<text:s text:c="3"/>|<text:tab/>|<text:line-break/>|
    <text:bookmark-start text:name="a"/>|<text:bookmark-end text:name="a"/>|<text:a>Seite</text:a>|<office:annotation/>|
    <text:page-number>7</text:page-number>|</text:p><text:p>|<text:note><text:p>a</text:p></text:note>"""
_PAGE = """<p>Wort|</p>|<html |<html lang="de">|<b>|</b>|<!-- |<a title="Wort">|&amp;|lang=|<br>|<script>|>"""
_CUES = """1\n|00:00:01,000 --> 00:00:02,000\n|\n|\r\n|\r|Wort |<i>|</i>|{\\an8}|♪|- |>>|)|.|"|<c|00:01|-->|     |12"""
_CELLS = """Wort|"|""|,|;|\t|\n|\r\n|1,5|"a"|'"""
_XLIFF = """<trans-unit><source>Wort</source></trans-unit>|<segment><source>Wort</source></segment>|
    <trans-unit><source>a <g>b</g><x/></source><target/></trans-unit>|<group translate="no"/>"""
_MESSAGES = """\n|msgid "Wort"\n|msgstr ""\n|"a\\n"\n|# a\n|#, fuzzy\n|#~ msgid "c"\n|msgid_plural "d"\n|#: a:1\n"""
_STRINGS = """"a"="Wort";|a = "b";|\n|/* a */|// a\n|"a";|"a\\n"="\\U00e4 \\"Wort\\"";|/*"""
_FORMS = (
    "<key>one</key>|<string>Wort</string>|<key>NSStringLocalizedFormatKey</key>|<dict><key>a</key></dict>|<string/>"
)
_CATALOG = """"Wort":{},|"a":{"localizations":{"de":{"stringUnit":{"state":"new","value":"Wort"}}}},|\n|,|"b":|{|}|
    "c":{"localizations":{"de":{"variations":{"plural":{"other":{"stringUnit":{"value":"Worte"}}}}}}},|"localizations":"""
_RUNS = """<Content>Wort </Content>|<Content>und<?ACE 18?>&#9;</Content>|<Br/>|<Footnote/>|
    </CharacterStyleRange><CharacterStyleRange FontStyle="Bold">|<Properties/>|<Change><Content>a</Content></Change>|
    </CharacterStyleRange><XMLElement><CharacterStyleRange><Content>b</Content></CharacterStyleRange></XMLElement>
    <CharacterStyleRange>|</CharacterStyleRange></ParagraphStyleRange><ParagraphStyleRange><CharacterStyleRange>"""
FRAGMENTS = {
    "docx": _WORD,
    "pptx": _DRAWING,
    "xlsx": _SHEET,
    "odt": _ODF,
    "odp": _ODF,
    "epub": _PAGE,
    "idml": _RUNS,
    "html": _PAGE,
    "xml": _PAGE,
    "srt": _CUES,
    "vtt": _CUES,
    "csv": _CELLS,
    "tsv": _CELLS,
    "json": '"Wort"|,|:|[|]|{|}|"a\\u00e4"|"{n, plural, other {a}}"|1|\n| ',
    "po": _MESSAGES,
    "strings": _STRINGS,
    "stringsdict": _FORMS,
    "xcstrings": _CATALOG,
    "xliff": _XLIFF,
    "memory.tmx": """<tu><tuv lang="de"><seg>a</seg></tuv><tuv lang="en"><seg>b</seg></tuv></tu>|<tu/>|
        <tuv lang="de"><seg><ph>x</ph>Wort</seg></tuv>""",
    "memory.tsv": "Wort|\t|\n|word|\r|  ",
    "glossary.tsv": "Wort|\t|\n|word|\r|  ",
    "glossary.csv": 'Wort|,|\n|word|"|""|;',
}
_AROUND = {
    "json": ("[", "0]"),
    "stringsdict": ("<plist>", "</plist>"),
    "xcstrings": ('{"sourceLanguage":"de","strings":{', '"":{}}}'),
    "xliff": (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file><body>',
        "</body></file></xliff>",
    ),
    "memory.tmx": ("<tmx><body>", "</body></tmx>"),
}
CHARS = 50_000


def file_of(name: str, seed: int, chars: int) -> bytes:
    """The file of a number: the same beginning, unit and end in any length."""
    random, fragments = Random(seed), [each.strip() if "<" in each else each for each in FRAGMENTS[name].split("|")]
    begin, unit, end = ("".join(random.choices(fragments, k=random.randint(1, 6))) for _ in range(3))
    before, behind = _AROUND.get(name, ("", ""))
    text = before + begin + unit * max(1, chars // len(unit)) + end + behind
    return PACKED[name](text) if name in PACKED else text.encode()


def main(*, count: int = 1_000_000, chars: int = CHARS, limit_s: float = math.inf) -> int:
    """Feeds the readers; the arguments are those of ``fuzz``."""
    functions = {name: TARGETS[name] for name in FRAGMENTS}
    return fuzz(functions, {name: partial(file_of, name) for name in FRAGMENTS}, chars, count=count, limit_s=limit_s)


if __name__ == "__main__":
    sys.exit(main(limit_s=float(sys.argv[1])) > 0)
