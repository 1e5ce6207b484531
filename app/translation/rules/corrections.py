"""What is corrected in every translation, in this order. Where two rules want the same place, the first one has it.

None of them should: a test looks for it. So the order decides nothing but what a reader sees first.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.text.inline.placement import Edit
from app.text.regional_spelling import spelling_edits
from app.translation.rules.capitals import capitals
from app.translation.rules.marks import (
    beginning,
    ellipses,
    ending,
    lost_bracket,
    lost_quotation_mark,
    quotation_marks,
)
from app.translation.rules.names import streets
from app.translation.rules.pair import DOTS, FIGURE, Pair
from app.translation.rules.spaces import (
    APART,
    before_marks,
    before_numbers,
    before_signs,
    between_signs,
    dashes,
    inside,
    no_break,
    scores,
    spans,
)
from languages.signs import QUOTATION_MARKS

_LAST_HOUR = 24.6  # 24.59


@dataclass(frozen=True)
class Correction:
    """Changes a translation.

    Attributes:
        edits: Finds the edits, in order and disjoint.
        needs: One of these is among the signs of each pair that it changes; None if it may change any.
        is_formatting: It follows conventions of the target language: a client that preserves formatting does without.
    """

    edits: Callable[[Pair], Sequence[Edit]]
    needs: frozenset[str] | None = None
    is_formatting: bool = False


def ordinals(pair: Pair) -> list[Edit]:
    """Corrects "22th" and "29ter", which models write because most ordinals end so."""
    slips = pair.there.writing.ordinal_slips
    found = ((match, slip) for slip in slips for match in slip.pattern.finditer(pair.translation))
    return sorted(Edit(*match.span("ending"), slip.ending) for match, slip in found if match[0] not in pair.source)


def hours(pair: Pair) -> list[Edit]:
    """Removes the word for a clock behind a number that is no hour: models make a time of "at 84"."""
    word = pair.there.clock.hour_word if pair.there.clock else ""
    if not word or word not in pair.translation or word in pair.source:
        return []
    found = re.finditer(
        rf"(?<![\d:.,])(?P<hour>\d{{1,9}}(?:[.,]\d+)?)(?P<word>{re.escape(word)})(?!\w)", pair.translation
    )
    return [Edit(*each.span("word"), "") for each in found if "," in each["hour"] or float(each["hour"]) > _LAST_HOUR]


def regional_spelling(pair: Pair) -> list[Edit]:
    """Spells words as the target's region does."""
    return spelling_edits(pair.source, pair.translation, pair.there)


_FIGURES = frozenset({FIGURE})
_DOTS = frozenset({DOTS, "…"})
_QUOTATION_MARKS = frozenset(QUOTATION_MARKS)
CORRECTIONS = (
    Correction(capitals),
    Correction(ordinals, _FIGURES),
    Correction(hours, _FIGURES),
    Correction(beginning, _DOTS),
    Correction(ending),
    Correction(ellipses, _DOTS),
    Correction(quotation_marks, _QUOTATION_MARKS, is_formatting=True),
    Correction(lost_quotation_mark, _QUOTATION_MARKS),
    Correction(lost_bracket, frozenset("(")),
    Correction(before_marks, frozenset("?!;:"), is_formatting=True),
    Correction(inside, _QUOTATION_MARKS | frozenset("([{¿¡"), is_formatting=True),
    Correction(before_numbers, _FIGURES),
    Correction(between_signs, frozenset({FIGURE, *APART})),
    Correction(spans, frozenset("–-")),
    Correction(dashes, frozenset("–—-")),
    Correction(scores, frozenset(":–-")),
    Correction(before_signs, frozenset("°%"), is_formatting=True),
    Correction(no_break, frozenset("\u00a0\u202f")),
    Correction(regional_spelling),
    Correction(streets),
)


def corrections(pair: Pair) -> list[Edit]:
    """Finds what to change in a translation, in order and disjoint."""
    kept: list[tuple[Edit, int]] = []
    for edit, rule in _wanted(pair):
        if not kept or not overlap(kept[-1][0], edit):
            kept.append((edit, rule))
        elif rule < kept[-1][1]:
            kept[-1] = (edit, rule)
    return [edit for edit, _ in kept]


def overlap(one: Edit, other: Edit) -> bool:
    """Tells whether two edits change the same characters, or insert at the same place."""
    first, second = sorted((one, other))
    return second.begin < first.end or first[:2] == second[:2]


def _wanted(pair: Pair) -> list[tuple[Edit, int]]:
    """The edits of all ``CORRECTIONS`` with their indices, in the order of the text."""
    asked = _asked(pair.signs, strict=pair.options.preserves_formatting)
    return sorted((edit, index) for index, rule in asked for edit in rule.edits(pair))


@lru_cache(maxsize=1024)
def _asked(signs: frozenset[str], *, strict: bool) -> tuple[tuple[int, Correction], ...]:
    """The rules that may change a pair with these signs, with their indices: four of them if it has none."""
    return tuple(
        (index, rule)
        for index, rule in enumerate(CORRECTIONS)
        if (rule.needs is None or not rule.needs.isdisjoint(signs)) and not (rule.is_formatting and strict)
    )
