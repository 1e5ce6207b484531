"""Patterns of text that a translation must keep unchanged, and the search for them.

    patterns = compile_patterns(["{{name}}", "%s", "regex:[$][A-Z_]+"])
    ranges = find(text, patterns)

Regular expressions are RE2's, which has no lookaround and no backreferences. Their time is in proportion to the text,
but up to 40 µs a character, and they come from strangers. So all searches of a request share a bound on their time.
"""

import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise
from typing import Any, NamedTuple

import re2

from app.errors import InvalidRequest
from app.fairness.budget import checkpoint
from app.text.inline.objects import Rewrite
from app.text.inline.placement import apply
from app.text.numerals.grammar import localize
from app.text.separators import separators_of_lines

MAX_PATTERNS = 100
MAX_PATTERN_CHARS = 200
REGEX_PREFIX = "regex:"
# Memory for the program and tables of one regular expression, and of all expressions of a request together. Compiling
# 1 MiB takes 20 ms.
_MAX_EXPRESSION_BYTES = 1 << 20
_MAX_EXPRESSIONS_BYTES = 16 << 20
_MAX_SEARCH_S = 2.0
# RE2 can't be stopped, so a long text is searched in windows. They overlap by the longest match that is found for sure.
_WINDOW_CHARS = 32_768
MAX_MATCH_CHARS = 8_192
# Each becomes a handful of objects.
_MAX_SPANS = 100_000
# In a text whose letters to look for are \x01 and whose signs are \x02: words with such a letter, and signs with what
# modifies them (joiners, variation selectors, colours of skin); a space may lie between.
_WORD = r"[\p{L}\p{M}\p{N}]*\x01[\p{L}\p{M}\p{N}\x01]*"
_SIGN = r"\x02[\x02\p{M}\p{Cf}\p{Sk}]*"
_MARKED = re2.compile(f"(?:{_WORD}|{_SIGN})(?: ?(?:{_WORD}|{_SIGN}))*")

# Signs between two variables that belong together: a time, a part of a whole, a range, a size, a version.
_JOINERS = frozenset(":/.-–×x+_@=")

Range = tuple[int, int]
"""Begin and end of a stretch of text, in code points."""


class SearchTime:
    """The time that the searches of one request may still take.

    Args:
        left_s: Seconds.
    """

    def __init__(self, left_s: float) -> None:
        self._left_s = left_s
        self._began = 0.0

    def __enter__(self) -> "SearchTime":
        self._began = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self._left_s -= time.monotonic() - self._began

    def check(self) -> None:
        """Raises an error if the time is used up.

        Raises:
            InvalidRequest: It has taken too long.
            Cancelled, DeadlineExceeded: As ``checkpoint``.
        """
        checkpoint()
        if time.monotonic() - self._began > self._left_s:
            raise InvalidRequest("The protect patterns take too long on this text; make them simpler.")


class Patterns(NamedTuple):
    r"""Patterns, ready to search with.

    Attributes:
        literals: Strings.
        expressions: Compiled regular expressions.
        harmless: Compiled regular expressions that take little time on any text.
        marks: Harmless expressions for marks between the words of a sentence, such as colours.
        tags: Find the tags of elements in plain text.
        brackets: Find tags in brackets, which are tags in markup, too.
        breaks: Harmless expressions for what parts two texts, such as ``\n``.
        choices: Find the syntax around the branches of messages, and the variables in them.
        decoders: Read characters that the text writes differently; see ``app.text.protection.decoding``.
        letters: Characters that protect the words that they are in.
        signs: Characters that protect themselves.
        search_time: For literals and expressions; None where there are none.
        numerals: Code of the text's language and of the locale to write its numbers for; None leaves them to the model.
    """

    literals: tuple[str, ...] = ()
    expressions: tuple[Any, ...] = ()
    harmless: tuple[Any, ...] = ()
    marks: tuple[Any, ...] = ()
    tags: tuple[Any, ...] = ()
    brackets: tuple[Any, ...] = ()
    breaks: tuple[Any, ...] = ()
    choices: tuple[Any, ...] = ()
    decoders: tuple[Any, ...] = ()
    letters: frozenset[str] = frozenset()
    signs: frozenset[str] = frozenset()
    search_time: SearchTime | None = None
    numerals: tuple[str, str] | None = None

    def __or__(self, other: "Patterns") -> "Patterns":
        """Returns patterns that protect everything that either operand protects."""
        if other is NOTHING or self is NOTHING:
            return self if other is NOTHING else other
        return Patterns(
            self.literals + other.literals,
            self.expressions + other.expressions,
            self.harmless + other.harmless,
            self.marks + other.marks,
            self.tags + other.tags,
            self.brackets + other.brackets,
            self.breaks + other.breaks,
            self.choices + other.choices,
            self.decoders + other.decoders,
            self.letters | other.letters,
            self.signs | other.signs,
            self.search_time or other.search_time,
            self.numerals or other.numerals,
        )


NOTHING = Patterns()


class Found(NamedTuple):
    """The matches of patterns in a text.

    Attributes:
        ranges: Disjoint and in order.
        rewrites: Replacements for some of them.
        numbers: Replacements for numbers, each of which is in a range.
    """

    ranges: list[Range]
    rewrites: Mapping[Range, Rewrite]
    numbers: Mapping[Range, Rewrite]


def check_patterns(patterns: Sequence[str]) -> tuple[str, ...]:
    """Check the number and lengths of patterns, which takes no time. The rest is for ``compile_patterns`` to check.

    Raises:
        InvalidRequest: There are too many, or one is empty or too long.
    """
    if len(patterns) > MAX_PATTERNS:
        raise InvalidRequest(f"protect has {len(patterns)} patterns; at most {MAX_PATTERNS} are allowed.")
    for number, pattern in enumerate(patterns, 1):
        if not pattern or pattern == REGEX_PREFIX or len(pattern) > MAX_PATTERN_CHARS:
            raise InvalidRequest(f"protect pattern {number} must have 1 to {MAX_PATTERN_CHARS} characters.")
    return tuple(patterns)


def compile_patterns(patterns: Sequence[str]) -> Patterns:
    """Compile patterns: each is a literal string, or a regular expression (RE2) after ``regex:``.

    Takes up to 0.4 s.

    Raises:
        InvalidRequest: There are too many or too long ones, or one is empty or no valid expression.
        Cancelled, DeadlineExceeded: As ``checkpoint``.
    """
    check_patterns(patterns)
    expressions = {
        number: pattern.removeprefix(REGEX_PREFIX)
        for number, pattern in enumerate(patterns, 1)
        if pattern.startswith(REGEX_PREFIX)
    }
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # only the whole match counts, and finding groups takes several times as long
    options.max_mem = min(_MAX_EXPRESSION_BYTES, _MAX_EXPRESSIONS_BYTES // max(1, len(expressions)))
    literals = dict.fromkeys(pattern for pattern in patterns if not pattern.startswith(REGEX_PREFIX))
    compiled = tuple(_compile(number, expression, options) for number, expression in expressions.items())
    return Patterns(tuple(literals), compiled, search_time=SearchTime(_MAX_SEARCH_S))


def _compile(number: int, expression: str, options: re2.Options) -> Any:
    checkpoint()
    try:
        return re2.compile(expression, options)
    except (re2.error, UnicodeEncodeError) as error:
        if "too large" in str(error):
            reason = "is too large a regular expression; make it simpler, or send fewer of them."
        else:
            reason = "is not a regular expression that RE2 understands (it has no lookaround and no backreferences)."
        raise InvalidRequest(f"protect pattern {number} {reason}") from None
    finally:
        re2.purge()  # free RE2's tables, which would outlive the request


def find(text: str, patterns: Patterns, *, with_marks: bool = True) -> list[Range]:
    """Finds the matches of the patterns, in order; matches that overlap or touch are one range.

    In a text of more than 32,768 characters, a match of a client's expression has at most 8,192.

    Args:
        text: Any string.
        patterns: What to find.
        with_marks: Also find marks and tags.

    Raises:
        InvalidRequest: The search takes too long, or finds too much.
        Cancelled, DeadlineExceeded: As ``checkpoint``.
    """
    with patterns.search_time or SearchTime(_MAX_SEARCH_S) as left:
        own = [_occurrences(text, literal, left) for literal in patterns.literals]
        own += [_matches(text, expression, left) for expression in patterns.expressions]
        found = collected(chain.from_iterable(own))
    marks_and_tags = (*patterns.marks, *patterns.tags)
    atoms = collected(match.span() for expression in patterns.harmless for match in expression.finditer(text))
    others = marks_and_tags if with_marks else ()
    searches: list[Iterable[Range]] = [_joined(text, atoms)]
    searches += [(match.span() for match in expression.finditer(text)) for expression in others]
    if patterns.letters or patterns.signs:
        marks = {1: " ", 2: " "}  # for characters 1 and 2 that are in the text already
        marks |= dict.fromkeys(map(ord, patterns.letters), "\x01") | dict.fromkeys(map(ord, patterns.signs), "\x02")
        objects = (*patterns.brackets, *patterns.breaks, *patterns.choices, *(() if with_marks else marks_and_tags))
        blank = [match.span() for expression in objects for match in expression.finditer(text)]
        blank += separators_of_lines(text)
        searches.append(match.span() for match in _MARKED.finditer(_blanked(blank, text).translate(marks)))
    return collected(chain(found, *searches))


def _joined(text: str, ranges: Iterable[Range]) -> Iterator[Range]:
    """Makes one range of two that only a sign joins, whose parts models would move: ``%d:%02d``, ``{page}/{pages}``."""
    last: Range | None = None
    for begin, end in ranges:
        if last and text[last[1] : begin] in _JOINERS:
            begin = last[0]
        elif last:
            yield last
        last = begin, end
    if last:
        yield last


def _blanked(ranges: Iterable[Range], text: str) -> str:
    r"""Blanks what stands between words: its signs would protect the words that touch it, as in "one\nLine"."""
    return apply(((begin, end, " " * (end - begin)) for begin, end in merged(ranges)), text)


def find_all(text: str, patterns: Patterns, tags: Sequence[int] = (), *, with_marks: bool = True) -> Found:
    """Finds the matches of ``find``, and the numbers outside of them that a translation writes differently.

    Args:
        text: The text without tags.
        patterns: What to find.
        tags: Where tags were. Harmless expressions may also match between two tags: "%d<br>items" has a "%d".
        with_marks: As of ``find``.

    Raises:
        InvalidRequest: The search takes too long, or finds too much.
        Cancelled, DeadlineExceeded: As ``checkpoint``.
    """
    found = find(text, patterns, with_marks=with_marks)
    if tags:
        found = merged([*found, *_between(text, patterns, tags)])
    if patterns.numerals is None:
        return Found(found, {}, {})
    numerals = localize(text, *patterns.numerals)
    ends = [end for _, end in found]
    rewrites = {}
    for begin, end, rewrite in numerals:
        index = bisect_right(ends, begin)
        if rewrite and not (index < len(found) and found[index][0] < end):
            rewrites[begin, end] = rewrite
    ranges = collected(chain(found, (numeral[:2] for numeral in numerals)))
    return Found(ranges, rewrites_of(text, ranges, rewrites), rewrites)


def _between(text: str, patterns: Patterns, tags: Sequence[int]) -> Iterator[Range]:
    for first, last in pairwise([0, *tags, len(text)]):
        for expression in patterns.harmless:
            for match in expression.finditer(text[first:last]):
                yield first + match.start(), first + match.end()


def rewrites_of(text: str, ranges: Sequence[Range], rewrites: Mapping[Range, Rewrite]) -> dict[Range, Rewrite]:
    """The rewrites of whole ranges: a number that touches a tag is in one range with it, as in "<b>4.763,13</b>"."""
    begins = [begin for begin, _ in ranges]
    whole: dict[Range, Rewrite] = {}
    for index, group in groupby(sorted(rewrites), key=lambda number: bisect_right(begins, number[0]) - 1):
        first, last = ranges[index] if index >= 0 else (0, 0)
        numbers = [number for number in group if first <= number[0] and number[1] <= last]
        written, done = "", first
        for number in numbers:
            written += text[done : number[0]] + rewrites[number].text
            done = number[1]
        if numbers:
            is_alone = numbers == [(first, last)]
            gap = " " if written[-1:].isdecimal() and text[done : done + 1].isdecimal() else ""  # "€19 1)" for "19 €1)"
            whole[first, last] = rewrites[first, last] if is_alone else Rewrite(written + gap + text[done:last])
    return whole


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Sorts ranges, merges ranges that overlap or touch, and drops empty ones."""
    found: list[Range] = []
    for begin, end in sorted(ranges):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif begin < end:
            found.append((begin, end))
    return found


def _occurrences(text: str, literal: str, left: SearchTime) -> Iterator[Range]:
    left.check()
    begin = text.find(literal)
    while begin >= 0:
        yield begin, begin + len(literal)
        left.check()
        begin = text.find(literal, begin + len(literal))


def _matches(text: str, expression: Any, left: SearchTime) -> Iterator[Range]:
    """Finds the matches of a client's expression, window by window."""
    begin = 0
    while True:
        end = min(begin + _WINDOW_CHARS, len(text))
        # Of a match that begins behind this, the rest may lie beyond the window.
        surely = end if end == len(text) else end - MAX_MATCH_CHARS
        shown = max(0, begin - 1)  # one character more on each side, for \b and the like
        done = surely
        left.check()
        for match in expression.finditer(text[shown : end + 1], begin - shown, end - shown):
            left.check()
            first, last = match.span()
            if shown + first >= surely:
                break
            yield shown + first, shown + last
            done = max(surely, shown + last)
        if end == len(text):
            return
        begin = done


def collected(ranges: Iterable[Range]) -> list[Range]:
    """Merges ranges as they are found, so that few of them are kept.

    Raises:
        InvalidRequest: There are too many.
    """
    found: list[Range] = []
    for begin, end in ranges:
        checkpoint()
        if found and found[-1][0] <= begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif begin < end:
            found.append((begin, end))
        if len(found) > 2 * _MAX_SPANS:
            found = _counted(merged(found))
    return _counted(merged(found))


def _counted(spans: list[Range]) -> list[Range]:
    if len(spans) > _MAX_SPANS:
        raise InvalidRequest(f"A text has more than {_MAX_SPANS:,} spans to protect; send it in parts.")
    return spans
