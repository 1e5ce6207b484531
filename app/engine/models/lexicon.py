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
_LINES = re.compile(r"(?:[^\t\r\n]+(?:\t[^\t\r\n]+)+\n)*")
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

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, text: str) -> list[FoundWord]:
        """Finds the words of a text that the lexicon has, in order.

        The first word of a text may have a capital letter that the lexicon's hasn't; its translations then get one. If
        all of four words or more have a capital, as in a title, this goes for each of them.
        """
        words = _WORD.findall(text)
        titled = len(words) >= _SHORTEST_TITLE and all(word[0].isupper() for word in words)
        changed = {word: _lower(word) for word in (words if titled else words[:1]) if word[0].isupper()}
        if self._entries.keys().isdisjoint(words) and self._entries.keys().isdisjoint(changed.values()):
            return []  # most sentences
        found = []
        for match in _WORD.finditer(text):
            word, (begin, end) = match[0], match.span()
            translations = self._entries.get(word)
            lowered = translations is None and word in changed and (titled or begin == 0)
            if lowered:
                translations = self._entries.get(changed[word])
            if translations is not None:
                own = [word if each == SAME else each for each in translations.split("\t")]
                if titled:
                    own = [" ".join(map(_capital, each.split(" "))) for each in own]
                elif lowered:
                    own = [_capital(each) for each in own]
                found.append(FoundWord(begin, end, tuple(own)))
        return found


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
