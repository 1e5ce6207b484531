"""A bundle's lexicon: translations of words that were rare in training."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from app.engine.models.entries import read_entries
from languages.registry import language_of

SAME = "="
"""Stands for a translation that is the word itself, such as a name."""
KNOWN = "~"
"""Stands in the place of translations, or before them: the model knows the word.

So the word is no unknown name, and a compound isn't put together from its parts. Translations behind it are those of
the word as a part of a compound. Alone behind a hyphen, it marks what looks like a part and is none: "-schaft".
"""
_SHORTEST_PART, _LONGEST_COMPOUND = 3, 60
"""Letters. Without a bound, a word of 16,000 letters would take half a second."""
_SHORTEST_TITLE = 4
"""Words. In German, a few words with capitals are more often nouns."""
_SHORTEST_NAME = 4
"""Letters."""
_WITHIN_SENTENCE = re.compile(r"[\w,;] ")
"""The two characters before a word that doesn't begin a sentence or a quotation."""
WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
"""A word, as a lexicon is asked for it."""


class FoundWord(NamedTuple):
    """A word or term of a text that the lexicon has.

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

    Instead of a word, an entry may be a term of two words with one space between them: "registry office".

    German writes compounds in one word, and makes new ones all the time. So a lexicon may have their parts: modifiers,
    which end with a hyphen, and heads, which begin with one. With "Opern-" and "-direktor", "Operndirektor" is found.

    Args:
        path: The file, UTF-8; compressed by gzip if its name ends in ".gz".
        language: Code of the words' language, whose nouns are told from names by what is before them.

    Raises:
        BundleError: It can't be read or is too large, or a line has no translation.
    """

    def __init__(self, path: Path, language: str = "") -> None:
        self._is_common_noun = language_of(language).is_common_noun
        text, self._entries = read_entries(path)
        self._has_parts = "-\t" in text or "\n-" in text or text.startswith("-")

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, text: str) -> list[FoundWord]:
        """Finds the words and terms of a text that the lexicon has, in order; none overlap.

        The first word of a text may have a capital letter that the lexicon's hasn't; its translations then get one. If
        all of four words or more have a capital, as in a title, this goes for each of them.
        """
        words = [match.span() for match in WORD.finditer(text)]
        titled = _is_title(text, words)
        found: list[FoundWord] = []
        entries, done = self._entries, 0
        for (begin, end), (beyond, last) in zip(words, [*words[1:], (0, 0)], strict=False):
            if begin < done:
                continue  # the second word of a term
            translations: list[str] = []
            is_pair = beyond == end + 1 and text[end] == " "
            if is_pair and (text[begin:last] in entries or titled or not begin):
                translations, done = self._looked_up(text[begin:last], titled=titled, first=not begin), last
            # The quickest tests first, since every word of every sentence comes here.
            if not translations and ((word := text[begin:end]) in entries or word[0].isupper()):
                translations, done = self._looked_up(word, titled=titled, first=not begin), end
            if translations:
                found.append(FoundWord(begin, done, tuple(translations)))
            else:
                done = end
        return found

    def names(self, text: str, found: Sequence[FoundWord]) -> list[FoundWord]:
        """Finds words that may be names, in order; the translation of each is itself.

        These are words with capital and small letters that the lexicon doesn't have. The first word of a sentence or a
        quotation has a capital anyway, so it needs another one. The words of a title all have one, so none is found.

        Args:
            text: The text.
            found: What ``find`` has found in it.
        """
        words = [match.span() for match in WORD.finditer(text)]
        if _is_title(text, words):
            return []
        return [
            FoundWord(begin, end, (text[begin:end],))
            for index, (begin, end) in enumerate(words)
            if not text[begin:end].islower()
            and self._may_be_name(text, begin, end)
            and not any(each.begin <= begin < each.end for each in found)
            and not self._is_common_noun(text[begin:end], _texts(text, words[max(0, index - 2) : index]))
        ]

    def _may_be_name(self, text: str, begin: int, end: int) -> bool:
        word = text[begin:end]
        if len(word) < _SHORTEST_NAME or word.isupper() or not word.isalpha():
            return False
        # An entry may have no translation: it is a word that the model knows.
        if word in self._entries or lowered(word) in self._entries:
            return False
        return not word[1:].islower() or _WITHIN_SENTENCE.fullmatch(text, max(0, begin - 2), begin) is not None

    def _looked_up(self, entry: str, *, titled: bool, first: bool) -> list[str]:
        """Translates a word or a term of two words, which may begin with a capital because of its place."""
        listed = entry if entry in self._entries else None
        if listed is None and not entry[0].isupper():
            return []  # as nearly all
        if listed is None and (titled or first):
            forms = (lowered(entry), " ".join(map(lowered, entry.split(" "))))
            listed = next((form for form in forms[: 1 + titled] if form in self._entries), None)
        translations: list[str] = []
        if listed is not None:  # perhaps as a word that the model knows
            translations = self._translations(listed)
            if listed != entry:
                translations = list(map(_capital, translations))
        elif self._has_parts and lowered(entry) not in self._entries:
            translations = self._compound(entry)
        return [" ".join(map(_capital, each.split(" "))) for each in translations] if titled else translations

    def _translations(self, entry: str) -> list[str]:
        return [] if self._entries.get(entry, KNOWN).startswith(KNOWN) else self._of_part(entry)

    def _of_part(self, entry: str) -> list[str]:
        """The translations of a part of a compound, which the model may know as a word."""
        listed = self._entries.get(entry, KNOWN).split("\t")
        return [entry.strip("-") if each == SAME else each for each in listed if each != KNOWN]

    def _compound(self, word: str) -> list[str]:
        """Translates a compound by its parts; nothing if they aren't all known.

        Two parts are better than three, and a long head is better than a short one.
        """
        # Nor are names split ("PlayStation"), nor adjectives ("US-amerikanische": its heads are no nouns).
        last = word.rpartition("-")[2]
        if len(word) > _LONGEST_COMPOUND or " " in word or not (last[:1].isupper() and last[1:].islower()):
            return []
        middles = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
        split = [(word[:middle], heads) for middle in middles if (heads := self._head(word[middle:]))]
        for modify in (self._modifier, self._two_modifiers):
            for part, heads in split:
                if modifiers := modify(part):
                    translations = [f"{modifiers[0]} {head}" for head in heads]
                    return [*translations, *(f"{modifier} {heads[0]}" for modifier in modifiers[1:])]
        return []

    def _head(self, part: str) -> list[str]:
        if (entry := "-" + part.lower()) in self._entries:
            return self._translations(entry)  # none of what is no head: "-schaft"
        word = _capital(part)
        return [] if self._entries.get(word) == SAME else self._of_part(word)  # a name is no head

    def _modifier(self, part: str) -> list[str]:
        if not part.endswith("-"):
            return self._translations(part + "-")
        word = part[:-1]
        return self._of_part(part) or self._of_part(word) or ([word] if word.isupper() else [])

    def _two_modifiers(self, part: str) -> list[str]:
        for middle in range(_SHORTEST_PART, len(part) - _SHORTEST_PART + 1):
            second = self._modifier(_capital(part[middle:]))
            first = self._modifier(part[:middle]) if second else []
            if first:
                return [f"{first[0]} {second[0]}"]
        return []


def _texts(text: str, words: Sequence[tuple[int, int]]) -> list[str]:
    return [text[begin:end] for begin, end in words]


def _is_title(text: str, words: Sequence[tuple[int, int]]) -> bool:
    return len(words) >= _SHORTEST_TITLE and all(text[begin].isupper() for begin, _ in words)


def lowered(text: str) -> str:
    """The text with a small letter at its beginning, as a lexicon is asked for it, too."""
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
