"""Times that are stored, and a clock that jumps.

What is stored outlives its process, so its time is that of a clock on the wall, which somebody may set: an hour back, a
day ahead. What one process measures counts by a clock that never jumps. Here the two meet.
"""

import time
from collections.abc import Callable, Sequence

_JUMP_S = 60.0
"""Clocks that are only corrected don't differ by so much between two looks."""


class Jumps:
    """Notices that a clock was set ahead. What is deleted by its age then looks too old, though it is new.

    Args:
        lifetime_s: How long nothing is deleted after that: what is new gets the time that it was promised.
        steady: Seconds by a clock that never jumps.
    """

    def __init__(self, lifetime_s: float, steady: Callable[[], float] = time.monotonic) -> None:
        self._lifetime_s, self._steady = lifetime_s, steady
        self._last: tuple[float, float] | None = None
        self._until = float("-inf")

    def lately(self, now: float) -> bool:
        """Whether the clock, which shows ``now``, was set ahead during the lifetime."""
        steady = self._steady()
        if self._last and (now - self._last[0]) - (steady - self._last[1]) > _JUMP_S:
            self._until = steady + self._lifetime_s
        self._last = (now, steady)
        return steady < self._until


class Leases:
    """Tells which leases are over. One that others renew is alive, whatever the clock shows.

    Only of a lease that it sees for the first time, it believes the end that is stored.

    Args:
        longest_s: Seconds for which a lease is given at most.
        steady: Seconds by a clock that never jumps.
    """

    def __init__(self, longest_s: float, steady: Callable[[], float] = time.monotonic) -> None:
        self._longest_s, self._steady = longest_s, steady
        self._seen: dict[str, tuple[float, float]] = {}  # the end that is stored, and when it really ends

    def note(self, name: str, until: float, left_s: float) -> None:
        """Remembers a lease that was given just now for so many seconds; ``until`` is what is stored."""
        self._seen[name] = (until, self._steady() + left_s)

    def over(self, leases: Sequence[tuple[str, float]], now: float) -> list[tuple[str, float]]:
        """Returns the leases that have ended.

        Args:
            leases: All stored leases: names and ends.
            now: The time by which they were stored.
        """
        steady = self._steady()
        seen = {}
        for name, until in leases:
            left_s = until - now
            if name not in self._seen:
                seen[name] = (until, steady + min(max(left_s, 0.0), self._longest_s))
            elif self._seen[name][0] == until:
                seen[name] = self._seen[name]
            else:  # renewed since the last look
                seen[name] = (until, steady + (left_s if 0 < left_s <= self._longest_s else self._longest_s))
        self._seen = seen
        return [(name, until) for name, (until, ends) in seen.items() if ends <= steady]
