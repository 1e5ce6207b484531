"""A second attempt at a sentence, and the attempts that keep its numbers and protected spans.

They replace them by other stand-ins, or translate only the text between them. One attempt needs no other translation:
it takes out words that follow themselves.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import NamedTuple

from app.engine.options import SearchOptions
from app.text.inline.objects import NAMES
from app.text.inline.placement import Edit, apply
from app.text.inline.target_tokens import Link
from app.text.protection.protected import Offsets, Protected, moved, protect_ranges
from app.text.quality_checks import loops
from app.text.usual_spelling import usual_spelling
from app.text.well_formed import SIGNS
from languages.language import Language

# No model keeps more numbers apart, and the attempt takes as long as the sentence did.
_MAX_NUMBERS = 12
_PIECE = re.compile(r"\W*+(.*\w)", re.DOTALL)  # without the spaces and punctuation around it
# A span that a program writes a number for: a conversion of C's fprintf for numbers, or the name of a count.
_COUNT = re.compile(
    r"%[^a-zA-Z%(]*(?:hh?|ll?|[jztqL])?[diufFeEgG]\b|(?:^|[^a-zA-Z])(?:count|total|num(?:ber)?|amount|n)\b",
    re.IGNORECASE,
)
# Numbers that all languages write alike. Numbers with a point or a comma differ, so the model translates them.
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[:/-]\d+)*(?![.,]?\d)")
# A word that follows itself, perhaps as the beginning of a compound: "without without", "child child-friendly".
_SAID_AGAIN = re.compile(r"\b([^\W\d_]+(?:['’][^\W\d_]+)*)( \1\b)", re.IGNORECASE)
_ORDINAL = re.compile(r"\.[ \u00a0][^\W\d_]")  # "in der 89. Minute"


class Aligned(NamedTuple):
    """A translation and its alignment."""

    text: str
    links: tuple[Link, ...]


@dataclass(frozen=True)
class Attempt:
    """Texts to translate one by one, and a function that makes the sentence's translation from theirs.

    Attributes:
        texts: The texts; none if the attempt changes a translation that is there.
        join: Joins the translations; returns None if they are not usable.
        options: How to search; None for the request's options.
    """

    texts: tuple[str, ...]
    join: Callable[[Sequence[Aligned]], Aligned | None]
    options: SearchOptions | None = None


def in_usual_spelling(attempt: Attempt, language: Language) -> Attempt:
    """The attempt with its texts in the usual spelling of their language."""
    edits = [usual_spelling(text, language) for text in attempt.texts]
    back = [backwards(each) for each in edits]

    def join(translations: Sequence[Aligned]) -> Aligned | None:
        own = zip(translations, back, strict=True)
        return attempt.join([Aligned(text, moved(links, offsets, Offsets(()))) for (text, links), offsets in own])

    return replace(attempt, texts=tuple(map(apply, edits, attempt.texts)), join=join)


def with_words_said_once(source: str, translation: Aligned, doubled: Collection[str]) -> Iterator[Attempt]:
    """Takes out words that follow themselves, unless the source has such words, too, or the translation is a loop.

    Args:
        source: The sentence.
        translation: Its translation.
        doubled: The words that may stand twice in the language of the translation; none if nobody knows them.
    """
    if not doubled or _SAID_AGAIN.search(source) or loops(source, translation.text):
        return
    found = (match for match in _SAID_AGAIN.finditer(translation.text) if match[1].casefold() not in doubled)
    if edits := [Edit(*match.span(2), "") for match in found]:
        links = moved(translation.links, Offsets(()), Offsets.of(edits))
        once = Aligned(
            apply(edits, translation.text), tuple(link for link in links if link.target_begin < link.target_end)
        )
        yield Attempt((), lambda _: once)


def with_numbers_kept(source: str, placeholders: Sequence[str]) -> Iterator[Attempt]:
    """Replaces numbers by placeholders, as many as there are placeholders that the sentence doesn't contain."""
    if numbered := _numbered(source, placeholders):
        yield Attempt((numbered.text,), lambda translations: _restored(numbered, translations[0]))


def with_signs_kept(source: str, placeholders: Sequence[str]) -> Iterator[Attempt]:
    """Replaces brackets and other signs that no translation changes by placeholders."""
    free = [placeholder for placeholder in placeholders if placeholder not in source]
    ranges = [match.span() for match in SIGNS.finditer(source)]
    if 0 < len(ranges) <= len(free):
        kept = protect_ranges(source, ranges, free)
        yield Attempt((kept.text,), lambda translations: _restored(kept, translations[0]))


def cut_at_numbers(source: str, placeholders: Sequence[str]) -> Iterator[Attempt]:
    """Translates what is between the numbers, piece by piece: see ``cut``."""
    if numbered := _numbered(source, placeholders, ordinals=False):
        pieces = cut(numbered)

        def join(translations: Sequence[Aligned]) -> Aligned | None:
            joined = pieces.join(translations)
            return joined and _restored(numbered, joined)

        yield replace(pieces, join=join)


def _numbered(source: str, placeholders: Sequence[str], *, ordinals: bool = True) -> Protected | None:
    """Return the sentence with placeholders for its numbers; None if it has none, or there are no placeholders."""
    free = [placeholder for placeholder in placeholders if placeholder not in source]
    found = (match for match in _NUMBER.finditer(source) if ordinals or not _ORDINAL.match(source, match.end()))
    ranges = [match.span() for match in found][: len(free)]
    return protect_ranges(source, ranges, free) if ranges else None


def _restored(numbered: Protected, translation: Aligned) -> Aligned | None:
    """Return the translation with the numbers; None if it has lost one."""
    restored = numbered.restore(*translation)
    return None if restored.lost else Aligned(restored.text, numbered.restore_links(translation.links, restored))


def with_other_stand_ins(
    sentence: Protected, placeholders: Sequence[str] = (), *, cuts: bool = True
) -> Iterator[Attempt]:
    """Yields the attempts to make while protected spans are lost; the last attempt keeps all of them.

    Args:
        sentence: The sentence with its stand-ins.
        placeholders: Characters that the model carries over exactly once.
        cuts: Whether to make that last attempt, see ``cut``, and the attempts with names in the place of numbers. If
            not, spans may be lost.
    """
    if not sentence.stand_ins:
        return
    is_placeholder = [not sentence.text[begin].isalnum() for begin, _ in sentence.stand_ins]
    if not all(is_placeholder):
        own = renamed(sentence, placeholders)
        if own:
            yield own
    few = len(sentence.stand_ins) <= _MAX_NUMBERS
    counts = [few and _COUNT.search(span) is not None for span in sentence.spans]
    kinds = [counts] if all(counts) or (any(counts) and not cuts) else []
    if cuts or not any(counts):
        kinds += [[False] * len(counts)] if any(is_placeholder) else []
        kinds += [[True] * len(counts)] if few else []
    for are_numbers in {tuple(kind): kind for kind in kinds}.values():
        if attempt := renamed(sentence, _mixed(sentence.text, are_numbers)):
            yield attempt
    if cuts:
        yield cut(sentence)


def _mixed(text: str, are_numbers: Sequence[bool]) -> Iterator[str]:
    """Yields stand-ins that a text doesn't have: numbers for some spans, names for the others."""
    folded = text.casefold()
    names = (name for name in NAMES if name.casefold() not in folded)
    numbers = (number for number in map(str, count(57, 13)) if number not in folded)
    for is_number in are_numbers:
        if stand_in := next(numbers if is_number else names, None):
            yield stand_in


def renamed(sentence: Protected, stand_ins: Iterable[str]) -> Attempt | None:
    """Uses other stand-ins, each once: models often copy a number where they drop a name. None if there are too few."""
    places = sentence.stand_ins
    folded = sentence.text.casefold()
    unused = list(islice((new for new in stand_ins if new.casefold() not in folded), len(places)))
    if len(unused) < len(places):
        return None
    forth = [Edit(begin, end, new) for (begin, end), new in zip(places, unused, strict=True)]
    known = {new: sentence.text[begin:end] for begin, end, new in forth}
    text = apply(forth, sentence.text)
    source = backwards(forth)

    def join(translations: Sequence[Aligned]) -> Aligned | None:
        [translation] = translations
        pattern = rf"(?<![\w.,])(?:{'|'.join(unused)})(?![.,]?\w)"
        back = [Edit(*match.span(), known[match[0]]) for match in re.finditer(pattern, translation.text)]
        if sorted(translation.text[begin:end] for begin, end, _ in back) != sorted(unused):
            return None
        target = Offsets.of(back)
        return Aligned(apply(back, translation.text), moved(translation.links, source, target))

    return Attempt((text,), join)


def backwards(edits: Sequence[Edit]) -> Offsets:
    """Maps offsets in the edited text to offsets in the original text."""
    moved = 0
    ranges = []
    for begin, end, replacement in edits:
        ranges.append((begin + moved, begin + moved + len(replacement), end - begin))
        moved += len(replacement) - (end - begin)
    return Offsets(ranges)


def cut(sentence: Protected) -> Attempt:
    """Translates the text between the spans piece by piece, so that the spans keep their order and neighbours.

    This is the last resort: the pieces lack context, and words can't move across a span.
    """
    pieces: list[tuple[int, int]] = []
    size, done = len(sentence.text), 0
    for begin, end in [*sentence.stand_ins, (size, size)]:
        piece = _PIECE.match(sentence.text, done, begin)
        if piece and any(map(str.isalpha, piece[1])):
            # The last piece keeps its full stop or question mark, which the model needs to see.
            pieces.append((piece.start(1), size if begin == size else piece.end(1)))
        done = end

    def join(translations: Sequence[Aligned]) -> Aligned:
        edits: list[Edit] = []
        inner: list[tuple[int, Link]] = []
        for (begin, end), (text, links) in zip(pieces, translations, strict=True):
            if sentence.text[end - 1].isalnum():  # models like to end a text with a full stop
                text = text.rstrip(".!? ")
            edits.append(Edit(begin, end, text or sentence.text[begin:end]))
            inner += ((begin, link) for link in links if link.target_begin < len(text))
        offsets = Offsets.of(edits)
        # A stand-in is linked to itself.
        links_of_all = [Link(begin, end, offsets.begin(begin), offsets.end(end)) for begin, end in sentence.stand_ins]
        links_of_all += (link.moved(begin, offsets.begin(begin)) for begin, link in inner)
        return Aligned(apply(edits, sentence.text), tuple(sorted(links_of_all, key=lambda link: link[2:])))

    return Attempt(tuple(sentence.text[begin:end] for begin, end in pieces), join)
