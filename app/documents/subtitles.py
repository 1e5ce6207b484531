"""Subtitles: cues with a time and a few short lines. A sentence may go on from cue to cue.

The cues of a sentence are translated as one text with marks where a cue ends. Word alignment puts the marks into the
translation, so that each cue shows what is being said. Lines are broken anew, as many as there were if that is enough,
and none is longer than the longest of the file.
"""

import html
import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from app.documents.characters import Encoded
from app.documents.document import Document, bounded
from app.documents.inline import INLINE, InlineBuilder, Kind
from app.fairness.budget import checkpoint

_TIMING = r"[ \t]*+-?\d[\d:.,; \t]*+--+>[ \t]*+-?\d[^\r\n]*+"
# The line between two cues is sometimes missing. So a cue ends, too, where the number or the timing of the next stands.
_NEXT = rf"(?:[ \t]*+\d++[ \t]*+\r?\n)?{_TIMING}"
# Each line is matched in one way only: what could be matched in several takes quadratic time where it doesn't end well.
_LINE = r"[^\r\n]++(?:\r?\n|\r|\Z)"
_CUE = re.compile(rf"(?m)^{_TIMING}\r?\n((?:(?!{_NEXT}){_LINE})++)")
_TAG = re.compile(r"</?(?:i|b|u|s|font|c|v|lang|ruby|rt)\b[^<>\r\n]*>|<[\d:.]+>|\{\\[^{}\r\n]*\}", re.IGNORECASE)
_WORD = re.compile(rf"(?:{_TAG.pattern}|\S)++", re.IGNORECASE)
_NAME = re.compile(r"</?([a-zA-Z]+)")
_ENDS_SENTENCE = re.compile(r"""[.!?…:;♪\])]["'»«”’)\]]*+\Z""")
# Who speaks a line: a dash, an arrow, a name in capitals, or a voice of WebVTT.
_DASH = re.compile(r"(?:[-–—♪♫]|>>+)\s*")
_SPEAKER = re.compile(rf"(?:{_DASH.pattern})?(?:<v[ .][^<>\r\n]*+>\s*|(\[?[^\W\d_][\w .'’&#/-]{{0,40}}\]?):\s+)?")
_NAME_IN_SENTENCE = re.compile(r"[^\W\d_]\w*(?: [^\W\d_]\w*){0,2}: ")
_IN_BRACKETS = re.compile(r"\s*(?:\[[^\[\]]*\]|\([^()]*\))\s*")
_MIN_CAPITALS = 4  # letters of a title: "OK!" is none
_TIMES = re.compile(r"<[\d:.]+>")
_OUTER = re.compile(r"(?:<(?:[biu]|font\b[^<>\r\n]*+)>|\{\\[^{}\r\n]*+\})+", re.IGNORECASE)
_OUTER_END = re.compile(r"(?:</(?:[biu]|font)>)+\Z", re.IGNORECASE)
_VOICE_END = "</v>"
# What stands before and behind the words of a cue: notes around what is sung, arrows where another speaker begins.
_OPENING = re.compile(r"((?:<[^<>\r\n]*+>|\{\\[^{}\r\n]*+\})*+)(?:[♪♫]++|>>++)\s*+")
_CLOSING = re.compile(r"[♪♫]*+((?:</[a-zA-Z]++>)*+)\Z")
_INNER_TAG = re.compile(r"<(/?)[a-zA-Z][^<>\r\n]*>")
_LAST = 40
_LEADING_MARKS = re.compile(r"[,.;:!?…]+\s*")
_MAX_CUES = 8
_MIN_LINE_CHARS = 32
_NEXT_CUE, _NEXT_LINE = "\0", "\n"


class _Element:
    """Markup around text; an element that is never closed has no end tag."""

    def __init__(self, opening: str) -> None:
        self.opening, self.closing = opening, ""


class _Turn(NamedTuple):
    """What one speaker says in a cue, or a title or note on lines of its own; ``label`` says who, as it is written."""

    label: str
    lines: list[str]


@dataclass(frozen=True)
class _Cue:
    begin: int
    end: int
    text: str
    turns: list[_Turn]
    width: int  # of its longest line
    line_end: str
    is_sung: bool
    is_reply: bool

    @property
    def lines(self) -> list[str]:
        return [line for turn in self.turns for line in turn.lines]

    @property
    def stretches(self) -> list[str]:
        """What is between the times inside a cue; nothing if there are none."""
        return [stretch for stretch in _divided(self.text)[::2] if stretch.strip()] if _TIMES.search(self.text) else []

    @property
    def is_plain(self) -> bool:
        return bool(self.lines) and not (len(self.turns) > 1 or self.is_sung or _TAG.search(self.text))


def read_subtitles(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data)
    cues = [_cue(match) for match in bounded(_CUE.finditer(file.text))]
    sentences = [(group, builder) for group in _sentences(cues) if (builder := _built(group)).is_translatable]
    longest = max([_MIN_LINE_CHARS, *(cue.width for cue in cues)])

    def write(translations: Sequence[str], language: str) -> bytes:
        pieces: list[str] = []
        done = 0
        rest = iter(translations)
        for group, builder in sentences:
            checkpoint()
            texts = _texts(group, _rendered(builder, next(rest)))
            for cue, text in zip(group, texts, strict=True):
                stretches = [html.unescape(next(rest)) for _ in cue.stretches]
                pieces += file.text[done : cue.begin], cue.line_end.join(_lines(cue, text, stretches, longest))
                done = cue.end
        return file.encoded("".join([*pieces, file.text[done:]]))

    texts = [
        text
        for group, builder in sentences
        for text in (builder.markup, *(html.escape(each, quote=False) for cue in group for each in cue.stretches))
    ]
    return Document(texts=tuple(texts), markup=INLINE, write=write)


def _cue(match: re.Match[str]) -> _Cue:
    text = match[1].rstrip("\r\n")
    begin, end = _inside_tags(text, *_words(text))
    begin, end = begin + len(text[begin:end]) - len(text[begin:end].lstrip()), begin + len(text[begin:end].rstrip())
    is_reply = text.lstrip().startswith(">>") or ">>" in text[:begin]
    turns = _turns([line.strip() for line in text[begin:end].splitlines()])
    if len(turns) == 1 and turns[0].label and not _is_sung(text):  # the label stays where it is
        begin = text.index(turns[0].label.rstrip(), begin) + len(turns[0].label)
        end -= len(_VOICE_END) if text.endswith(_VOICE_END, begin, end) else 0
        turns, is_reply = [_Turn("", [line.strip() for line in text[begin:end].splitlines()])], True
    return _Cue(
        begin=match.start(1) + begin,
        end=match.start(1) + end,
        text=text[begin:end],
        turns=turns,
        width=max(map(_width, text.splitlines())),
        line_end="\r\n" if "\r\n" in match[0] else "\n",
        is_sung=_is_sung(text),
        is_reply=is_reply,
    )


def _is_sung(text: str) -> bool:
    return "♪" in text or "♫" in text


def _inside_tags(text: str, begin: int, end: int) -> tuple[int, int]:
    """Leaves out tags around all of a cue."""
    opening, closing = _OUTER.match(text, begin, end), _OUTER_END.search(text, max(begin, end - _LAST), end)
    if not opening:
        return begin, end
    inside = opening.end(), closing.start() if closing else end
    number = closing[0].count("<") if closing else 0
    return inside if number == opening[0].count("<") and not _INNER_TAG.search(text[slice(*inside)]) else (begin, end)


def _turns(lines: Sequence[str]) -> list[_Turn]:
    """Divides the lines of a cue where another speaker begins, and around titles and notes."""
    turns: list[_Turn] = []
    for line in lines:
        label = _label(line)
        words = line[len(label) :]
        if not turns or label or _NAME_IN_SENTENCE.match(words) or _stands_apart(turns[-1].lines[-1], words):
            turns.append(_Turn(label, [words]))
        else:
            turns[-1].lines.append(words)
    tags = [_INNER_TAG.findall("".join(turn.lines)) for turn in turns]
    if any(2 * each.count("/") != len(each) for each in tags) and "<v" not in "".join(turn.label for turn in turns):
        return [_Turn("", list(lines))]  # an element goes on from line to line
    return turns


def _label(line: str) -> str:
    speaker = _SPEAKER.match(line)
    if not speaker or (speaker[1] and not speaker[1].isupper()):
        speaker = _DASH.match(line)
    return speaker[0] if speaker else ""


def _stands_apart(before: str, line: str) -> bool:
    """Tells whether two lines are not of one sentence: one is a title in capitals or a note in brackets."""
    if _IN_BRACKETS.fullmatch(before) or _IN_BRACKETS.fullmatch(line):
        return True
    capitals = [each.isupper() and sum(map(str.isalpha, each)) >= _MIN_CAPITALS for each in (before, line)]
    has_small = [any(map(str.islower, each)) for each in (before, line)]
    return (capitals[0] and has_small[1]) or (capitals[1] and has_small[0])


def _words(text: str) -> tuple[int, int]:
    """Finds where the words of a cue begin and end: all of it if there are more marks inside, of lines of their own."""
    whole = (0, len(text))
    opening, closing = _OPENING.match(text), _CLOSING.search(text, max(0, len(text) - _LAST))
    if not opening or not closing:
        return whole
    begin = opening.end()
    has_tags = opening[1].count("<") > 0
    end = begin + len(text[begin : max(begin, closing.start())].rstrip()) if has_tags else len(text.rstrip("♪♫ "))
    tags = [is_end == "/" for is_end in _INNER_TAG.findall(text[begin:end])]
    depths = list(accumulate(-1 if is_end else 1 for is_end in tags))
    is_balanced = min(depths, default=0) == 0 == (depths or [0])[-1]
    if begin >= end or (has_tags and opening[1].count("<") != closing[1].count("<")) or not is_balanced:
        return whole
    return whole if re.search("[♪♫]|>>", text[begin:end]) else (begin, end)


def _sentences(cues: Sequence[_Cue]) -> list[list[_Cue]]:
    """Groups consecutive cues without markup until a sentence ends."""
    groups: list[list[_Cue]] = []
    for cue in cues:
        before = groups[-1] if groups else []
        may_go_on = before and before[-1].is_plain and cue.is_plain and not cue.is_reply and len(before) < _MAX_CUES
        if may_go_on and not _ENDS_SENTENCE.search(before[-1].lines[-1][-_LAST:]):
            before.append(cue)
        else:
            groups.append([cue])
    return groups


def _built(group: Sequence[_Cue]) -> InlineBuilder:
    builder = InlineBuilder()
    for index, cue in enumerate(group):
        if index:
            builder.text(" ")
            builder.point(_NEXT_CUE)
        if cue.stretches:
            builder.text(" ".join(_TAG.sub(" ", cue.text).split()))
            continue
        open_: list[tuple[str, int, _Element]] = []
        for number, turn in enumerate(cue.turns):
            if len(cue.turns) > 1:
                builder.line_break((_NEXT_LINE if number else "") + turn.label)
            for following, line in enumerate(turn.lines):
                if following:
                    builder.text(" ")
                _add(builder, line, open_)
        for _, number, _ in reversed(open_):
            builder.close(number)
    return builder


def _add(builder: InlineBuilder, line: str, open_: list[tuple[str, int, _Element]]) -> None:
    done = 0
    for tag in _TAG.finditer(line):
        if done < tag.start():
            builder.text(line[done : tag.start()])
        done = tag.end()
        name = _NAME.match(tag[0])
        if name and not tag[0].startswith("</"):
            element = _Element(tag[0])
            open_.append((name[1].lower(), builder.open(element), element))
        elif name and open_ and open_[-1][0] == name[1].lower():
            _, number, element = open_.pop()
            element.closing = tag[0]
            builder.close(number)
        else:
            builder.point(tag[0])
    if done < len(line):
        builder.text(line[done:])


def _rendered(builder: InlineBuilder, translation: str) -> str:
    pieces = []
    for event in builder.events(translation):
        if event.kind is Kind.TEXT:
            pieces.append(event.text)
        elif event.kind is Kind.OBJECT:
            pieces.append(event.object)
        else:
            pieces.append(event.object.opening if event.kind is Kind.OPEN else event.object.closing)
    return "".join(pieces)


def _texts(group: Sequence[_Cue], rendered: str) -> list[str]:
    """Splits a text among the cues. If a cue would be empty, the words are shared out evenly."""
    texts = [text.strip() for text in rendered.split(_NEXT_CUE)]
    if len(group) == 1:
        return texts
    for index in range(1, len(texts)):
        if marks := _LEADING_MARKS.match(texts[index]):
            texts[index - 1] += marks[0].strip()
            texts[index] = texts[index][marks.end() :]
    if all(any(map(str.isalnum, text)) for text in texts):
        return texts
    words = rendered.replace(_NEXT_CUE, " ").split()
    lengths = [sum(map(len, cue.lines)) for cue in group]
    shares = [round(len(words) * sum(lengths[: index + 1]) / sum(lengths)) for index in range(len(group))]
    return [" ".join(words[begin:end]) for begin, end in zip([0, *shares], shares, strict=False)]


def _lines(cue: _Cue, text: str, stretches: Sequence[str], longest: int) -> list[str]:
    if cue.stretches:
        return _timed(cue.text, text.split(), stretches).splitlines()
    texts = text.split(_NEXT_LINE) if len(cue.turns) > 1 else [text]
    return [line for turn, own in zip(cue.turns, texts, strict=True) for line in _broken(own, len(turn.lines), longest)]


def _divided(text: str) -> list[str]:
    """Divides a text at its tags: every other item is one or more tags."""
    return re.split(rf"((?:{_TAG.pattern})+)", text, flags=re.IGNORECASE)


def _timed(text: str, words: Sequence[str], stretches: Sequence[str]) -> str:
    """Shares words out among the times of a cue, in proportion to the number of words that each had.

    If there are too few, each time has the translation of its own words.
    """
    divided = _divided(text)
    counts = [0 if number % 2 else len(each.split()) for number, each in enumerate(divided)]
    ends = [round(len(words) * count / max(1, sum(counts))) for count in accumulate(counts)]
    shares = iter(
        stretches
        if len(words) < len(stretches)
        else [" ".join(words[begin:end]) for count, begin, end in zip(counts, [0, *ends], ends, strict=False) if count]
    )
    pieces = []
    for each, count in zip(divided, counts, strict=True):
        inner = each.strip()
        before, _, behind = each.partition(inner) if count else (each, "", "")
        pieces.append(before + (" ".join(next(shares).split()) if count else "") + behind)
    return "".join(pieces)


def _broken(text: str, least: int, longest: int) -> list[str]:
    """Breaks a text into lines, as many as there were unless they would be too long."""
    words = _WORD.findall(text)
    widths = [_width(word) for word in words]
    total = sum(widths) + len(words) - 1
    number = max(least, math.ceil(total / longest))
    # The narrowest width that needs no more lines; a greater width never needs more.
    narrowest = range(total // number, longest)
    width = bisect_left(narrowest, True, key=lambda width: len(_wrapped(words, widths, width)) <= number)
    return _wrapped(words, widths, narrowest.start + width)


def _wrapped(words: Sequence[str], widths: Sequence[int], width: int) -> list[str]:
    lines: list[list[str]] = []
    room = -1
    for word, own in zip(words, widths, strict=True):
        if own < room:
            lines[-1].append(word)
            room -= own + 1
        else:
            lines.append([word])
            room = width - own
    return [" ".join(line) for line in lines]


def _width(text: str) -> int:
    """Counts the visible characters."""
    return len(_TAG.sub("", text))
