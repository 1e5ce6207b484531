"""The checks of a translation that need its languages, in the order in which they are reported.

The engine makes those that need none: ``app.text.quality_checks.CHECKS``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.text.inline.placement import apply
from app.text.quality_checks import Verdict, loses_negation, loses_number
from app.text.well_formed import is_malformed
from app.translation.rules.corrections import corrections
from app.translation.rules.pair import Pair
from app.translation.rules.register import offending


@dataclass(frozen=True)
class Check:
    """Judges a translation.

    Attributes:
        verdict: What it says of a translation that fails.
        fails: Whether one fails.
    """

    verdict: Verdict
    fails: Callable[[Pair], bool]


def _lost_number(pair: Pair) -> bool:
    return loses_number(pair.source, pair.translation, pair.there.numbers)


def _is_malformed(pair: Pair) -> bool:
    """Tells whether a translation is malformed, and corrections don't mend it."""

    def differs(text: str) -> bool:
        return is_malformed(pair.source, text, pair.here, pair.there)

    return differs(pair.translation) and differs(apply(corrections(pair), pair.translation))


def _loses_negation(pair: Pair) -> bool:
    return loses_negation(pair.source, pair.translation, pair.here.negations, pair.there.negations)


CHECKS = (
    Check(Verdict.DIGITS_CHANGED, _lost_number),
    Check(Verdict.MALFORMED, _is_malformed),
    Check(Verdict.NEGATION_LOST, _loses_negation),
    Check(Verdict.FORMALITY, lambda pair: bool(offending(pair))),
)


def failed(pair: Pair) -> tuple[Verdict, ...]:
    """Returns the verdicts of the checks that a translation fails."""
    return tuple(check.verdict for check in CHECKS if check.fails(pair))
