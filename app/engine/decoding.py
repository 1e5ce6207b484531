"""Greedy and beam search over an incremental decoder. Knows no text, no clock, no ONNX: ids in, hypotheses out.

A sentence is a ``Search``; a ``Decode`` advances many of them together, each with options of its own. Searches may join
and leave between any two steps. Beams are rows of the same batch.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from app.engine.translation import SearchOptions


class LiveRows(Protocol):
    """The decoder's side of a batch: one row a live hypothesis."""

    def join(self, features: Sequence[Any]) -> None:
        """Append one row a sentence, before its first target token."""

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order; a row may be named more than once."""

    def step(self, tokens: Sequence[int], top: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
        """Advance each row by its last token.

        Returns:
            Log-probabilities (R, K), best first; their token ids (R, K); and the source position (R,) that the
            alignment head looks at, or None if there is no such head. ``top`` is K; a model with a smaller vocabulary
            may return fewer.
        """

    def most_steps(self, *, beam: bool) -> int:
        """Steps worth making at once, of greedy searches or one beam search; 1, unless the model can make several."""
        return 1

    def greedy_steps(self, tokens: Sequence[int], steps: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
        """Advance each row by its last token, then by the best next one, up to ``steps`` times.

        Returns:
            Of the N steps made, 1 to ``steps``: log-probabilities (N, R), token ids (N, R), and the source positions
            (N, R), or None. What follows the end of a sentence means nothing.
        """
        scores, candidates, positions = self.step(tokens, 1)
        return scores.T, candidates.T, None if positions is None else positions[None]

    def beam_steps(
        self, tokens: Sequence[int], totals: Sequence[float], steps: int
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None]:
        """Extend the rows, all the hypotheses of one sentence, up to ``steps`` times by their best extensions.

        Only asked of a model that can make several steps. ``totals`` are the log-probabilities of the hypotheses, -inf
        for a row that stands in for none.

        Returns:
            Of the N steps made, 1 to ``steps``, and of each new hypothesis, best first: log-probabilities (N, R), -inf
            for none; last tokens (N, R); the rows extended (N, R); then, of these rows, the source positions (N, R), or
            None. The new hypotheses are the rows from now on.
        """
        raise AssertionError("this model makes one step at a time")


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
        attended: For each token the source position it translates, as far as the model has an alignment head.
    """

    tokens: tuple[int, ...]
    log_probability: float
    score: float
    truncated: bool = False
    attended: tuple[int, ...] = ()


class _Live(NamedTuple):
    """A hypothesis that may still grow; the fields are those of ``Hypothesis``."""

    total: float
    tokens: tuple[int, ...] = ()
    attended: tuple[int, ...] = ()


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
        self._live = [_Live(0.0)]
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
        return len(self._live[0].tokens) if self._live else 0

    @property
    def best_tokens(self) -> tuple[int, ...]:
        """The best live hypothesis so far, or nothing once the search is done."""
        return self._live[0].tokens if self._live else ()

    @property
    def candidates_needed(self) -> int:
        """Best tokens a row must offer for the search to be exact."""
        lost = int(self.length < self.options.min_length)
        if self.options.repetition_penalty > 1 or self.options.no_repeat_ngram:
            lost += max(len(set(live.tokens)) for live in self._live)
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
        extensions = [
            (hypothesis.total + score, row, token)
            for row, hypothesis in enumerate(self._live)
            for score, token in self._allowed(hypothesis.tokens, scores[row], candidates[row])
        ]
        extensions.sort(key=itemgetter(0), reverse=True)  # stable: ties keep the order of rows and candidates
        return self._extend(extensions[: self.beam], attended)

    def _extend(self, extensions: Sequence[tuple[float, int, int]], attended: Sequence[int] | None) -> list[int]:
        """Go on with the best extensions, (log-probability, row, token); returns what ``advance`` does."""
        live: list[_Live] = []
        parents: list[int] = []
        for total, row, token in extensions:
            parent = self._live[row]
            if token == self._eos_id:
                self._finish(parent._replace(total=total), len(parent.tokens) + 1)
            else:
                looked_at = () if attended is None else (*parent.attended, attended[row])
                live.append(_Live(total, (*parent.tokens, token), looked_at))
                parents.append(row)
        # Where every continuation is forbidden, what there is must do.
        ended = self._live if not extensions else live if live and len(live[0].tokens) >= self._max_length else []
        for hypothesis in ended:
            self._finish(hypothesis, len(hypothesis.tokens), truncated=True)
        self._live, parents = ([], []) if ended else (live, parents)
        self.last_tokens = [hypothesis.tokens[-1] for hypothesis in self._live]
        return parents

    @property
    def room(self) -> int:
        """Steps in which the best extensions are all that matters, up to the length limit; 0 if more than that does."""
        return self._max_length - self.length if self._unrestricted else 0

    def follow(self, scores: Sequence[float], tokens: Sequence[int], attended: Sequence[int] | None = None) -> bool:
        """Extend the one live hypothesis of a greedy search by the best tokens of several steps, within ``room``.

        Args:
            scores: (steps,) log-probabilities.
            tokens: (steps,) ids; those behind an end of sentence are ignored.
            attended: (steps,) the source positions that the alignment head looks at, if there is one.

        Returns:
            Whether the search goes on.
        """
        [live] = self._live
        ended = self._eos_id in tokens
        kept = tokens.index(self._eos_id) if ended else len(tokens)
        total = live.total
        for score in scores[: kept + ended]:  # one by one, as ``advance`` adds: the same to the last bit
            total += score
        looked_at = () if attended is None else (*live.attended, *attended[:kept])
        grown = _Live(total, (*live.tokens, *tokens[:kept]), looked_at)
        if ended or len(grown.tokens) >= self._max_length:
            self._finish(grown, len(grown.tokens) + ended, truncated=not ended)
            self._live, self.last_tokens = [], []
        else:
            self._live, self.last_tokens = [grown], [grown.tokens[-1]]
        return bool(self._live)

    @property
    def totals(self) -> list[float]:
        """Log-probabilities of the live hypotheses, best first."""
        return [hypothesis.total for hypothesis in self._live]

    def follow_beam(
        self,
        totals: Sequence[Sequence[float]],
        tokens: Sequence[Sequence[int]],
        parents: Sequence[Sequence[int]],
        attended: Sequence[Sequence[int]] | None,
    ) -> list[int]:
        """Take several steps, within ``room``, that ``LiveRows.beam_steps`` has made.

        Args:
            totals: (steps, R) log-probabilities of the new hypotheses; -inf for none.
            tokens: (steps, R) their last tokens.
            parents: (steps, R) the rows they extend.
            attended: (steps, R) the source positions that the alignment head looks at, if there is one.

        Returns:
            The rows that go on.
        """
        rows = list(range(self.rows))  # of the live hypotheses
        for step, (values, ids, extended) in enumerate(zip(totals, tokens, parents, strict=True)):
            places = {row: place for place, row in enumerate(rows)}
            found = [
                (value, places[row], token)
                for value, row, token in zip(values, extended, ids, strict=True)
                if value > -math.inf
            ]
            looked_at = None if attended is None else [attended[step][row] for row in rows]
            rows = [row for row, (_, _, token) in enumerate(found) if token != self._eos_id]
            if not self._extend(found, looked_at):
                return []
        return rows

    def hypotheses(self) -> list[Hypothesis]:
        """The ``n_best`` finished hypotheses, best first. One that the model ended is better than any cut-off one."""
        ranked = sorted(self._finished, key=lambda hypothesis: (hypothesis.truncated, -hypothesis.score))
        return ranked[: self.options.n_best]

    def _finish(self, ended: _Live, length: int, *, truncated: bool = False) -> None:
        score = ended.total / length_penalty(length, self.options.length_penalty)
        self._finished.append(Hypothesis(ended.tokens, ended.total, score, truncated, ended.attended))

    @property
    def _unrestricted(self) -> bool:
        """No option forbids or punishes a token now."""
        options = self.options
        return options.repetition_penalty == 1 and not options.no_repeat_ngram and self.length >= options.min_length

    def _allowed(
        self, tokens: tuple[int, ...], scores: Sequence[float], candidates: Sequence[int]
    ) -> Iterable[tuple[float, int]]:
        """The candidates of one row, with forbidden tokens left out and repeated ones punished."""
        if self._unrestricted:
            return zip(scores, candidates, strict=True)
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
        """Advance every search by a token, or by several where the model can; returns the done, whose rows are gone."""
        greedy = all(search.options.beam_size == 1 for search in self.searches)
        steps = 1
        if greedy or len(self.searches) == 1:
            steps = min(self._rows.most_steps(beam=not greedy), *(search.room for search in self.searches))
        kept = self._advance() if steps < 2 else self._follow(steps) if greedy else self._follow_beam(steps)
        done = [search for search in self.searches if not search.rows]
        self.searches = [search for search in self.searches if search.rows]
        self._rows.select(kept)
        return done

    def _follow(self, steps: int) -> list[int]:
        """Several greedy steps of every search; returns the rows that go on."""
        tokens = [search.last_tokens[0] for search in self.searches]
        best, ids, positions = self._rows.greedy_steps(tokens, steps)
        scores, found = best.T.tolist(), ids.T.tolist()
        attended = repeat(None) if positions is None else positions.T.tolist()
        goes_on = map(Search.follow, self.searches, scores, found, attended)
        return [row for row, alive in enumerate(goes_on) if alive]

    def _follow_beam(self, steps: int) -> list[int]:
        """Several steps of the only search; returns the rows that go on."""
        [search] = self.searches
        missing = search.beam - search.rows
        if missing:  # at the start
            self._rows.select([*range(search.rows), *[0] * missing])
        tokens = search.last_tokens + search.last_tokens[:1] * missing
        totals, ids, parents, positions = self._rows.beam_steps(tokens, search.totals + [-math.inf] * missing, steps)
        attended = None if positions is None else positions.tolist()
        return search.follow_beam(totals.tolist(), ids.tolist(), parents.tolist(), attended)

    def _advance(self) -> list[int]:
        """One step of every search; returns the rows that go on, in their order."""
        tokens = [token for search in self.searches for token in search.last_tokens]
        top = max(search.candidates_needed for search in self.searches)
        best, ids, positions = self._rows.step(tokens, top)
        scores, candidates = best.tolist(), ids.tolist()
        attended = None if positions is None else positions.tolist()
        kept: list[int] = []
        first = 0
        for search in self.searches:
            last = first + search.rows
            looked_at = None if attended is None else attended[first:last]
            parents = search.advance(scores[first:last], candidates[first:last], looked_at)
            kept += [first + parent for parent in parents]
            first = last
        return kept

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
