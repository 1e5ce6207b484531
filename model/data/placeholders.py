"""Placeholder pieces: a model learns to carry them over exactly once, because aligned words of real pairs became them.

The service replaces spans by them that must not be translated.
"""

from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

from model.data.alignment import Links
from model.data.tokenizer import PLACEHOLDERS

_MOST_SPANS = 3
_MOST_WORDS = 3

IdPair = tuple[list[int], list[int]]
Span = tuple[int, int]


class Replacer:
    """Replaces aligned words in encoded pairs by placeholders."""

    def __init__(self, piece_of: Callable[[int], str], id_of: Callable[[str], int]) -> None:
        """Take the tokenizer's two tables.

        Args:
            piece_of: Id -> piece.
            id_of: Piece -> id.
        """
        self._piece_of = piece_of
        self._space = id_of("▁")
        self._ids = [id_of(placeholder) for placeholder in PLACEHOLDERS]

    def replace(self, pair: IdPair, links: Links, rng: Random) -> tuple[IdPair, Links] | None:
        """The pair with 1 to 3 placeholders and its links, or None where no words are aligned with each other alone.

        Args:
            pair: Piece ids of both sides.
            links: (N, 2) aligned piece indices.
            rng: Source of random numbers.
        """
        spans = self._spans(pair, links)
        rng.shuffle(spans)
        chosen: list[tuple[Span, Span]] = []
        for span in spans:
            if all(_disjoint(a, b) for other in chosen for a, b in zip(span, other, strict=True)):
                chosen.append(span)
            if len(chosen) == _MOST_SPANS or rng.random() < 0.4:
                break
        # A text of placeholders alone teaches nothing about translation.
        if not chosen or any(sum(s[side][1] - s[side][0] for s in chosen) >= len(pair[side]) - 1 for side in (0, 1)):
            return None
        names = dict(zip(chosen, rng.sample(self._ids, len(chosen)), strict=True))
        sides, moved = [], []
        for side in (0, 1):
            ids, places = self._write(pair[side], {spans[side]: name for spans, name in names.items()})
            sides.append(ids)
            moved.append(places)
        if len(links):
            linked = np.stack([moved[0][links[:, 0]], moved[1][links[:, 1]]], 1)
            links = np.unique(linked, axis=0).astype(np.int16)
        return (sides[0], sides[1]), links

    def _write(self, ids: list[int], names: dict[Span, int]) -> tuple[list[int], NDArray[np.int64]]:
        """Return one side with its spans replaced, and the new position of each old piece."""
        begins = {begin: (end, name) for (begin, end), name in names.items()}
        written: list[int] = []
        places = np.zeros(len(ids), np.int64)
        at = 0
        while at < len(ids):
            end, name = begins.get(at, (at + 1, -1))
            written += [ids[at]] if name < 0 else [self._space, name]
            places[at:end] = len(written) - 1
            at = end
        return written, places

    def _spans(self, pair: IdPair, links: Links) -> list[tuple[Span, Span]]:
        """Return runs of whole words on the first side that are linked only with one run on the second, and back."""
        words = [self._words(side) for side in pair]
        starts, ends = {begin for begin, _ in words[1]}, {end for _, end in words[1]}
        found = []
        for index, (begin, _) in enumerate(words[0]):
            for last in range(index, min(index + _MOST_WORDS, len(words[0]))):
                end = words[0][last][1]
                if last > index and words[0][last - 1][1] != words[0][last][0]:
                    break  # something that is no word lies between
                mine = links[(links[:, 0] >= begin) & (links[:, 0] < end)]
                if not len(mine):
                    continue
                low, high = int(mine[:, 1].min()), int(mine[:, 1].max()) + 1
                theirs = links[(links[:, 1] >= low) & (links[:, 1] < high)]
                if low in starts and high in ends and theirs[:, 0].min() >= begin and theirs[:, 0].max() < end:
                    found.append(((begin, end), (low, high)))
        return found

    def _words(self, ids: list[int]) -> list[Span]:
        """Words that a space goes before, without the punctuation behind them."""
        pieces = [self._piece_of(piece) for piece in ids]
        words: list[Span] = []
        at = 0
        while at < len(pieces):
            end = at + 1
            if pieces[at][0] == "▁" and pieces[at][1:].isalnum():
                while end < len(pieces) and pieces[end].isalnum():
                    end += 1
                if end == len(pieces) or pieces[end][0] == "▁" or not pieces[end][0].isalnum():
                    words.append((at, end))
            at = end
        return words


def _disjoint(a: Span, b: Span) -> bool:
    return a[1] <= b[0] or b[1] <= a[0]
