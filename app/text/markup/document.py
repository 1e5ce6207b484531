"""A marked-up document taken apart into plain texts, and put together again around their translations."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, groupby, takewhile, zip_longest
from typing import NamedTuple

from app.fairness.budget import checkpoint
from app.text.inline.balance import balance
from app.text.inline.codec import Codec
from app.text.inline.objects import Escape, Inline, Kind, Part, read
from app.text.inline.placement import apply, place
from app.text.inline.target_tokens import Link
from app.text.markup.cut_ranges import CutRanges
from app.text.markup.footnotes import with_marks
from app.text.markup.scope import ANNOTATIONS
from app.text.protection.decoding import decode_parts
from app.text.protection.found_objects import find_objects, split
from app.text.protection.patterns import Patterns, find_all
from app.text.protection.protected import with_placeholders
from app.text.untranslated import Reason, Untranslated

# A span that is or begins a tag, or whose first or last sign may become markup beside other words.
_MARKUP = re.compile(r"<[A-Za-z/!?]|^[&*_~|`\\]|[<&*_~|`\\]$")
_TAGS = (Kind.OPENING, Kind.CLOSING)
_TAG = re.compile(r"<[^<>]*>")
_MENTION = re.compile(r"(?:<[^<>]*>\s*){1,9}@")
# Objects in a text count as characters, and so does a text: they take 300 and 1,500 bytes.
_PART_CHARS = 32
_TEXT_CHARS = 128

Write = Callable[[Inline, str, str, Sequence[Link]], tuple[str, tuple[str, ...]]]
"""Takes a text, the text as the source writes it, a translation and its alignment; writes the translation in the syntax
of the document with the objects of the text in it, and tells which it had to guess a place for."""


class Rebuilt(NamedTuple):
    """A document in another language.

    Attributes:
        text: The document, or the part of it, with every piece of markup and every protected span in it exactly once.
        lost: Untranslated parts of sentences, as written, that the model lost; they were put where they probably
            belong. Also the marks of omitted emphasis in Markdown, for which the translation has no word; nothing else
            is ever omitted.
        values: New values of attributes by the old ones; ``extraction.joined`` puts them into the text.
        runs: Each text as the source writes it, and its translation as it is written in ``text``.
    """

    text: str
    lost: tuple[str, ...]
    values: Mapping[str, str]
    runs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document taken apart: skeleton, run, skeleton, …, run, skeleton are the source, byte for byte.

    A long document comes in several of these, each of which goes on where the one before it ends.

    Attributes:
        texts: The translatable texts as a reader sees them, without markup and without white space at their ends. A
            stand-in replaces each untranslated part of a sentence, such as code. The values of attributes come last.
        inlines: The same texts with the markup inside them.
        runs: The same texts as the source writes them.
        skeleton: The source before each run, and behind the last one if the document ends here.
        writers: Functions that write the translation of each text.
        attributes: How many of the texts are values of attributes.
        size: Characters of the texts; texts and their objects count as some more.
        kept: What stays as it is on purpose outside of the texts.
    """

    texts: tuple[str, ...]
    inlines: tuple[Inline, ...]
    runs: tuple[str, ...]
    skeleton: tuple[str, ...]
    writers: tuple[Write, ...]
    attributes: int = 0
    size: int = 0
    kept: tuple[Untranslated, ...] = ()

    def with_placeholders(self, placeholders: Sequence[str]) -> "Document":
        """Returns the document with placeholders as stand-ins, if there are placeholders that a text doesn't have."""
        inlines = tuple(with_placeholders(inline, placeholders) for inline in self.inlines)
        return replace(self, texts=tuple(inline.text for inline in inlines), inlines=inlines)

    def rebuild(self, translations: Sequence[str], alignments: Sequence[Sequence[Link]] | None = None) -> Rebuilt:
        """Puts one translation per text into the document, and the inline markup into the translations.

        A text whose translation equals it is put back as the source wrote it, so ``rebuild(texts)`` is the source.

        Args:
            translations: One for each text, in order.
            alignments: For each text, the characters of text and translation that translate each other. Without, the
                words are taken to keep their order.

        Raises:
            ValueError: if there isn't exactly one translation, and one alignment, per text.
        """
        if len(translations) != len(self.texts):
            raise ValueError(f"expected {len(self.texts)} translations, got {len(translations)}")
        runs: list[str] = []
        lost: list[str] = []
        if alignments is None:
            alignments = [()] * len(translations)
        for index, (translation, links) in enumerate(zip(translations, alignments, strict=True)):
            checkpoint()
            written = self.runs[index]
            if translation != self.texts[index] or self.inlines[index].has_rewrites:
                written, guessed = self.writers[index](self.inlines[index], written, translation, links)
                lost += guessed
            runs.append(written)
        count = len(runs) - self.attributes
        document = "".join(chain.from_iterable(zip_longest(self.skeleton, runs[:count], fillvalue="")))
        values = dict(zip(self.runs[count:], runs[count:], strict=True))
        return Rebuilt(document, tuple(lost), values, tuple(zip(self.runs, runs, strict=True)))


class DocumentBuilder:
    """Collects the texts of a document, in order.

    Attributes:
        protected: Patterns of text that stays unchanged.
        size: As of ``Document``, of what was not taken yet.
    """

    def __init__(self, source: str, protected: Patterns) -> None:
        """Begins a document."""
        self._source, self.protected = source, protected
        self._done = 0
        self._clear()

    def _clear(self) -> None:
        self._inlines: list[Inline] = []
        self._writers: list[Write] = []
        self._runs: list[str] = []
        self._skeleton: list[str] = []
        self._kept: list[Untranslated] = []
        self._attributes = 0
        self.size = 0

    def keep(self, begin: int, end: int, reason: Reason) -> None:
        """Notes that a range of the source stays as it is, if there is a letter or digit in it besides tags."""
        if any(map(str.isalnum, _TAG.sub("", self._source[begin:end]))):
            self._kept.append(Untranslated(begin, end, reason, None))

    def _keep(self, parts: Iterable[Part]) -> None:
        for part in parts:
            self.keep(part.begin, part.end, Reason.PROTECTED if part.kind is Kind.TEXT else Reason.MARKUP)

    def add(self, parts: Sequence[Part], write: Write, escape: Callable[[str], str]) -> None:
        """Takes in a text if it has a letter or digit to translate or a number to write; else it stays in the skeleton.

        What ``trim`` takes off stays in the skeleton too.

        Args:
            parts: In order; a TEXT is blank, or has no white space at its ends.
            write: How to write its translation.
            escape: How to write a protected span.

        Raises:
            InvalidRequest: The search for protected spans takes too long.
        """
        self._keep(part for part in parts if part.kind is Kind.POINT and part.name in ANNOTATIONS)
        parts = trim(with_marks(balance(parts), escape))
        addressees = list(takewhile(_is_addressee, parts))  # of "@anna Good morning!", no part of the sentence
        parted = [part._replace(kind=Kind.BREAK) if part.kind is Kind.ATOM else part for part in addressees]
        inner, codec = self._without_protected([*parted, *parts[len(parted) :]], escape)
        if not any(map(_is_changed, inner)):
            self._keep(part for part in parts if part.kind is Kind.ATOM or part.kind is Kind.TEXT)
            return
        self._keep(addressees)
        begin, end = parts[0].begin, parts[-1].end
        self._skeleton.append(self._source[self._done : begin])
        self._done = end
        self._take_in(self._source[begin:end], inner, write, codec)

    def _take_in(self, run: str, parts: Sequence[Part], write: Write, codec: Codec | None = None) -> None:
        self._runs.append(run)
        self._inlines.append(read(parts, codec=codec))
        self._writers.append(write)
        self.size += len(run) + _PART_CHARS * len(parts) + _TEXT_CHARS

    def add_attribute(self, value: str) -> None:
        """Takes in the value of an attribute, after everything else.

        Raises:
            InvalidRequest: The search for protected spans takes too long.
        """
        ranges, rewrites, _ = find_all(value, self.protected)
        self._take_in(value, split(value, ranges, rewrites=rewrites), _write_plain)
        self._attributes += 1

    def _without_protected(
        self, parts: Sequence[Part], escape: Callable[[str], str]
    ) -> tuple[list[Part], Codec | None]:
        """Replaces protected text in the parts by atoms, one for each stretch of text that a match covers.

        A match may contain tags of elements, because they split long addresses, but no other markup.

        Returns:
            The parts, and how the text of a translation is written.
        """
        parts, codec = decode_parts(parts, self.protected.decoders)
        texts = [part.content if part.kind is Kind.TEXT else "" if part.kind in _TAGS else " " for part in parts]
        whole = "".join(texts)
        places = accumulate(map(len, texts))
        tags = [place for place, part in zip(places, parts, strict=True) if part.kind in _TAGS]
        all_ = find_all(whole, self.protected, tags)
        ranges, others = find_objects(whole, self.protected._replace(marks=()), all_.ranges, has_markup=True)
        cut = CutRanges(whole, all_._replace(ranges=ranges), self.protected, tags)
        begins = [one.begin for one in others]
        found: list[Part] = []
        done = 0
        for is_text, group in groupby(zip(parts, texts, strict=True), key=lambda each: each[0].kind is Kind.TEXT):
            group_parts, group_texts = zip(*group, strict=True)
            text = "".join(group_texts)
            if is_text:
                end = done + len(text)
                own = cut.of_piece((done, end))
                objects = [
                    one._replace(begin=one.begin - done, end=one.end - done)
                    for one in others[bisect_left(begins, done) : bisect_left(begins, end)]
                    if one.end <= end
                ]
                rewrites = {inner: rewrite for inner, rewrite in own.items() if rewrite}
                write = partial(_as_written, escape) if own and self._is_unescaped(group_parts) else escape
                escapes = _joined_escapes(group_parts)
                found += split(text, list(own), write, objects, rewrites, escapes, as_elements=True)
            else:
                found += group_parts
            done += len(text)
        return (balance(found) if others else found), codec

    def _is_unescaped(self, parts: Sequence[Part]) -> bool:
        """Whether the source has the text of all parts as it is, without escapes."""
        return all(part.content.split() == self._source[part.begin : part.end].split() for part in parts)

    def take(self) -> Document:
        """Returns the part of the document since the last call, up to the last text."""
        taken = Document(
            tuple(inline.text for inline in self._inlines),
            tuple(self._inlines),
            tuple(self._runs),
            tuple(self._skeleton),
            tuple(self._writers),
            self._attributes,
            self.size,
            tuple(self._kept),
        )
        self._clear()
        return taken

    def finish(self) -> Document:
        """Returns the rest of the document. Nothing may be added afterwards."""
        self._skeleton.append(self._source[self._done :])
        return self.take()


def trim(parts: Sequence[Part]) -> list[Part]:
    """Removes parts that the translation doesn't touch from both ends of balanced parts.

    These are white space, points, elements without text, and elements around everything, unless their markup has to be
    written differently around another text. A TEXT is expected to be
    blank, or without white space at its ends.
    """
    bearing = [index for index, part in enumerate(parts) if part.kind is Kind.ATOM or part.sticks or _is_text(part)]
    if not bearing:
        return []
    first, last = bearing[0], bearing[-1]
    begin, end = first, last
    open_at: list[int] = []
    for index, part in enumerate(parts):
        if part.kind is Kind.OPENING:
            open_at.append(index)
        elif part.kind is Kind.CLOSING:
            opened = open_at.pop()
            if opened < first < index <= last:
                begin = min(begin, opened)
            elif first < opened < last < index:
                end = max(end, index)
            elif opened < first and last < index and len(part.content) != part.end - part.begin:
                begin, end = opened, index
    inner = parts[begin : end + 1]
    return [part for index, part in enumerate(inner, begin) if first <= index <= last or part.kind is not Kind.TEXT]


def _joined_escapes(parts: Sequence[Part]) -> list[Escape]:
    """The escapes of parts that are one text."""
    places = accumulate((len(part.content) for part in parts), initial=0)
    return [escape.moved(place) for part, place in zip(parts, places, strict=False) for escape in part.escapes]


def _write_plain(inline: Inline, run: str, translation: str, links: Sequence[Link]) -> tuple[str, tuple[str, ...]]:
    edits, lost = place(inline, translation, links)
    return apply(edits, translation), lost


def _is_addressee(part: Part) -> bool:
    return part.content.isspace() or (part.kind is Kind.ATOM and _MENTION.match(part.content) is not None)


def _as_written(escape: Callable[[str], str], span: str) -> str:
    """Leaves a span as it is that the source has without escapes, such as "<%= name %>", if it can't become markup."""
    return escape(span) if _MARKUP.search(span) else span


def _is_changed(part: Part) -> bool:
    """Tells whether a translation may replace the part by something else."""
    return part.rewrite is not None or (part.kind is Kind.TEXT and any(map(str.isalnum, part.content)))


def _is_text(part: Part) -> bool:
    return part.kind is Kind.TEXT and bool(part.content.strip())
