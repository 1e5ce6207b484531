"""What a translation memory has for a text, as JSON."""

from collections.abc import Iterable
from typing import Any

from app.text.memory.matching import Match


def match_bodies(matches: Iterable[Match]) -> list[dict[str, Any]]:
    """Each match, in the order in which the text has them."""
    return [
        {
            "segment": match.segment,
            "score": match.score,
            "kind": "exact" if match.score == 100 else "fuzzy",
            "applied": match.applied is not None,
            "source": match.source,
            "target": match.target,
        }
        for match in matches
    ]
