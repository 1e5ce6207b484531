"""From pair files to batches: packed corpora on disk, a deterministic weighted order, length-bucketed batches.

Axes: B sentences, S source length, T target length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from model.data.subwords import Subwords
from model.data.tokenizer import BOS_ID, EOS_ID, PAD_ID
from model.recipe import Recipe

Ids = NDArray[np.int32]

# Values of ``Packed.directions``.
FORWARD, REVERSE, BOTH = 1, 2, 3
DIRECTIONS = {"forward": FORWARD, "reverse": REVERSE, "both": BOTH}


@dataclass(frozen=True)
class Packed:
    """One source of pairs as flat arrays: quick to load, small in memory.

    Attributes:
        ids: Piece ids of (first side, second side), each flat, without special ids.
        offsets: For both sides (N + 1,) int64: pair n is ``ids[offsets[n]:offsets[n + 1]]``.
        links: (L, 2) int16 aligned piece indices (first, second), flat over all pairs.
        link_offsets: (N + 1,) int64 into ``links``.
        directions: (N,) uint8; bit 0: the first side is translated into the second, bit 1: the other way.
    """

    ids: tuple[Ids, Ids]
    offsets: tuple[NDArray[np.int64], NDArray[np.int64]]
    links: NDArray[np.int16]
    link_offsets: NDArray[np.int64]
    directions: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.link_offsets) - 1

    def side(self, pair: int, side: int) -> Ids:
        """Ids of one side (0 or 1) of a pair, (length,)."""
        return self.ids[side][self.offsets[side][pair] : self.offsets[side][pair + 1]]

    def lengths(self, side: int) -> NDArray[np.int64]:
        """(N,) pieces of each pair's side."""
        return np.diff(self.offsets[side])

    @classmethod
    def build(
        cls,
        pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
        links: Sequence[NDArray[np.int16]],
        directions: Sequence[int] | None = None,
    ) -> "Packed":
        """Pack pairs of ids, their alignment links and their directions (both, unless given), in order."""

        def flat(rows: Sequence[Sequence[int]]) -> tuple[Ids, NDArray[np.int64]]:
            offsets = np.cumsum([0] + [len(row) for row in rows], dtype=np.int64)
            return np.fromiter((i for row in rows for i in row), dtype=np.int32, count=int(offsets[-1])), offsets

        (first, first_offsets), (second, second_offsets) = flat([a for a, _ in pairs]), flat([b for _, b in pairs])
        link_offsets = np.cumsum([0] + [len(row) for row in links], dtype=np.int64)
        flat_links = np.concatenate(links) if len(links) else np.zeros((0, 2), np.int16)
        both = np.full(len(pairs), BOTH, np.uint8) if directions is None else np.array(directions, np.uint8)
        return cls((first, second), (first_offsets, second_offsets), flat_links, link_offsets, both)

    def save(self, path: Path) -> None:
        """Write to an ``.npz`` file, whole or not at all."""
        partial = path.with_suffix(".partial.npz")
        np.savez(
            partial,
            first=self.ids[0],
            second=self.ids[1],
            first_offsets=self.offsets[0],
            second_offsets=self.offsets[1],
            links=self.links,
            link_offsets=self.link_offsets,
            directions=self.directions,
        )
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> "Packed":
        """Inverse of ``save``."""
        with np.load(path, allow_pickle=False) as file:
            return cls(
                (file["first"], file["second"]),
                (file["first_offsets"], file["second_offsets"]),
                file["links"],
                file["link_offsets"],
                file["directions"],
            )


class Batch(NamedTuple):
    """One training batch, padded with ``PAD_ID``.

    ``links`` are guided-alignment targets: rows of (sentence, target position, source position), one a link, with
    ``link_weights`` such that the links of one target position sum to 1.
    """

    source: Tensor  # (B, S) int64: target tag, pieces, end of sentence
    target_input: Tensor  # (B, T) int64: start, pieces
    target_output: Tensor  # (B, T) int64: pieces, end of sentence
    links: Tensor  # (L, 3) int64
    link_weights: Tensor  # (L,) float32
    following: tuple["Batch", ...] = ()
    """Of documents: the sentences that follow these, row by row, then those after them."""
    distilled: bool = False
    """The probabilities of the initial model are to be learnt, not ``target_output``."""

    @property
    def segments(self) -> tuple["Batch", ...]:
        """This batch, then the batches in ``following``."""
        return (self, *self.following)

    @property
    def tokens(self) -> int:
        """Target tokens without padding, of all segments."""
        return sum(int((batch.target_output != PAD_ID).sum()) for batch in self.segments)

    def to(self, device: torch.device) -> "Batch":
        """Copy the batch to another device."""

        def moved(tensor: Tensor) -> Tensor:
            return tensor.to(device, non_blocking=True)

        source, target_input, target_output, links, weights, following, distilled = self
        return Batch(
            moved(source),
            moved(target_input),
            moved(target_output),
            moved(links),
            moved(weights),
            tuple(batch.to(device) for batch in following),
            distilled,
        )


class BatchStream:
    """An endless, reproducible sequence of batches: a pure function of the seed and of how many were drawn.

    Each epoch draws every pair ``weight`` times on average, in each direction of the recipe, sorts by length within the
    epoch (ties at random), cuts batches of at most ``batch_tokens`` padded tokens on the longer side, and shuffles
    them. Of corpora in the order of their documents it draws ``segments`` sentences in a row instead of one.
    """

    def __init__(
        self,
        corpora: Sequence[Packed],
        weights: Sequence[float],
        recipe: Recipe,
        tags: tuple[int, int],
        marks: Sequence[int | None] = (),
        consecutive: Sequence[bool] = (),
        distilled: Sequence[bool] = (),
        subwords: Subwords | None = None,
    ) -> None:
        """Describe the stream; nothing is drawn yet.

        Args:
            corpora: The packed sources.
            weights: Times each source is drawn per epoch; 0 leaves it out.
            recipe: For seed, token budget and maximum length.
            tags: Ids of the control pieces asking for the first and the second language.
            marks: Per corpus, the id of a control piece that stands behind the tag of all its sources; None: none.
            consecutive: Per corpus, whether its pairs are in the order of their documents.
            distilled: Per corpus, whether the probabilities of the initial model are learnt. Its pairs get batches of
                their own.
            subwords: Draws other segmentations of sources that aren't distilled, see ``subword_sampling``; None: none.
        """
        self.subwords = subwords
        self.corpora = corpora
        self.weights = weights
        self.recipe = recipe
        self.tags = tags
        self.consecutive = consecutive or [False] * len(corpora)
        self.distilled = distilled or [False] * len(corpora)
        self.directions = DIRECTIONS[recipe.direction]
        self.prefixes = [
            [[tag, *([] if mark is None else [mark])] for tag in tags] for mark in marks or [None] * len(corpora)
        ]

    def batches(self, first: int = 0, stride: int = 1) -> Iterator[Batch]:
        """Batches ``first``, first + stride, ... for ever, across epochs."""
        wanted, epoch = first, 0
        while True:
            plan = self.epoch(epoch)
            if not plan:
                raise ValueError("no training pair is short enough for max_length and batch_tokens")
            while wanted < len(plan):
                yield self.collate(plan[wanted], np.random.default_rng((self.recipe.seed, epoch, wanted)))
                wanted += stride
            wanted, epoch = wanted - len(plan), epoch + 1

    def epoch(self, epoch: int) -> list[NDArray[np.int64]]:
        """The batches of one epoch, each (B, 3) int64 rows of (corpus, pair, reverse).

        In a batch of documents, a row names the first of ``segments`` pairs in a row.
        """
        rng = np.random.default_rng((self.recipe.seed, epoch))
        training = self.recipe.training
        # By sentences in a row, and whether they are distilled.
        kinds = [(1, False), (training.segments, False), (1, True)]
        rows: dict[tuple[int, bool], list[NDArray[np.int64]]] = {kind: [] for kind in kinds}
        lengths: dict[tuple[int, bool], list[NDArray[np.int64]]] = {kind: [] for kind in kinds}
        for index, (corpus, weight) in enumerate(zip(self.corpora, self.weights, strict=True)):
            sides = np.stack([corpus.lengths(0), corpus.lengths(1)])
            size = sides.max(0) + 1 + len(self.prefixes[index][0])  # prefix or start, end of sentence
            size += -size % training.pad_to
            # A pair with an empty side would teach to make something up, or to leave something out.
            most = min(training.max_length, training.batch_tokens // self._segments(index))
            usable = np.flatnonzero((size <= most) & (sides.min(0) > 0))
            for reverse in (0, 1):
                wanted = usable[((corpus.directions[usable] & self.directions) >> reverse & 1).astype(bool)]
                together = self._segments(index)
                if together > 1:  # from another sentence on in each epoch
                    starts = np.arange(rng.integers(together), len(corpus) - together + 1, together)
                    wanted = starts[np.isin(starts[:, None] + np.arange(together), wanted).all(1)]
                repeats = np.full(len(wanted), int(weight)) + (rng.random(len(wanted)) < weight % 1)
                drawn = np.repeat(wanted, repeats)
                kind = together, self.distilled[index]
                rows[kind].append(np.stack([np.full(len(drawn), index), drawn, np.full(len(drawn), reverse)], 1))
                lengths[kind].append(size[drawn[:, None] + np.arange(together)])
        batches = []
        for kind, found in rows.items():
            if found:
                batches += self._cut(np.concatenate(found), np.concatenate(lengths[kind]), rng)
        return [batches[i] for i in rng.permutation(len(batches))]

    def _segments(self, corpus: int) -> int:
        """Return how many consecutive pairs of a corpus are learnt together."""
        return self.recipe.training.segments if self.consecutive[corpus] else 1

    def _cut(
        self, examples: NDArray[np.int64], lengths: NDArray[np.int64], rng: np.random.Generator
    ) -> list[NDArray[np.int64]]:
        """Cut (N, 3) examples, whose K sentences have ``lengths`` (N, K), into batches of similar length."""
        most = self.recipe.training.batch_tokens
        order = np.lexsort((rng.random(len(lengths)), lengths.sum(1)))
        examples, lengths = examples[order], lengths[order]
        batches, begin = [], 0
        while begin < len(order):
            candidates = lengths[begin : begin + most // lengths[begin].sum()]
            padded = np.maximum.accumulate(candidates).sum(1) * np.arange(1, len(candidates) + 1)
            end = begin + int(np.searchsorted(padded, most, side="right"))
            batches.append(examples[begin:end])
            begin = end
        return batches

    def collate(self, examples: NDArray[np.int64], rng: np.random.Generator | None = None) -> Batch:
        """Pad (B, 3) examples into one batch; with ``rng``, draw the segmentation of sources."""
        segments = range(self._segments(int(examples[0, 0])))
        first, *later = (self._collate(examples + np.array([0, number, 0]), rng) for number in segments)
        return first._replace(following=tuple(later))

    def _collate(self, examples: NDArray[np.int64], rng: np.random.Generator | None = None) -> Batch:
        sources, targets, links, weights = [], [], [], []
        distilled = self.distilled[int(examples[0, 0])]
        share = self.recipe.training.subword_sampling
        for row, (index, pair, reverse) in enumerate(examples):
            corpus = self.corpora[index]
            source, target = corpus.side(pair, int(reverse)), corpus.side(pair, 1 - int(reverse))
            prefix = self.prefixes[index][1 - int(reverse)]
            pairs = corpus.links[corpus.link_offsets[pair] : corpus.link_offsets[pair + 1]].astype(np.int64)
            source_at, target_at = pairs[:, int(reverse)], pairs[:, 1 - int(reverse)]
            if self.subwords and rng and not distilled:  # the initial model was asked about the usual pieces only
                source, positions = self.subwords.draw(source, share, rng)
                source_at = positions[source_at]
            sources.append(np.concatenate([prefix, source, [EOS_ID]]))
            targets.append(target)
            source_at = source_at + len(prefix)
            # The end of the target looks at the end of the source.
            source_at, target_at = np.append(source_at, len(source) + len(prefix)), np.append(target_at, len(target))
            links.append(np.stack([np.full(len(source_at), row), target_at, source_at], 1))
            weights.append(1.0 / np.bincount(target_at)[target_at])
        multiple = self.recipe.training.pad_to
        return Batch(
            source=pad(sources, multiple=multiple),
            target_input=pad([np.concatenate([[BOS_ID], target]) for target in targets], multiple=multiple),
            target_output=pad([np.concatenate([target, [EOS_ID]]) for target in targets], multiple=multiple),
            links=torch.from_numpy(np.concatenate(links)),
            link_weights=torch.from_numpy(np.concatenate(weights).astype(np.float32)),
            distilled=distilled,
        )


class NumberedBatches(IterableDataset[Batch]):
    """Batches ``first``, first + stride, ... of a stream for a ``DataLoader``, whose workers take turns in order."""

    def __init__(self, stream: BatchStream, first: int, stride: int) -> None:
        self.stream, self.first, self.stride = stream, first, stride

    def __iter__(self) -> Iterator[Batch]:
        """This worker's batches."""
        info = get_worker_info()
        index, workers = (info.id, info.num_workers) if info else (0, 1)
        return self.stream.batches(self.first + index * self.stride, self.stride * workers)


def pad(rows: Sequence[NDArray[np.integer]], pad_id: int = PAD_ID, multiple: int = 1) -> Tensor:
    """Rows of ids -> (B, longest) int64, padded on the right, the width rounded up to a multiple."""
    width = -(-max(len(row) for row in rows) // multiple) * multiple
    padded = np.full((len(rows), width), pad_id, dtype=np.int64)
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return torch.from_numpy(padded)
