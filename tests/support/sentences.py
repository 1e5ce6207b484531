"""Translated sentences without a model."""

from app.text.inline.target_tokens import Link
from app.text.quality_checks import Verdict
from app.translation.sentence import SentenceTranslation


def of(
    source: str, text: str, verdicts: tuple[Verdict, ...] = (), alignment: tuple[Link, ...] = ()
) -> SentenceTranslation:
    """A sentence and a translation of it; a shorter one is surer."""
    return SentenceTranslation(
        source=source,
        source_begin=0,
        text=text,
        target_begin=0,
        score=-1.0,
        alternatives=(),
        confidence=1 / max(1, len(text)),
        verdicts=verdicts,
        alignment=alignment,
    )
