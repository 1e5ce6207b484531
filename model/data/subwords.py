"""Other segmentations of a source, drawn anew for each batch, so that a model learns what a word's parts say.

A piece is replaced by shorter pieces that spell it: subword regularisation (Kudo 2018), piece by piece. SentencePiece
draws whole sentences, but would need their text again, and its random numbers can't be repeated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from heapq import nlargest

import numpy as np
import sentencepiece
from numpy.typing import NDArray

# Kudo (2018), section 4.2: the smoothing of the unigram model's probabilities.
_SMOOTHING = 0.2
# Spellings kept of each piece, the likeliest.
_MOST = 8

Spelling = tuple[int, ...]


@dataclass(frozen=True)
class Subwords:
    """How pieces can be spelt by shorter ones.

    Attributes:
        spellings: By piece, its spellings; pieces without one are missing.
        cumulative: By piece, the cumulative probabilities of these.
    """

    spellings: Mapping[int, tuple[Spelling, ...]]
    cumulative: Mapping[int, NDArray[np.float64]]

    @classmethod
    def of_tokenizer(cls, processor: sentencepiece.SentencePieceProcessor) -> "Subwords":
        """Find the spellings of each piece; control pieces, bytes and user-defined symbols have none."""
        scores = {
            processor.id_to_piece(index): (processor.get_score(index), index)
            for index in range(processor.vocab_size())
            if not (processor.is_control(index) or processor.is_unknown(index) or processor.is_byte(index))
            and processor.get_score(index) < 0  # user-defined symbols have the score 0
        }

        @cache
        def best(text: str) -> tuple[tuple[float, Spelling], ...]:
            """The likeliest spellings of a text with their scores, it alone included."""
            found: list[tuple[float, Spelling]] = []
            if text in scores:
                score, index = scores[text]
                found.append((score, (index,)))
            for at in range(1, len(text)):
                if text[:at] in scores:
                    score, index = scores[text[:at]]
                    found += [(score + more, (index, *rest)) for more, rest in best(text[at:])]
            return tuple(nlargest(_MOST + 1, found))

        spellings, cumulative = {}, {}
        for piece, (_, index) in scores.items():
            if found := [(score, spelling) for score, spelling in best(piece) if len(spelling) > 1][:_MOST]:
                weights = np.exp(_SMOOTHING * (np.array([score for score, _ in found]) - found[0][0]))
                spellings[index] = tuple(spelling for _, spelling in found)
                cumulative[index] = np.cumsum(weights) / weights.sum()
        return cls(spellings, cumulative)

    def draw(
        self, ids: NDArray[np.int32], share: float, rng: np.random.Generator
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Spell each piece anew with a chance of ``share``, if it can be spelt.

        Args:
            ids: (N,) pieces.
            share: The chance, 0 to 1.
            rng: Source of random numbers.

        Returns:
            The pieces, (M,) with M >= N, and (N,) the new position of each old piece: of the first that spells it.
        """
        parts: list[Spelling] = [(index,) for index in ids.tolist()]
        for at in np.flatnonzero(rng.random(len(ids)) < share):
            if (index := parts[at][0]) in self.spellings:
                chosen = np.searchsorted(self.cumulative[index][:-1], rng.random(), side="right")
                parts[at] = self.spellings[index][chosen]
        positions = np.cumsum([0, *map(len, parts)])
        return np.fromiter((index for part in parts for index in part), np.int32, positions[-1]), positions[:-1]
