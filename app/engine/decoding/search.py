"""Greedy and beam search for one sentence: candidates in, hypotheses out. Knows no model and no other sentence."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from app.engine.decoding.padding import pad_to_multiple
from app.engine.options import SearchOptions

if TYPE_CHECKING:
    from app.engine.decoding.word_trees import Progress, WordTrees

_LOST_TOGETHER = 16


@dataclass(frozen=True)
class Hypothesis:
    """A finished translation.

    Attributes:
        tokens: Target ids, without start and end.
        log_probability: Sum over its tokens, the end of sentence and half words included.
        score: ``log_probability`` over the length penalty, see ``length_penalty``.
        truncated: The length limit ended it, not the model.
        attended: For each token the source position it translates; empty if the model has no alignment head.
        remembered: What a model with a memory keeps of it for the next sentence, see ``LiveRows.remembered``.
    """

    tokens: tuple[int, ...]
    log_probability: float
    score: float
    truncated: bool = False
    attended: tuple[int, ...] = ()
    remembered: tuple[Any, ...] = field(default=(), compare=False, repr=False)


class Live(NamedTuple):
    """A hypothesis that may still grow; its fields have the same meaning as in ``Hypothesis``.

    Of a search with a lexicon, ``attended`` has more, see ``app.engine.decoding.word_trees.with_best``.
    ``row`` is the row that it extended in the latest step.
    """

    total: float
    tokens: tuple[int, ...] = ()
    attended: tuple[int, ...] = ()
    row: int = 0


class Beam(NamedTuple):
    """The live hypotheses of a search, best first, as a model goes on with them by itself.

    Attributes:
        tokens: The last token of each.
        totals: The log-probability of each.
        wanted: Hypotheses still to be found, as many or more.
        threshold: How far a hypothesis may fall behind the best.
        greedy: It wanted one hypothesis from the beginning.
        lexicon: The translations of rare words, and how far each hypothesis has used them; None if there are none.
    """

    tokens: list[int]
    totals: list[float]
    wanted: int
    threshold: float
    greedy: bool
    lexicon: "tuple[WordTrees, list[Progress]] | None" = None


class Steps(NamedTuple):
    """What a model has found in N steps of several searches, of the W hypotheses that they want together.

    The hypotheses of a search stand side by side, at each step best first; where fewer were found, the rest has a total
    of -inf and means nothing, as what follows the end of a sentence does.

    Attributes:
        totals: (N, W) float64, log-probabilities.
        tokens: (N, W) int64, the last token of each, which may be the end.
        parents: (N, W) int64, which hypothesis of the step before each extends, 0-based within its search.
        attended: (N, W) int64, the source position that the alignment head looked at for the token, if there is one;
            where the lexicon offers a beginning, see ``app.engine.decoding.word_trees.with_best``.
    """

    totals: Any
    tokens: Any
    parents: Any
    attended: Any


def length_penalty(length: int, alpha: float) -> float:
    """((5 + |Y|) / 6) ** alpha (Wu et al. 2016, equation 14), |Y| counting the end of sentence."""
    return float(((5 + length) / 6) ** alpha)


def default_max_length(source_tokens: int) -> int:
    """Target tokens allowed when the request sets no limit: generous, so that only a loop ever meets it."""
    return 2 * source_tokens + 20


class Search:
    """Beam search for one sentence (greedy when the beam is 1).

    The beam starts at ``beam_size`` and shrinks by one with each hypothesis that ends, as in Marian. Hypotheses far
    behind the best are dropped, see ``SearchOptions.beam_threshold``. The search ends when no hypothesis is left, or at
    the length limit. Options that forbid or penalise tokens act on the candidates; the search requests so many
    candidates that the result is the same as over the whole vocabulary.

    A search may begin with a prefix. Its tokens are certain: they have log-probability 0. If several hypotheses
    are wanted then, they differ in the first token behind it, and each goes on by its own best tokens. So the ways to
    complete a translation that somebody has begun differ where that person looks.

    Attributes:
        options: Beam, penalties and the other limits.
        threshold: Maximum distance of a hypothesis to the best; infinite if ``n_best`` is more than 1.
        has_lexicon: A lexicon has translations of some of its words, see ``LexiconSearch``.
        streams: Somebody wants ``best_tokens`` while the search goes on.
        last_tokens: Last token of each live hypothesis, best first; at the beginning the start id.
        remembered: Called with the row of each hypothesis that ends, for ``Hypothesis.remembered``.
    """

    def __init__(
        self,
        *,
        start_id: int,
        eos_id: int,
        max_length: int,
        options: SearchOptions,
        prefix: Sequence[int] | None = None,
        avoided: Sequence[tuple[int, ...]] = (),
    ) -> None:
        """Begin with the empty hypothesis.

        Args:
            start_id: First input of the decoder.
            eos_id: End of sentence.
            max_length: Limit in target tokens; the caller has applied ``options.max_length`` to it.
            options: Beam, penalties and the other limits.
            prefix: The first target ids; None if there is no prefix.
            avoided: Target ids of the words of ``options.avoid``, none empty.
        """
        self.options = options
        self.has_lexicon = self.streams = False
        self._avoided = avoided
        self._prefix = tuple(prefix or ())
        self._branches = prefix is not None and options.n_best > 1
        self._eos_id = eos_id
        self._max_length = max_length
        self._live = [Live(0.0)]
        self._finished: list[Hypothesis] = []
        self._ends = 0  # ended hypotheses; ``_finished`` lacks those with too low a score to be results
        self.threshold = options.beam_threshold if options.n_best == 1 else math.inf
        self.last_tokens = [start_id]
        self.remembered: Callable[[int], tuple[Any, ...]] = lambda row: ()

    @property
    def rows(self) -> int:
        """Live hypotheses."""
        return len(self._live)

    @property
    def beam(self) -> int:
        """Hypotheses still to be found."""
        return self.options.beam_size - self._ends

    @property
    def length(self) -> int:
        """Target tokens so far, the same for all live hypotheses."""
        return len(self._live[0].tokens) if self._live else 0

    @property
    def best_tokens(self) -> tuple[int, ...]:
        """The stable beginning of the best live hypothesis in greedy search; nothing once the search is done."""
        return self._live[0].tokens if self._live else ()

    @property
    def candidates_needed(self) -> int:
        """Best tokens a row must offer for the search to be exact."""
        lost = int(self.length < self.options.min_length) + len(self._avoided)
        if self.options.repetition_penalty > 1 or self.options.no_repeat_ngram:
            lost += max(len(set(live.tokens)) for live in self._live)
        if lost > 1:
            # Another number of candidates would mean a new binding for all rows of the batch.
            lost = pad_to_multiple(lost, _LOST_TOGETHER)
        return self.beam + lost

    def advance(
        self,
        scores: Sequence[Sequence[float]],
        candidates: Sequence[Sequence[int]],
        attended: Sequence[int] | None = None,
    ) -> list[int]:
        """Extend the live hypotheses by one token.

        Args:
            scores: (rows, K) log-probabilities, best first.
            candidates: (rows, K) their tokens.
            attended: (rows,) the source positions that the alignment head looks at, if there is one.

        Returns:
            For each hypothesis live from now on, the row (0-based, of this search) it extends; empty when the search
            is done.
        """
        if self.length < len(self._prefix):
            [hypothesis] = self._live
            return self._extend([(hypothesis.total, 0, self._prefix[self.length])], attended)
        extensions = [
            (hypothesis.total + score, row, token)
            for row, hypothesis in enumerate(self._live)
            for score, token in self._allowed(hypothesis.tokens, scores[row], candidates[row])
        ]
        if self._branches and self.length > len(self._prefix):
            extensions = [max(own, key=itemgetter(0)) for _, own in groupby(extensions, key=itemgetter(1))]
        if not extensions:  # all are forbidden
            self._live = [hypothesis._replace(row=row) for row, hypothesis in enumerate(self._live)]
            return self._cut_off()
        extensions.sort(key=itemgetter(0), reverse=True)  # stable: ties keep the order of rows and candidates
        lowest = extensions[0][0] - self.threshold
        return self._extend([each for each in extensions[: self.beam] if each[0] >= lowest], attended)

    def _extend(self, extensions: Sequence[tuple[float, int, int]], attended: Sequence[int] | None) -> list[int]:
        """Continue with the best extensions, (log-probability, row, token); returns the same as ``advance``."""
        live: list[Live] = []
        parents: list[int] = []
        for total, row, token in extensions:
            parent = self._live[row]
            if token == self._eos_id:
                self._finish(parent._replace(total=total, row=row), len(parent.tokens) + 1)
            else:
                looked_at = () if attended is None else (*parent.attended, attended[row])
                live.append(Live(total, (*parent.tokens, token), looked_at, row))
                parents.append(row)
        self._live = live
        if live and len(live[0].tokens) >= self._max_length:
            return self._cut_off()
        self.last_tokens = [hypothesis.tokens[-1] for hypothesis in live]
        return parents

    def _cut_off(self) -> list[int]:
        """End the search with the live hypotheses, truncated, because none of them can be extended."""
        for hypothesis in self._live:
            self._finish(hypothesis, len(hypothesis.tokens), truncated=True)
        self._live, self.last_tokens = [], []
        return []

    @property
    def steps_left(self) -> int:
        """Steps up to the length limit that need only the best extensions; 0 if the next step needs more."""
        return self._max_length - self.length if self._unrestricted else 0

    @property
    def state(self) -> Beam:
        """Return the state that a model needs to continue the search by itself, within ``steps_left``."""
        totals = [hypothesis.total for hypothesis in self._live]
        return Beam(self.last_tokens, totals, self.beam, self.threshold, self.options.beam_size == 1)

    def take_steps(self, steps: Steps, first: int) -> list[int]:
        """Take steps, within ``steps_left``, that a model has made from ``state``.

        Args:
            steps: As lists, hypothesis by hypothesis: (W, N) each.
            first: The first hypothesis of this search.

        Returns:
            The hypotheses that go on, 0-based.
        """
        totals, tokens, parents, attended = (each and each[first : first + self.beam] for each in steps)
        if self.beam == 1:
            return self._take_greedy_steps(totals[0], tokens[0], parents[0][0], attended and attended[0])
        length, begun, self._live = self.length, self._live, []

        def path(slot: int, step: int) -> Live:
            """Return the hypothesis as it was after a step."""
            total, found, looked_at = totals[slot][step], [], []
            for back in range(step, -1, -1):
                found.append(tokens[slot][back])
                if attended is not None:
                    looked_at.append(attended[slot][back])
                slot = parents[slot][back]
            start = begun[slot]
            return Live(total, (*start.tokens, *reversed(found)), (*start.attended, *reversed(looked_at)))

        ends = sorted(
            (step, slot)
            for slot, column in enumerate(tokens)
            if self._eos_id in column
            for step, token in enumerate(column)
            if token == self._eos_id and totals[slot][step] > -math.inf
        )
        scores = [self._score(totals[slot][step], length + step + 1) for step, slot in ends]
        # Collecting a path takes time for each token, so only possible results get one.
        kept = sorted(range(len(ends)), key=scores.__getitem__, reverse=True)[: self.options.n_best]
        self._ends += len(ends) - len(kept)
        for index in sorted(kept):
            step, slot = ends[index]
            ended = path(slot, step)
            tokens_before = ended.tokens[:-1]
            self._finish(Live(ended.total, tokens_before, ended.attended[: len(tokens_before)]), len(ended.tokens))
        last = len(tokens[0]) - 1
        rows = [
            slot
            for slot, column in enumerate(tokens)
            if totals[slot][last] > -math.inf and column[last] != self._eos_id
        ]
        self._live = [path(slot, last) for slot in rows]
        if self._live and len(self._live[0].tokens) >= self._max_length:
            return self._cut_off()
        self.last_tokens = [hypothesis.tokens[-1] for hypothesis in self._live]
        return rows

    def _take_greedy_steps(
        self, totals: list[float], tokens: list[int], parent: int, attended: list[int] | None
    ) -> list[int]:
        """Take the steps of greedy search, which has one hypothesis; ``parent`` is the one that it extends."""
        live = self._live[parent]
        ended = self._eos_id in tokens
        kept = tokens.index(self._eos_id) if ended else len(tokens)
        looked_at = () if attended is None else (*live.attended, *attended[:kept])
        grown = Live(totals[kept - (not ended)], (*live.tokens, *tokens[:kept]), looked_at)
        if ended or len(grown.tokens) >= self._max_length:
            self._finish(grown, len(grown.tokens) + ended, truncated=not ended)
            self._live, self.last_tokens = [], []
            return []
        self._live, self.last_tokens = [grown], [grown.tokens[-1]]
        return [0]

    def hypotheses(self) -> list[Hypothesis]:
        """Return the ``n_best`` finished hypotheses, best first. Truncated hypotheses come after all others."""
        ranked = sorted(self._finished, key=lambda hypothesis: (hypothesis.truncated, -hypothesis.score))
        return ranked[: self.options.n_best]

    def _finish(self, ended: Live, length: int, *, truncated: bool = False) -> None:
        self._ends += 1
        score, remembered = self._score(ended.total, length), self.remembered(ended.row)
        self._finished.append(Hypothesis(ended.tokens, ended.total, score, truncated, ended.attended, remembered))

    def _score(self, total: float, length: int) -> float:
        return total / length_penalty(length, self.options.length_penalty)

    @property
    def _unrestricted(self) -> bool:
        """Tell whether no option forbids, penalises or demands a token now."""
        options = self.options
        if self._branches or self._avoided or self.length < len(self._prefix):
            return False
        return options.repetition_penalty == 1 and not options.no_repeat_ngram and self.length >= options.min_length

    def _allowed(
        self, tokens: tuple[int, ...], scores: Sequence[float], candidates: Sequence[int]
    ) -> Iterable[tuple[float, int]]:
        """Return the candidates of one row without forbidden tokens, repeated ones with a penalty."""
        if self._unrestricted:
            return zip(scores, candidates, strict=True)
        options = self.options
        banned = self._repeats(tokens) if options.no_repeat_ngram else set()
        banned |= {word[-1] for word in self._avoided if len(word) == 1 or tokens[1 - len(word) :] == word[:-1]}
        if len(tokens) < options.min_length:
            banned.add(self._eos_id)
        # A log-probability is at most 0: to multiply it by a factor above 1 lowers it.
        punished = set(tokens) if options.repetition_penalty > 1 else ()
        return [
            (score * options.repetition_penalty if token in punished else score, token)
            for score, token in zip(scores, candidates, strict=True)
            if token not in banned
        ]

    def _repeats(self, tokens: tuple[int, ...]) -> set[int]:
        """Return the tokens that would complete an n-gram for the second time."""
        size = self.options.no_repeat_ngram
        stem = tokens[len(tokens) - size + 1 :] if size > 1 else ()
        return {tokens[end] for end in range(size - 1, len(tokens)) if tokens[end - size + 1 : end] == stem}
