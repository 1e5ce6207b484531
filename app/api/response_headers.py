"""Headers of a translation's response: its timing, its pivot language, its warnings, and who translated it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from app.engine.interface import Timing
from app.text.quality_checks import Verdict
from app.translation.request import ItemTranslation


def _header(description: str, example: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}, "example": example}


TRANSLATE_HEADERS = {
    "Server-Timing": _header(
        "How long the request waited, was encoded and was decoded, in milliseconds. A stream has this in its last "
        "event instead.",
        "queue;dur=1.0, encode;dur=2.0, decode;dur=3.5",
    ),
    "X-Dragoman-Pivot": _header(
        "The code of the pivot language; only if a text was translated through one. A stream has this in its last "
        "event instead.",
        "en",
    ),
    "X-Dragoman-Warnings": _header(
        "Only if something is visibly wrong with the translation: the number of sentences for each verdict "
        f"({', '.join(Verdict)}), and the number of protected spans that the model lost (protected_lost). A stream has "
        "this in its events instead.",
        "digits_changed=1, protected_lost=2",
    ),
    "X-Dragoman-Second-Tier": _header(
        "The number of sentences of the operator's second tier, if there are any. A stream has this in its events.", "1"
    ),
}
"""For the OpenAPI document."""


def translation_headers(items: Sequence[ItemTranslation], timing: Timing) -> dict[str, str]:
    """Returns ``Server-Timing`` and, if they apply, ``X-Dragoman-Pivot``, ``-Warnings`` and ``-Second-Tier``."""
    phases = ", ".join(f"{name};dur={milliseconds:.1f}" for name, milliseconds in phases_ms(timing).items())
    pivots = sorted({item.pivot for item in items if item.pivot})
    warnings = _warnings(items)
    second = sum(item.tiers.get(2, 0) for item in items)
    return {
        "Server-Timing": phases,
        **({"X-Dragoman-Pivot": ", ".join(pivots)} if pivots else {}),
        **({"X-Dragoman-Warnings": warnings} if warnings else {}),
        **({"X-Dragoman-Second-Tier": str(second)} if second else {}),
    }


def phases_ms(timing: Timing) -> dict[str, float]:
    """Returns the duration of each phase in milliseconds."""
    phases = {"queue": timing.queue_s, "encode": timing.encode_s, "decode": timing.decode_s}
    return {name: round(seconds * 1000, 1) for name, seconds in phases.items()}


def _warnings(items: Sequence[ItemTranslation]) -> str:
    """Counts the failures of each quality check, e.g. ``repetition=1``; empty without failures."""
    counts: Counter[str] = Counter()
    for item in items:
        counts.update({verdict.value: count for verdict, count in item.verdicts.items()})
    counts["protected_lost"] = sum(len(item.lost) for item in items)
    return ", ".join(f"{name}={count}" for name, count in sorted(counts.items()) if count)
