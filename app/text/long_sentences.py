"""Breaks a sentence that is too long for a model."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from app.fairness.budget import checkpoint
from languages.registry import language_of
from languages.signs import CLOSING

# Where to break, best first: at the end of a match, so that white space stays with the piece before it. Most full stops
# inside of a sentence are those of ordinals and short forms.
_CLAUSE_END = re.compile(
    rf"(?:(?<=[^\W\d_]{{4}})\.|[!?…;:,)\]}}–—])[{CLOSING}]*\s+|[，、；：。！？]|\s(?=[(\[{{–—„«»“])"
)
_SPACE = re.compile(r"\s+")


def _nowhere(_: int) -> bool:
    return False


def break_long(
    sentence: str, *, language: str, fits: Callable[[str], bool], inside: Callable[[int], bool] = _nowhere
) -> list[str]:
    """Breaks a sentence into pieces that fit, near the end of what fits: at a clause, a conjunction, a space, anywhere.

    The pieces concatenate to the sentence exactly. White space at a break stays at the end of the piece before it, so a
    piece may end (and the first may begin) with white space, or be nothing else: translate the middle, keep the ends.

    ``fits`` is called about ten times a piece, never with much more than twice what fits, so the time is in
    proportion to the sentence even where nothing in it invites a break.

    Args:
        sentence: Any string; an empty one gives no pieces.
        language: Code of its language.
        fits: Whether a model takes this string whole. Expected to hold for nearly every prefix of what fits.
        inside: Whether a place in the sentence is inside of something that must stay whole.

    Returns:
        Pieces for which ``fits`` holds, except single characters for which it doesn't.
    """
    conjunction = _before_conjunction(language)
    pieces: list[str] = []
    start = 0
    guess = 256
    while start < len(sentence):
        checkpoint()
        limit = _longest_fitting(sentence, start, guess, fits)
        end = limit if limit == len(sentence) else _break_before(sentence, start, limit, conjunction, inside)
        if end < limit and not fits(sentence[start:end]):
            end = limit
        pieces.append(sentence[start:end])
        guess = limit - start
        start = end
    return pieces


@lru_cache(maxsize=64)
def _before_conjunction(language: str) -> re.Pattern[str]:
    words = language_of(language).conjunctions
    return re.compile(rf"\s(?=(?:{'|'.join(words)})\s)") if words else re.compile("(?!)")


def _longest_fitting(text: str, start: int, guess: int, fits: Callable[[str], bool]) -> int:
    """Returns the largest end for which text[start:end] fits, by doubling and halving; at least start + 1."""
    fitting = start + 1
    end = min(start + guess, len(text))
    while end > fitting and fits(text[start:end]):
        fitting = end
        end = min(start + 2 * (end - start), len(text))
    too_long = end
    while too_long - fitting > 1:
        middle = (fitting + too_long) // 2
        if fits(text[start:middle]):
            fitting = middle
        else:
            too_long = middle
    return fitting


def _break_before(
    text: str, start: int, limit: int, conjunction: re.Pattern[str], inside: Callable[[int], bool]
) -> int:
    """Returns the best end in (start, limit]: at a break, or else where no character loses its marks."""
    not_a_stub = start + (limit - start) // 3
    for pattern, earliest in ((_CLAUSE_END, not_a_stub), (conjunction, not_a_stub), (_SPACE, start)):
        ends = (match.end() for match in pattern.finditer(text, start, limit))
        last = max((end for end in ends if not inside(end)), default=start)
        if last > earliest:
            return last
    end = limit
    while end > start and (inside(end) or _joins_previous(text, end)):
        end -= 1
    return end if end > start else limit


def _joins_previous(text: str, index: int) -> bool:
    """Tells whether the character at an index belongs to the one before: an accent, a selector, a joined emoji.

    An ASCII letter or digit also belongs to the one before it: a stand-in must not be split.
    """
    character = text[index]
    return (
        (character.isascii() and character.isalnum() and text[index - 1].isascii() and text[index - 1].isalnum())
        or unicodedata.category(character).startswith("M")
        or character == "\u200d"
        or text[index - 1] == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
