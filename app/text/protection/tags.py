"""Tags in plain text: of HTML, with brackets that are escaped, and the numbered ones of React's ``Trans``; asterisks.

Sources: HTML, "Tags" (https://html.spec.whatwg.org/multipage/syntax.html#syntax-tags); react-i18next, "Trans
Component".
"""

import re
from collections.abc import Iterator

from app.fairness.windows import finditer
from app.text.inline.objects import Kind
from app.text.markup.html_tokenizer import VOID
from app.text.protection.expressions import Expressions, Finder, Tag

_NAME = "[A-Za-z][A-Za-z0-9:-]*+"
# Without an attribute, only names and spaces stand between the brackets: "a <b and c> d" is prose.
# A slash behind a value without quotation marks belongs to it. Nothing is tried twice: a tag may have 30,000 signs.
_ATTRIBUTES = r"(?:\s[^<>=]*+)?=(?:[^<>/]|/(?!>)|(?<![\s\"'])/)*+"
_TAG = re.compile(rf"<(/?)({_NAME})(?:{_ATTRIBUTES}|\s*+)(/?)>")
_ESCAPED = re.compile(rf"&(?:amp;)*+lt;(/?)({_NAME})\s*(/?)&(?:amp;)*+gt;")
_NUMBERED = re.compile(r"<(/?)([0-9]{1,3})(?:\s*(/))?>")
_EMPHASIS = re.compile(
    r"(?<![\w*/\\])(?P<opening>\*{1,3})(?=[^\W_]|[\"'„“(])[^*\n]{0,200}(?<=\S)(?P<closing>(?P=opening))(?![\w*/])"
)
# "*laughs* I know": the words behind it are a sentence of their own.
_ACTION, _BEGINS = re.compile(r"\*[^\W\d_A-Z][^*\n]*\* [^\W\d_a-z]"), re.compile(r"(?:\A|[\n.!?…] ?)\Z")
# An empty element between spaces is where a word would be: "at most <max/> letters".
_IN_TEXT = re.compile(r"[ .,;:!?)]")
_BLOCKS = frozenset({"br", "hr"})


class Tags(Finder[Tag]):
    """The tags that an expression finds, which tells a slash before the name, the name, and a slash behind it.

    Args:
        expression: Decides within 1,024 characters.
        kind: What the names of these tags begin with, so that they pair off among themselves.
    """

    def __init__(self, expression: re.Pattern[str], kind: str) -> None:
        self._expression, self._kind = expression, kind

    def finditer(self, text: str) -> Iterator[Tag]:
        """Yields the tags, in order."""
        for match in finditer(self._expression, text):
            name = match[2].lower()
            nesting = 0 if match[3] or name in VOID else -1 if match[1] else 1
            around = (text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1])
            is_word = match[3] and name not in VOID and all(map(_IN_TEXT.match, around))
            kind = Kind.BREAK if name in _BLOCKS else Kind.ATOM if is_word else Kind.POINT
            yield Tag(*match.span(), self._kind + name, nesting, kind)


class NumberedTags(Tags):
    """Tags such as <1> and </1>; one that isn't closed is none, as in "1 <2> 3"."""

    def finditer(self, text: str) -> Iterator[Tag]:
        """Yields the tags, in order."""
        closed = {tag.name for tag in super().finditer(text) if tag.nesting < 0}
        for tag in super().finditer(text):
            if tag.nesting == 0 or tag.name in closed:
                yield tag


class Emphasis(Finder[Tag]):
    """Asterisks around words, as in chats and in Markdown: "**very** good"; not "2 * 3", "Leser*in" or "Preis*".

    "*laughs* I know" is none: what somebody does is no part of the sentence behind it.
    """

    def finditer(self, text: str) -> Iterator[Tag]:
        """Yields the tags, in order."""
        for match in finditer(_EMPHASIS, text):
            if _ACTION.match(text, match.start("opening")) and _BEGINS.search(
                text, max(0, match.start() - 2), match.start()
            ):
                continue
            name = match["opening"]
            yield Tag(*match.span("opening"), name, 1)
            yield Tag(*match.span("closing"), name, -1)


TAGS: Expressions = [
    ("<", Tags(_TAG, "<")),
    ("lt;", Tags(_ESCAPED, "&")),
    (">", NumberedTags(_NUMBERED, "<")),
    ("*", Emphasis()),
]
