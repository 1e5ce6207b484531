"""Headers of a translation's response: its timing, its pivot language, its warnings, and who translated it."""

from collections import Counter
from collections.abc import Sequence

from app.engine.interface import Timing
from app.translation.request import ItemTranslation


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
