"""Translates a sentence again if it is visibly wrong, has lost protected spans, or is a word that stayed as it was."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from app.engine.interface import SentenceTranslation, TextTranslation
from app.engine.options import SearchOptions
from app.errors import DragomanError
from app.text.inline.target_tokens import links_of_same
from app.text.protection.protected import Protected
from app.translation.lone_words import word_again
from app.translation.respelling import respelled
from app.translation.rules.checks import failed
from app.translation.rules.pair import Direction
from app.translation.rules.retries import Situation, attempts
from app.translation.rules.target_language import is_translated
from app.translation.versions import Versions

Run = Callable[..., Awaitable[Any]]
"""Calls a function with arguments, in another thread perhaps."""
Translate = Callable[[Sequence[str], SearchOptions], Awaitable[list[TextTranslation]]]
"""Translates texts, each as one sentence."""


async def improve(
    translation: SentenceTranslation,
    protected: Protected | None,
    *,
    direction: Direction,
    options: SearchOptions,
    placeholders: Sequence[str],
    translate: Translate,
    run: Run | None = None,
) -> SentenceTranslation:
    """Returns the best translation of a sentence: the first one, or one from a second attempt.

    A sentence is first translated in its usual spelling. A word alone is asked for after articles. The other attempts
    are ``app.translation.rules.retries.RETRIES``.

    Args:
        translation: The first translation.
        protected: The sentence with its stand-ins; None if it has none.
        direction: The languages, and what the request asks of the translation.
        options: How the request searches.
        placeholders: Characters that the model carries over exactly once.
        translate: Translates again.
        run: Judges translations elsewhere; None to judge them here, which takes 10 ms for one of 1,500 characters.
    """
    if options.prefix is None and is_translated(translation.source, direction):
        return unchanged(translation, protected)
    other = await respelled(translation, protected, direction, options, translate)
    translation = other or translation
    is_plain = protected is None or protected.has_words_only
    if is_plain and (word := await word_again(translation, direction, options, translate)):
        return word
    has_faults = translation.verdicts or failed(direction.pair(translation.source, translation.text))
    if not (has_faults or protected or direction.options.register):
        return translation
    run = run or _run_here
    versions: Versions = await run(Versions, translation, protected, direction)
    usual = replace(options, n_best=1, prefix=None)
    for attempt in attempts(Situation(versions, options, placeholders)):
        try:
            translations = await translate(attempt.texts, attempt.options or usual)
        except DragomanError:  # then what there is must do
            break
        await run(versions.add, attempt, translations)
    return versions.result(options)


def unchanged(translation: SentenceTranslation, protected: Protected | None) -> SentenceTranslation:
    """Returns the sentence itself as its translation."""
    return replace(
        translation,
        text=translation.source,
        verdicts=(),
        alternatives=(),
        alignment=tuple(links_of_same(translation.source, 0, 0)) if translation.alignment else (),
        stored=protected.source if protected else translation.source,
    )


async def _run_here(function: Callable[..., Any], *arguments: object) -> Any:
    return function(*arguments)
