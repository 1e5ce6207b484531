"""Documents of every format that make readers work hard: small files that repeat one thing as often as wanted."""

import io
import zipfile
from collections.abc import Callable

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "application/vnd.openxmlformats-officedocument."
ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
)


def packed(parts: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def office(kinds: dict[str, str], parts: dict[str, str]) -> bytes:
    """A package of Office Open XML: the content types of parts, and their XML."""
    overrides = "".join(f'<Override PartName="/{name}" ContentType="{OFFICE}{kind}"/>' for name, kind in kinds.items())
    types = f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{overrides}</Types>'
    return packed({"[Content_Types].xml": types, **parts})


def docx(paragraph: str, declared: str = "") -> bytes:
    body = f"<w:document {W} {declared}><w:body><w:p>{paragraph}</w:p></w:body></w:document>"
    return office({"d.xml": "wordprocessingml.document.main+xml"}, {"d.xml": body})


def pptx(paragraph: str) -> bytes:
    kinds = {"p.xml": "presentationml.presentation.main+xml", "s.xml": "presentationml.slide+xml"}
    return office(kinds, {"p.xml": "<p/>", "s.xml": f"<p:sld xmlns:p='p' {A}><a:p>{paragraph}</a:p></p:sld>"})


def xlsx(strings: str, columns: str = "") -> bytes:
    kinds = {"b.xml": "sheet.main+xml", "s.xml": "sharedStrings+xml", "t.xml": "table+xml"}
    kinds = {name: f"spreadsheetml.{kind}" for name, kind in kinds.items()}
    parts = {
        "b.xml": f"<workbook {S}/>",
        "s.xml": f"<sst {S}>{strings}</sst>",
        "t.xml": f"<table {S}><tableColumns>{columns}</tableColumns></table>",
    }
    return office(kinds, parts)


def odf(kind: str, paragraph: str) -> bytes:
    text = f"<office:text><text:p>{paragraph}</text:p></office:text>"
    content = f"<office:document-content {ODF}><office:body>{text}</office:body></office:document-content>"
    return packed({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def epub(page: str, items: int = 1) -> bytes:
    item = '<item href="a.xhtml" media-type="application/xhtml+xml"/>'
    book = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{item * items}</manifest></package>'
    place = '<rootfile full-path="b.opf"/>'
    container = f'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{place}</container>'
    return packed({"META-INF/container.xml": container, "b.opf": book, "a.xhtml": page})


def idml(paragraphs: str) -> bytes:
    story = f"<Story><ParagraphStyleRange><CharacterStyleRange>{paragraphs}</CharacterStyleRange></ParagraphStyleRange>"
    return packed(
        {"mimetype": "application/vnd.adobe.indesign-idml-package", "Stories/Story_a.xml": f"{story}</Story>"}
    )


def xliff(unit: str) -> bytes:
    return (
        f'<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file><body>{unit}</body></file></xliff>'
    ).encode()


def pdf(catalog: bytes) -> bytes:
    """A file without pages, with something in its first object."""
    head = b"%PDF-1.4\n"
    data = head + b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R /A " + catalog + b" >>\nendobj\n"
    table = b"xref\n0 2\n0000000000 65535 f \n%010d 00000 n \n" % len(head)
    return data + table + b"trailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(data)


def _run(properties: str, text: str) -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def _field(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def _bookmarks(begins: int, ends: int) -> str:
    return "".join(f'<w:bookmarkStart w:id="{i}"/>' for i in range(begins)) + "".join(
        f'<w:bookmarkEnd w:id="{i}"/>' for i in range(begins, begins + ends)
    )


def _text_marks(begins: int, ends: int) -> str:
    return "".join(f'<text:bookmark-start text:name="{i}"/>' for i in range(begins)) + "".join(
        f'<text:bookmark-end text:name="{i}"/>' for i in range(begins, begins + ends)
    )


_TIMING = "1\n00:00:01,000 --> 00:00:02,000\n"

HOSTILE: dict[str, Callable[[int], bytes]] = {
    "docx: runs of two formats": lambda n: docx(_run("", "a ") + _run("<w:b/>", "b ") * n),
    "docx: runs of changing formats": lambda n: docx((_run("", "a ") + _run("<w:b/>", "b ")) * (n // 2)),
    "docx: a run of many parts": lambda n: docx(f"<w:r><w:rPr><w:b/></w:rPr>{'<w:t>a</w:t><w:br/>' * (n // 2)}</w:r>"),
    "docx: ranges without an end": lambda n: docx(_run("", "Wort") + _bookmarks(n, 0)),
    "docx: ranges without partners": lambda n: docx(_run("", "Wort") + _bookmarks(n // 2, n // 2)),
    "docx: ranges in each other": lambda n: docx(
        "".join(f'<w:bookmarkStart w:id="{i}"/>' for i in range(n // 2))
        + _run("", "Wort")
        + "".join(f'<w:bookmarkEnd w:id="{i}"/>' for i in reversed(range(n // 2)))
    ),
    "docx: fields in each other": lambda n: docx(
        _field("begin") * (n // 2) + _run("", "Wort") + _field("end") * (n // 2)
    ),
    "docx: fields without letters": lambda n: docx(
        (_field("begin") + _field("separate")) * (n // 3) + _run("", "7") + _field("end") * (n // 3) + _run("", "Wort")
    ),
    "docx: links": lambda n: docx(f"<w:hyperlink>{_run('', 'Wort ')}</w:hyperlink>" * n),
    "docx: paragraphs": lambda n: docx("</w:p><w:p>".join([_run("", "Wort")] * n)),
    "pptx: runs": lambda n: pptx('<a:r><a:rPr b="1"/><a:t>Wort </a:t></a:r><a:r><a:t>a</a:t></a:r>' * (n // 2)),
    "pptx: a run of many texts": lambda n: pptx(f'<a:r><a:rPr b="1"/>{"<a:t>Wort</a:t><a:x/>" * (n // 2)}</a:r>'),
    "xlsx: runs": lambda n: xlsx(f"<si>{'<r><rPr><b/></rPr><t>a</t></r><r><t>b</t></r>' * (n // 2)}</si>"),
    "xlsx: headers": lambda n: xlsx("<si><t>Wort</t></si>" * n, '<tableColumn name="Wort"/>' * n),
    "odt: ranges without an end": lambda n: odf("text", "Wort" + _text_marks(n, 0)),
    "odt: ranges without partners": lambda n: odf("text", "Wort" + _text_marks(n // 2, n // 2)),
    "odt: spans": lambda n: odf("text", "<text:span>Wort</text:span> und " * n),
    "odt: spaces": lambda n: odf("text", 'Wort<text:s text:c="9"/>' * n),
    "odp: ranges without partners": lambda n: odf("presentation", "Wort" + _text_marks(n // 2, n // 2)),
    "epub: a chapter again and again": lambda n: epub("<p>Wort</p>", n),
    "epub: first tags without an end": lambda n: epub("<p>Wort</p>" + "<html " * n),
    "html: first tags without an end": lambda n: b"<p>Wort</p><script>" + b"<html " * n,
    "html: languages": lambda n: b"<html" + b" lang lang=" * n + b"><p>Wort",
    "xml: texts": lambda n: b"<a>" + b"<b>Wort</b> und " * n + b"</a>",
    "md: links": lambda n: b"[Wort](x) " * n,
    "txt: lines": lambda n: b"Wort\n" * n,
    "srt: a line that ends in a carriage return": lambda n: (_TIMING + "a" * n + "\rb\n\n").encode(),
    "srt: brackets": lambda n: (_TIMING + ")" * n + "x\n\n").encode(),
    "srt: a long line and a short one": lambda n: (_TIMING + "ab " * n + "\nc\n\n").encode(),
    "srt: cues": lambda n: (_TIMING + "Wort\n\n").encode() * n,
    "vtt: tags": lambda n: (_TIMING + "<i>Wort</i> " * n + "\n\n").encode(),
    "vtt: open tags": lambda n: (_TIMING + "<c " * n + "\n\n").encode(),
    "csv: open quotes": lambda n: b'"Wort,\n' * n,
    "csv: quotes in pairs": lambda n: b'"Wort,' + b'""a,' * n,
    "tsv: open quotes": lambda n: b'"Wort\t' * n,
    "json: strings": lambda n: b'["a"' + b',"Wort {a, plural"' * n + b"]",
    "json: escapes": lambda n: b'["Wort ' + b"\\u00e4\\n" * n + b'"]',
    "strings: values": lambda n: b"".join(b'"key %d" = "Das Wort";\n' % i for i in range(n)),
    "strings: a comment": lambda n: b"/*" + b" * /" * n + b'*/ "a" = "Das Wort";',
    "stringsdict: forms": lambda n: (
        b"<plist><dict>" + b"<key>one</key><string>Das Wort</string>" * n + b"</dict></plist>"
    ),
    "xcstrings: texts": lambda n: (
        b'{"sourceLanguage": "de", "strings": {' + b",".join(b'"Das Wort %d": {}' % i for i in range(n)) + b"}}"
    ),
    "xcstrings: forms": lambda n: (
        b'{"sourceLanguage": "de", "strings": {"a": {"localizations": {"de": {"variations": {"plural": {'
        + b",".join(b'"%d": {"stringUnit": {"value": "Das Wort"}}' % i for i in range(n))
        + b"}}}}}}}"
    ),
    "po: messages": lambda n: b"".join(b'msgid "Wort %d"\nmsgstr ""\n\n' % i for i in range(n)),
    "po: a message of many lines": lambda n: b'msgid ""\nmsgstr ""\n\nmsgid ""\n' + b'"Wort "\n' * n + b'msgstr ""\n',
    "po: comments of many lines": lambda n: b"# a\n" * n + b'msgid "Wort"\nmsgstr ""\n',
    "po: flags of many lines": lambda n: b"#, fuzzy\n" * n + b'msgid "Wort"\nmsgstr ""\n',
    "idml: paragraphs": lambda n: idml("<Content>Das Wort</Content><Br/>" * n),
    "idml: runs": lambda n: idml(
        "".join(f'</CharacterStyleRange><CharacterStyleRange a="{i}"><Content>Wort </Content>' for i in range(n))
    ),
    "idml: parts of a text": lambda n: idml(f"<Content>{'Wort&#9;<?ACE 18?>' * n}</Content>"),
    "xliff: units": lambda n: xliff("<trans-unit><source>Wort</source></trans-unit>" * n),
    "xliff: elements in a text": lambda n: xliff(
        f"<trans-unit><source>Wort {'<g>a</g><x/>' * (n // 2)}</source></trans-unit>"
    ),
}
"""Files that are translated: as long as their number says, so that twice the number has to be twice the work."""


def _nested(n: int) -> bytes:
    """A sheet of namespaces: each copy of an element would have them all."""
    return docx(_run("", "a") * n, " ".join(f'xmlns:n{i}="u{i}"' for i in range(n)))


REFUSED: dict[str, Callable[[int], bytes]] = {
    **{
        f"{name}: a part packed with {method}": lambda n, code=code: packed({"[Content_Types].xml": b"\0" * n}, code)
        for name in ("docx", "pptx", "xlsx", "odt", "odp", "epub")
        for method, code in (("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA))
    },
    "docx: properties and parts": lambda n: docx(
        f"<w:r><w:rPr>{'<w:b/>' * n}</w:rPr><w:t>Hund</w:t>{'<w:br/>' * n}<w:t>Katze</w:t></w:r>"
    ),
    "pptx: properties and parts": lambda n: pptx(f"<a:r><a:rPr>{'<a:b/>' * n}</a:rPr>{'<a:t>a</a:t><a:x/>' * n}</a:r>"),
    "xlsx: properties and parts": lambda n: xlsx(f"<si><r><rPr>{'<b/>' * n}</rPr>{'<t>a</t><x/>' * n}</r></si>"),
    "docx: objects of a paragraph": lambda n: docx("<w:r><w:t>a</w:t><w:br/></w:r>" * 3 * n),
    "odt: objects of a paragraph": lambda n: odf("text", "Wort<text:note/>" * 3 * n),
    "idml: objects of a paragraph": lambda n: idml("<Content>a</Content><Footnote/>" * 3 * n),
    "xliff: objects of a text": lambda n: xliff(f"<trans-unit><source>{'a<x/>' * 3 * n}</source></trans-unit>"),
    "docx: namespaces": _nested,
    "xliff: namespaces": lambda n: (
        b"<a " + b" ".join(b'xmlns:n%d="u"' % i for i in range(n)) + b">" + b"<b/>" * n + b"</a>"
    ),
    "xliff: UTF-7": lambda n: b'<?xml version="1.0" encoding="UTF-7"?><a>' + b"+ADw-a/+AD4-" * n + b"</a>",
    "json: lists in each other": lambda n: b"[" * 20 * n,
    "pdf: lists in each other": lambda n: pdf(b"[" * 20 * n),
}
"""Files that are refused if their number is 5,000."""
