"""What became of a glossary's terms, as JSON."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from app.text.terms.glossary import TermUse


def term_bodies(uses: Iterable[TermUse]) -> list[dict[str, Any]]:
    """Each term with a status, once, and how often; in the order in which the text has them."""
    return [
        {"source": use.source, "target": use.target, "status": use.status.value, "count": count}
        for use, count in Counter(uses).items()
    ]
