"""All second attempts at a sentence that is visibly wrong or has lost protected spans.

In this order:

| attempt | what it mends | what is translated |
| --- | --- | --- |
| digits | changed numbers | the sentence with placeholders for its numbers |
| formality | the wrong register | the sentence, without the words that are of it, up to three times |
| search | any verdict | the sentence, with a beam and without repetitions |
| placeholders, names, numbers | lost spans | the sentence with other stand-ins |
| cut | lost spans | what is between the spans, piece by piece |
| copy | a loop | nothing: the source is better than a loop |

Each result reads as if the model had kept the stand-ins. The best translation of all attempts is used.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Literal, NamedTuple, TypeVar

from app.engine.interface import Alternative, SentenceTranslation, TextTranslation
from app.engine.options import SearchOptions
from app.errors import DragomanError
from app.text.formality import Formality
from app.text.inline.objects import NAMES
from app.text.inline.placement import Edit, apply
from app.text.inline.target_tokens import Link
from app.text.protection.protected import Offsets, Protected, moved, protect_ranges
from app.text.quality_checks import Verdict, judge, loops
from app.text.terms.glossary import missing
from app.work_pool import TEXT_POOL

Result = TypeVar("Result")
Translate = Callable[[Sequence[str], SearchOptions], Awaitable[list[TextTranslation]]]
"""Translates texts, each as one sentence."""

# No model keeps more numbers apart, and the attempt takes as long as the sentence did.
_MAX_NUMBERS = 12
_PIECE = re.compile(r"\W*+(.*\w)", re.DOTALL)  # without the spaces and punctuation around it
# Numbers that all languages write alike. Numbers with a point or a comma differ, so the model translates them.
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[:/-]\d+)*(?![.,]?\d)")
# In a sentence of at most this many characters, one repeated word is a loop ("salad salad").
_SHORT_CHARS = 24
# Longer sentences are judged in the pool: 10 ms for one of 1,500 characters.
_INLINE_CHARS = 500
_FORMALITY_ATTEMPTS = 3  # each avoids the words of the wrong register that the ones before it came up with
_FORMALITY_BEAM = 8
# A verdict that the client's own length limit causes needs no second attempt: it would meet the same limit.
_FROM_MAX_LENGTH = frozenset({Verdict.TRUNCATED, Verdict.TOO_SHORT})
_FROM_MIN_LENGTH = frozenset({Verdict.TOO_LONG})


class Aligned(NamedTuple):
    """A translation and its alignment."""

    text: str
    links: tuple[Link, ...]


@dataclass(frozen=True)
class Attempt:
    """Texts to translate one by one, and a function that makes the sentence's translation from theirs.

    Attributes:
        name: Name in the table above.
        texts: The texts.
        join: Joins the translations; returns None if they are not usable.
        options: How to search; None for the request's options.
    """

    name: Literal["digits", "formality", "search", "placeholders", "names", "numbers", "cut"]
    texts: tuple[str, ...]
    join: Callable[[Sequence[Aligned]], Aligned | None]
    options: SearchOptions | None = None


class _Ranked(NamedTuple):
    """A translation of the sentence, and what is wrong with it, the worst fault first."""

    is_loop: bool
    lost: int
    missing: int
    verdicts: int
    translation: SentenceTranslation
    offending: tuple[str, ...]


def _faults(ranked: _Ranked) -> tuple[bool, int, int, int]:
    return ranked[:4]


class Versions:
    """The translations of one sentence so far, ranked by their faults; among equals, the earlier one is better.

    Args:
        translation: The first translation.
        protected: The sentence with its stand-ins; None if it has none.
        formality: The register that it must have; None for any.
    """

    def __init__(
        self, translation: SentenceTranslation, protected: Protected | None, formality: Formality | None = None
    ) -> None:
        self.protected, self._formality = protected, formality
        self._ranked = sorted(map(self._rank, translation.versions), key=_faults)

    @property
    def best(self) -> SentenceTranslation:
        """The best translation, without alternatives."""
        return self._ranked[0].translation

    @property
    def offending(self) -> tuple[str, ...]:
        """Words of the wrong register in any of the translations; none if the best has none."""
        own = [word for ranked in self._ranked for word in ranked.offending]
        return tuple(dict.fromkeys(own)) if self._ranked[0].offending else ()

    @property
    def has_lost(self) -> bool:
        """The best translation lacks protected spans."""
        return self._ranked[0].lost > 0

    def add(self, attempt: Attempt, translations: Sequence[TextTranslation]) -> None:
        """Adds the translations that come of an attempt's texts."""
        sentences = [sentence for translation in translations for sentence in translation.sentences]
        if len(translations) == len(sentences) == 1:
            for version in sentences[0].versions:
                self._add(attempt, [Aligned(version.text, version.alignment)], [version])
        else:
            self._add(attempt, [Aligned(each.text, each.alignment) for each in translations], sentences)
        self._ranked.sort(key=_faults)

    def result(self, options: SearchOptions) -> SentenceTranslation:
        """Returns the best translation with the others as alternatives.

        It is the source if the best is a loop, unless somebody is writing the translation.
        """
        best = self.best
        versions = [ranked.translation for ranked in self._ranked]
        if self._ranked[0].is_loop and options.prefix is None:
            confidence = None if best.confidence is None else 0.0
            copied = (Verdict.COPIED_SOURCE,)
            best = replace(best, text=best.source, confidence=confidence, verdicts=copied, alignment=())
        others = {one.text: _as_alternative(one) for one in reversed(versions) if one.text != best.text}
        return replace(best, alternatives=tuple(reversed(others.values()))[: options.n_best - 1])

    def _add(self, attempt: Attempt, texts: Sequence[Aligned], parts: Sequence[SentenceTranslation]) -> None:
        joined = attempt.join(texts)
        if joined is None:
            return
        best = self.best
        chances = [part.confidence for part in parts if part.confidence is not None]
        if attempt.texts == (best.source,) and len(parts) == 1:
            verdicts = parts[0].verdicts
        else:
            is_truncated = any(Verdict.TRUNCATED in part.verdicts for part in parts)
            verdicts = judge(best.source, joined.text, truncated=is_truncated)
        translation = replace(
            best,
            text=joined.text,
            score=min((part.score for part in parts), default=best.score),
            confidence=min(chances, default=best.confidence),
            verdicts=verdicts,
            alignment=joined.links,
        )
        self._ranked.append(self._rank(translation))

    def _rank(self, translation: SentenceTranslation) -> _Ranked:
        lost = self.protected.restore(translation.text, translation.alignment).lost if self.protected else ()
        is_loop = bool(translation.verdicts) and loops(translation.source, translation.text)
        lacking = missing(translation.text, translation.terms)
        offending: tuple[str, ...] = ()
        if self._formality:
            offending = self._formality.offending(translation.source, translation.text)
            own = tuple(verdict for verdict in translation.verdicts if verdict != Verdict.FORMALITY)
            translation = replace(translation, verdicts=(*own, Verdict.FORMALITY) if offending else own)
        return _Ranked(is_loop, len(lost), lacking, len(translation.verdicts), translation, offending)


async def improve(
    translation: SentenceTranslation,
    protected: Protected | None,
    *,
    options: SearchOptions,
    placeholders: Sequence[str],
    translate: Translate,
    formality: Formality | None = None,
) -> SentenceTranslation:
    """Returns the best translation of a sentence that its first translation and the second attempts at it give.

    Args:
        translation: The first translation.
        protected: The sentence with its stand-ins; None if it has none.
        options: The request's.
        placeholders: Characters that the model carries over exactly once.
        translate: Translates again.
        formality: The register that the translation must have; None for any.
    """
    if not translation.verdicts and not protected and not formality:
        return translation
    run = TEXT_POOL.run if len(translation.source) > _INLINE_CHARS else _run_here
    versions = await run(Versions, translation, protected, formality)
    usual = replace(options, n_best=1, prefix=None)
    for attempt in attempts(versions, options, placeholders, formality):
        try:
            translations = await translate(attempt.texts, attempt.options or usual)
        except DragomanError:  # then what there is must do
            break
        await run(versions.add, attempt, translations)
    return versions.result(options)


async def _run_here(function: Callable[..., Result], *arguments: object) -> Result:
    return function(*arguments)


def attempts(
    versions: Versions, options: SearchOptions, placeholders: Sequence[str], formality: Formality | None = None
) -> Iterator[Attempt]:
    """What to try in turn; each attempt is chosen when the results of those before it are in ``versions``."""
    source, protected = versions.best.source, versions.protected
    if versions.best.verdicts and options.prefix is None:  # otherwise somebody is writing the translation
        if Verdict.DIGITS_CHANGED in versions.best.verdicts:
            yield from with_numbers_kept(source, placeholders)
        for _ in range(_FORMALITY_ATTEMPTS):
            if formality and versions.offending:
                avoid = (*formality.avoided(), *versions.offending)
                beam = max(_FORMALITY_BEAM, options.beam_size)
                other = replace(options, beam_size=beam, n_best=beam, avoid=avoid)
                yield Attempt("formality", (source,), lambda translations: translations[0], other)
        other_options = options_again(options, versions.best.verdicts, source)
        if other_options:
            yield Attempt("search", (source,), lambda translations: translations[0], other_options)
    if protected and versions.has_lost:
        for attempt in with_other_stand_ins(protected, placeholders):
            if versions.has_lost:
                yield attempt


def options_again(options: SearchOptions, verdicts: Sequence[Verdict], source: str) -> SearchOptions | None:
    """Returns the options of a second search after a translation with these verdicts; None if it can't help.

    The second search has a beam and forbids repetitions, because most failures are loops.
    """
    excused = frozenset({Verdict.FORMALITY})
    excused |= _FROM_MAX_LENGTH if options.max_length else frozenset()
    excused |= _FROM_MIN_LENGTH if options.min_length else frozenset()
    if excused.issuperset(verdicts):
        return None
    beam = max(4, options.beam_size)
    return replace(
        options,
        beam_size=beam,
        n_best=beam,
        no_repeat_ngram=options.no_repeat_ngram or (1 if len(source) <= _SHORT_CHARS else 3),
        repetition_penalty=max(options.repetition_penalty, 1.2),
    )


def with_numbers_kept(source: str, placeholders: Sequence[str]) -> Iterator[Attempt]:
    """Puts placeholders in the place of numbers, as far as there are placeholders that the sentence doesn't have."""
    free = [placeholder for placeholder in placeholders if placeholder not in source]
    ranges = [match.span() for match in _NUMBER.finditer(source)][: len(free)]
    if not ranges:
        return
    numbered = protect_ranges(source, ranges, free)

    def join(translations: Sequence[Aligned]) -> Aligned | None:
        [translation] = translations
        restored = numbered.restore(*translation)
        return None if restored.lost else Aligned(restored.text, numbered.restore_links(translation.links, restored))

    yield Attempt("digits", (numbered.text,), join)


def _as_alternative(translation: SentenceTranslation) -> Alternative:
    return Alternative(*(getattr(translation, name) for name in Alternative._fields))


def with_other_stand_ins(sentence: Protected, placeholders: Sequence[str] = ()) -> Iterator[Attempt]:
    """What to try in turn, for as long as spans are lost; the last one keeps all.

    Args:
        sentence: The sentence with its stand-ins.
        placeholders: Characters that the model carries over exactly once.
    """
    is_placeholder = [not sentence.text[begin].isalnum() for begin, _ in sentence.stand_ins]
    if not all(is_placeholder):
        own = renamed(sentence, "placeholders", placeholders)
        if own:
            yield own
    if any(is_placeholder):
        names = renamed(sentence, "names", NAMES)
        if names:
            yield names
    few = len(sentence.stand_ins) <= _MAX_NUMBERS
    numbers = renamed(sentence, "numbers", map(str, count(57, 13))) if few else None
    if numbers:
        yield numbers
    yield cut(sentence)


def renamed(
    sentence: Protected, name: Literal["placeholders", "names", "numbers"], stand_ins: Iterable[str]
) -> Attempt | None:
    """Uses other stand-ins, each once: models often copy a number where they drop a name. None if there are too few."""
    places = sentence.stand_ins
    folded = sentence.text.casefold()
    unused = list(islice((new for new in stand_ins if new.casefold() not in folded), len(places)))
    if len(unused) < len(places):
        return None
    forth = [Edit(begin, end, new) for (begin, end), new in zip(places, unused, strict=True)]
    known = {new: sentence.text[begin:end] for begin, end, new in forth}
    text = apply(forth, sentence.text)
    source = _back(forth)

    def join(translations: Sequence[Aligned]) -> Aligned | None:
        [translation] = translations
        pattern = rf"(?<![\w.,])(?:{'|'.join(unused)})(?![.,]?\w)"
        back = [Edit(*match.span(), known[match[0]]) for match in re.finditer(pattern, translation.text)]
        if sorted(translation.text[begin:end] for begin, end, _ in back) != sorted(unused):
            return None
        target = Offsets((begin, end, len(old)) for begin, end, old in back)
        return Aligned(apply(back, translation.text), moved(translation.links, source, target))

    return Attempt(name, (text,), join)


def _back(edits: Sequence[Edit]) -> Offsets:
    """From places in the edited text to places in the text as it was."""
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
        offsets = Offsets((begin, end, len(text)) for begin, end, text in edits)
        # A stand-in is linked to itself.
        links_of_all = [Link(begin, end, offsets.begin(begin), offsets.end(end)) for begin, end in sentence.stand_ins]
        for begin, (source_begin, source_end, target_begin, target_end) in inner:
            at = offsets.begin(begin)
            links_of_all.append(Link(source_begin + begin, source_end + begin, target_begin + at, target_end + at))
        return Aligned(apply(edits, sentence.text), tuple(sorted(links_of_all, key=lambda link: link[2:])))

    return Attempt("cut", tuple(sentence.text[begin:end] for begin, end in pieces), join)
