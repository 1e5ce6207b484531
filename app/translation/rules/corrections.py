"""What is corrected in every translation, in this order. Where two rules want the same place, the first one has it.

None of them should: a test looks for it. So the order decides nothing but what a reader sees first.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from app.translation.rules.pair import Pair
from app.translation.rules.spaces import (
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

_DIGIT = re.compile(r"\d")
_LAST_HOUR = 24.6  # 24.59


@dataclass(frozen=True)
class Correction:
    """Changes a translation.

    Attributes:
        edits: Finds the edits, in order and disjoint.
        is_formatting: It follows conventions of the target language: a client that preserves formatting does without.
    """

    edits: Callable[[Pair], Sequence[Edit]]
    is_formatting: bool = False


def ordinals(pair: Pair) -> list[Edit]:
    """Corrects "22th" and "29ter", which models write because most ordinals end so."""
    slips = pair.there.writing.ordinal_slips
    if not (slips and _DIGIT.search(pair.translation)):
        return []
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


CORRECTIONS = (
    Correction(capitals),
    Correction(ordinals),
    Correction(hours),
    Correction(beginning),
    Correction(ending),
    Correction(ellipses),
    Correction(quotation_marks, is_formatting=True),
    Correction(lost_quotation_mark),
    Correction(lost_bracket),
    Correction(before_marks, is_formatting=True),
    Correction(inside, is_formatting=True),
    Correction(before_numbers),
    Correction(between_signs),
    Correction(spans),
    Correction(dashes),
    Correction(scores),
    Correction(before_signs, is_formatting=True),
    Correction(no_break),
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
    strict = pair.options.preserves_formatting
    edits = ((rule.edits(pair), index) for index, rule in enumerate(CORRECTIONS) if not (rule.is_formatting and strict))
    return sorted((edit, index) for found, index in edits for edit in found)
