"""A bundle's lexicon: translations of words that were rare in training."""

import gzip
import re
import zlib
from pathlib import Path
from typing import NamedTuple

from app.engine.models.files import open_plain, read_plain
from app.errors import BundleError

MAX_LEXICON_BYTES = 64 << 20
SAME = "="
"""Stands for a translation that is the word itself, such as a name."""
KNOWN = "~"
"""Stands instead of the translations of a compound that the model knows: it isn't made from its parts."""
_LINES = re.compile(r"(?:[^\t\r\n]+(?:\t[^\t\r\n]+)+\n)*")
_SHORTEST_PART = 3
"""Letters of a part of a compound."""
_SHORTEST_TITLE = 4
"""Words. In German, a few words with capitals are more often nouns."""
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


class FoundWord(NamedTuple):
    """A word of a text that the lexicon has.

    Attributes:
        begin: Its first character, in code points.
        end: The one after its last.
        translations: Its translations, the usual one first.
    """

    begin: int
    end: int
    translations: tuple[str, ...]


class Lexicon:
    """The lexicon of one direction. A line is a word form, a tab, and its translations with tabs between them.

    German writes compounds in one word, and makes new ones all the time. So a lexicon may have their parts: modifiers,
    which end with a hyphen, and heads, which begin with one. With "Opern-" and "-direktor", "Operndirektor" is found.

    Args:
        path: The file, UTF-8; compressed by gzip if its name ends in ".gz".

    Raises:
        BundleError: It can't be read or is too large, or a line has no translation.
    """

    def __init__(self, path: Path) -> None:
        try:
            text = _content(path).decode()
        except UnicodeDecodeError as error:
            raise BundleError(f"{path} is not UTF-8") from error
        # All lines at once: the shipped lexicons have 277,000, and a start waits for them.
        understood = _LINES.match(text)
        if understood and understood.end() < len(text):
            number = 1 + text.count("\n", 0, understood.end())
            raise BundleError(f"{path}: line {number} is not a word, a tab and its translations")
        self._entries = dict(line.split("\t", 1) for line in text.split("\n")[:-1])
        self._has_parts = "\n-" in text or text.startswith("-")

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, text: str) -> list[FoundWord]:
        """Finds the words of a text that the lexicon has, in order.

        The first word of a text may have a capital letter that the lexicon's hasn't; its translations then get one. If
        all of four words or more have a capital, as in a title, this goes for each of them.
        """
        matches = list(_WORD.finditer(text))
        titled = len(matches) >= _SHORTEST_TITLE and all(match[0][0].isupper() for match in matches)
        found = []
        for match in matches:
            word, (begin, end) = match[0], match.span()
            translations = self._translations(word)
            lowered = not translations and word[0].isupper() and (titled or begin == 0)
            if lowered:
                translations = self._translations(_lower(word))
            if not translations and self._has_parts and word[0].isupper() and word not in self._entries:
                translations = self._compound(word)
                lowered = begin == 0
            if translations:
                if titled:
                    translations = [" ".join(map(_capital, each.split(" "))) for each in translations]
                elif lowered:
                    translations = [_capital(each) for each in translations]
                found.append(FoundWord(begin, end, tuple(translations)))
        return found

    def _translations(self, entry: str) -> list[str]:
        line = self._entries.get(entry)
        if line is None or line == KNOWN:
            return []
        return [entry if each == SAME else each for each in line.split("\t")]

    def _compound(self, word: str) -> list[str]:
        """Translates a compound by its parts; nothing if they aren't all known.

        Two parts are better than three, and a long head is better than a short one.
        """
        middles = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
        split = [(word[:middle], heads) for middle in middles if (heads := self._head(word[middle:]))]
        for modify in (self._modifier, self._two_modifiers):
            for part, heads in split:
                if modifiers := modify(part):
                    translations = [f"{modifiers[0]} {head}" for head in heads]
                    return [*translations, *(f"{modifier} {heads[0]}" for modifier in modifiers[1:])]
        return []

    def _head(self, part: str) -> list[str]:
        return self._translations("-" + part.lower()) or self._translations(_capital(part))

    def _modifier(self, part: str) -> list[str]:
        if not part.endswith("-"):
            return self._translations(part + "-")
        word = part[:-1]
        return self._translations(part) or self._translations(word) or ([word] if word.isupper() else [])

    def _two_modifiers(self, part: str) -> list[str]:
        for middle in range(_SHORTEST_PART, len(part) - _SHORTEST_PART):
            second = self._modifier(_capital(part[middle:]))
            first = self._modifier(part[:middle]) if second else []
            if first and second:
                return [f"{first[0]} {second[0]}"]
        return []


def _content(path: Path) -> bytes:
    if path.suffix != ".gz":
        return read_plain(path, MAX_LEXICON_BYTES)
    with open_plain(path, MAX_LEXICON_BYTES) as file, gzip.GzipFile(fileobj=file) as unpacked:
        try:
            content = unpacked.read(MAX_LEXICON_BYTES + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise BundleError(f"{path} is damaged: {error}") from error
    if len(content) > MAX_LEXICON_BYTES:
        raise BundleError(f"{path}: it has more than {MAX_LEXICON_BYTES:,} bytes of text")
    return content


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
