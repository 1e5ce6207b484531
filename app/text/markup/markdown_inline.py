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
    link,
    newline,
    strikethrough,
)
from markdown_it.token import Token

from app.text.budget import checkpoint
from app.text.inline.objects import Kind, Part
from app.text.markup.collector import TextCollector
from app.text.markup.html_tokenizer import Tokenizer

Environment = dict[str, Any]
"""The parser's state of a document besides its blocks, above all its link definitions."""

_Rule = Callable[[StateInline, bool], bool]
_RULES: dict[str, _Rule] = {
    "newline": newline,
    "escape": escape,
    "backticks": backtick,
    "strikethrough": strikethrough.tokenize,
    "emphasis": emphasis.tokenize,
    "link": link,
    "image": image,
    "autolink": autolink,
    "html_inline": html_inline,
    "entity": entity,
}
# Task boxes and alerts, footnotes, containers and admonitions, which CommonMark doesn't know.
_TASK = re.compile(r"\[(?:[ xX]|!\w+)\]\s+")
_LINE_LABEL = re.compile(
    r"""\[\^[^\[\]\s]+\]:\s+
    | :{3,}[^\n]*(?:\n|$)
    | (?:!!!|\?\?\?\+?)[ ](?:abstract|attention|bug|caution|danger|error|example|failure|hint|important|info|note
    |question|quote|success|summary|tip|todo|warning)(?:[ ]"[^"\n]*")?[ ]*(?:\n|$)""",
    re.VERBOSE,
)
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]+\]")
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
    tokens = _parser().parse(source, environment)
    # To CommonMark, a footnote of one word or address is the definition of a link.
    references = environment.get("references", {})
    environment["references"] = {label: place for label, place in references.items() if not label.startswith("^")}
    return tokens, environment


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
            collector.add(Part(mark.kind, text, mark.name, mark.begin, mark.end))
    _collect_text(content, done, len(content), collector)
    collector.end_text()


def _collect_text(content: str, begin: int, end: int, collector: TextCollector) -> None:
    for match in _FOOTNOTE.finditer(content, begin, end):
        collector.add_text(begin, match.start())
        sticks = content[: match.start()][-1:].strip() != ""
        collector.add(Part(Kind.POINT, match[0], "", match.start(), match.end(), sticks=sticks))
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
        elif rule in ("image", "html_inline"):
            self._marks.append(_Mark(begin, end, Kind.POINT, _HTML if rule == "html_inline" else ""))
        elif rule in ("backticks", "autolink"):
            if any(token.type != "text" for token in tokens):
                self._marks.append(_Mark(begin, end, Kind.ATOM))
        elif any(token.type == "hardbreak" for token in tokens):
            self._marks.append(_Mark(begin, end, None))
        elif rule == "newline" and (label := _LINE_LABEL.match(self._content, end)):
            self._marks.append(_Mark(begin, label.end(), None))
        elif rule == "newline":
            self._marks.append(_Mark(begin, end, Kind.TEXT, text=" "))
        elif tokens and tokens[-1].type == "text_special":
            self._marks.append(_Mark(begin, end, Kind.TEXT, text=tokens[-1].content))

    def marks(self) -> list[_Mark]:
        """Returns all marks in order."""
        marks = list(self._marks)
        for begin, run in self._runs:
            marks += _emphasis(begin, run)
        return sorted(marks, key=lambda mark: (mark.begin, mark.end))


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
    for rule, find in _RULES.items():
        parser.inline.ruler.at(rule, _recording(rule, find))
    return parser
