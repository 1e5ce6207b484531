"""All second attempts at a sentence that is visibly wrong or has lost protected spans, in this order.

Each result reads as if the model had kept the stand-ins. The best translation of all attempts is used; if that is a
loop or nothing but punctuation, the source is better (``Versions.result``).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.engine.options import SearchOptions
from app.text.quality_checks import Verdict
from app.translation.attempts import (
    Aligned,
    Attempt,
    cut_at_numbers,
    with_numbers_kept,
    with_other_stand_ins,
    with_signs_kept,
    with_words_said_once,
)
from app.translation.rules.register import avoided
from app.translation.versions import Versions

# In a sentence of at most this many characters, one repeated word is a loop ("salad salad").
_SHORT_CHARS = 24
_REGISTER_ATTEMPTS = 3  # each avoids the words of the wrong register that the ones before it came up with
_REGISTER_BEAM = 8
# A verdict that the client's own length limit causes needs no second attempt: it would meet the same limit.
_FROM_MAX_LENGTH = frozenset({Verdict.TRUNCATED, Verdict.TOO_SHORT})
_FROM_MIN_LENGTH = frozenset({Verdict.TOO_LONG})


@dataclass(frozen=True)
class Situation:
    """What a retry has to go by.

    Attributes:
        versions: The translations so far; each attempt's result is there before the next attempt is asked for.
        options: How the request searches.
        placeholders: Characters that the model carries over exactly once.
    """

    versions: Versions
    options: SearchOptions
    placeholders: Sequence[str]

    @property
    def source(self) -> str:
        """The sentence."""
        return self.versions.best.source

    @property
    def has_changed_numbers(self) -> bool:
        """Whether the best translation has other numbers than the sentence."""
        return Verdict.DIGITS_CHANGED in self.versions.best.verdicts

    @property
    def is_malformed(self) -> bool:
        """Whether the best translation lacks a number, mark or placeholder of the sentence, or has one too many."""
        return Verdict.MALFORMED in self.versions.best.verdicts


@dataclass(frozen=True)
class Retry:
    """Translates a sentence again.

    Attributes:
        attempts: Yields attempts; each is made before the next one is asked for.
        is_free: It may change every word: not where somebody is writing the translation.
    """

    attempts: Callable[[Situation], Iterator[Attempt]]
    is_free: bool = False


def _first(translations: Sequence[Aligned]) -> Aligned:
    return translations[0]


def _words_said_once(situation: Situation) -> Iterator[Attempt]:
    """Takes out words that follow themselves."""
    best = situation.versions.best
    if Verdict.REPETITION in best.verdicts:
        doubled = situation.versions.direction.there.writing.doubled
        yield from with_words_said_once(situation.source, Aligned(best.text, best.alignment), doubled)


def _numbers_kept(situation: Situation) -> Iterator[Attempt]:
    """Translates the sentence with placeholders for its numbers."""
    if situation.has_changed_numbers:
        yield from with_numbers_kept(situation.source, situation.placeholders)


def _words_avoided(situation: Situation) -> Iterator[Attempt]:
    """Translates the sentence without the words that are of the wrong register."""
    versions, options = situation.versions, situation.options
    for _ in range(_REGISTER_ATTEMPTS):
        if versions.offending:
            avoid = (*avoided(versions.direction), *versions.offending)
            beam = max(_REGISTER_BEAM, options.beam_size)
            other = replace(options, beam_size=beam, n_best=beam, avoid=avoid)
            yield Attempt((situation.source,), _first, other)


def _searched_again(situation: Situation) -> Iterator[Attempt]:
    """Translates the sentence with a beam and without repetitions."""
    other = options_again(situation.options, situation.versions.best.verdicts, situation.source)
    if other:
        yield Attempt((situation.source,), _first, other)


def _cut_at_numbers(situation: Situation) -> Iterator[Attempt]:
    """Translates what is between the numbers, piece by piece."""
    if situation.has_changed_numbers:
        yield from cut_at_numbers(situation.source, situation.placeholders)


def _signs_kept(situation: Situation) -> Iterator[Attempt]:
    """Translates the sentence with placeholders for the signs that no translation changes."""
    if situation.is_malformed:
        yield from with_signs_kept(situation.source, situation.placeholders)


def _words_kept(situation: Situation) -> Iterator[Attempt]:
    """Translates the sentence with other stand-ins while words beside them are left out."""
    protected = situation.versions.protected
    if protected and situation.versions.leaves_out:
        for attempt in with_other_stand_ins(protected, situation.placeholders, cuts=False):
            if situation.versions.leaves_out:
                yield attempt


def _other_stand_ins(situation: Situation) -> Iterator[Attempt]:
    """Translates the sentence with other stand-ins, at last what is between them piece by piece."""
    protected = situation.versions.protected
    if protected and (situation.versions.has_lost or situation.is_malformed):
        for attempt in with_other_stand_ins(protected, situation.placeholders):
            if situation.versions.has_lost or situation.is_malformed:
                yield attempt


RETRIES = (
    Retry(_words_said_once, is_free=True),
    Retry(_numbers_kept, is_free=True),
    Retry(_words_avoided, is_free=True),
    Retry(_signs_kept, is_free=True),
    Retry(_searched_again, is_free=True),
    Retry(_cut_at_numbers, is_free=True),
    Retry(_words_kept, is_free=True),
    Retry(_other_stand_ins),
)


def attempts(situation: Situation) -> Iterator[Attempt]:
    """Yields the attempts to make; each is chosen after the results of the earlier ones are in ``versions``."""
    for rule in RETRIES:
        if not (rule.is_free and situation.options.prefix is not None):
            yield from rule.attempts(situation)


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
