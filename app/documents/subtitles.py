"""Subtitles: cues with a time and a few short lines. A sentence may go on from cue to cue.

The cues of a sentence are translated as one text with marks where a cue ends. Word alignment puts the marks into the
translation, so that each cue shows what is being said. Lines are broken anew, as many as there were if that is enough,
and none is longer than the longest of the file.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.documents.characters import Encoded
from app.documents.document import Document, bounded
from app.documents.inline import INLINE, InlineBuilder, Kind
from app.text.budget import checkpoint

_TIMING = r"[ \t]*+-?\d[\d:.,; \t]*+--+>[ \t]*+-?\d[^\r\n]*+"
# The line between two cues is sometimes missing. So a cue ends, too, where the number or the timing of the next stands.
_NEXT = rf"(?:[ \t]*+\d++[ \t]*+\r?\n)?{_TIMING}"
# Each line is matched in one way only: what could be matched in several takes quadratic time where it doesn't end well.
_LINE = r"(?=[^\S\r\n]*+[^\s])[^\r\n]*+(?:\r?\n|\r|\Z)"
_CUE = re.compile(rf"(?m)^{_TIMING}\r?\n((?:(?!{_NEXT}){_LINE})++)")
_TAG = re.compile(r"</?(?:i|b|u|s|font|c|v|lang|ruby|rt)\b[^<>\r\n]*>|<[\d:.]+>|\{\\[^{}\r\n]*\}", re.IGNORECASE)
_WORD = re.compile(rf"(?:{_TAG.pattern}|\S)++", re.IGNORECASE)
_NAME = re.compile(r"</?([a-zA-Z]+)")
_ENDS_SENTENCE = re.compile(r"""[.!?…:;♪\])]["'»«”’)\]]*+\Z""")
_SPEAKER = re.compile(r"(?:[-–—♪♫]|>>+)\s*")
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


@dataclass(frozen=True)
class _Cue:
    begin: int
    end: int
    lines: list[str]
    line_end: str
    is_sung: bool
    is_reply: bool

    @property
    def has_speakers(self) -> bool:
        """Tells whether each line belongs to another speaker."""
        return len(self.lines) > 1 and all(map(_SPEAKER.match, self.lines))

    @property
    def is_plain(self) -> bool:
        return not (self.has_speakers or self.is_sung or any(map(_TAG.search, self.lines)))


def read_subtitles(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data)
    cues = [_cue(match) for match in bounded(_CUE.finditer(file.text))]
    sentences = [(group, builder) for group in _sentences(cues) if (builder := _built(group)).is_translatable]
    longest = max([_MIN_LINE_CHARS, *(_width(line) for cue in cues for line in cue.lines)])

    def write(translations: Sequence[str], language: str) -> bytes:
        pieces: list[str] = []
        done = 0
        for (group, builder), translation in zip(sentences, translations, strict=True):
            checkpoint()
            for cue, text in zip(group, _texts(group, _rendered(builder, translation)), strict=True):
                pieces += file.text[done : cue.begin], cue.line_end.join(_lines(cue, text, longest))
                done = cue.end
        return file.encoded("".join([*pieces, file.text[done:]]))

    return Document(texts=tuple(builder.markup for _, builder in sentences), markup=INLINE, write=write)


def _cue(match: re.Match[str]) -> _Cue:
    text = match[1].rstrip("\r\n")
    begin, end = _words(text)
    lines = [line.strip() for line in text[begin:end].splitlines()]
    return _Cue(
        begin=match.start(1) + begin,
        end=match.start(1) + end,
        lines=lines,
        line_end="\r\n" if "\r\n" in match[0] else "\n",
        is_sung="♪" in text or "♫" in text,
        is_reply=text.lstrip().startswith(">>") or ">>" in text[:begin],
    )


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
        goes_on = before and not _ENDS_SENTENCE.search(before[-1].lines[-1][-_LAST:]) and len(before) < _MAX_CUES
        if goes_on and cue.is_plain and before[-1].is_plain and not cue.is_reply:
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
        open_: list[tuple[str, int, _Element]] = []
        for number, line in enumerate(cue.lines):
            speaker = _SPEAKER.match(line) if cue.has_speakers else None
            if speaker:
                builder.line_break((_NEXT_LINE if number else "") + speaker[0])
            elif number:
                builder.text(" ")
            _add(builder, line[speaker.end() :] if speaker else line, open_)
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


def _lines(cue: _Cue, text: str, longest: int) -> list[str]:
    if cue.has_speakers:
        return [" ".join(line.split()) for line in text.split(_NEXT_LINE)]
    words = _WORD.findall(text)
    widths = [_width(word) for word in words]
    total = sum(widths) + len(words) - 1
    number = max(len(cue.lines), math.ceil(total / longest))
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
