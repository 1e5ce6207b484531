"""Options of the search for a translation, with their ranges. Standard library only."""

import math
from dataclasses import dataclass

from app.errors import OptionOutOfRange

MAX_BEAM_SIZE = 16
MAX_LENGTH_TOKENS = 512
RANGES: dict[str, tuple[int, int]] = {
    "beam_size": (1, MAX_BEAM_SIZE),
    "n_best": (1, MAX_BEAM_SIZE),
    "beam_threshold": (0, 100),
    "length_penalty": (0, 3),
    "min_length": (0, MAX_LENGTH_TOKENS),
    "max_length": (1, MAX_LENGTH_TOKENS),
    "no_repeat_ngram": (0, 10),
    "repetition_penalty": (1, 5),
}
"""The lowest and the highest value of each option."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How to search for a translation. Every value is checked on construction.

    Attributes:
        beam_size: Hypotheses kept per sentence, 1 to 16; 1 is greedy search.
        n_best: Hypotheses returned per sentence, 1 to ``beam_size``; the first is the translation.
        beam_threshold: Maximum distance of a hypothesis to the best of the same length, 0 to 100, in natural logarithms
            of probability. A hypothesis further behind is dropped (absolute threshold pruning, Freitag and Al-Onaizan
            2017, "Beam Search Strategies for Neural Machine Translation"). Ignored if ``n_best`` is more than 1:
            alternatives need the whole beam.
        length_penalty: Exponent alpha, 0 to 3, of ((5 + |Y|) / 6) ** alpha (Wu et al. 2016, equation 14); a finished
            hypothesis Y is ranked by its log-probability divided by this term. Larger values favour longer output.
        min_length: Minimum target tokens per sentence, 0 to 512.
        max_length: Maximum target tokens per sentence, 1 to 512; None derives it from the source length.
        no_repeat_ngram: No n-gram of this many target tokens occurs twice, 0 to 10; 0 is off.
        repetition_penalty: Factor, 1 to 5, by which tokens already produced lose score (Keskar et al. 2019); 1 is off.
        alignment: Report which characters of the source each piece of the translation translates.
        prefix: The text that the translation begins with; None leaves the beginning to the model. With an ``n_best``
            above 1 the hypotheses differ in the first token behind the prefix, and each goes on greedily.
        avoid: Words that the translation must not have, as they are spelled. A word that consists of several tokens
            can't be completed, and a word that is one token can't be begun.

    Raises:
        OptionOutOfRange: A value is of the wrong type, not finite, or outside its range.
    """

    beam_size: int = 4
    n_best: int = 1
    beam_threshold: float = 2.0
    length_penalty: float = 1.0
    min_length: int = 0
    max_length: int | None = None
    no_repeat_ngram: int = 0
    repetition_penalty: float = 1.0
    alignment: bool = False
    prefix: str | None = None
    avoid: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_integer("beam_size", self.beam_size, *RANGES["beam_size"])
        check_integer("n_best", self.n_best, *RANGES["n_best"])
        if self.n_best > self.beam_size:
            raise OptionOutOfRange(f"n_best is {self.n_best}; it must not exceed beam_size, which is {self.beam_size}.")
        _check_number("beam_threshold", self.beam_threshold, *RANGES["beam_threshold"])
        _check_number("length_penalty", self.length_penalty, *RANGES["length_penalty"])
        check_integer("min_length", self.min_length, *RANGES["min_length"])
        if self.max_length is not None:
            check_integer("max_length", self.max_length, *RANGES["max_length"])
            if self.min_length > self.max_length:
                raise OptionOutOfRange(
                    f"min_length is {self.min_length}; it must not exceed max_length, which is {self.max_length}."
                )
        check_integer("no_repeat_ngram", self.no_repeat_ngram, *RANGES["no_repeat_ngram"])
        _check_number("repetition_penalty", self.repetition_penalty, *RANGES["repetition_penalty"])


def check_integer(name: str, value: object, lowest: int, highest: int) -> None:
    """Refuses anything but a whole number from ``lowest`` to ``highest``.

    Raises:
        OptionOutOfRange: With a sentence that names the option, the value and the range.
    """
    # A bool is an int to Python, but "beam_size": true is a mistake.
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise OptionOutOfRange(f"{name} is {_shown(value)}; it must be a whole number from {lowest} to {highest}.")


def _check_number(name: str, value: object, lowest: float, highest: float) -> None:
    # NaN fails every comparison and an infinity the range, so non-finite values need no test of their own.
    if isinstance(value, bool) or not isinstance(value, int | float) or not lowest <= value <= highest:
        raise OptionOutOfRange(f"{name} is {_shown(value)}; it must be a number from {lowest:g} to {highest:g}.")


def _shown(value: object) -> str:
    """Return a value in a form short enough for an error message."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else "too large"
    if isinstance(value, float):
        return str(value) if math.isfinite(value) else "not finite"
    return "not a number"
