"""json and xml: what programs read stays, what people read is translated."""

import json
import re
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from app.documents.registry import find_format
from app.text.data_values import is_data
from tests.support.documents import translate


def test_json_values_for_programs_stay():
    source = (
        '{"icon":"arrow-left","className":"btn btn-primary","slug":"getting-started","field":"userName",'
        '"route":"home/settings","label":"Save","classes":["a b"],"list":["Der Hund", "1.2.3", "/a/b"]}'
    )
    expected = source.replace("Save", "SAVE").replace("Der Hund", "DER HUND")
    assert translate(source.encode(), "a.json").decode() == expected


def test_xml_values_for_programs_stay():
    source = (
        '<rss version="2.0"><channel><title>News</title><pubDate>Sun, 19 Jul 2015 10:18:45 +0000</pubDate>'
        "<version>1.2</version><language>de-de</language><link>https://example.org/c</link><guid>abc-12</guid>"
        "<style>a { color: red }</style><p>Version 1.2 <b>heute</b></p></channel></rss>"
    )
    expected = source
    for text in ("News", "Version 1", "heute"):
        expected = expected.replace(text, text.upper())
    assert translate(source.encode(), "f.xml").decode() == expected


def test_android_resources_that_are_not_translatable_stay():
    source = (
        '<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">'
        '<string name="a" translatable="false">Bleibt so</string><string name="b">Der Hund</string>'
        '<string name="c">Hallo <xliff:g id="name">%1$s</xliff:g>!</string></resources>'
    )
    expected = source.replace("Der Hund", "DER HUND").replace("Hallo", "HALLO")
    assert translate(source.encode(), "strings.xml").decode() == expected


WORDS = st.lists(st.sampled_from("Der Hund läuft über die Wiese und sieht Katzen".split()), min_size=2, max_size=6)
PROSE = WORDS.map(" ".join).map(lambda text: text[:1].upper() + text[1:] + ".")
DATA = st.from_regex(
    re.compile(r"[a-z]{2,8}([-._/][a-z]{2,8}){1,3}|[a-z]{2,6}[A-Z][a-z]{2,6}|[A-Z]{2,6}_[A-Z]{2,6}"), fullmatch=True
)
KEYS = st.from_regex(re.compile(r"[a-z]{1,8}"), fullmatch=True)
VALUES = st.recursive(
    PROSE | DATA | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def shouted(value: object) -> object:
    """The oracle: prose has spaces and a full stop, data has none."""
    if isinstance(value, dict):
        return {key: shouted(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shouted(inner) for inner in value]
    return value.upper() if isinstance(value, str) and " " in value else value


@given(VALUES, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_json_is_the_same_but_for_its_prose(value, indent, ascii_):
    source = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    document = find_format("a.json").reader()(source.encode())
    translated = document.write([text.upper() for text in document.texts], "en").decode()
    assert json.loads(translated) == shouted(value)
    assert translated == json.dumps(shouted(value), indent=indent, ensure_ascii=ascii_)


@given(st.lists(st.tuples(KEYS, PROSE | DATA), min_size=1, max_size=6))
def test_xml_is_the_same_but_for_its_prose(fields):
    source = "<a>" + "".join(f"<x{name}>{escape(text)}</x{name}>\n" for name, text in fields) + "</a>"
    translated = translate(source.encode(), "a.xml")
    assert [each.text for each in etree.fromstring(translated)] == [shouted(text) for _, text in fields]


@pytest.mark.parametrize("piece", ["a.b-", "aA", "a_", "1px ", "A", "-", "#", "a/", "1.", "(", "é"])
def test_no_value_takes_long(piece):
    for end in ("", "!", "é ü"):
        is_data(piece * (256 // len(piece)) + end, "x")
