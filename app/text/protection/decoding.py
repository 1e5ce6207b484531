r"""Reads the characters that a text writes differently, so that the model sees words: ``Don\'t`` is "Don't"."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from app.text.inline.codec import Codec
from app.text.inline.objects import Escape, Kind, Part
from app.text.inline.placement import apply


class Written(NamedTuple):
    """A range of a text, and the characters that it is written for."""

    begin: int
    end: int
    meaning: str


Decoder = Callable[[str], tuple[Sequence[Written], Codec]]
"""Finds what a text writes differently, in order and disjoint, and how to write a translation."""


class Decoded(NamedTuple):
    """A text as it is read.

    Attributes:
        text: The text.
        escapes: Its characters that are written differently, in order.
        codec: Writes translations the same way; None to write them as they are.
    """

    text: str
    escapes: tuple[Escape, ...] = ()
    codec: Codec | None = None

    def undone(self, parts: Iterable[Part]) -> list[Part]:
        """Returns parts of the text with its escapes: those of words for the reader, the others as they were."""
        if not self.escapes:
            return list(parts)
        places = [escape.place for escape in self.escapes]
        done, found = 0, []
        for part in parts:
            end = done + len(part.content)
            inside = self.escapes[bisect_left(places, done) : bisect_left(places, end)]
            moved = tuple(escape.moved(-done) for escape in inside)
            if part.kind is Kind.TEXT:
                found.append(part._replace(escapes=moved))
            else:
                found.append(part._replace(content=as_written(part.content, moved)))
            done = end
        return found


def decode(text: str, decoders: Sequence[Decoder]) -> Decoded:
    """Reads a text with all decoders; of two that read the same characters, the first does."""
    written, codec = _find(text, decoders)
    return Decoded(*_read(text, written), codec)


def decode_parts(parts: Sequence[Part], decoders: Sequence[Decoder]) -> tuple[list[Part], Codec | None]:
    """Reads the TEXT parts of marked-up text, which are one text; each gets its escapes."""
    texts = [part.content if part.kind is Kind.TEXT else "\ufffc" for part in parts]
    written, codec = _find("".join(texts), decoders)
    if not written:
        return list(parts), None
    begins = [one.begin for one in written]
    read: list[Part] = []
    done = 0
    for part, text in zip(parts, texts, strict=True):
        end = done + len(text)
        inside = written[bisect_left(begins, done) : bisect_left(begins, end)]
        own = _read(text, [Written(begin - done, last - done, meaning) for begin, last, meaning in inside])
        read.append(part._replace(content=own[0], escapes=own[1]) if inside else part)
        done = end
    return read, codec


def _find(text: str, decoders: Sequence[Decoder]) -> tuple[list[Written], Codec | None]:
    found: list[Written] = []
    codec = None
    for decoder in decoders:
        written, own = decoder(text)
        if written:
            found += written
            codec = codec | own if codec else own
    disjoint: list[Written] = []
    for one in sorted(found, key=lambda one: one[:2]):
        if not disjoint or disjoint[-1].end <= one.begin:
            disjoint.append(one)
    return disjoint, codec


def _read(text: str, written: Sequence[Written]) -> tuple[str, tuple[Escape, ...]]:
    pieces: list[str] = []
    escapes: list[Escape] = []
    done = size = 0
    for begin, end, meaning in written:
        pieces += text[done:begin], meaning
        size += begin - done
        escapes.append(Escape(size, len(meaning), text[begin:end]))
        size += len(meaning)
        done = end
    return "".join([*pieces, text[done:]]), tuple(escapes)


def as_written(content: str, escapes: Iterable[Escape]) -> str:
    """Writes a stretch of a decoded text as it was; the escapes are in order, with places in the stretch."""
    return apply(((place, place + length, written) for place, length, written in escapes), content)
