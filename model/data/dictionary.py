"""Dictionary words in the sentences of others: a rare word is learnt where it is used (after Fadaee et al. 2017).

A dictionary says what a word means, not how it behaves. Where a sentence pair has both sides of one entry, another
entry that inflects alike takes their places, so that "a wooden door" teaches "a postmodern door".
"""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from random import Random
from typing import NamedTuple

from model.data.pairs import Pair

_WORD = re.compile(r"\w+")
_SHORTEST = 4
_LONGEST_ENDING = 2
# Words more frequent than this are mostly function words, whose places nothing else can take.
_MOST_FREQUENT_REPLACED = 3_000
# Words more frequent than this, on both sides, are known: they need no more sentences.
_MOST_FREQUENT_INSERTED = 20
# How well known the better known side is decides how often an entry is used, up to this frequency.
_FAMILIAR = 400
# Most entries of two words are compounds whose meaning is the sum of their parts.
_TWO_WORDS = 0.25
_MOST_REPLACED = 2


class _Kind(NamedTuple):
    """Entries of one kind may take each other's places: what tells gender, number and inflection is the same."""

    ending: str  # of the first side
    other_ending: str
    capital: bool
    vowel: bool  # does the second side begin with one ("a" or "an")
    infinitive: bool


class _Entries(NamedTuple):
    pairs: list[Pair]
    weights: list[float]  # cumulative


class _Match(NamedTuple):
    word: str
    other: str
    ending: str  # inflection of ``word`` that the dictionary doesn't have
    kind: _Kind


class Dictionary:
    """Replaces words of sentences by dictionary entries that inflect alike."""

    def __init__(self, entries: Iterable[Pair], sentences: Sequence[Pair]) -> None:
        """Sort the entries.

        Args:
            entries: Both sides of a dictionary, the second in English. Entries are used if they have one word on the
                first side and one or two on the second, in lower case, with or without "to".
            sentences: Sentence pairs, to count how frequent words are.
        """
        self._frequencies = [
            Counter(word for pair in sentences for word in _WORD.findall(pair[side])) for side in (0, 1)
        ]
        self._meanings: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        self._entries: dict[_Kind, _Entries] = defaultdict(lambda: _Entries([], []))
        for first, written in entries:
            second = written.removeprefix("to ")
            words = second.split()
            if not first.isalpha() or len(words) not in (1, 2) or not all(w.isalpha() and w.islower() for w in words):
                continue
            infinitive = second != written
            if len(words) == 1:
                self._meanings[first].append((second, infinitive))
            mine, other = self._frequencies[0][first], min(self._frequencies[1][word] for word in words)
            if min(mine, other) <= _MOST_FREQUENT_INSERTED and max(mine, other) and len(first) >= _SHORTEST:
                pairs, weights = self._entries[_kind(first, second, infinitive)]
                weight = sqrt(min(max(mine, other), _FAMILIAR)) * (_TWO_WORDS if len(words) > 1 else 1)
                pairs.append((first, second))
                weights.append(weight + (weights[-1] if weights else 0))

    def substitute(self, pair: Pair, rng: Random) -> Pair | None:
        """The pair with one or two words replaced on both sides; None where no word has an entry."""
        matches = self._matches(pair)
        if not matches:
            return None
        first, second = pair
        for match in rng.sample(matches, k=min(len(matches), rng.randint(1, _MOST_REPLACED))):
            pairs, weights = self._entries[match.kind]
            new, other = pairs[bisect(weights, rng.random() * weights[-1])]
            first, second = _replace(first, match.word, new + match.ending), _replace(second, match.other, other)
        return first, second

    def _matches(self, pair: Pair) -> list[_Match]:
        """Words that stand once on either side, not first, where they may have a capital letter of the sentence."""
        words, others = (_WORD.findall(text) for text in pair)
        once, other_once = (
            {word for word, count in Counter(side).items() if count == 1} - set(side[:1]) for side in (words, others)
        )
        frequency = self._frequencies[0]
        found: dict[str, _Match] = {}  # by the word of the second side: no word is replaced twice
        for word in words:
            if word not in once:
                continue
            for cut in range(1 if word[0].isupper() else _LONGEST_ENDING + 1):
                base, ending = word[: len(word) - cut], word[len(word) - cut :]
                if len(base) < _SHORTEST or max(frequency[word], frequency[base]) > _MOST_FREQUENT_REPLACED:
                    break
                for other, infinitive in self._meanings.get(base, ()):
                    kind = _kind(base, other, infinitive)
                    # In lower case and as in the dictionary, all but verbs stand where their neighbours decide.
                    fixed = word[0].isupper() or infinitive or other[-1] == "s"
                    if other in other_once and kind in self._entries and (fixed if not cut else not infinitive):
                        found[other] = _Match(word, other, ending, kind)
        return list({match.word: match for match in found.values()}.values())


def _kind(first: str, second: str, infinitive: bool) -> _Kind:
    capital = first[0].isupper()
    # The first side's ending tells a noun's gender, the second's its number, or adjectives from adverbs.
    endings = (first[-3:], second[-1:]) if capital else (first[-2:], second[-2:])
    return _Kind(*endings, capital, second[0] in "aeiou", infinitive)


def _replace(text: str, word: str, new: str) -> str:
    return re.sub(rf"(?<!\w){word}(?!\w)", new, text, count=1)
