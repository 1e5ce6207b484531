"""Lexicons: translations of rare words, from pair files into a bundle."""

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.engine.models.lexicon import SAME
from model.data.pairs import read_pairs

Translations = Mapping[str, Sequence[str]]
"""Translations of word forms, the usual one first."""


def read_lexicon(path: Path, *, reverse: bool = False) -> Translations:
    """Read pairs of a word or a term of two words and a translation; longer entries are left out.

    Args:
        path: Pair file, as for training. Several translations of a word are several lines.
        reverse: The second column is translated into the first.

    Raises:
        PairsError: The file is missing or malformed.
    """
    found: dict[str, list[str]] = {}
    for pair in read_pairs(path):
        word, translation = reversed(pair) if reverse else pair
        if word.count(" ") < 2 and translation not in found.setdefault(word, []):
            found[word].append(translation)
    return {word: translations for word, translations in found.items() if translations}


def write_lexicon(translations: Translations, path: Path) -> None:
    """Write a file that ``app.engine.models.lexicon`` reads."""
    lines = (
        "\t".join([word, *(SAME if each == word else each for each in translations[word])]) + "\n"
        for word in sorted(translations)
    )
    # Without a time, so that the same lexicon is the same file.
    path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
