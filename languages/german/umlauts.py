"""German without umlauts: "fuer" is "für", "Gruesse" is "Grüße", but "neue" and "Poesie" stay.

A word is restored if it is unknown as it is written, and known with ä, ö, ü or ß. A compound is restored by its parts.
``umlauts.txt`` has the words with such letters, and ``digraphs.txt`` those that are written with ae, oe or ue. Both
were counted in the training text (``python -m tools.german_umlauts``).
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).parent
# "ue" behind these letters is never an umlaut: Bauer, neue, Quelle.
_DIGRAPH = re.compile(r"(?<![aeq])ue|oe|ae", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]*(?:[aou]e|ss)[^\W\d_]*", re.IGNORECASE)
_NAMES = frozenset({"mass"})  # "Body-Mass-Index" is more usual than a Swiss "Mass"
_SHORTEST_PART = 3
_SHORTEST_KNOWN_PART = 4
_LONGEST = 60  # letters; the time grows with the square


def restored(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Yields the words of a sentence to write in another way, as begin, end and the word, in order.

    In a sentence with an umlaut, ae, oe and ue are meant as they are; and so is ss in a sentence with ß. In capitals,
    ß can only be SS.
    """
    folded = sentence.lower()
    has_umlauts = not {"ä", "ö", "ü"}.isdisjoint(folded)
    has_sharp = "ß" in folded
    for match in _WORD.finditer(sentence):
        word = match[0]
        if len(word) > _LONGEST or (not word.islower() and not word.istitle() and not word.isupper()):
            continue
        found = None if word.lower() in _NAMES else _restored(word.lower())
        if found is None:
            continue
        if has_umlauts and found.replace("ß", "ss") != word.lower():
            continue
        if has_sharp and not word.isupper() and _without_umlauts(found) != word.lower():
            continue
        spelled = found.upper() if word.isupper() else found.capitalize() if word.istitle() else found
        if spelled != word:
            yield *match.span(), spelled


@lru_cache(maxsize=1)
def _known() -> tuple[Mapping[str, str], frozenset[str]]:
    """Words with umlauts by their spelling without, and words that are written with ae, oe or ue.

    The text is respelled as a whole, which takes 12 ms; word by word, it took 43 ms of the first request.
    """
    plain = frozenset((_FOLDER / "digraphs.txt").read_text(encoding="utf-8").split())
    text = (_FOLDER / "umlauts.txt").read_text(encoding="utf-8")
    without_sharp = text.replace("ß", "ss")
    known: dict[str, str] = {}
    for spelled in (_without_umlauts(without_sharp), without_sharp, _without_umlauts(text)):
        known.update(zip(reversed(spelled.split()), reversed(text.split()), strict=True))  # the first word stays
    return {spelling: word for spelling, word in known.items() if spelling not in plain}, plain


def _without_umlauts(text: str) -> str:
    return text.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


def _restored(word: str) -> str | None:
    """Returns the word with its umlauts; None if it has none, or isn't known."""
    known, plain = _known()
    if word in known:
        return known[word]
    if word in plain or not _DIGRAPH.search(word):
        return None
    for middle in range(_SHORTEST_PART, len(word) - _SHORTEST_KNOWN_PART + 1):
        if tail := known.get(word[middle:]):
            return (known.get(word[:middle]) or word[:middle]) + tail
    for middle in range(len(word) - _SHORTEST_PART, _SHORTEST_KNOWN_PART - 1, -1):
        if head := known.get(word[:middle]):
            return head + word[middle:]
    return None
