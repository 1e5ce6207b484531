"""The element names of the three text languages of Office Open XML: WordprocessingML, DrawingML, SpreadsheetML."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.documents.safe_xml import writable
from app.documents.sheet_escapes import escaped, unescaped

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


@dataclass(frozen=True)
class Dialect:
    """The names of one of the three languages.

    Attributes:
        space: Namespace of the names of runs, properties and texts, in braces.
        kept: Children of a paragraph or wrapper that are no content.
        dropped: Elements that a translation has no use for: marks of spelling checkers, phonetic readings.
        wrappers: Elements around runs, and the name of the child that has them; empty if they have them themselves.
        ranges: Elements at the beginnings of ranges, and those at their ends.
        atoms: Elements that are like words of the sentence.
        breaks: Elements that end a sentence.
        characters: Elements that stand for characters.
        read: Returns the text that an element of text has.
        written: Writes a text into such an element.
    """

    space: str
    kept: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    wrappers: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, str] = field(default_factory=dict)
    atoms: frozenset[str] = frozenset()
    breaks: frozenset[str] = frozenset()
    characters: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[str], str] = str
    written: Callable[[str], str] = writable


WORD = Dialect(
    space=W,
    kept=frozenset({f"{W}pPr", f"{W}smartTagPr", f"{W}customXmlPr"}),
    dropped=frozenset({f"{W}proofErr", f"{W}lastRenderedPageBreak", f"{W}softHyphen"}),
    wrappers={f"{W}{name}": "" for name in ("hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo")}
    | {f"{W}fldSimple": "", f"{W}sdt": f"{W}sdtContent"},
    ranges={
        f"{W}{name}Start": f"{W}{name}End"
        for name in ("bookmark", "commentRange", "perm", "moveFromRange", "moveToRange")
    },
    atoms=frozenset({f"{_MATH}oMath"}),
    breaks=frozenset({f"{W}br", f"{W}cr", f"{W}tab", f"{W}ptab", f"{_MATH}oMathPara"}),
    characters={f"{W}noBreakHyphen": "\u2011"},
)
DRAWING = Dialect(
    space=A,
    kept=frozenset({f"{A}pPr", f"{A}endParaRPr"}),
    atoms=frozenset({f"{A}fld"}),
    breaks=frozenset({f"{A}br"}),
)
SHEET = Dialect(space=S, dropped=frozenset({f"{S}rPh", f"{S}phoneticPr"}), read=unescaped, written=escaped)
