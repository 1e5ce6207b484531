"""Beam search for a translation that has certain terms. One sentence; knows no model.

This is constrained beam search with dynamic beam allocation (Post and Vilar 2018, "Fast Lexically Constrained Decoding
with Dynamic Beam Allocation for Neural Machine Translation"): hypotheses compete only with others that have the
same number of terms. Three things are added:

* A term has several forms, of which the model writes the one that fits: disjunctive constraints (Hu et al. 2019).
* The alignment head says where a term goes: where it looks at the source of the term (Chatterjee et al. 2017, "Guiding
  Neural Machine Translation Decoding with External Knowledge").
* The translation without the terms is a guide: a hypothesis is the better, the more of its tokens it has. Without this,
  a term cost the rest of the sentence 1.2 to 2.4 BLEU; with it, 0.1 (``python -m benchmarks.glossary``).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.engine.decoding.search import Hypothesis, Live, Search, length_penalty
from app.engine.options import SearchOptions

# Best tokens that a row must offer. A token beyond them is taken to be as likely as the last of them.
_CANDIDATES = 256
_NATURAL = 6  # tokens that the model may choose freely after each hypothesis
_ENOUGH = 3  # finished hypotheses with all terms

# In natural logarithms of probability. What it costs to begin a term where the alignment head looks elsewhere; to begin
# it only after another word there; to write something else there when it is done; and to pass its source without it.
# Rare words have a log-probability of -30 and less, so the last must outweigh them. And what a token of the guide is
# worth.
_ELSEWHERE = 2.0
_LATE = 3.0
_AGAIN = 2.0
_PASSED = 50.0
_GUIDED = 1.0
_RARE = 2.0


@dataclass(frozen=True)
class TermConstraint:
    """A term that the translation must have.

    Attributes:
        positions: Source positions of the term.
        sequences: The tokens of each of its forms, at least one.
    """

    positions: frozenset[int]
    sequences: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TermConstraints:
    """The terms that a translation must have.

    Attributes:
        terms: The terms, at least one.
        guide: Tokens of a translation without them, except those in place of the terms.
    """

    terms: tuple[TermConstraint, ...]
    guide: tuple[int, ...] = ()


@dataclass(eq=False)
class _Node:
    """A node of the prefix tree of a term's forms: the next tokens, and whether a form is complete."""

    children: dict[int, "_Node"] = field(default_factory=dict)
    ends: bool = False


class _Progress(NamedTuple):
    """The terms that a hypothesis has so far.

    Attributes:
        terms: The terms that it has or is writing, a bit for each.
        passing: The terms that it lacks whose source the alignment head looked at for the last token.
        cost: Of terms in wrong places and of terms passed, less the worth of guided tokens.
        inside: Log-probability of its terms.
        relief: What the tokens of rare words have cost beyond ``_RARE`` each. Without it, hypotheses that put such a
            word off would seem better.
        node: The place in the term that it is writing.
        term: The number of that term.
    """

    terms: int = 0
    passing: int = 0
    cost: float = 0.0
    inside: float = 0.0
    relief: float = 0.0
    node: _Node | None = None
    term: int = 0


class _Extension(NamedTuple):
    total: float
    row: int
    token: int
    progress: _Progress

    @property
    def worth(self) -> float:
        """The score by which extensions are compared."""
        return self.total - self.progress.cost + self.progress.relief


class TermSearch(Search):
    """Beam search for a translation that has the given terms; if none is found, as many of them as possible.

    Args:
        start_id: First input of the decoder.
        eos_id: End of sentence.
        max_length: Limit in target tokens.
        options: Beam and length penalty; other options are ignored. The beam is shared by hypotheses with no term, one,
            two, ...
        constraints: The terms.
        word_parts: Tokens that continue a word.
    """

    def __init__(
        self,
        *,
        start_id: int,
        eos_id: int,
        max_length: int,
        options: SearchOptions,
        constraints: TermConstraints,
        word_parts: frozenset[int],
    ) -> None:
        super().__init__(start_id=start_id, eos_id=eos_id, max_length=max_length, options=options)
        self._positions = [term.positions for term in constraints.terms]
        self._roots = [_trie(term.sequences) for term in constraints.terms]
        self._guide, self._word_parts = Counter(constraints.guide), word_parts
        self._progress = [_Progress()]
        self._ended: list[_Progress] = []  # of each finished hypothesis

    @property
    def candidates_needed(self) -> int:
        """Best tokens a row must offer."""
        return _CANDIDATES

    @property
    def steps_left(self) -> int:
        """0: no model makes steps of this search by itself."""
        return 0

    def advance(
        self,
        scores: Sequence[Sequence[float]],
        candidates: Sequence[Sequence[int]],
        attended: Sequence[int] | None = None,
    ) -> list[int]:
        """See ``Search``."""
        banks: list[list[_Extension]] = [[] for _ in range(len(self._roots) + 1)]
        for row in range(self.rows):
            looked_at = None if attended is None else attended[row]
            for extension in self._extensions(row, scores[row], candidates[row], looked_at):
                banks[extension.progress.terms.bit_count()].append(extension)
        chosen = _allocate(banks, self.options.beam_size)
        self._ended += [each.progress for each in chosen if each.token == self._eos_id]
        self._progress = [each.progress for each in chosen if each.token != self._eos_id]
        kept = self._extend([each[:3] for each in chosen], attended)
        if attended is not None:
            self._live = [self._aligned(*each) for each in zip(self._live, self._progress, strict=False)]
        if kept and self._is_enough():
            self._live, self.last_tokens = [], []
            return []
        return kept

    def hypotheses(self) -> list[Hypothesis]:
        """Return the ``n_best`` finished hypotheses, those with most terms in the right places first."""
        alpha = self.options.length_penalty
        usual = length_penalty(self._guide.total() + 1, alpha)

        def rank(found: tuple[Hypothesis, _Progress]) -> tuple[bool, int, float]:
            hypothesis, progress = found
            # All these hypotheses have the same unlikely terms: a longer one must not pay less for them.
            rest = hypothesis.log_probability - progress.inside - progress.cost
            score = rest / length_penalty(len(hypothesis.tokens) + 1, alpha) + progress.inside / usual
            return hypothesis.truncated, -progress.terms.bit_count(), -score

        ranked = sorted(zip(self._finished, self._ended, strict=True), key=rank)
        return [hypothesis for hypothesis, _ in ranked[: self.options.n_best]]

    def _extensions(
        self, row: int, scores: Sequence[float], candidates: Sequence[int], looked_at: int | None
    ) -> Iterator[_Extension]:
        """Returns the extensions of a hypothesis: in a term, freely, or with another term."""
        total, progress = self._live[row].total, self._progress[row]
        known, least = dict(zip(candidates, scores, strict=True)), scores[-1]
        node = progress.node
        if node:
            likely = max((known.get(token, least) for token in node.children), default=0.0)
            relief = progress.relief + (0.0 if node.ends else max(0.0, -likely - _RARE))
            for token, child in node.children.items():
                score = known.get(token, least)
                within = progress._replace(inside=progress.inside + score, relief=relief, node=child)
                yield _Extension(total + score, row, token, within)
            if not node.ends:
                return
        here = self._looked_at(looked_at)
        at = here & ~progress.terms
        cost = progress.cost + _PASSED * (progress.passing & ~at).bit_count() + _AGAIN * bool(here & progress.terms)
        free = _Progress(progress.terms, at, cost, progress.inside, progress.relief)
        natural = [token for token in candidates[: 2 * _NATURAL] if not (node and token in self._word_parts)][:_NATURAL]
        so_far = self._live[row].tokens
        for token in natural:
            worth = _GUIDED if so_far.count(token) < self._guide[token] else 0.0
            yield _Extension(total + known[token], row, token, free._replace(cost=free.cost - worth))
        for index, root in enumerate(self._roots):
            bit = 1 << index
            if progress.terms & bit:
                continue
            cost = progress.cost + _PASSED * (progress.passing & ~at & ~bit).bit_count()
            cost += _LATE * bool(progress.passing & bit) + _ELSEWHERE * (not at & bit)
            with_term = _Progress(progress.terms | bit, at & ~bit, cost, progress.inside, progress.relief, term=index)
            for token, child in root.children.items():
                if at & bit or token in natural:
                    score = known.get(token, least)
                    begun = with_term._replace(inside=progress.inside + score, node=child)
                    yield _Extension(total + score, row, token, begun)

    def _aligned(self, live: Live, progress: _Progress) -> Live:
        """Aligns the last token of a hypothesis, if it belongs to a term, with the term's source."""
        own = self._positions[progress.term]
        if progress.node is None or not own or live.attended[-1] in own:
            return live
        before = live.attended[-2] if len(live.attended) > 1 else -1
        return live._replace(attended=(*live.attended[:-1], before if before in own else min(own)))

    def _looked_at(self, position: int | None) -> int:
        """The terms at a source position, a bit for each; all if it isn't known."""
        return sum(1 << index for index, own in enumerate(self._positions) if position is None or position in own)

    def _is_enough(self) -> bool:
        """Tells whether several hypotheses have all terms and no live one is as likely as the best of them."""
        complete = sorted(
            hypothesis.log_probability
            for hypothesis, progress in zip(self._finished, self._ended, strict=True)
            if progress.terms.bit_count() == len(self._roots)
        )
        return len(complete) >= _ENOUGH and max(live.total for live in self._live) < complete[-_ENOUGH]

    def _cut_off(self) -> list[int]:
        self._ended += self._progress
        return super()._cut_off()


def _trie(sequences: Sequence[Sequence[int]]) -> _Node:
    root = _Node()
    for sequence in sequences:
        node = root
        for token in sequence:
            node = node.children.setdefault(token, _Node())
        node.ends = True
    return root


def _allocate(banks: Sequence[list[_Extension]], size: int) -> list[_Extension]:
    """Takes equally many of the best extensions from each bank; unused places go to the best of the others."""
    ordered = [sorted(bank, key=lambda one: one.worth, reverse=True) for bank in banks]
    share = max(1, size // len(ordered))
    chosen = [one for bank in ordered for one in bank[:share]]
    rest = sorted((one for bank in ordered for one in bank[share:]), key=lambda one: one.worth, reverse=True)
    chosen += rest[: max(0, size - len(chosen))]
    return sorted(chosen, key=lambda one: one.worth, reverse=True)
