"""Finds the inline objects of Markdown with their kinds and character ranges.

``markdown-it-py`` finds the objects, but doesn't report their positions. So its inline rules are wrapped: each wrapper
reports the characters that its rule consumed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import (
    StateInline,
    autolink,
    backtick,
    emphasis,
    entity,
    escape,
    html_inline,
    image,
    newline,
    strikethrough,
)
from markdown_it.token import Token

from app.fairness.budget import checkpoint
from app.text.inline.objects import Kind, Part
from app.text.markup.collector import TextCollector
from app.text.markup.html_tokenizer import Tokenizer
from app.text.markup.markdown_blocks import VERBATIM, add_blocks
from app.text.markup.markdown_verbatim import ATOM, ATTRIBUTES, find_link, find_verbatim
from app.text.markup.scope import is_place_of_word

Environment = dict[str, Any]
"""The parser's state of a document besides its blocks, above all its link definitions."""

_Rule = Callable[[StateInline, bool], bool]
_RULES: dict[str, _Rule] = {
    "newline": newline,
    "escape": escape,
    "backticks": backtick,
    "strikethrough": strikethrough.tokenize,
    "emphasis": emphasis.tokenize,
    "link": find_link,
    "image": image,
    "autolink": autolink,
    "html_inline": html_inline,
    "entity": entity,
}
# Task boxes and alerts, footnotes, containers and admonitions, which CommonMark doesn't know.
_TASK = re.compile(r"\[(?:[ xX]|![\w|-]+)\][-+]?\s+")
_LINE_LABEL = re.compile(
    r"""\[\^[^\[\]\s]+\]:\s+
    | [*]\[[^\[\]\n]+\]:\s+
    | [|][ ]+
    | :[ ]+
    | :{3,}[ ]*[\w-]+(?:[ ]+(?=[^\W\d_][^\n{}]*[^\n{}: ][ ]*(?:\n|$))|\[(?=[^\[\]\n]+\]))  # a title follows
    | :{3,}[^\n]*(?:\n|$)
    | (?:!!!|\?\?\?\+?)[ ](?:abstract|attention|bug|caution|danger|error|example|failure|hint|important|info|note
    |question|quote|success|summary|tip|todo|warning)(?:[ ]"[^"\n]*")?[ ]*(?:\n|$)""",
    re.VERBOSE,
)
# What ends the title of a container: ":::tip Title", ":::tip[Title]{#id}".
_TITLE_END = re.compile(r"(?:^|\n):{3,}[ ]*[\w-]+(?:[ ][^\n]*?|\[[^\[\]\n]+(?=\]))(?P<end>\]?(?:\{[^{}\n]*\})?[ ]*)\Z")
# Words with ~sub~ and ^sup^ are one word of a formula if they are short; else the sign is a mark behind a word.
_SCRIPT = r"(?<![\w~^\\])[\w)\]]{0,20}(?:[~^](?![~^])[^\s~^]{1,12}[~^](?![~^])\w{0,20}){1,10}"
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_MARKED = re.compile(r"(?<![=+^~\w])(==|\+\+|\^\^|~)(?=[^\s=+^~])([^\n]{1,500}?)(?<=[^\s=+^~])\1(?![=+^~\w])")
# Marks of footnotes, and ids of blocks in Obsidian.
_NO_WORDS = re.compile(r"(?P<footnote>\[\^[^\[\]\s]+\]|(?<=\s)\^[\w-]{1,40}\Z)|" + _SCRIPT)
_HTML = "html"
_RECORDER = "recorder"


class _Mark(NamedTuple):
    """Characters that are not plain text: a part, an HTML tag, or (of no kind) a line break that ends the text."""

    begin: int
    end: int
    kind: Kind | None
    name: str = ""
    text: str = ""


def parse_blocks(source: str) -> tuple[list[Token], Environment]:
    """Returns the block tokens of a document; their inline content is not parsed yet."""
    environment: Environment = {}
    return _parser().parse(source, environment), environment


def parse_inline(content: str, environment: Environment) -> list[Token]:
    """Parses the content of a paragraph, or a part of it, into inline tokens."""
    parser = _parser()
    return parser.inline.parse(content, parser, environment, [])


def collect(content: str, environment: Environment, collector: TextCollector) -> None:
    """Passes every object of a paragraph to a collector, whose source is the content of the paragraph."""
    recorder = _Recorder(content)
    parse_inline(content, {**environment, _RECORDER: recorder})
    label = _TASK.match(content) or _LINE_LABEL.match(content)
    done = label.end() if label else 0
    for mark in recorder.marks():
        checkpoint()
        if mark.begin < done:
            continue
        _collect_text(content, done, mark.begin, collector)
        done = mark.end
        if mark.name == _HTML:
            for token in Tokenizer(content[mark.begin : mark.end], "html"):
                collector.take(token._replace(start=token.start + mark.begin, end=token.end + mark.begin))
        elif mark.kind is None:
            collector.end_text()
        else:
            text = mark.text or content[mark.begin : mark.end]
            sticks = mark.name == ATTRIBUTES and mark.end < len(content) and not content[mark.begin - 1].isspace()
            collector.add(Part(mark.kind, text, mark.name, mark.begin, mark.end, sticks=sticks))
    _collect_text(content, done, len(content), collector)
    collector.finish()


def _collect_text(content: str, begin: int, end: int, collector: TextCollector) -> None:
    for match in _NO_WORDS.finditer(content, begin, end):
        first, kind = match.start(), Kind.POINT
        if not match["footnote"]:
            base = min(place for place in (match[0].find("~"), match[0].find("^")) if place >= 0)
            if not base or _LONG_WORD.fullmatch(match[0], 0, base):
                first += base  # a mark behind a word
            else:
                kind = Kind.ATOM
        collector.add_text(begin, first)
        sticks = kind is Kind.POINT and content[first - 1 : first].strip() != ""
        collector.add(Part(kind, content[first : match.end()], "", first, match.end(), sticks=sticks))
        begin = match.end()
    collector.add_text(begin, end)


class _Recorder:
    """Records the characters that the inline rules consume, and returns the objects when the parser is done."""

    def __init__(self, content: str) -> None:
        self._content = content
        self._marks: list[_Mark] = []
        self._runs: list[tuple[int, list[tuple[Token, int]]]] = []

    def note(self, rule: str, begin: int, state: StateInline, tokens: Sequence[Token]) -> None:
        """Records what a rule consumed, from ``begin`` to the state's position, and the tokens that it pushed."""
        if state.src is not self._content:  # the text in place of an image is parsed on its own
            return
        end = state.pos
        if rule == "link":
            label_end = state.md.helpers.parseLinkLabel(state, begin, True)
            closing = self._content[label_end:end]
            if closing in ("]", "][]"):  # the text is also the name of a link definition, and must not be so any more
                closing = f"][{self._content[begin + 1 : label_end]}]"
            self._marks += (
                _Mark(begin, begin + 1, Kind.OPENING, "link"),
                _Mark(label_end, end, Kind.CLOSING, "link", closing),
            )
        elif rule in ("emphasis", "strikethrough"):
            # One token for each mark; before them may be one for the text before. The parser pairs them off later.
            pushed = [(token, len(token.content)) for token in tokens]
            while sum(length for _, length in pushed) > end - begin:
                pushed.pop(0)
            self._runs.append((begin, pushed))
        elif rule == "image":
            is_word = is_place_of_word(self._content[max(0, begin - 2) : begin], self._content[end : end + 1])
            self._marks.append(_Mark(begin, end, Kind.ATOM if is_word else Kind.POINT))
        elif rule == "html_inline":
            self._marks.append(_Mark(begin, end, Kind.POINT, _HTML))
        elif rule == VERBATIM:
            kind = tokens[-1].markup
            self._marks.append(_Mark(begin, end, Kind.ATOM if kind == ATOM else Kind.POINT, kind))
        elif rule in ("backticks", "autolink"):
            if any(token.type != "text" for token in tokens):
                self._marks.append(_Mark(begin, end, Kind.ATOM))
        elif any(token.type == "hardbreak" for token in tokens):
            self._marks.append(_Mark(begin, end, None))
        elif rule == "newline" and self._content.startswith("[!") and self._content.find("\n", 0, begin) < 0:
            self._marks.append(_Mark(begin, end, None))  # behind the title of an alert
        elif rule == "newline" and (title := self._title_end(begin)) is not None:
            label = _LINE_LABEL.match(self._content, end)
            self._marks.append(_Mark(title, label.end() if label else end, None))
        elif rule == "newline" and (label := _LINE_LABEL.match(self._content, end)):
            self._marks.append(_Mark(begin, label.end(), None))
        elif rule == "newline":
            self._marks.append(_Mark(begin, end, Kind.TEXT, text=" "))
        elif tokens and tokens[-1].type == "text_special":
            self._marks.append(_Mark(begin, end, Kind.TEXT, text=tokens[-1].content))

    def _title_end(self, end: int) -> int | None:
        """Returns where the title of a container ends in a line that ends at a place; None if there is none."""
        line = max(0, self._content.rfind("\n", 0, end))
        match = _TITLE_END.match(self._content, line, end)
        return match.start("end") if match else None

    def marks(self) -> list[_Mark]:
        """Returns all marks in order."""
        marks = list(self._marks)
        for begin, run in self._runs:
            marks += _emphasis(begin, run)
        for match in _MARKED.finditer(self._content):
            if "+" in match[2] and match[1] == "++":  # ++ctrl+c++
                marks.append(_Mark(*match.span(), Kind.ATOM))
                continue
            marks.append(_Mark(match.start(), match.start(2), Kind.OPENING, match[1]))
            marks.append(_Mark(match.end(2), match.end(), Kind.CLOSING, match[1]))
        title, size = self._title_end(len(self._content)), len(self._content)
        if title is not None and title < size:
            marks.append(_Mark(title, size, None))
        return self._with_attributes(sorted(marks, key=lambda mark: (mark.begin, mark.end)))

    def _with_attributes(self, marks: Iterable[_Mark]) -> list[_Mark]:
        """Makes attributes a part of the mark or object that they stand behind."""
        joined: list[_Mark] = []
        for mark in marks:
            before = joined[-1] if joined else mark
            is_object = before.kind in (Kind.CLOSING, Kind.ATOM, Kind.POINT) and before.name != _HTML
            if mark.name == ATTRIBUTES and before.end == mark.begin and is_object:
                text = (before.text or self._content[before.begin : before.end]) + self._content[mark.begin : mark.end]
                joined[-1] = before._replace(end=mark.end, text=text)
            else:
                joined.append(mark)
        return joined


def _emphasis(begin: int, tokens: Iterable[tuple[Token, int]]) -> Iterator[_Mark]:
    """The meaning of the marks in a run of "*", "_" or "~"."""
    half = begin  # of a "**" that opens, the parser empties the first half; of one that closes, the second
    for token, length in tokens:
        end = begin + length
        if token.nesting == 1:
            yield _Mark(half, end, Kind.OPENING, token.tag)
        elif token.nesting == -1:
            yield _Mark(begin, end + (len(token.markup) - length), Kind.CLOSING, token.tag)
        if token.content or token.nesting:
            half = end
        begin = end


def _recording(rule: str, find: _Rule) -> _Rule:
    def find_and_note(state: StateInline, silent: bool) -> bool:
        begin, count = state.pos, len(state.tokens)
        found = find(state, silent)
        recorder = state.env.get(_RECORDER)
        if found and not silent and recorder is not None:
            recorder.note(rule, begin, state, state.tokens[count:])
        return found

    return find_and_note


def _look_at_budget(*_: object) -> bool:
    checkpoint()
    return False


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.inline.ruler2.disable("fragments_join")  # it would move the marks that turn out to be text
    # The first rule that is tried everywhere takes nothing, and ends the work when its time is over.
    parser.block.ruler.before("table", "checkpoint", _look_at_budget, {"alt": []})
    parser.inline.ruler.before("text", "checkpoint", _look_at_budget)
    add_blocks(parser)
    parser.inline.ruler.before("escape", VERBATIM, _recording(VERBATIM, find_verbatim))
    for rule, find in _RULES.items():
        parser.inline.ruler.at(rule, _recording(rule, find))
    return parser
