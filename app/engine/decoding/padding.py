"""Pad lengths to whole blocks, so that a translation does not depend on its neighbours, to the last bit.

SIMD sums work in fixed-width groups. If every length is a whole number of groups, more padding doesn't change the order
of the additions, and so not their result.
"""

from collections.abc import Iterator, Sequence

POSITIONS = 4
"""Block size for source positions and past positions."""


def pad_to_multiple(length: int, block: int = POSITIONS) -> int:
    """Round a length up to a whole number of blocks."""
    return -(-length // block) * block


def length_buckets(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield batches that need little padding, as indices of the given lengths, shortest first.

    A batch of several sentences has at most ``most`` positions, padding included.
    """
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * pad_to_multiple(lengths[number]) > most:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
