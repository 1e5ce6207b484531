"""All second attempts at a sentence that is visibly wrong or has lost protected spans.

In this order:

| attempt | what it mends | what is translated |
| --- | --- | --- |
| word | a word alone that came back as it was | the word after articles; see ``app.translation.lone_words`` |
| digits | changed numbers | the sentence with placeholders for its numbers |
| formality | the wrong register | the sentence, without the words that are of it, up to three times |
| search | any verdict | the sentence, with a beam and without repetitions |
| cut | numbers that are still changed | what is between the numbers, piece by piece |
| placeholders, names, numbers | lost spans | the sentence with other stand-ins |
| cut | lost spans | what is between the spans, piece by piece |
| copy | a loop, or nothing but punctuation | nothing: the source is better |

Each result reads as if the model had kept the stand-ins. The best translation of all attempts is used.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from app.engine.interface import SentenceTranslation, TextTranslation
from app.engine.options import SearchOptions
from app.errors import DragomanError
from app.text.formality import Formality
from app.text.protection.protected import Protected
from app.text.quality_checks import Verdict, loses_number
from app.translation.attempts import Attempt, cut_at_numbers, with_numbers_kept, with_other_stand_ins
from app.translation.lone_words import word_again
from app.translation.versions import Versions

Run = Callable[..., Awaitable[Any]]
"""Calls a function with arguments, in another thread perhaps."""
Translate = Callable[[Sequence[str], SearchOptions], Awaitable[list[TextTranslation]]]
"""Translates texts, each as one sentence."""

# In a sentence of at most this many characters, one repeated word is a loop ("salad salad").
_SHORT_CHARS = 24
_FORMALITY_ATTEMPTS = 3  # each avoids the words of the wrong register that the ones before it came up with
_FORMALITY_BEAM = 8
# A verdict that the client's own length limit causes needs no second attempt: it would meet the same limit.
_FROM_MAX_LENGTH = frozenset({Verdict.TRUNCATED, Verdict.TOO_SHORT})
_FROM_MIN_LENGTH = frozenset({Verdict.TOO_LONG})


async def improve(
    translation: SentenceTranslation,
    protected: Protected | None,
    *,
    options: SearchOptions,
    placeholders: Sequence[str],
    translate: Translate,
    formality: Formality | None = None,
    source: str = "",
    target: str = "",
    run: Run | None = None,
) -> SentenceTranslation:
    """Returns the best translation of a sentence: the first one, or one from a second attempt.

    Args:
        translation: The first translation.
        protected: The sentence with its stand-ins; None if it has none.
        options: The request's.
        placeholders: Characters that the model carries over exactly once.
        translate: Translates again.
        formality: The register that the translation must have; None for any.
        source: Code of the sentence's language; "" if it is unknown.
        target: Code of the language of the translation; "" if it is unknown.
        run: Judges translations elsewhere; None to judge them here, which takes 10 ms for one of 1,500 characters.
    """
    if not protected and (word := await word_again(translation, source, target, options, translate)):
        return word
    has_faults = bool(translation.verdicts) or loses_number(translation.source, translation.text, target)
    if not has_faults and not protected and not formality:
        return translation
    run = run or _run_here
    versions: Versions = await run(Versions, translation, protected, formality, target)
    usual = replace(options, n_best=1, prefix=None)
    for attempt in attempts(versions, options, placeholders, formality):
        try:
            translations = await translate(attempt.texts, attempt.options or usual)
        except DragomanError:  # then what there is must do
            break
        await run(versions.add, attempt, translations)
    return versions.result(options)


async def _run_here(function: Callable[..., Any], *arguments: object) -> Any:
    return function(*arguments)


def attempts(
    versions: Versions, options: SearchOptions, placeholders: Sequence[str], formality: Formality | None = None
) -> Iterator[Attempt]:
    """Yields the attempts to make; each is chosen after the results of the earlier ones are in ``versions``."""
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
        if Verdict.DIGITS_CHANGED in versions.best.verdicts:
            yield from cut_at_numbers(source, placeholders)
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
