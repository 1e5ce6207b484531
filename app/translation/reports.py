"""Reports as JSON how a glossary and a translation memory were used in a translation."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from app.text.memory.matching import Match
from app.text.terms.glossary import TermUse
from app.text.untranslated import Reason, Untranslated, counted
from app.translation.request import ItemTranslation, TranslationRequest


def report_terms(uses: Iterable[TermUse]) -> list[dict[str, Any]]:
    """Reports each term and status once, with its count, in the order of the text."""
    return [
        {"source": use.source, "target": use.target, "status": use.status.value, "count": count}
        for use, count in Counter(uses).items()
    ]


def report_matches(matches: Iterable[Match]) -> list[dict[str, Any]]:
    """Reports each match, in the order of the text."""
    return [
        {
            "segment": match.segment,
            "score": match.score,
            "kind": _kind(match),
            "applied": match.applied is not None,
            "source": match.source,
            "target": match.target,
        }
        for match in matches
    ]


def report_untranslated(items: Iterable[Untranslated]) -> list[dict[str, Any]]:
    """Reports each range that stays as it is."""
    return [{"block": each.block, "begin": each.begin, "end": each.end, "reason": each.reason.value} for each in items]


def report_document(
    wanted: TranslationRequest, items: Sequence[ItemTranslation], kept: Mapping[Reason, int] | None = None
) -> dict[str, Any]:
    """Reports ``terms`` if there is a glossary, and ``memory`` (matches used and offered) if there is a memory.

    ``untranslated`` counts what stays as it is, by reason, if there is anything: in the texts, and ``kept`` in the rest
    of the document.
    """
    report: dict[str, Any] = {}
    reasons = (each.reason for item in items for each in item.untranslated)
    if untranslated := counted(chain(reasons, Counter(kept).elements())):
        report["untranslated"] = untranslated
    if wanted.glossary:
        report["terms"] = report_terms(use for item in items for use in item.terms)
    if wanted.memory:
        kinds = Counter(
            _kind(match) if match.applied is not None else "offered" for item in items for match in item.matches
        )
        report["memory"] = {kind: kinds[kind] for kind in ("exact", "fuzzy", "offered")}
    return report


def _kind(match: Match) -> str:
    return "exact" if match.score == 100 else "fuzzy"
