"""Rough translations, word by word, with a table learnt from sentence pairs: enough to align documents by.

The table has the words that are most often on the other side of the pairs with a word, by Dice's coefficient (Melamed
2000, "Models of translational equivalence among words"). Dictionary entries count like sentences.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from model.data.pairs import Pair

_WORD = re.compile(r"\w+")
_LEAST = 0.05
_MOST = 2
"""Translations of a word. A third one is wrong more often than it helps."""
_LONGEST = 20
"""Words of a pair to learn from. The pairs of words grow with the square, and long pairs say less about each."""


class Glosses:
    """Translates the first language of pairs into the second, word by word; unknown words, such as names, stay.

    Args:
        pairs: Sentence pairs or dictionary entries.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        first, second = Counter[str](), Counter[str]()
        together: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for pair in pairs:
            words, others = (set(_WORD.findall(side.lower())) for side in pair)
            if max(len(words), len(others)) > _LONGEST:
                continue
            first.update(words)
            second.update(others)
            for word in words:
                together[word].update(others)
        self._table: dict[str, str] = {}
        for word, found in together.items():
            dice = {other: 2 * count / (first[word] + second[other]) for other, count in found.items()}
            best = sorted(dice, key=lambda other: (-dice[other], other))[:_MOST]
            self._table[word] = " ".join(other for other in best if dice[other] >= _LEAST)

    def __call__(self, lines: Sequence[str], source: str, target: str) -> list[str]:
        """One gloss a line; see ``model.data.synthesis.Translate``."""
        return [" ".join(self._table.get(word) or word for word in _WORD.findall(line.lower())) for line in lines]
