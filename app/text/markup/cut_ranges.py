"""Protected text and numbers that tags cut in pieces, as in "<b>1,234</b>.50" or "{name}<b>3,50</b>"."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from app.fairness.budget import checkpoint
from app.text.inline.objects import Rewrite
from app.text.numerals.grammar import localize
from app.text.protection.patterns import Found, Patterns, Range, merged, rewrites_of

_HALF_DAY = re.compile(r"[AP]\.? ?M\b")
_DIGITS = re.compile(r"\d(?:.*\d)?", re.DOTALL)


class CutRanges:
    """The ranges of a text, for the pieces that tags cut it in.

    Args:
        text: The text without tags.
        found: What was found in it.
        patterns: With the languages of numbers.
        tags: Where tags were, in order.
    """

    def __init__(self, text: str, found: Found, patterns: Patterns, tags: Sequence[int]) -> None:
        self._text, self._found, self._languages, self._tags = text, found, patterns.numerals, tags
        self._ends = [end for _, end in found.ranges]
        self._numbers = sorted(found.numbers)

    def of_piece(self, piece: Range) -> dict[Range, Rewrite | None]:
        """Returns the ranges of a piece, and what a translation has instead of them, if it differs.

        A number whose digits are all in one piece is written for the target as a whole. Otherwise each piece keeps its
        digits: "<b>1,234</b>.50" becomes "<b>1.234</b>,50".

        Args:
            piece: A range of the text that had no tags in it.

        Returns:
            Ranges within the piece, disjoint, from its beginning.
        """
        ranges: list[Range] = []
        rewrites: dict[Range, Rewrite] = {}
        first, last = bisect_right(self._ends, piece[0]), bisect_left(self._found.ranges, (piece[1],))
        for cut in self._found.ranges[first:last]:
            checkpoint()
            inner = _part(cut, piece)
            if inner != cut and cut in self._found.rewrites:
                self._add_cut(cut, piece, ranges, rewrites)
            else:
                ranges.append(inner)
                if cut in self._found.rewrites:
                    rewrites[inner] = self._found.rewrites[cut]
        whole = merged(ranges)
        written = rewrites_of(self._text, whole, rewrites)
        return {(begin - piece[0], end - piece[0]): written.get((begin, end)) for begin, end in whole}

    def _add_cut(self, cut: Range, piece: Range, ranges: list[Range], rewrites: dict[Range, Rewrite]) -> None:
        """Adds the parts of a range of numbers, and perhaps protected text, that are in the piece."""
        inner = _part(cut, piece)
        first, last = bisect_left(self._numbers, (inner[0],)), bisect_left(self._numbers, (inner[1],))
        if first and self._numbers[first - 1][1] > inner[0]:
            first -= 1
        done = inner[0]
        for number in self._numbers[first:last]:
            checkpoint()
            ranges.append(_part((done, number[0]), piece))
            done = number[1]
            begin, end = inner = _part(number, piece)
            text = self._text[begin:end]
            if inner == number:  # beside a placeholder, where the model couldn't tell a number for a stand-in
                ranges.append(inner)
                rewrites[inner] = Rewrite(self._found.numbers[number].text)
            elif not self._cuts_digits(number):  # "um <b>16 Uhr</b>"
                assert self._languages  # otherwise there are no numbers
                for found in localize(text, *self._languages):
                    ranges.append((begin + found.begin, begin + found.end))
                    if found.rewrite:
                        rewrites[ranges[-1]] = found.rewrite
            else:
                ranges.append(inner)
                written = self._same_length(number)[begin - number[0] : end - number[0]]
                if written != text:
                    rewrites[inner] = Rewrite(written)
        ranges.append(_part((done, cut[1]), piece))

    def _cuts_digits(self, number: Range) -> bool:
        """Whether there was a tag between the digits of a number without words, which "9:30 pm" and "3. Mai" have."""
        digits = _DIGITS.search(self._text, *number)
        has_words = any(map(str.islower, self._text[slice(*number)]))  # currencies have capitals only
        if not digits or has_words or _HALF_DAY.search(self._text, *number):
            return False
        after = bisect_right(self._tags, digits.start())
        return after < len(self._tags) and self._tags[after] < digits.end()

    def _same_length(self, number: Range) -> str:
        """The number in the target's notation if only the marks between its digits differ; else as it is written."""
        written = self._text[slice(*number)]
        digits = _DIGITS.search(written)
        found = localize(digits[0], *self._languages) if digits and self._languages else []
        if not digits or len(found) != 1 or not found[0].rewrite:
            return written
        new = found[0].rewrite.text
        if re.sub(r"\D", "x", new) != re.sub(r"\D", "x", digits[0]):
            return written
        return written[: digits.start()] + new + written[digits.end() :]


def _part(wanted: Range, piece: Range) -> Range:
    begin = min(max(wanted[0], piece[0]), piece[1])
    return begin, max(begin, min(wanted[1], piece[1]))
