"""Greedy and beam search over an incremental decoder. Knows no text, no clock, no ONNX: ids in, hypotheses out.

A sentence is a ``Search``; a ``Decode`` advances many of them together, each with options of its own. Searches may join
and leave between any two steps. Beams are rows of the same batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from app.engine.translation import SearchOptions


class LiveRows(Protocol):
    """The decoder's side of a batch: one row a live hypothesis."""

    def join(self, features: Sequence[Any]) -> None:
        """Append one row a sentence, before its first target token."""

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order; a row may be named more than once."""

    def step(self, tokens: Sequence[int], top: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Advance each row by its last token: log-probabilities (R, K), best first, and token ids (R, K).

        ``top`` is K; a model with a smaller vocabulary may return fewer.
        """


class Model(Protocol):
    """What search needs of a model."""

    def encode(self, sources: Sequence[Sequence[int]]) -> Sequence[Any]:
        """Features of each source."""

    def rows(self) -> LiveRows:
        """An empty batch."""


@dataclass(frozen=True)
class Hypothesis:
    """A finished translation.

    Attributes:
        tokens: Target ids, without start and end.
        log_probability: Sum over its tokens, the end of sentence included.
        score: ``log_probability`` over the length penalty, see ``length_penalty``.
        truncated: The length limit ended it, not the model.
    """

    tokens: tuple[int, ...]
    log_probability: float
    score: float
    truncated: bool = False


def length_penalty(length: int, alpha: float) -> float:
    """((5 + |Y|) / 6) ** alpha (Wu et al. 2016, equation 14), |Y| counting the end of sentence."""
    return float(((5 + length) / 6) ** alpha)


def default_max_length(source_tokens: int) -> int:
    """Target tokens allowed when the request sets no limit: generous, so that only a loop ever meets it."""
    return 2 * source_tokens + 20


class Search:
    """Beam search for one sentence (greedy when the beam is 1).

    The beam starts at ``beam_size`` and shrinks by one with each hypothesis that ends, as in Marian; the search is over
    when none is left, or at the length limit. Options that forbid or punish tokens act on the candidates: enough of
    them are asked for that the result is the same as over the whole vocabulary.
    """

    def __init__(self, *, start_id: int, eos_id: int, max_length: int, options: SearchOptions) -> None:
        """Begin with the empty hypothesis.

        Args:
            start_id: What the decoder sees first.
            eos_id: End of sentence.
            max_length: Limit in target tokens; ``options.max_length`` is for the caller to weigh.
            options: Beam, penalties and the other limits.
        """
        self.options = options
        self._eos_id = eos_id
        self._max_length = max_length
        self._live: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        self._finished: list[Hypothesis] = []
        self.last_tokens = [start_id]

    @property
    def rows(self) -> int:
        """Live hypotheses."""
        return len(self._live)

    @property
    def beam(self) -> int:
        """Hypotheses still to be found."""
        return self.options.beam_size - len(self._finished)

    @property
    def length(self) -> int:
        """Target tokens so far, the same for all live hypotheses."""
        return len(self._live[0][1]) if self._live else 0

    @property
    def candidates_needed(self) -> int:
        """Best tokens a row must offer for the search to be exact."""
        lost = int(self.length < self.options.min_length)
        if self.options.repetition_penalty > 1 or self.options.no_repeat_ngram:
            lost += max(len(set(tokens)) for _, tokens in self._live)
        return self.beam + lost

    def advance(self, scores: Sequence[Sequence[float]], candidates: Sequence[Sequence[int]]) -> list[int]:
        """Extend the live hypotheses by one token.

        Args:
            scores: (rows, K) log-probabilities, best first.
            candidates: (rows, K) their tokens.

        Returns:
            For each hypothesis live from now on, the row (0-based, of this search) it extends; empty when the search
            is done.
        """
        extensions = [
            (total + score, row, token)
            for row, (total, tokens) in enumerate(self._live)
            for score, token in self._allowed(tokens, scores[row], candidates[row])
        ]
        extensions.sort(key=lambda extension: -extension[0])  # stable: ties keep the order of rows and candidates
        live, parents = [], []
        for total, row, token in extensions[: self.beam]:
            tokens = self._live[row][1]
            if token == self._eos_id:
                self._finish(tokens, total, len(tokens) + 1)
            else:
                live.append((total, (*tokens, token)))
                parents.append(row)
        # Where every continuation is forbidden, what there is must do.
        ended = self._live if not extensions else live if live and len(live[0][1]) >= self._max_length else []
        for total, tokens in ended:
            self._finish(tokens, total, len(tokens), truncated=True)
        self._live, parents = ([], []) if ended else (live, parents)
        self.last_tokens = [tokens[-1] for _, tokens in self._live]
        return parents

    def hypotheses(self) -> list[Hypothesis]:
        """The ``n_best`` finished hypotheses, best first. One that the model ended is better than any cut-off one."""
        ranked = sorted(self._finished, key=lambda hypothesis: (hypothesis.truncated, -hypothesis.score))
        return ranked[: self.options.n_best]

    def _finish(self, tokens: tuple[int, ...], total: float, length: int, *, truncated: bool = False) -> None:
        score = total / length_penalty(length, self.options.length_penalty)
        self._finished.append(Hypothesis(tokens, total, score, truncated))

    def _allowed(
        self, tokens: tuple[int, ...], scores: Sequence[float], candidates: Sequence[int]
    ) -> list[tuple[float, int]]:
        """The candidates of one row, with forbidden tokens left out and repeated ones punished."""
        options = self.options
        banned = self._repeats(tokens) if options.no_repeat_ngram else set()
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
        """Tokens that would complete an n-gram for the second time."""
        size = self.options.no_repeat_ngram
        stem = tokens[len(tokens) - size + 1 :] if size > 1 else ()
        return {tokens[end] for end in range(size - 1, len(tokens)) if tokens[end - size + 1 : end] == stem}


class Decode:
    """Many searches advancing together over the rows of one model."""

    def __init__(self, model: Model) -> None:
        self._rows = model.rows()
        self.searches: list[Search] = []

    @property
    def live_rows(self) -> int:
        """Rows of the next step."""
        return sum(search.rows for search in self.searches)

    def join(self, searches: Sequence[Search], features: Sequence[Any]) -> None:
        """Add sentences with their encoder features; they start at the next step."""
        self._rows.join(features)
        self.searches.extend(searches)

    def step(self) -> list[Search]:
        """Advance every search by one token; returns those that are done, whose rows are gone."""
        tokens = [token for search in self.searches for token in search.last_tokens]
        scores, candidates = self._rows.step(tokens, max(search.candidates_needed for search in self.searches))
        score_rows, candidate_rows = scores.tolist(), candidates.tolist()
        kept: list[int] = []
        first = 0
        for search in self.searches:
            last = first + search.rows
            parents = search.advance(score_rows[first:last], candidate_rows[first:last])
            kept += [first + parent for parent in parents]
            first = last
        done = [search for search in self.searches if not search.rows]
        self.searches = [search for search in self.searches if search.rows]
        self._rows.select(kept)
        return done

    def drop(self, gone: Sequence[Search]) -> None:
        """Take searches out between two steps, finished or not."""
        kept: list[int] = []
        first = 0
        for search in self.searches:
            if search not in gone:
                kept += range(first, first + search.rows)
            first += search.rows
        self.searches = [search for search in self.searches if search not in gone]
        self._rows.select(kept)


def decode(
    model: Model,
    sources: Sequence[Sequence[int]],
    *,
    start_id: int,
    eos_id: int,
    options: SearchOptions,
    max_length: int | None = None,
) -> list[list[Hypothesis]]:
    """Translate a batch of source ids from start to end, without a scheduler.

    Args:
        model: Encoder and decoder.
        sources: Source ids, special ids included.
        start_id: What the decoder sees first.
        eos_id: End of sentence.
        options: The same for all.
        max_length: Limit in target tokens if the options set none; None derives it from each source.

    Returns:
        Up to ``n_best`` hypotheses a source, best first.
    """
    searches = [
        Search(
            start_id=start_id,
            eos_id=eos_id,
            max_length=options.max_length or max_length or default_max_length(len(source)),
            options=options,
        )
        for source in sources
    ]
    batch = Decode(model)
    batch.join(searches, model.encode(sources))
    while batch.searches:
        batch.step()
    return [search.hypotheses() for search in searches]
