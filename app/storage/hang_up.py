"""Ends connections to PostgreSQL from outside, while threads wait for an answer on them."""

import os
import socket
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from sqlalchemy import Engine, event

_connections: "WeakKeyDictionary[Engine, WeakSet[Any]]" = WeakKeyDictionary()


def note_connections(engine: Engine) -> None:
    """Remembers the connections that an engine makes from now on."""
    made: WeakSet[Any] = WeakSet()
    _connections[engine] = made

    @event.listens_for(engine, "connect")
    def note(connection: Any, _record: object) -> None:
        made.add(connection)


def hang_up(engine: Engine) -> None:
    """Shuts down the connections of an engine: who waits for an answer gets an error, and the pool makes new ones."""
    for connection in list(_connections[engine]):
        # It may be closed.
        with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as shared:
            shared.shutdown(socket.SHUT_RDWR)
