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

from app.engine.decoding.padding import rounded_up
from model.data.tokenizer import BOS_ID, EOS_ID, PAD_ID
from model.recipe import Recipe

Ids = NDArray[np.int32]

# Batches are padded to even lengths. oneDNN compiles a kernel for every new shape, at milliseconds each, which was a
# third of an update's time while shapes hardly ever recurred.
_MULTIPLE = 2


@dataclass(frozen=True)
class Packed:
    """One source of pairs as flat arrays: quick to load, small in memory.

    Attributes:
        ids: Piece ids of (first side, second side), each flat, without special ids.
        offsets: For both sides (N + 1,) int64: pair n is ``ids[offsets[n]:offsets[n + 1]]``.
        links: (L, 2) int16 aligned piece indices (first, second), flat over all pairs.
        link_offsets: (N + 1,) int64 into ``links``.
    """

    ids: tuple[Ids, Ids]
    offsets: tuple[NDArray[np.int64], NDArray[np.int64]]
    links: NDArray[np.int16]
    link_offsets: NDArray[np.int64]

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
        cls, pairs: Sequence[tuple[Sequence[int], Sequence[int]]], links: Sequence[NDArray[np.int16]]
    ) -> "Packed":
        """Pack pairs of ids and their alignment links, in order."""

        def flat(rows: Sequence[Sequence[int]]) -> tuple[Ids, NDArray[np.int64]]:
            offsets = np.cumsum([0] + [len(row) for row in rows], dtype=np.int64)
            return np.fromiter((i for row in rows for i in row), dtype=np.int32, count=int(offsets[-1])), offsets

        (first, first_offsets), (second, second_offsets) = flat([a for a, _ in pairs]), flat([b for _, b in pairs])
        link_offsets = np.cumsum([0] + [len(row) for row in links], dtype=np.int64)
        flat_links = np.concatenate(links) if len(links) else np.zeros((0, 2), np.int16)
        return cls((first, second), (first_offsets, second_offsets), flat_links, link_offsets)

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

    def to(self, device: torch.device) -> "Batch":
        """The same batch on another device."""
        return Batch(*(tensor.to(device) for tensor in self))


class BatchStream:
    """An endless, reproducible sequence of batches: a pure function of the seed and of how many were drawn.

    Each epoch draws every pair ``weight`` times on average, in both directions, sorts by length within the epoch
    (ties at random), cuts batches of at most ``batch_tokens`` padded tokens on the longer side, and shuffles them.
    """

    def __init__(
        self, corpora: Sequence[Packed], weights: Sequence[float], recipe: Recipe, tags: tuple[int, int]
    ) -> None:
        """Describe the stream; nothing is drawn yet.

        Args:
            corpora: The packed sources.
            weights: Times each source is drawn per epoch; 0 leaves it out.
            recipe: For seed, token budget and maximum length.
            tags: Ids of the control pieces asking for the first and the second language.
        """
        self.corpora = corpora
        self.weights = weights
        self.recipe = recipe
        self.tags = tags

    def batches(self, first: int = 0, stride: int = 1) -> Iterator[Batch]:
        """Batches ``first``, first + stride, ... for ever, across epochs."""
        wanted, epoch = first, 0
        while True:
            plan = self.epoch(epoch)
            if not plan:
                raise ValueError("no training pair is short enough for max_length and batch_tokens")
            while wanted < len(plan):
                yield self.collate(plan[wanted])
                wanted += stride
            wanted, epoch = wanted - len(plan), epoch + 1

    def epoch(self, epoch: int) -> list[NDArray[np.int64]]:
        """The batches of one epoch, each (B, 3) int64 rows of (corpus, pair, reverse)."""
        rng = np.random.default_rng((self.recipe.seed, epoch))
        training = self.recipe.training
        rows, lengths = [], []
        for index, (corpus, weight) in enumerate(zip(self.corpora, self.weights, strict=True)):
            sides = np.stack([corpus.lengths(0), corpus.lengths(1)])
            size = sides.max(0) + 2  # tag or start, end of sentence
            size += -size % _MULTIPLE
            # A pair with an empty side would teach to make something up, or to leave something out.
            usable = np.flatnonzero((size <= min(training.max_length, training.batch_tokens)) & (sides.min(0) > 0))
            for reverse in (0, 1):
                repeats = np.full(len(usable), int(weight)) + (rng.random(len(usable)) < weight % 1)
                drawn = np.repeat(usable, repeats)
                rows.append(np.stack([np.full(len(drawn), index), drawn, np.full(len(drawn), reverse)], 1))
                lengths.append(size[drawn])
        examples, length = np.concatenate(rows), np.concatenate(lengths)
        order = np.lexsort((rng.random(len(length)), length))
        batches, begin = [], 0
        for end in range(1, len(order) + 1):
            # Sorted by length: the newest example is the longest of its batch.
            if end == len(order) or (end + 1 - begin) * length[order[end]] > training.batch_tokens:
                batches.append(examples[order[begin:end]])
                begin = end
        return [batches[i] for i in rng.permutation(len(batches))]

    def collate(self, examples: NDArray[np.int64]) -> Batch:
        """Pad (B, 3) examples into one batch."""
        sources, targets, links, weights = [], [], [], []
        for row, (index, pair, reverse) in enumerate(examples):
            corpus = self.corpora[index]
            source, target = corpus.side(pair, int(reverse)), corpus.side(pair, 1 - int(reverse))
            sources.append(np.concatenate([[self.tags[1 - int(reverse)]], source, [EOS_ID]]))
            targets.append(target)
            pairs = corpus.links[corpus.link_offsets[pair] : corpus.link_offsets[pair + 1]].astype(np.int64)
            source_at, target_at = pairs[:, int(reverse)] + 1, pairs[:, 1 - int(reverse)]
            # The end of the target looks at the end of the source.
            source_at, target_at = np.append(source_at, len(source) + 1), np.append(target_at, len(target))
            links.append(np.stack([np.full(len(source_at), row), target_at, source_at], 1))
            weights.append(1.0 / np.bincount(target_at)[target_at])
        return Batch(
            source=pad(sources, multiple=_MULTIPLE),
            target_input=pad([np.concatenate([[BOS_ID], target]) for target in targets], multiple=_MULTIPLE),
            target_output=pad([np.concatenate([target, [EOS_ID]]) for target in targets], multiple=_MULTIPLE),
            links=torch.from_numpy(np.concatenate(links)),
            link_weights=torch.from_numpy(np.concatenate(weights).astype(np.float32)),
        )


def pad(rows: Sequence[NDArray[np.integer]], pad_id: int = PAD_ID, multiple: int = 1) -> Tensor:
    """Rows of ids -> (B, longest) int64, padded on the right, the width rounded up to a multiple."""
    width = rounded_up(max(len(row) for row in rows), multiple)
    padded = np.full((len(rows), width), pad_id, dtype=np.int64)
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return torch.from_numpy(padded)
