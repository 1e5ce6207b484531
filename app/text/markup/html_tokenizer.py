"""Splits HTML and XML into tokens: tags, text, and other markup.

The tokenizer is ours because ``html.parser`` drops or rewrites malformed parts, which then can't be given back as they
were. It follows the HTML standard's tokenizer where a page can tell the difference, never fails, and looks at every
character a bounded number of times.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Literal, NamedTuple

Syntax = Literal["html", "xml", "markdown"]

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
"""The elements of HTML that have no content and no end tag."""
# Their content is no markup: it ends at the first end tag of the same name.
_RAW_TEXT = frozenset({"script", "style", "textarea", "xmp", "iframe", "noembed", "noframes"})


class _TagPatterns:
    """A start or end tag. Quotes hide ">" only right after "=", as in the standard."""

    def __init__(self, first: str) -> None:
        """``first`` matches the first character of a name."""
        self.tag = re.compile(rf"""</?+({first}[^\s/>]*+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+)>""")
        self.tag_without_quotes = re.compile(rf"</?+({first}[^\s/>]*+)([^>]*+)>")
        self.opening = re.compile(rf"</?+{first}")


# Message catalogs have numbered tags, "<0>here</0>" and "<1/>"; to browsers these are text. A lone "<2>" isn't one.
_NUMBERED = re.compile(r"</(\d{1,3})\s*>|<(\d{1,3})\s*/>")
_HTML_TAGS, _XML_TAGS = _TagPatterns(r"(?:[a-zA-Z]|\d{1,3}(?=\s*/?>))"), _TagPatterns(r"(?:[^\W\d]|:)")
_OTHER_OPENING = re.compile(r"<[!?/]")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*+\[.*?\]\s*+>", re.DOTALL)  # with declarations of its own
_COMMENT_END = re.compile(r"--!?>")
# XHTML has self-closed tags, as in <script src="a.js"/>: browsers read it as XML. Pages that were sent as text/html may
# name this space too; but with such a tag they would show nothing from there on.
_XHTML = "http://www.w3.org/1999/xhtml"
_PROLOG = re.compile(r"\s*+<\?xml\s")
_RAW_TEXT_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII) for name in _RAW_TEXT}


class TokenKind(Enum):
    """Kinds of tokens."""

    TEXT = auto()
    START = auto()
    END = auto()
    OTHER = auto()  # comments, declarations, CDATA, the content of scripts and the like


class Token(NamedTuple):
    """A piece of the source.

    ``name`` is the name of a tag, in HTML in lower case; ``attributes`` the text between it and ">", as written.
    """

    kind: TokenKind
    start: int
    end: int
    name: str = ""
    attributes: str = ""

    @property
    def is_self_closed(self) -> bool:
        """Whether a start tag ends in a slash of its own; in <a href=x/> it belongs to the address."""
        text = self.attributes
        return text.endswith("/") and (len(text) == 1 or text[-2].isspace() or text[-2] in "\"'")


class Tokenizer:
    """Cuts a page into tokens that cover it without a gap; neighbouring texts aren't joined."""

    def __init__(self, source: str, syntax: Syntax) -> None:
        """Takes any string."""
        self._source = source
        self._is_html, self._is_xml = syntax == "html", syntax == "xml"
        # No search for an end is started where none is left: on "<![CDATA[" * n it would take n searches to the end.
        self._last_close = source.rfind(">")
        self._last_cdata_end = source.rfind("]]>")
        self._patterns = _XML_TAGS if self._is_xml else _HTML_TAGS
        numbered = () if self._is_xml else _NUMBERED.finditer(source)
        self._numbers = frozenset(match[match.lastindex or 0] for match in numbered)
        self._last_instruction_end = source.rfind("?>") if self._is_xml else -1

    def __iter__(self) -> Iterator[Token]:
        source = self._source
        self._tag = self._patterns.tag
        self._has_doctype = not self._is_xml  # a document has at most one
        is_xhtml = _PROLOG.match(source) is not None
        done = position = 0
        while (opening := source.find("<", position)) >= 0:
            token = self._markup_at(opening)
            if token is None:  # just a "<"
                position = opening + 1
                continue
            if done < opening:
                yield Token(TokenKind.TEXT, done, opening)
            yield token
            done = position = token.end
            if not self._is_html or token.kind is not TokenKind.START:
                continue
            is_xhtml = is_xhtml or (token.name == "html" and _XHTML in token.attributes)
            if token.name in _RAW_TEXT and not (is_xhtml and token.is_self_closed):
                end_tag = _RAW_TEXT_END[token.name].search(source, done)
                done = position = end_tag.start() if end_tag else len(source)
                yield Token(TokenKind.OTHER, token.end, done)
        if done < len(source):
            yield Token(TokenKind.TEXT, done, len(source))

    def _markup_at(self, start: int) -> Token | None:
        source = self._source
        if source.startswith("<!--", start):
            comment_end = _COMMENT_END.search(source, start + 2)  # "<!-->" is a comment too
            return Token(TokenKind.OTHER, start, comment_end.end() if comment_end else len(source))
        if source.startswith("<![CDATA[", start) and start < self._last_cdata_end:
            return Token(TokenKind.OTHER, start, source.index("]]>", start) + 3)
        if source.startswith("<?", start) and start < self._last_instruction_end:
            return Token(TokenKind.OTHER, start, source.index("?>", start) + 2)
        if not self._has_doctype and source.startswith("<!DOCTYPE", start):
            self._has_doctype = True
            if doctype := _DOCTYPE.match(source, start):
                return Token(TokenKind.OTHER, start, doctype.end())
        if start > self._last_close:
            return None
        if self._patterns.opening.match(source, start):
            return self._tag_at(start)
        if _OTHER_OPENING.match(source, start):
            return Token(TokenKind.OTHER, start, source.index(">", start) + 1)
        return None

    def _tag_at(self, start: int) -> Token | None:
        tag = self._tag.match(self._source, start)
        if tag is None:
            # A quote that is never closed hides all that follows. Believe no quote from here on: looking again for
            # each tag would be quadratic, and a browser would drop the rest of the page.
            self._tag = self._patterns.tag_without_quotes
            tag = self._tag.match(self._source, start)
        if tag is None or (tag[1].isdecimal() and tag[1] not in self._numbers):
            return None
        kind = TokenKind.END if self._source.startswith("</", start) else TokenKind.START
        return Token(kind, start, tag.end(), tag[1].lower() if self._is_html else tag[1], tag[2])
