"""Ligatures of printed text, which PDFs have as characters of their own: "ﬁrst" is "first".

No vocabulary has pieces for them, so a model would meet bytes.
"""

import re
from collections.abc import Iterable

_LETTERS = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_TABLE = str.maketrans(_LETTERS)
_LIGATURE = re.compile("[\ufb00-\ufb06]")


def without_ligatures(text: str) -> str:
    """Replaces ligatures by their letters."""
    return text.translate(_TABLE) if _LIGATURE.search(text) else text


def with_ligatures(text: str, spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Turns places in the text without ligatures into places in the text as it is.

    Of pieces that share a ligature, the last has it.
    """
    if not _LIGATURE.search(text):
        return tuple(spans)
    places = [index for index, character in enumerate(text) for _ in _LETTERS.get(character, character)]
    places.append(len(text))
    return tuple((places[begin], places[end]) for begin, end in spans)
