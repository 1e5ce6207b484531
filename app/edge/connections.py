"""All connections of a server: how many there may be, and how long a client may take. Standard library only.

A connection is idle (no request has begun), unfinished (a request has begun and has not come completely), or at work.
Idle and unfinished ones are kept in the order in which they became so: where there are too many, the oldest goes.
"""

import select
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

_HANG_UP = getattr(select, "POLLRDHUP", 0)  # Linux: the peer has closed, even if data stands before the end


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a server for its connections.

    Attributes:
        connections: Open at a time. One more closes the connection that has been idle longest.
        head_bytes: Request line and headers of a request.
        unfinished: Connections whose request has begun and has not come completely.
        pipelined: Requests of all connections together that wait for the answer to the one before.
        head_s: Seconds for a head to come, from its first byte.
        window_s: Seconds in which a body, and an answer that waits to be read, must move by ``window_bytes``.
        window_bytes: See there; 80 KiB in 20 s are 4 KiB a second.
        discard_s: Seconds for the rest of a body whose request is answered already.
    """

    connections: int = 16_384
    head_bytes: int = 64 * 1024
    unfinished: int = 1_000
    pipelined: int = 10_000
    head_s: float = 20.0
    window_s: float = 20.0
    window_bytes: int = 80 * 1024
    discard_s: float = 10.0


class Connection(Protocol):
    """The interface of a connection that the limits need."""

    def check(self, now: float) -> None:
        """Ends it if its client takes too long."""

    def give_way(self) -> None:
        """Ends it, because another needs its place."""


@dataclass(slots=True)
class Window:
    """How far something has moved since a moment."""

    began_s: float
    nbytes: int = 0

    def is_too_slow(self, now: float, nbytes: int, limits: Limits) -> bool:
        """Tells whether a whole window passed with too little movement; begins the next one where it was enough.

        Args:
            now: Seconds, on the clock of ``began_s``.
            nbytes: All that has moved so far.
            limits: The window.
        """
        if now - self.began_s < limits.window_s:
            return False
        moved, self.began_s, self.nbytes = nbytes - self.nbytes, now, nbytes
        return moved < limits.window_bytes


class Connections:
    """The connections of one server.

    Args:
        limits: For all of them.

    Attributes:
        idle: Those without a request, the one that has been so longest first.
        unfinished: Those whose request has not come completely, likewise.
        pipelined: Requests that wait for the answer to the one before.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.idle: dict[Connection, None] = {}
        self.unfinished: dict[Connection, None] = {}
        self.pipelined = 0

    def make_room(self, open_connections: int) -> bool:
        """Closes a connection if there are too many; returns whether there is room for a new one."""
        if open_connections <= self.limits.connections:
            return True
        return self._close_oldest(self.idle) or self._close_oldest(self.unfinished)

    def begin(self, connection: Connection) -> None:
        """Part of a request is there."""
        if connection not in self.unfinished:
            self.unfinished[connection] = None
            if len(self.unfinished) > self.limits.unfinished:
                self._close_oldest(self.unfinished)

    def forget(self, connection: Connection) -> None:
        """The connection is closed."""
        self.idle.pop(connection, None)
        self.unfinished.pop(connection, None)

    def _close_oldest(self, connections: dict[Connection, None]) -> bool:
        oldest = next(iter(connections), None)
        if oldest is None:
            return False
        self.forget(oldest)
        oldest.give_way()
        return True


def check_all(connections: Collection[Connection], now: float) -> None:
    """Ends the connections whose clients take too long. To be called every second or so: 10,000 take 5 ms."""
    for connection in list(connections):
        connection.check(now)


def has_hung_up(descriptor: int) -> bool:
    """Tells whether the peer of a socket has closed it, although what it sent before has not been read."""
    if not _HANG_UP:
        return False
    poll: Callable[[], select.poll] = select.poll
    watched = poll()
    watched.register(descriptor, _HANG_UP)
    return bool(watched.poll(0))
