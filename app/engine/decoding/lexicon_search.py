"""Beam search that a lexicon helps with rare words. One sentence; knows no model.

While the alignment head looks at a word that the lexicon has, the next token comes from the model or from the lexicon,
which offers the first tokens of the word's translations (linear interpolation, Arthur et al. 2016, "Incorporating
Discrete Translation Lexicons into Neural Machine Translation"). Once such a token is written, the lexicon offers the
next one, until a translation is complete. Each word is offered until the hypothesis has taken it.

The lexicon has a small share at the beginning of a translation: enough to win where the model doesn't know the word and
spreads its probability over many tokens, not enough where the model is sure of another token. The model's own
probability of an offered token counts if the token is among the candidates, which are as many as there are beams.

The alignment head may look at the word late, when the model has begun a word of its own. See ``half_words``.

A word that looks like a name, and that the lexicon doesn't have, is offered as it is. It may be no name, so its shares
are smaller. They keep the model from writing "Kowalczik" for "Kowalczyk".
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from app.engine.decoding.half_words import last_word, without_half_words
from app.engine.decoding.search import Beam, Hypothesis, Search
from app.engine.decoding.word_trees import OF_NAME, Progress, RareWord, WordTrees, position_and_best, with_best

# Shares of the lexicon at the beginning of a translation, and within it. 0.1 and 0.35 at the beginning were worse, 0.8
# within was not better (research/, the sixth run).
_SHARES = (0.2, 0.9)
_SHARES_OF_NAMES = (0.1, 0.6)
_PRECISION = 2.0**20  # steps of one in a logarithm


def interpolated(score: float, share: float) -> float:
    """Log-probability of a token that the model gives the log-probability ``score``, and the lexicon its ``share``.

    It is rounded, so that libraries whose exponentials differ in the last bit give the same result.
    """
    return math.floor(math.log((1 - share) * math.exp(score) + share) * _PRECISION + 0.5) / _PRECISION


def share_of(trees: WordTrees, node: int, *, begins: bool) -> float:
    """The lexicon's share of the probability where the children of a node are offered.

    Args:
        trees: The trees.
        node: The node.
        begins: A translation begins there.
    """
    at_beginning, within = _SHARES_OF_NAMES if trees.nodes[node].flags & OF_NAME else _SHARES
    return at_beginning if begins else within


class LexiconSearch(Search):
    """Beam search with a lexicon's translations of some words. It needs the alignment head.

    Args:
        rare_words: The words.
        pieces: The text of each target token, see ``app.engine.models.tokenizer.Tokenizer.target_pieces``.
        endings: Endings of words in the target languages, see ``without_half_words``.
        arguments: Those of ``Search``.
    """

    def __init__(
        self,
        *,
        rare_words: Sequence[RareWord] = (),
        pieces: Sequence[str],
        endings: Collection[str] = (),
        **arguments: Any,
    ) -> None:
        super().__init__(**arguments)
        self._pieces, self._endings = pieces, endings
        self._trees = WordTrees(rare_words)
        self.has_lexicon = bool(self._trees.roots)
        # The progress of the live hypotheses when it was last asked for, by their tokens; all are equally long.
        self._reached: dict[tuple[int, ...], Progress] = {(): Progress()}

    @property
    def state(self) -> Beam:
        """See ``Search``."""
        if not self.has_lexicon:
            return super().state
        return super().state._replace(lexicon=(self._trees, self._progress()))

    def advance(
        self,
        scores: Sequence[Sequence[float]],
        candidates: Sequence[Sequence[int]],
        attended: Sequence[int] | None = None,
    ) -> list[int]:
        """See ``Search``."""
        if attended is None or not self.has_lexicon:
            return super().advance(scores, candidates, attended)
        mixed: list[dict[int, float]] = []
        looked_at: list[int] = []
        for progress, row, own, position in zip(self._progress(), scores, candidates, attended, strict=True):
            node, begins = self._trees.offered(progress, position)
            mixed.append(self._mixed(dict(zip(own, row, strict=True)), node, begins=begins))
            looked_at.append(with_best(position, own[0]) if node and begins else position)
        return super().advance([list(row.values()) for row in mixed], [list(row) for row in mixed], looked_at)

    @property
    def best_tokens(self) -> tuple[int, ...]:
        """See ``Search``. The last word is left out, for it may become a half word.

        A word before it goes only if the lexicon's translation begins with the same letters.
        """
        if not (self.has_lexicon and self._live):
            return super().best_tokens
        tokens = self._whole(self._live[0].tokens, self._live[0].attended)[0]
        return tokens[: last_word([self._pieces[token] for token in tokens])]

    def hypotheses(self) -> list[Hypothesis]:
        """See ``Search``. Half words in front of the lexicon's translations are left out."""
        found = []
        for each in super().hypotheses():
            tokens, attended = self._whole(each.tokens, each.attended)
            found.append(replace(each, tokens=tokens, attended=attended))
        return found

    def _whole(self, tokens: tuple[int, ...], attended: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        if not attended:  # there is no alignment head
            return tokens, attended
        return without_half_words(tokens, attended, self._trees, self._pieces, len(self._prefix), self._endings)

    def _mixed(self, known: dict[int, float], node: int, *, begins: bool) -> dict[int, float]:
        """Returns the candidates of one row and the tokens offered below a node, with their log-probabilities."""
        if not node:
            return known
        share = share_of(self._trees, node, begins=begins)
        rest = math.log(1 - share)
        mixed = {token: score + rest for token, score in known.items()}
        for child in self._trees.children(node):
            token = self._trees.nodes[child].token
            mixed[token] = interpolated(known[token], share) if token in known else math.log(share)
        return mixed

    def _progress(self) -> list[Progress]:
        """Returns how far each hypothesis has used the lexicon: a function of its tokens and what they looked at.

        It continues from the progress of their beginnings. Computed from the start each time, news took a third longer.
        """
        length = len(next(iter(self._reached)))
        found = []
        for live in self._live:
            progress = self._reached[live.tokens[:length]]
            for token, looked_at in zip(live.tokens[length:], live.attended[length:], strict=True):
                progress = self._trees.after(progress, token, position_and_best(looked_at)[0])
            found.append(progress)
        if found:
            self._reached = dict(zip((live.tokens for live in self._live), found, strict=True))
        return found
