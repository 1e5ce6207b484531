"""OpenDocument: fields and controls in a sentence, what lists offer, and texts outside of paragraphs."""

import io
import re
import zipfile

import pytest
from lxml import etree

from app.documents.formats import odp, odt
from tests.support.documents import assert_same_package, texts, translate

_SPACES = {
    **{name: name for name in ("office", "text", "style", "presentation")},
    "fo": "xsl-fo-compatible",
}
SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"' for name, space in _SPACES.items()
)
LOEXT = 'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'


def file(body: str, kind: str = "text", styles: str = "") -> bytes:
    content = (
        f"<office:document-content {SPACES} {LOEXT}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", content)
    return data.getvalue()


def tree(data: bytes) -> etree._Element:
    return etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read("content.xml"))


@pytest.mark.parametrize(
    ("source", "read", "shown"),
    [
        ('<text:text-input text:description="Name">Lob</text:text-input>', "Lob", "LOB"),
        ('<loext:content-control loext:checkbox="false">Lob</loext:content-control>', "Lob", "LOB"),
        ("<text:bibliography-mark>[Müller2020]</text:bibliography-mark>", "W", "[Müller2020]"),
        ("<text:user-defined>Entwurf</text:user-defined>", "W", "Entwurf"),
        ("<text:initial-creator>Anna</text:initial-creator>", "W", "Anna"),
        ('<text:drop-down><text:label text:value="rot"/>rot</text:drop-down>', "W", "ROT"),
        ("<text:bookmark/>", "", ""),
        ("<text:note><text:note-citation>1</text:note-citation>\n</text:note>", "", "1"),
    ],
)
def test_what_stands_for_words_is_a_word(source: str, read: str, shown: str) -> None:
    data = file(f"<text:p>Das ist {source} für uns.</text:p>")
    markup = re.sub("<[^>]*>", "", odt.read(data).texts[0].replace("<m ", "W<m "))
    assert markup == f"Das ist {read} für uns."
    translated = translate(data, "a.odt")
    assert_same_package(data, translated, changed={"value"})
    assert "".join(tree(translated).itertext()).replace("\n", "") == f"DAS IST {shown} FÜR UNS."


def test_the_space_of_a_span_comes_back_once() -> None:
    data = file("<text:p>Das ist<text:span> </text:span>gut.</text:p>")
    translated = tree(translate(data, "a.odt"))
    assert "".join(translated.itertext()) == "DAS IST GUT."
    assert not list(translated.iter("{*}s"))


def test_a_list_offers_translations() -> None:
    body = (
        '<text:p><text:drop-down><text:label text:current-selected="true" text:value="rot"/><text:label/>rot'
        '</text:drop-down> <loext:content-control><loext:list-item loext:display-text="befristet" loext:value="b"/>'
        "befristet</loext:content-control></text:p>"
    )
    translated = tree(translate(file(body), "a.odt"))
    shown = {"{*}label": "value", "{*}list-item": "display-text"}
    offered = [
        [value for name, value in each.attrib.items() if etree.QName(name).localname == attribute]
        for kind, attribute in shown.items()
        for each in translated.iter(kind)
    ]
    assert offered == [["ROT"], [], ["BEFRISTET"]]
    assert "".join(translated.itertext()) == "ROT BEFRISTET"
    assert [each.get(f"{{{each.nsmap['loext']}}}value") for each in translated.iter("{*}list-item")] == ["b"]


def test_texts_outside_of_paragraphs() -> None:
    index = (
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>Inhalt"
        "</text:index-title-template><text:table-of-content-entry-template><text:index-entry-span>Seite "
        "</text:index-entry-span></text:table-of-content-entry-template></text:table-of-content-source>"
        "</text:table-of-content>"
    )
    assert texts(translate(file(index), "a.odt"), "content.xml") == ["INHALT", "SEITE "]
    footer = '<presentation:footer-decl presentation:name="f">Unser Verein</presentation:footer-decl>'
    data = file(footer, "presentation")
    assert odp.read(data).texts == ("Unser Verein",)
    assert texts(translate(data, "a.odp"), "content.xml") == ["UNSER VEREIN"]


@pytest.mark.parametrize(
    ("language", "expected"), [("en", ("en", "US")), ("en-GB", ("en", "GB")), ("fr", ("fr", "FR"))]
)
def test_text_is_in_the_target_language_with_a_region(language: str, expected: tuple[str, str]) -> None:
    styles = "".join(
        f'<style:style style:name="{name}"><style:text-properties fo:language="{name}" fo:country="{country}"/>'
        "</style:style>"
        for name, country in (("de", "DE"), ("zxx", "none"))
    )
    document = odt.read(file("<text:p>Das ist gut.</text:p>", styles=styles))
    properties = tree(document.write(["That's good."], language)).iter("{*}text-properties")
    assert [tuple(each.attrib.values()) for each in properties] == [expected, ("zxx", "none")]
