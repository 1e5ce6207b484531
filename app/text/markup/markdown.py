"""Takes the translatable text out of Markdown (CommonMark with tables and strikethrough) and puts translations back.

``app.text.markup.markdown_inline`` finds the objects in a paragraph, which are then placed as in HTML. As Markdown
can't write emphasis everywhere ("a**!**b" has none), each translation is read again, and written another way if it has
changed.
"""

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import count, takewhile, zip_longest

from markdown_it.token import Token

from app.errors import TextTooLong
from app.fairness.budget import checkpoint
from app.text.inline.objects import Element, Inline, Kind, Part
from app.text.inline.placement import apply, place
from app.text.inline.target_tokens import Link
from app.text.markup.collector import TextCollector
from app.text.markup.document import DocumentBuilder
from app.text.markup.front_matter import FRONT_MATTER, read_front_matter
from app.text.markup.html import escape_html, write_html
from app.text.markup.html_tokenizer import Tokenizer
from app.text.markup.markdown_blocks import VERBATIM
from app.text.markup.markdown_inline import Environment, collect, parse_blocks, parse_inline
from app.text.markup.markdown_verbatim import is_formula
from app.text.markup.scope import MARKDOWN, splitting_names
from app.text.protection.expressions import Checked
from app.text.protection.patterns import Patterns, compile_patterns
from app.text.untranslated import Reason

# What the parser knows of a document takes up to 500 bytes a character, of a paragraph up to 900.
_MAX_CHARS = 1_000_000
_MAX_PARAGRAPH_CHARS = 100_000

# Links of wikis, emoji, mentions and citations, and formulas in HTML.
_EXTENSIONS = Patterns(
    harmless=(
        *compile_patterns([r"regex:!?\[\[[^\[\]\n]+\]\]"]).expressions,
        Checked(r"(?:^|[\s(])(:[a-z0-9_+-]*[a-z+-][a-z0-9_+-]*:)"),
        Checked(r"(?:^|[\s\[;(-])(@[A-Za-z0-9_][\w:./-]*)\b"),
        Checked(r"(?:^|[\s(>*_])(\$\$[^\s$](?:[^$\n]*[^\s$])?\$\$|\$[^\s$.,-](?:[^$\n]*[^\s$])?\$)", is_formula),
    )
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_BEFORE_ROW = re.compile(r"[\s>]*+(?:(?:[-+*]|\d++[.)])\s++)*+[\s>]*+\|")
_PIPE = re.compile(r"(?<!\\)\|")

_CODE = {"fence", "code_block", VERBATIM}
_LITERAL = {"text", "text_special", "softbreak"}
_EMPHASIS = re.compile(r"[*_~]+")
_OTHER_MARK = str.maketrans("*_", "_*")
# Characters that are markup, or may be, and what makes a block where it begins a line.
_SPECIAL = re.compile(
    r"[`*\[\]|]|~(?=~)|(?<=~)~|\\(?=[!-/:-@\[-`{-~]|\Z)|<(?=[a-zA-Z/!?]|\Z)|&(?=#?\w+;)|(?<!\w)_|_(?!\w)|(?<!\S)#(?=#*(?:\s|\Z))"
)
# This may be markup, together with the text beside it or at the beginning of a line.
_RISKY = re.compile(r"<(?=[a-zA-Z/!?]|\Z)|`|^(?:#+|~+)$")
# A list, a quotation, or a line that makes a heading of the line before: not "-5 °C", "1.5 kg".
_BLOCK_START = re.compile(r"(\d{1,9}(?=[.)](?:\s|\Z))|(?=[-+](?:\s|\Z)|>|[-=:]+\s*\Z))")


def read_markdown(source: str, builder: DocumentBuilder) -> Iterator[None]:
    """Finds the translatable texts of a Markdown document (CommonMark, with tables and strikethrough).

    Left alone: front matter but for its title and the like, code, link destinations and titles, images, link
    definitions, HTML tags and what HTML says not to translate, labels of footnotes, links of wikis (``[[Page]]``), the
    first line of admonitions without their title (``!!! note``, ``::: tip``), and what ``markdown_blocks`` and
    ``markdown_verbatim`` find: formulas, template tags, attributes, and the code of MDX.

    Args:
        source: Markdown; any string is accepted that is not too long.
        builder: Takes the texts in. After every yield there may be more of them.

    Raises:
        TextTooLong: The document or a paragraph of it has too many characters.
        InvalidRequest: The search for protected spans takes too long.
    """
    if len(source) > _MAX_CHARS:
        raise TextTooLong(f"Markdown of {len(source)} characters is too long; at most {_MAX_CHARS} are allowed.")
    builder.protected |= _EXTENSIONS
    return _Reader(source, builder).read()


class _Reader:
    def __init__(self, source: str, builder: DocumentBuilder) -> None:
        self._source, self._builder = source, builder
        front_matter = FRONT_MATTER.match(source)
        self._begin = front_matter.end() if front_matter else 0
        # Blanked, so that lines keep their numbers.
        body = re.sub(r"[^\r\n]", " ", source[: self._begin]) + source[self._begin :]
        self._tokens, self._environment = parse_blocks(body)
        longest = max((len(token.content) for token in self._tokens if token.type == "inline"), default=0)
        if longest > _MAX_PARAGRAPH_CHARS:
            raise TextTooLong(
                f"A paragraph of the Markdown has {longest} characters; at most {_MAX_PARAGRAPH_CHARS} are allowed."
            )
        self._writer = _Writer(self._environment)
        self._lines = [match.span() for match in _LINE.finditer(source)]
        self._splitting = splitting_names(source, (), MARKDOWN)
        self._in_row = False

    def read(self) -> Iterator[None]:
        read_front_matter(self._source, self._begin, self._builder)
        yield
        row: Iterator[list[int] | None] = iter(())
        for index, token in enumerate(self._tokens):
            checkpoint()
            if token.type == "tr_open":
                rest = map(self._tokens.__getitem__, count(index))  # a slice would be all that follows
                cells = [cell.content for cell in takewhile(_is_in_row, rest) if cell.type == "inline"]
                row, self._in_row = self._cells(token, cells), True
            elif token.type == "tr_close":
                self._in_row = False
            elif token.type == "inline":
                places = next(row) if self._in_row else self._places(token)
                if places:
                    self._read_inline(token.content, places)
            elif token.type == "html_block":
                yield from self._read_html(token)
            elif token.type in _CODE and token.map:
                self._builder.keep(self._lines[token.map[0]][0], self._lines[token.map[1] - 1][1], Reason.MARKUP)
            yield

    def _read_inline(self, content: str, places: Sequence[int]) -> None:
        """Reads a paragraph, given the place of each of its characters in the source."""

        def emit(parts: Sequence[Part]) -> None:
            placed = []
            for part in parts:
                begin, end = places[part.begin], places[part.end - 1] + 1
                markup = part.content
                if "\n" in markup:  # what follows it may be the mark of a quotation
                    markup = " ".join(markup.split("\n"))
                elif markup == content[part.begin : part.end] and part.kind is not Kind.TEXT:
                    markup = self._source[begin:end]  # a table escapes "|" even in code
                placed.append(part._replace(content=markup, begin=begin, end=end))
            self._builder.add(placed, self._writer.write, self._escape_span)

        collect(content, self._environment, TextCollector(content, MARKDOWN, self._splitting, emit))

    def _read_html(self, token: Token) -> Iterator[None]:
        first, last = token.map or (0, 0)
        begin, end = self._lines[first][0], self._lines[last - 1][1]
        html = self._source[begin:end]
        if html.strip().splitlines() != token.content.strip().splitlines():
            return  # in a quotation or list, with the marks of these in between

        def emit(parts: Sequence[Part]) -> None:
            moved = [part._replace(begin=part.begin + begin, end=part.end + begin) for part in parts]
            self._builder.add(moved, write_html, escape_html)

        collector = TextCollector(html, MARKDOWN, self._splitting, emit)
        for html_token in Tokenizer(html, "html"):
            collector.take(html_token)
            yield
        collector.finish()

    def _places(self, token: Token) -> list[int] | None:
        """Returns the positions of the characters of a paragraph or heading; None if they are unknown."""
        first = (token.map or [0])[0]
        places: list[int] = []
        for number, line in enumerate(token.content.split("\n"), first):
            begin, end = self._lines[number]
            at = self._source.rfind(line.strip(), begin, end) - (len(line) - len(line.lstrip()))
            if at < begin:
                return None
            places += range(at, at + len(line) + 1)
        return places

    def _cells(self, row: Token, contents: Sequence[str]) -> Iterator[list[int] | None]:
        """Returns the positions of the characters in a row's cells; None where they are unknown."""
        begin, end = self._lines[(row.map or [0])[0]]
        line = self._source[begin:end].rstrip()
        bounds = [0, *(match.end() for match in _PIPE.finditer(line)), len(line) + 1]
        if _BEFORE_ROW.match(line):
            bounds.pop(0)
        for content, first, after in zip_longest(contents, bounds, bounds[1:]):
            if content is None or after is None:
                yield None
                continue
            places = [
                place
                for place in range(first, after - 1)
                if not line.startswith("\\|", place)  # of "\|" the reader sees "|" alone
            ]
            text = "".join(line[place] for place in places)
            at = text.rfind(content)
            yield [begin + place for place in places[at : at + len(content)]] if content and at >= 0 else None

    def _escape_span(self, text: str) -> str:
        is_markup = self._writer.objects(text) or _RISKY.search(text) or (self._in_row and "|" in text)
        return escape_markdown(text) if is_markup else text


class _Writer:
    """Separate from the reader: a document keeps its writer, so a writer that kept it would make a reference cycle."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def write(self, inline: Inline, run: str, translation: str, links: Sequence[Link]) -> tuple[str, tuple[str, ...]]:
        """Writes a translation as Markdown: see ``app.text.markup.document.Write``.

        The result has all objects of the text if the translation has a word (text between spaces) for each emphasis and
        each link; nested ones can share a word. Only emphasis without a word is dropped, and its mark is reported as
        lost.
        """
        # Emphasis can begin or end beyond a line break that ends the text.
        elements = inline.elements[1:]
        before = "".join("[" if one.closing[:1] == "]" else one.closing for one in elements if not one.opening)
        after = "".join("](x)" if one.opening == "[" else one.opening for one in reversed(elements) if not one.closing)
        before, after = f"{before}x<br>", f"<br>x{after}"
        wanted = self.objects(before + run + after)
        emphasis = [index for index, element in enumerate(inline.elements) if _is_emphasis(element)]
        kept, version, coarse = len(emphasis), inline, False
        while True:
            placement = place(version, translation, links, coarse=coarse)
            written = _finish(apply(placement.edits, translation, escape_markdown))
            objects = self.objects(before + written + after)
            # Brackets need no escapes where they make no link; "]:" may define one.
            if "[" in run and "\\[" not in run and "]:" not in translation:
                plain = _finish(apply(placement.edits, translation, _escape_but_brackets))
                if self.objects(before + plain + after) == objects:
                    written = plain
            lost = (*placement.lost, *(inline.elements[index].opening for index in emphasis[kept:]))
            missing = 2 * sum(_EMPHASIS.fullmatch(markup) is not None for markup in lost)
            is_whole = objects <= wanted and objects.total() + missing == wanted.total()
            if (is_whole and not written.startswith("~~~")) or (coarse and not kept):  # that would be a block of code
                return written, lost
            if coarse:  # can't be written even so, for a reason unknown: fewer may do
                kept //= 2
            version, coarse = _with_emphasis(inline, set(emphasis[:kept])), True

    def objects(self, text: str) -> Counter[tuple[str, ...]]:
        return Counter(
            (token.type, " ".join(token.content.split()), str(token.attrs))
            for token in parse_inline(text, self._environment)
            if token.type not in _LITERAL
        )


def escape_markdown(text: str) -> str:
    """Escapes plain text for Markdown, in one line."""
    return _SPECIAL.sub(r"\\\g<0>", re.sub(r"\s", " ", text))


def _escape_but_brackets(text: str) -> str:
    """Escapes plain text for Markdown, but for brackets, such as those of "[Unreleased]"."""
    return re.sub(r"\\([\[\]])", r"\1", escape_markdown(text))


def _is_emphasis(element: Element) -> bool:
    return element.opening == element.closing and _EMPHASIS.fullmatch(element.opening) is not None


def _with_emphasis(inline: Inline, kept: Container[int]) -> Inline:
    """Keeps only some emphasis, so that no "*" stands directly in "*" and no "_" in "_"."""
    elements = list(inline.elements)
    for index, element in enumerate(elements):
        if _is_emphasis(element):
            around = [elements[outer].opening[:1] for outer in element.path[:-1]]
            outer_mark = next((mark for mark in reversed(around) if mark in ("*", "_")), "")
            mark = element.opening if index in kept else ""
            if mark[:1] == outer_mark:
                mark = mark.translate(_OTHER_MARK)
            elements[index] = replace(element, opening=mark, closing=mark)
    return replace(inline, elements=elements)


def _finish(text: str) -> str:
    """Escapes the beginning of a line where it would begin a block."""
    return _BLOCK_START.sub(r"\1\\", text.strip(), count=1) if _BLOCK_START.match(text.strip()) else text.strip()


def _is_in_row(token: Token) -> bool:
    return token.type != "tr_close"
