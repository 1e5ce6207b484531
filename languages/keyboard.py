"""Combinations of keys: "Strg+Entf" is "Ctrl+Del". Models know few keys, and take the others for words."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

MODIFIERS = ("Ctrl", "Shift", "Alt", "AltGr", "Win", "Cmd", "Option", "Fn")
"""The English names of the keys that begin a combination."""
KEYS = (*"Del Ins Home End Enter Esc Tab Space Backspace PrtSc Up Down Left Right".split(), "Page Up", "Page Down")
"""The English names of other keys."""
HINT = re.compile(r"\+|[a-z]-(?:F\d|[A-Z]\b)")
"""Matches in every text that has a combination."""
_BY_HYPHEN = ("Ctrl", "Cmd")
"""The English names of the keys that a hyphen joins to a letter: "Strg-C". Others begin words: "Alt-Bau"."""


def combinations(text: str, here: Mapping[str, str], there: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yields begin and end of each combination, and how another language writes it.

    Args:
        text: Any string.
        here: Names of keys in its language, with the English ones; none if they aren't known.
        there: Likewise for the other language; the first name of a key is the usual one.
    """
    if not (here and there and HINT.search(text)):
        return
    usual = {english: name for name, english in reversed(tuple(there.items()))}
    keys = _keys(tuple(here))
    for match in _combination(tuple(here.items())).finditer(text):
        written = keys.sub(lambda key: usual.get(here[key[0]], here[key[0]]), match[0])
        yield *match.span(), written


@lru_cache(maxsize=16)
def _keys(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_either(names)})\b")


@lru_cache(maxsize=16)
def _combination(names: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    first = _either(tuple(name for name, english in names if english in MODIFIERS))
    by_hyphen = _either(tuple(name for name, english in names if english in _BY_HYPHEN))
    other = _either(tuple(name for name, _ in names))
    return re.compile(
        rf"(?<![\w+-])(?:(?:{first})-F\d{{1,2}}(?![\w-])|(?:{by_hyphen})-[A-Z0-9](?![\w-])"
        rf"|(?P<first>{first})(?! ?\+ ?(?P=first)\b)"
        rf"(?: ?\+ ?(?:{other}|F\d{{1,2}}|[A-Z0-9]|[^\w\s+])(?:/(?:{other}))?(?![\w-]))++)"
    )


def _either(names: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
