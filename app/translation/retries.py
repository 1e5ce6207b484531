"""Translates a sentence again if it is visibly wrong, has lost protected spans, or is a word that stayed as it was."""

from collections.abc import Sequence
from dataclasses import replace

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import links_of_same
from app.text.protection.protected import Protected
from app.translation.attempts import in_usual_spelling
from app.translation.lone_words import word_again
from app.translation.questions import Asking, Question
from app.translation.respelling import respelled
from app.translation.rules.checks import failed
from app.translation.rules.pair import Direction
from app.translation.rules.retries import Situation, attempts
from app.translation.rules.target_language import is_translated
from app.translation.sentence import SentenceTranslation
from app.translation.versions import Versions


def improved(
    translation: SentenceTranslation,
    protected: Protected | None,
    *,
    direction: Direction,
    options: SearchOptions,
    placeholders: Sequence[str],
) -> Asking[SentenceTranslation]:
    """Returns the best translation of a sentence: the first one, or one from a second attempt.

    A sentence is first translated in its usual spelling. A word alone is asked for after articles. The other attempts
    are ``app.translation.rules.retries.RETRIES``.

    Args:
        translation: The first translation.
        protected: The sentence with its stand-ins; None if it has none.
        direction: The languages, and what the request asks of the translation.
        options: How the request searches.
        placeholders: Characters that the model carries over exactly once.
    """
    if options.prefix is None and is_translated(translation.source, direction):
        return unchanged(translation, protected)
    other = yield from respelled(translation, protected, direction, options)
    translation = other or translation
    is_plain = protected is None or protected.has_words_only
    if is_plain and (word := (yield from word_again(translation, direction, options))):
        return word
    is_suspect = translation.verdicts or protected or direction.options.register
    if not (is_suspect or failed(direction.pair(translation.source, translation.text))):
        return translation
    versions = Versions(translation, protected, direction)
    one = replace(options, n_best=1, prefix=None)
    for made in attempts(Situation(versions, options, placeholders)):
        attempt = made if other is None else in_usual_spelling(made, direction.here)
        answers = (yield Question(attempt.texts, attempt.options or one)) if attempt.texts else []
        if answers is None:
            break
        versions.add(attempt, answers)
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
