"""Lengths are rounded up to whole blocks, so that a translation does not depend on its neighbours, to the last bit.

Processors add numbers up side by side, so many at a time. What pads a row out to the length of its neighbours then
changes nothing, as long as the length is a whole number of blocks.
"""

from collections.abc import Iterator, Sequence

POSITIONS = 4
"""Sums over source positions, and where there is a mask over past ones, are taken in blocks of this many."""
CHOICES = 64
"""Sums over the pieces of a shortlist, likewise."""


def rounded_up(length: int, block: int = POSITIONS) -> int:
    """The next whole number of blocks."""
    return -(-length // block) * block


def alike(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Batches that need little padding: the numbers of the given lengths, shortest first.

    A batch of several takes at most ``most`` positions with its padding.
    """
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * rounded_up(lengths[number]) > most:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
