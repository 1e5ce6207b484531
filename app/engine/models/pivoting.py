"""Translates through another language: two models, one after the other, sentence by sentence."""

import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from app.engine.interface import (
    Event,
    Improve,
    SentenceTranslation,
    TextEvent,
    TextKey,
    TextTranslation,
    Timing,
    TokenEvent,
)
from app.engine.models.rewriting import rewrite
from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.text.quality_checks import judge
from app.text.terms.glossary import Term, within

Half = tuple[list[TextTranslation], Timing]
"""The second model's translation of a sentence: one text."""


def first_options(options: SearchOptions) -> SearchOptions:
    """Return the options for the intermediate translation: one hypothesis, without length limits."""
    return replace(options, n_best=1, min_length=0, max_length=None, prefix=None)


async def pivot(
    texts: Sequence[str],
    first: AsyncGenerator[Event, None],
    translate: Callable[[str, Sequence[Term]], Coroutine[Any, Any, Half]],
    language: str,
    improve: Improve | None = None,
    terms: Sequence[Sequence[Term]] = (),
    doubled: Collection[str] = (),
) -> AsyncGenerator[Event, None]:
    """Translates the first model's sentences again; see ``app.engine.interface.TranslationEngine.stream``.

    There are no token events: the first model's tokens are in another language.

    Args:
        texts: The texts that the first model translates.
        first: Its events.
        translate: The second model's translation of one sentence, which must have the given terms. It is called with
            the sentences in their order.
        language: Code of the pivot language, for ``TextTranslation.pivot``.
        improve: See ``TranslationCall``.
        terms: See ``TranslationCall``. The first model doesn't know them; alignment finds them in its translation.
        doubled: See ``judge``.
    """
    began = time.monotonic()
    encode_s, timing = 0.0, Timing()

    async def complete(number: int, key: TextKey, half: SentenceTranslation) -> SentenceTranslation:
        nonlocal encode_s
        own = within(terms[number] if terms else (), half.source_begin, half.source_begin + len(half.source))
        [second], spent = await translate(half.text, _in_between(half, own))
        encode_s = max(encode_s, spent.encode_s)
        whole = replace(compose(half, second, doubled), terms=own)
        return await improve(key, whole) if improve else whole

    async with aclosing(rewrite(texts, first, complete)) as events:
        async for event in events:
            if isinstance(event, Timing):
                timing = event
            elif isinstance(event, TextEvent):
                translation = event.translation
                yield TextEvent(event.key, replace(translation, pivot=language if translation.sentences else None))
            elif not isinstance(event, TokenEvent):
                yield event
    encode_s += timing.encode_s
    rest_s = max(0.0, time.monotonic() - began - timing.queue_s - encode_s)
    yield Timing(queue_s=timing.queue_s, encode_s=encode_s, decode_s=rest_s)


def compose(first: SentenceTranslation, second: TextTranslation, doubled: Collection[str] = ()) -> SentenceTranslation:
    """Compose the translation of a sentence with the translation of that translation.

    The score is the sum of both scores, which are log-probabilities, and the confidence is the product. If the second
    model saw several sentences, their worst score and confidence count. The verdicts are those of both. Each target
    piece is linked to the source range that most of its intermediate characters are linked to.
    """
    score = first.score + min((sentence.score for sentence in second.sentences), default=0.0)
    chances = [sentence.confidence for sentence in second.sentences]
    worst = None if None in chances else min((chance for chance in chances if chance is not None), default=1.0)
    others = second.sentences[0].alternatives if len(second.sentences) == 1 else ()
    verdicts = (
        *first.verdicts,
        *(verdict for sentence in second.sentences for verdict in sentence.verdicts),
        *judge(first.source, second.text, doubled=doubled),
    )
    return replace(
        first,
        text=second.text,
        score=score,
        confidence=None if first.confidence is None or worst is None else first.confidence * worst,
        alternatives=tuple(
            other._replace(score=first.score + other.score, alignment=_compose_links(first, other.alignment))
            for other in others
        ),
        verdicts=tuple(dict.fromkeys(verdicts)),
        alignment=_compose_links(first, second.alignment),
    )


def _compose_links(first: SentenceTranslation, second: Sequence[Link]) -> tuple[Link, ...]:
    owners: list[Link | None] = [None] * len(first.text)  # the link that each character in between belongs to
    for link in first.alignment:
        owners[link.target_begin : link.target_end] = [link] * (link.target_end - link.target_begin)
    links = []
    for link in second:
        shares = Counter(owner for owner in owners[link.source_begin : link.source_end] if owner)
        for owner, _ in shares.most_common(1):
            links.append(Link(owner.source_begin, owner.source_end, link.target_begin, link.target_end))
    return tuple(links)


def _in_between(first: SentenceTranslation, terms: Sequence[Term]) -> list[Term]:
    """Returns the terms of a sentence at their positions in the intermediate translation, by alignment."""
    found = []
    for term in terms:
        links = [link for link in first.alignment if link.source_begin < term.end and term.begin < link.source_end]
        if links:
            begin, end = min(link.target_begin for link in links), max(link.target_end for link in links)
            found.append(term._replace(begin=begin, end=end))
    return found
