"""What a person should look at in a translated document: collected while it is translated."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.documents.marks import Mark
from app.documents.sentences import MAX_SENTENCES, Seen
from app.fairness.budget import checkpoint
from app.text.memory.matching import Match
from app.translation.request import ItemTranslation
from app.translation.sentence import SentenceTranslation, TextKey

MAX_LISTED = 5_000
"""Sentences, and likewise matches, that a report lists; it counts all."""

_SHOWN_CHARS = 60


@dataclass
class _Text:
    """What was seen of one text."""

    confidence: float | None = None
    reasons: dict[str, None] = field(default_factory=dict)


class Reviewer:
    """Looks at every sentence of a document.

    Args:
        below: A sentence with a confidence below this, from 0 to 1, should be looked at; None for verdicts alone.
        keeps_all: Keep the sentences in ``seen``.

    Attributes:
        seen: All sentences so far, if they are kept; not those beyond ``MAX_SENTENCES``.
    """

    def __init__(self, below: float | None = None, *, keeps_all: bool = False) -> None:
        self._below, self._keeps_all = below, keeps_all
        self.seen: list[Seen] = []
        self._texts = defaultdict[int, _Text](_Text)
        self._doubtful: list[dict[str, Any]] = []
        self._sentences = self._doubts = 0

    def see(self, key: TextKey, sentence: SentenceTranslation) -> None:
        """Takes a finished sentence of a text into account."""
        item = key.item
        text = self._texts[item]
        self._sentences += 1
        if self._keeps_all and self._sentences <= MAX_SENTENCES:
            self.seen.append(Seen(key, replace(sentence, alternatives=(), alignment=(), placed=None)))
        confidence = sentence.confidence if sentence.stored is None else None
        if confidence is not None:
            text.confidence = min(confidence, text.confidence if text.confidence is not None else 1.0)
        is_low = confidence is not None and self._below is not None and confidence < self._below
        reasons = [f"confidence {confidence:.2f}"] if is_low else []
        if sentence.tier == 2 and self._below is not None:  # nobody knows how good it is
            reasons.append("second tier")
        reasons += map(str, sentence.verdicts)
        if not reasons:
            return
        text.reasons |= dict.fromkeys(reasons)
        self._doubts += 1
        if len(self._doubtful) < MAX_LISTED:
            self._doubtful.append(
                {
                    "text": item,
                    "source": sentence.source,
                    "translation": sentence.text,
                    "confidence": confidence,
                    "reasons": reasons,
                }
            )

    def marks(self, items: Sequence[ItemTranslation]) -> list[Mark]:
        """Returns the mark of each text."""
        return [self._mark(number, item) for number, item in enumerate(items)]

    def _mark(self, number: int, item: ItemTranslation) -> Mark:
        checkpoint()
        text = self._texts[number]
        lost = [f"lost: {span[:_SHOWN_CHARS]}" for span in item.lost]
        # The entry of a whole text; entries of its sentences are in the report.
        match = item.matches[0] if len(item.matches) == 1 and text.confidence is None else None
        used = match if match and match.applied is not None else None
        return Mark(
            reasons=(*text.reasons, *lost),
            confidence=text.confidence,
            score=used.score if used else None,
            entry=(used.source, used.target) if used else None,
        )

    def report(self, items: Sequence[ItemTranslation]) -> dict[str, Any]:
        """Returns what ``app.documents.review_report`` writes: counts, doubtful sentences, lost spans and matches."""
        matches = [(number, match) for number, item in enumerate(items) for match in item.matches]
        lost = [{"text": number, "span": span} for number, item in enumerate(items) for span in item.lost]
        return {
            "below": self._below,
            "sentences": self._sentences,
            "doubtful": self._doubts,
            "listed": self._doubtful,
            "lost": lost[:MAX_LISTED],
            "matches": [_match(number, match) for number, match in matches[:MAX_LISTED]],
        }


def _match(number: int, match: Match) -> dict[str, Any]:
    return {
        "text": number,
        "score": match.score,
        "used": match.applied is not None,
        "source": match.source,
        "translation": match.target,
    }
