"""Corrects a translated sentence, and puts its protected spans back."""

from dataclasses import replace
from typing import NamedTuple

from app.text.inline.placement import apply
from app.text.protection.protected import Protected
from app.translation.rules.corrections import corrections
from app.translation.rules.pair import Direction
from app.translation.sentence import Alternative, SentenceTranslation


class RestoredSentence(NamedTuple):
    """A sentence with its spans.

    Attributes:
        unrestored: With stand-ins, at its place in the text with stand-ins.
        restored: With the spans, at its place in the text with spans; the same if there are none.
        lost: Spans that the model lost; they were put where they probably belong.
    """

    unrestored: SentenceTranslation
    restored: SentenceTranslation
    lost: tuple[str, ...] = ()


def restore(
    sentence: SentenceTranslation, whole: Protected | None, part: Protected | None, direction: Direction | None
) -> RestoredSentence:
    """Corrects a sentence and puts its protected spans back; other sentences of its text may still be missing.

    Args:
        sentence: Its translation, at its place in the text with stand-ins.
        whole: That text, and what stands in it for what; None if nothing does.
        part: The same of the sentence.
        direction: The languages; None corrects nothing.
    """
    if direction and sentence.stored is None:
        sentence = _corrected(sentence, direction)
    if whole is None or part is None:
        return RestoredSentence(sentence, sentence)
    begin = whole.offsets.begin(sentence.source_begin)
    if sentence.stored is not None:
        stored = replace(sentence, source=part.source, source_begin=begin, text=sentence.stored, alignment=())
        return RestoredSentence(sentence, stored)
    found = sentence.placed or part.restore(sentence.text, sentence.alignment)
    alternatives = {
        (other.placed or part.restore(other.text)).text: other.score for other in reversed(sentence.alternatives)
    }
    alternatives.pop(found.text, None)
    sentence = replace(sentence, placed=None, alternatives=_unplaced(sentence.alternatives))  # which takes memory
    restored = replace(
        sentence,
        source=part.source,
        source_begin=begin,
        text=found.text,
        alternatives=tuple(Alternative(*other) for other in reversed(alternatives.items())),
        alignment=part.restore_links(sentence.alignment, found),
    )
    return RestoredSentence(sentence, restored, tuple(found.lost))


def _unplaced(alternatives: tuple[Alternative, ...]) -> tuple[Alternative, ...]:
    return tuple(other._replace(placed=None) for other in alternatives)


def _corrected(sentence: SentenceTranslation, direction: Direction) -> SentenceTranslation:
    """Corrects all translations; an alternative is left out if it fails a check and the best translation passes it."""
    sound = [other for other in sentence.alternatives if set(other.verdicts) <= set(sentence.verdicts)]
    best = sentence.edited(corrections(direction.pair(sentence.source, sentence.text)))
    if not sentence.alternatives:
        return best
    alternatives: dict[str, Alternative] = {}
    for other in reversed(sound):
        edits = corrections(direction.pair(sentence.source, other.text))
        text = apply(edits, other.text)
        alternatives[text] = Alternative(text, other.score, placed=None if edits else other.placed)
    alternatives.pop(best.text, None)
    return replace(best, alternatives=tuple(reversed(alternatives.values())))
