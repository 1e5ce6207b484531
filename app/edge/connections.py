"""Bounds the number of a server's connections and the time that a client may take. Standard library only.

A connection is idle (no request has begun), unfinished (a request has begun and is not complete), or at work. Idle and
unfinished connections are kept in the order in which they reached that state. If there are too many, the oldest is
closed.
"""

import select
import socket
from collections.abc import Callable, Collection, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

_HANG_UP = getattr(select, "POLLRDHUP", 0)  # Linux: the peer has closed, even if unread data comes before the end


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a server for its connections.

    Attributes:
        connections: Maximum number of open connections. One more closes the connection that has been idle longest.
        head_bytes: Maximum size of the request line and headers together.
        unfinished: Maximum number of connections with an incomplete request.
        pipelined: Maximum number of pipelined requests that wait for an earlier answer, over all connections.
        head_s: Seconds that a head may take from its first byte.
        window_s: Seconds in which a client must send, or read, at least ``window_bytes`` of a body or an answer.
        window_bytes: See ``window_s``; 80 KiB in 20 s are 4 KiB a second.
        discard_s: Seconds for the remaining body of a request that is already answered.
        ending_s: Seconds, after the server has begun to end, for the head of a request on a new connection.
    """

    connections: int = 16_384
    head_bytes: int = 64 * 1024
    unfinished: int = 1_000
    pipelined: int = 10_000
    head_s: float = 20.0
    window_s: float = 20.0
    window_bytes: int = 80 * 1024
    discard_s: float = 10.0
    ending_s: float = 1.0


class Connection(Protocol):
    """The interface of a connection that the limits need."""

    def check(self, now: float) -> None:
        """Ends the connection if its client takes too long."""

    def give_way(self) -> None:
        """Ends the connection to make room for another."""


class Refusal(NamedTuple):
    """The answer to a request that the application doesn't get: status, headers, body."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes


Refuse = Callable[[MutableMapping[str, Any]], Refusal | None]
"""Looks at the ASGI scope of a request, which it may change; returns None for one that the application gets."""


def let_in(scope: MutableMapping[str, Any]) -> Refusal | None:
    """Refuses no request."""
    return None


@dataclass(slots=True)
class Window:
    """How many bytes had moved when a time window began."""

    began_s: float
    nbytes: int = 0

    def is_too_slow(self, now: float, nbytes: int, limits: Limits) -> bool:
        """Tells whether a whole window passed with too few bytes; begins the next window after enough bytes.

        Args:
            now: Seconds, on the clock of ``began_s``.
            nbytes: Bytes moved so far.
            limits: The window.
        """
        if now - self.began_s < limits.window_s:
            return False
        moved, self.began_s, self.nbytes = nbytes - self.nbytes, now, nbytes
        return moved < limits.window_bytes


class Connections:
    """The connections of one server.

    Args:
        limits: Limits for all connections.
        refuse: Refuses requests before there is a task for them, which costs two thirds of what its own refusal costs.

    Attributes:
        idle: Connections without a request, longest idle first.
        unfinished: Connections with an incomplete request, oldest first.
        pipelined: Number of pipelined requests that wait for an earlier answer.
    """

    def __init__(self, limits: Limits, refuse: Refuse = let_in) -> None:
        self.limits, self.refuse = limits, refuse
        self.idle: dict[Connection, None] = {}
        self.unfinished: dict[Connection, None] = {}
        self.pipelined = 0

    def make_room(self, open_connections: int) -> bool:
        """Closes a connection if there are too many; returns whether a new one may stay."""
        if open_connections <= self.limits.connections:
            return True
        return self._close_oldest(self.idle) or self._close_oldest(self.unfinished)

    def begin(self, connection: Connection) -> None:
        """Notes that part of a request has arrived."""
        if connection not in self.unfinished:
            self.unfinished[connection] = None
            if len(self.unfinished) > self.limits.unfinished:
                self._close_oldest(self.unfinished)

    def forget(self, connection: Connection) -> None:
        """Notes that a connection is closed."""
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
    """Ends the connections whose clients take too long. Call it about every second; 10,000 connections take 5 ms."""
    for connection in list(connections):
        connection.check(now)


def has_hung_up(descriptor: int) -> bool:
    """Tells whether the peer of a socket has closed it, even if data that it sent is still unread."""
    return bool(_HANG_UP) and _shows(descriptor, _HANG_UP)


def has_unread(descriptor: int) -> bool:
    """Tells whether bytes have come that nobody has read, or the peer has closed."""
    return _shows(descriptor, getattr(select, "POLLIN", 0))


def _shows(descriptor: int, event: int) -> bool:
    poll: Callable[[], select.poll] = select.poll
    watched = poll()
    watched.register(descriptor, event)
    return bool(watched.poll(0))


def accept_waiting(listener: socket.socket) -> list[socket.socket]:
    """Returns the connections that the system has made for a listening socket and nobody has accepted yet."""
    clients = []
    listener.setblocking(False)
    with suppress(OSError):  # there are no more, or no more descriptors
        while True:
            client, _ = listener.accept()
            clients.append(client)
    return clients
