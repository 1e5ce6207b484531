"""Tags in square brackets: BBCode of forums and shortcodes of WordPress.

Sources: phpBB, "BBCode guide" (https://www.phpbb.com/community/help/bbcode); WordPress, "Shortcode API"
(https://codex.wordpress.org/Shortcode_API): ``[name attribute="value"]`` alone, or around a text with ``[/name]``.

A name in brackets is a tag if it has an attribute in quotation marks or a tag that closes it; else it may be prose:
"[sic]", "[1]".
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from app.fairness.windows import finditer
from app.text.inline.objects import Kind
from app.text.protection.expressions import Expressions, Finder, Tag

_VALUE = r"""(?:"[^"\[\]\n]*+"|'[^'\[\]\n]*+'|[^\s"'\[\]]++)"""
# [name], [name=value], [name="value" other=value], [name attribute="value" word /]
_TAG = re.compile(
    rf"""\[(?P<closes>/)?(?P<name>[A-Za-z][\w-]{{0,60}}|\*)
    (?P<value>=(?:"[^"\]\n]{{0,900}}"|[^\]\[\n]{{0,900}}))?
    (?P<attributes>(?>\s++(?:[\w-]{{1,60}}+\s*+=\s*+{_VALUE}|(?!/\]){_VALUE})){{0,60}}+)
    \s*+(?P<alone>/)?\]""",
    re.VERBOSE,
)
# What is between them is a program's, an address or a name.
_RAW = frozenset(
    "code img image youtube video vimeo media attach attachment audio php html noparse plain tt pre mention".split()
)
# Texts end at them, as at blocks of HTML.
_BLOCKS = frozenset(
    "quote list ul ol li * table tr td th center left right justify indent hr spoiler row column "
    "vc_row vc_column vc_column_text et_pb_section et_pb_row et_pb_column et_pb_text".split()
)
# Of BBCode: they may stand in a text whose other tag is missing.
_KNOWN = frozenset(
    "b i u s url email color colour size font sub sup quote code list img spoiler center left right *".split()
)
# Of WordPress: they need no attributes, and neither does a name of several parts, such as [contact-form-7].
_ALONE = re.compile(r"gallery|playlist|[a-z]{2,}(?:[_-][a-z0-9]+)+")
_ATTRIBUTE = re.compile(r"""[\w-]\s*=\s*["'\w]""")
_LINE_BEGIN = re.compile(r"(?:^|\n|\])[^\S\n]*$")
_LINE_END = re.compile(r"[^\S\n]{0,80}+(?:\n|\[|$)")
_SPACES = 80


class BracketTags(Finder[Tag]):
    """The tags of a text."""

    def finditer(self, text: str) -> Iterator[Tag]:
        """Yields the tags, in order; a block and all of a raw element is one tag without another."""
        matches = list(finditer(_TAG, text))
        closings: dict[str, list[int]] = {}
        openings = set()
        for match in matches:
            if match["closes"]:
                closings.setdefault(match["name"].lower(), []).append(match.start())
            else:
                openings.add(match["name"].lower())
        done = 0
        for match in matches:
            name = match["name"].lower()
            if match.start() < done or not self._is_tag(match, name, closings, openings):
                continue
            end = match.end()
            if match["closes"]:
                nesting = -1
            elif name in closings and closings[name][-1] > match.start() and not match["alone"]:
                nesting = 1
            else:
                nesting = 0
            if name in _RAW and nesting > 0:
                places = closings[name]
                done = end = text.index("]", places[bisect_right(places, match.start())]) + 1
                nesting = 0
            if name in _BLOCKS or (nesting == 0 and _stands_at_edge(text, match.start(), end)):
                yield Tag(match.start(), end, f"[{name}", 0, Kind.BREAK)
            else:
                yield Tag(match.start(), end, f"[{name}", nesting, Kind.POINT if nesting else Kind.ATOM)

    @staticmethod
    def _is_tag(match: re.Match[str], name: str, closings: dict[str, list[int]], openings: set[str]) -> bool:
        if match["closes"]:
            return not match["value"] and not match["attributes"] and (name in openings or name in _KNOWN)
        if name == "*":
            return "list" in openings
        is_closed = name in closings and closings[name][-1] > match.start()
        has_attribute = bool(match["attributes"]) and _ATTRIBUTE.search(match["attributes"]) is not None
        is_known = bool(match["value"]) and name in _KNOWN
        return is_closed or has_attribute or is_known or (match[0][1:-1] == name and bool(_ALONE.fullmatch(name)))


def _stands_at_edge(text: str, begin: int, end: int) -> bool:
    """Whether a tag that is alone begins or ends a line: else it stands for a word."""
    before = text[max(0, begin - _SPACES) : begin]
    return ((begin <= _SPACES or "\n" in before or "]" in before) and bool(_LINE_BEGIN.search(before))) or bool(
        _LINE_END.match(text, end)
    )


BRACKETS: Expressions = [("]", BracketTags())]
