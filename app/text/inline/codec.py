r"""How a translation is written where the source has escapes: ``\'`` for an apostrophe, ``&`` before a menu's key."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_WORD_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Codec:
    r"""Writes translations as the source is written.

    Attributes:
        escaped: The characters that get a backslash.
        is_ascii: Whether other characters than those of ASCII are written as ``\u00fc``.
        doubled: The characters that are written twice.
        mnemonic: The sign before the letter that opens a menu's entry; "" for none.
        letter: That letter.
    """

    escaped: str = ""
    is_ascii: bool = False
    doubled: str = ""
    mnemonic: str = ""
    letter: str = ""

    def __or__(self, other: "Codec") -> "Codec":
        """Returns a codec that writes everything that either writes."""
        return Codec(
            self.escaped + other.escaped,
            self.is_ascii or other.is_ascii,
            self.doubled + other.doubled,
            self.mnemonic or other.mnemonic,
            self.letter or other.letter,
        )

    def without_mnemonic(self) -> "Codec":
        """Returns the codec for a part of the text that has no such letter."""
        return replace(self, mnemonic="", letter="")

    def edits(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yields (begin, end, replacement) for what of a translation is written differently, in order."""
        key = mnemonic_place(text, self.letter) if self.mnemonic else -1
        for place, character in enumerate(text):
            if place == key:
                yield place, place, self.mnemonic
            if character in self.escaped:
                yield place, place + 1, f"\\{character}"
            elif character in self.doubled:
                yield place, place + 1, 2 * character
            elif self.is_ascii and not character.isascii():
                units = character.encode("utf-16-be", "surrogatepass")
                yield place, place + 1, "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def mnemonic_place(text: str, letter: str) -> int:
    """Returns the place of the letter in a text: where a word begins with it, else anywhere; else of the first letter.

    -1 if the text has no letter.
    """
    folded = letter.casefold()
    letters = [match.start() for match in _WORD_LETTER.finditer(text)]
    same = [place for place in letters if text[place].casefold() == folded]
    begins = [place for place in same if not (place and text[place - 1].isalnum())]
    return next(iter((*begins, *same, *letters)), -1)
