"""Collects the parts of one sentence or paragraph, tag by tag, until a block ends it."""

import html
import html.entities
import re
from collections import Counter
from collections.abc import Callable, Sequence

from app.text.inline.objects import Kind, Part
from app.text.markup.html_tokenizer import VOID, Token, TokenKind
from app.text.markup.scope import ANNOTATIONS, Rules, Scope, attribute_values, is_place_of_word
from app.text.pieces import PIECE_CHARS
from languages.signs import CLOSING

# Nobody nests deeper in a sentence. Deeper elements end the text, so that hostile input costs no quadratic time.
_MAX_DEPTH = 32
# Nobody writes so much between two blocks either. A longer text ends, if possible behind a sentence. A tag counts as so
# many characters more, since it takes some 200 bytes.
_MAX_CHARS = 2 * PIECE_CHARS
_PART_CHARS = 16
_END = re.compile(rf"[.!?…。！？][{CLOSING}]*$")

# Of XML: breaks, pictures and places, which are no words.
_NO_WORDS = frozenset("br hr img image graphic lb pb cb tab anchor bookmark indexterm fn footnote note wbr".split())
_HTML_WORDS = frozenset({"i", "img", "input", "span"})
_NO_FIELDS = frozenset({"checkbox", "hidden", "radio"})  # types of "input" that stand beside a text

_DECIMAL_REFERENCE = re.compile(r"&#(0*+)([0-9]*+)")
_XML_REFERENCE = re.compile(r"&(?:#[0-9]++|#x[0-9a-fA-F]++|[^\W\d][\w.:-]*+);")
_ENTITY = re.compile(r"&([^\W\d][\w.:-]*+;)")
_HTML_ENTITIES = frozenset(html.entities.html5)
_XML_ENTITIES = frozenset({"lt;", "gt;", "amp;", "apos;", "quot;"})
_NO_BREAK_SPACES = ("&nbsp;", "&#160;", "&#xa0;", "&#xA0;")
_SPACES = re.compile(r"[ \t\n\f\r]+")


class TextCollector:
    """Follows the elements of a page and hands over the parts of each text when it ends."""

    def __init__(
        self, source: str, rules: Rules, splitting: frozenset[str], emit: Callable[[Sequence[Part]], None]
    ) -> None:
        """Starts outside of all elements.

        Args:
            source: The text that the tokens are ranges of.
            rules: How to read it.
            splitting: The elements that end a text.
            emit: Takes the parts of each text, in order, with places in ``source``.
        """
        self._source = source
        self._is_xml = rules.syntax == "xml"
        self._has_empty_words = rules.has_empty_words
        self._splitting = splitting
        self._line_breaks_split = rules.line_breaks_split
        self._scope = Scope(rules)
        self._emit = emit
        self._parts: list[Part] = []
        self._in_atom = False  # the last part is one that isn't finished
        self._atom_end = 0
        self._skipped: int | None = None  # where what isn't translated begins, if it is no part of a text
        self._depth = self._chars = 0
        self._names: Counter[str] = Counter()
        # XML knows five names. Others are the document's own, if it defines any, and else most likely HTML's.
        self._entities = _XML_ENTITIES if "<!ENTITY" in source else _HTML_ENTITIES

    def take(self, token: Token) -> None:
        """Takes the next token."""
        was_translated = self._scope.translated
        has_inside = True
        if token.kind is TokenKind.START:
            has_inside = self._scope.open(token)
        elif token.kind is TokenKind.END:
            self._scope.close(token.name)
        translated = self._scope.translated
        if token.name in self._splitting:
            self.end_text()
        elif was_translated and translated:
            self._add_token(token, has_inside)
        elif was_translated and token.kind is TokenKind.START:
            self._parts.append(self._part(Kind.POINT if token.name in ANNOTATIONS else Kind.ATOM, token))
            self._in_atom = True
        elif self._in_atom and not (translated and token.kind is TokenKind.START):
            self._atom_end = token.end
            if translated:
                self._finish_atom()
        elif was_translated != translated:  # translate="yes" inside "no" begins or ends
            self.end_text()
        if was_translated and not (translated or self._in_atom):
            self._skipped = token.start
        elif translated and self._skipped is not None:
            self._end_skipped(token.end if token.kind is TokenKind.END else token.start)

    def add(self, part: Part) -> None:
        """Adds a part of the text, unless nothing is translated here."""
        if self._in_atom:
            self._atom_end = part.end
        elif self._scope.translated:
            self._append(part)

    def add_text(self, begin: int, end: int, decode: Callable[[str], str] = str) -> None:
        """Adds the text between two places, unless nothing is translated here."""
        inner_begin, inner_end = _trim(self._source, begin, end)
        for first, last in ((begin, inner_begin), (inner_begin, inner_end), (inner_end, end)):
            if first < last:
                text = decode(self._source[first:last])
                # The substitution looks at each space, and keeps other threads from running: 0.2 s for a mebibyte.
                is_spaced = not self._is_xml and ("  " in text or any(space in text for space in "\t\n\f\r"))
                content = _SPACES.sub(" ", text) if is_spaced else text
                self.add(Part(Kind.TEXT, content, begin=first, end=last))

    def end_text(self) -> None:
        """Hands over the text so far."""
        if self._in_atom:  # it goes on in the next block: no part of the sentence
            self._skipped = self._parts.pop().begin
        self._emit(self._parts)
        self._parts, self._in_atom, self._depth, self._chars = [], False, 0, 0
        self._names.clear()

    def finish(self) -> None:
        """Hands over what is left at the end of the source."""
        self.end_text()
        if self._skipped is not None:
            self._end_skipped(len(self._source))

    def _end_skipped(self, end: int) -> None:
        """Hands over what wasn't translated as a text of its own, in which nothing is to translate."""
        begin, self._skipped = self._skipped or 0, None
        self._emit([Part(Kind.ATOM, self._source[begin:end], begin=begin, end=end)])

    def _add_token(self, token: Token, has_inside: bool) -> None:
        if token.kind is TokenKind.TEXT and self._is_xml:
            begin = token.start
            for reference in _ENTITY.finditer(self._source, token.start, token.end):
                if reference[1] in self._entities:
                    continue
                self.add_text(begin, reference.start(), _decode_xml)
                self.add(Part(Kind.ATOM, reference[0], begin=reference.start(), end=reference.end()))
                begin = reference.end()
            self.add_text(begin, token.end, _decode_xml)
        elif token.kind is TokenKind.TEXT:
            begin = token.start
            while self._line_breaks_split and (end := self._source.find("\n", begin, token.end)) >= 0:
                self.add_text(begin, end, decode_html)
                self.end_text()
                begin = end + 1
            self.add_text(begin, token.end, decode_html)
        elif token.kind is TokenKind.OTHER or not has_inside:
            is_break = self._is_xml and token.name == "br"
            self._append(
                self._part(Kind.BREAK if is_break else Kind.ATOM if self._is_word(token) else Kind.POINT, token)
            )
        elif self._in_atom:  # the end tag of an element without text
            self._atom_end = token.end
            self._finish_atom()
        elif self._is_word(token):
            self._parts.append(self._part(Kind.ATOM, token))
            self._in_atom = True
        else:
            self._append(self._part(Kind.OPENING if token.kind is TokenKind.START else Kind.CLOSING, token))

    def _is_word(self, token: Token) -> bool:
        """Tells whether an empty element stands where a word would."""
        if not self._has_empty_words or token.kind is not TokenKind.START or not self._may_be_word(token):
            return False
        end_tag = "" if token.is_self_closed or token.name in VOID else f"</{token.name}>"
        if not self._source.startswith(end_tag, token.end):
            return False
        end = token.end + len(end_tag)
        after = self._source[end : end + 1]
        if self._is_xml and after in ("", " "):  # it has no decorations
            after = "."
        return is_place_of_word(self._source[max(0, token.start - 2) : token.start], after)

    def _may_be_word(self, token: Token) -> bool:
        """Tells whether readers see an element; HTML's icons are often elements without text that have a class."""
        if self._is_xml:
            return token.name not in _NO_WORDS
        if token.name not in _HTML_WORDS:
            return False
        values = attribute_values(token)
        if token.name == "img":
            return not values.get("alt") or any(map(str.isalnum, values["alt"]))  # else it is an emoticon
        if token.name == "input":
            return values.get("type", "").lower() not in _NO_FIELDS
        return "class" in values and "id" not in values

    def _append(self, part: Part) -> None:
        if part.kind is Kind.OPENING and not self._is_xml and self._stands_beside(part):
            self.end_text()
        if part.kind is Kind.CLOSING and self._names[part.name]:
            self._names[part.name] -= 1
            self._depth -= 1
        elif part.kind is Kind.OPENING or part.kind is Kind.CLOSING:  # a stray closing encloses all that came before it
            self._names[part.name] += part.kind is Kind.OPENING
            self._depth += 1
        if self._depth > _MAX_DEPTH:
            self.end_text()
            return
        self._parts.append(part)
        self._chars += len(part.content) + _PART_CHARS
        is_end = part.kind is Kind.TEXT and _END.search(part.content, max(0, len(part.content) - 8)) is not None
        if self._chars > (_MAX_CHARS if is_end else 2 * _MAX_CHARS):
            self.end_text()

    def _stands_beside(self, part: Part) -> bool:
        """Tells whether an element begins where another ended, as in a menu: two links, or words without a space."""
        if not self._parts or self._parts[-1].kind is not Kind.CLOSING:
            return False
        if part.name == self._parts[-1].name == "a":
            return True
        before = next((one for one in reversed(self._parts) if one.kind is not Kind.CLOSING), part)
        return before.kind is Kind.TEXT and (before.content[-1] + self._source[part.end : part.end + 1]).isalnum()

    def _finish_atom(self) -> None:
        atom, end = self._parts[-1], self._atom_end
        self._parts[-1] = atom._replace(content=self._source[atom.begin : end], end=end)
        self._in_atom = False

    def _part(self, kind: Kind, token: Token) -> Part:
        return Part(kind, self._source[token.start : token.end], token.name, token.start, token.end)


def decode_html(run: str) -> str:
    """Returns the plain text of HTML that has no tags."""
    # html.unescape raises on numbers of more than 4300 digits; from eight on they are all out of range alike.
    return html.unescape(_DECIMAL_REFERENCE.sub(lambda match: "&#" + (match[2][:8] or match[1][:1]), run))


def _decode_xml(run: str) -> str:
    return _XML_REFERENCE.sub(lambda match: decode_html(match[0]), run)


def _trim(source: str, start: int, end: int) -> tuple[int, int]:
    """Moves the ends of a run inwards over white space, written plainly or as a no-break space's entity."""
    while start < end:
        if source[start].isspace():
            start += 1
        elif source.startswith(_NO_BREAK_SPACES, start, end):
            start = source.index(";", start) + 1
        else:
            break
    while start < end:
        if source[end - 1].isspace():
            end -= 1
        elif source.endswith(_NO_BREAK_SPACES, start, end):
            end = source.rindex("&", start, end)
        else:
            break
    return start, end
