"""A TCP proxy that harms what passes through it, between a server and what it depends on."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum

_PIECE_BYTES = 65_536
_LINGER_RESET = b"\x01\x00\x00\x00\x00\x00\x00\x00"  # struct linger: on, for 0 s


class Fault(Enum):
    """What the network does.

    Attributes:
        NONE: It passes everything on.
        SLOW: It passes every piece on after the proxy's latency.
        RESET: It resets all connections, and each new one.
        HALF_OPEN: It accepts connections and bytes, and passes nothing on: as after a machine has vanished.
        REFUSED: Nobody listens.
    """

    NONE = "none"
    SLOW = "latency"
    RESET = "reset"
    HALF_OPEN = "half-open"
    REFUSED = "refused"


class Network:
    """The proxy; it listens on a free port of this machine.

    Args:
        target: Address of what is behind it: host and port, or the path of a socket.
        latency_s: Of ``Fault.SLOW``.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, target: tuple[str, int] | str, latency_s: float = 0.05) -> None:
        self._target, self._latency_s = target, latency_s
        self._fault = Fault.NONE
        self._may_pass = threading.Event()
        self._may_pass.set()
        self._ended = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._start()

    def set(self, fault: Fault) -> None:
        """Begins to do this to all connections."""
        if fault is self._fault:
            return
        previous, self._fault = self._fault, fault
        if fault is Fault.HALF_OPEN:
            self._may_pass.clear()
        else:
            self._may_pass.set()
        if fault in (Fault.RESET, Fault.REFUSED) or previous is Fault.HALF_OPEN:
            self._reset_all()  # what was half open is gone at the other end
        if fault is Fault.REFUSED:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        elif previous is Fault.REFUSED:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            self._start()

    def close(self) -> None:
        """Ends all connections."""
        self._ended.set()
        self.set(Fault.REFUSED)

    def _start(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # it is closed
            while True:
                client, _ = listener.accept()
                if self._fault is Fault.RESET:
                    _reset(client)
                    continue
                threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        with self._lock:
            self._open.add(client)
        self._may_pass.wait()
        try:
            server = _connected(self._target)
        except OSError:
            _reset(client)
            return
        with self._lock:
            self._open.add(server)
        threading.Thread(target=self._pass, args=(server, client), daemon=True).start()
        self._pass(client, server)

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_PIECE_BYTES):
                if self._fault is Fault.SLOW:
                    self._ended.wait(self._latency_s)
                self._may_pass.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def _reset_all(self) -> None:
        with self._lock:
            connections, self._open = self._open, set()
        for connection in connections:
            _reset(connection)


def _connected(target: tuple[str, int] | str) -> socket.socket:
    if isinstance(target, tuple):
        return socket.create_connection(target)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(target)
    return connection


def _reset(connection: socket.socket) -> None:
    """Closes a connection with RST, also for a thread that reads from it."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_RESET)
        connection.shutdown(socket.SHUT_RD)
    connection.close()


@contextmanager
def network(target: tuple[str, int] | str) -> Iterator[Network]:
    """A proxy in front of an address, which is closed at the end."""
    proxy = Network(target)
    try:
        yield proxy
    finally:
        proxy.close()
