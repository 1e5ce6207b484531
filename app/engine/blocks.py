"""Lengths are rounded up to whole blocks, so that a translation does not depend on its neighbours, to the last bit.

Processors add numbers up side by side, so many at a time. What pads a row out to the length of its neighbours then
changes nothing, as long as the length is a whole number of blocks.
"""

POSITIONS = 4
"""Sums over source and past positions are taken in blocks of this many."""
CHOICES = 64
"""Sums over the pieces of a shortlist, likewise."""


def rounded_up(length: int, block: int = POSITIONS) -> int:
    """The next whole number of blocks."""
    return -(-length // block) * block
