"""The sentences of a translated document, as JSON for somebody who reviews them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from app.documents.corrections import Place, TranslatedText
from app.fairness.budget import checkpoint
from app.text.markup.extraction import Rules
from app.text.memory.matching import Match
from app.text.terms.glossary import uses
from app.translation.request import ItemTranslation, TranslationRequest
from app.translation.sentence import SentenceTranslation, TextKey

MAX_SENTENCES = 20_000
"""Sentences of a document that somebody can review; the sentences of a longer one aren't kept."""

_LOOKED_AHEAD = 8  # blocks, where the translation has others than the source


class Seen(NamedTuple):
    """A sentence of a text, as the translation went by."""

    key: TextKey
    sentence: SentenceTranslation


def packed(request: TranslationRequest, output: str, items: Sequence[ItemTranslation], seen: Sequence[Seen]) -> bytes:
    """Returns the review of a document as JSON; nothing if it has too many sentences.

    Args:
        request: What was translated.
        output: Name of the format of the translated file.
        items: The translated texts.
        seen: All sentences; those of a text in order.
    """
    if len(seen) >= MAX_SENTENCES:
        return b""
    ordered = sorted(seen, key=lambda each: each.key.item)  # with detection, texts of one language came together
    sentences = [
        sentence
        for number, group in groupby(ordered, key=lambda each: each.key.item)
        for sentence in _sentences(number, items[number], reading_rules(request.markup, request.source), list(group))
    ]
    review = {
        "source": request.source,
        "target": request.locale or request.target,
        "output": output,
        "texts": [item.text for item in items],
        "sentences": sentences,
    }
    return json.dumps(review, ensure_ascii=False).encode()


def _sentences(
    number: int, item: ItemTranslation, rules: Rules | None, seen: Sequence[Seen]
) -> Iterator[dict[str, Any]]:
    text = TranslatedText(item.text, rules)
    matches = {match.segment: match for match in item.matches}
    first = 0
    for _, group in groupby(seen, key=lambda each: each.key.block):
        checkpoint()
        sentences = [each.sentence for each in group]
        block = _block(text, sentences, first)
        first = first if block is None else block + 1
        for sentence in sentences:
            place = Place(block or 0, sentence.target_begin)
            yield {
                "text": number,
                "block": block if block is not None and text.has(place, sentence.text) else None,
                "begin": sentence.target_begin,
                "source": sentence.source,
                "translation": sentence.text,
                "confidence": sentence.confidence if sentence.stored is None else None,
                "verdicts": list(map(str, sentence.verdicts)),
                "terms": [
                    {"source": use.source, "target": use.target, "status": use.status.value}
                    for use in uses(sentence.text, sentence.terms)
                ],
                "match": _match(matches.get(sentence.source)),
            }


def _block(text: TranslatedText, sentences: Sequence[SentenceTranslation], first: int) -> int | None:
    """Returns the block, from this one on, that has most of the sentences; None if it has none of them."""

    def number(block: int) -> int:
        return sum(text.has(Place(block, each.target_begin), each.text) for each in sentences)

    best = max(range(first, min(first + _LOOKED_AHEAD, len(text.blocks))), key=number, default=None)
    return best if best is not None and number(best) else None


def _match(match: Match | None) -> dict[str, Any] | None:
    if match is None:
        return None
    used = match.applied is not None
    return {"source": match.source, "translation": match.target, "score": match.score, "used": used}


def reading_rules(markup: Rules | None, source: str) -> Rules | None:
    """Returns how the translated texts are read: as the source was, whose language elements may still name."""
    if markup and markup.syntax == "html":
        return replace(markup, language=source)
    return markup
