"""The element names of the three text languages of Office Open XML: WordprocessingML, DrawingML, SpreadsheetML."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.documents.dialect import Dialect
from app.documents.safe_xml import writable
from app.documents.sheet_escapes import escaped, unescaped

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


@dataclass(frozen=True, kw_only=True)
class RunDialect(Dialect):
    """One of the three languages. Its texts are in runs: elements with properties and text.

    Attributes:
        space: Namespace of the names of runs, properties and texts, in braces.
        properties: Children of a paragraph or wrapper that are no content.
        dropped: Elements that a translation has no use for: marks of spelling checkers, phonetic readings.
        contents: Wrappers whose runs are in a child, and its name.
        written: Writes a text into an element of text.
    """

    space: str
    properties: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    contents: Mapping[str, str] = field(default_factory=dict)
    written: Callable[[str], str] = writable


WORD = RunDialect(
    space=W,
    properties=frozenset({f"{W}pPr", f"{W}smartTagPr", f"{W}customXmlPr"}),
    dropped=frozenset({f"{W}proofErr", f"{W}lastRenderedPageBreak", f"{W}softHyphen"}),
    wrappers=frozenset(
        f"{W}{name}"
        for name in ("hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "fldSimple", "sdt")
    ),
    contents={f"{W}sdt": f"{W}sdtContent"},
    ranges={
        f"{W}{name}Start": f"{W}{name}End"
        for name in ("bookmark", "commentRange", "perm", "moveFromRange", "moveToRange")
    },
    range_names=(f"{W}id",),
    atoms=frozenset({f"{_MATH}oMath"}),
    breaks=frozenset({f"{W}br", f"{W}cr", f"{W}tab", f"{W}ptab", f"{_MATH}oMathPara"}),
    characters={f"{W}noBreakHyphen": lambda hyphen: "\u2011"},
    is_seen=lambda element: element.tag == f"{W}drawing" and element.find(f"{_PICTURE}inline") is not None,
)
DRAWING = RunDialect(
    space=A,
    properties=frozenset({f"{A}pPr", f"{A}endParaRPr"}),
    atoms=frozenset({f"{A}fld"}),
    breaks=frozenset({f"{A}br"}),
)
SHEET = RunDialect(space=S, dropped=frozenset({f"{S}rPh", f"{S}phoneticPr"}), read=unescaped, written=escaped)
