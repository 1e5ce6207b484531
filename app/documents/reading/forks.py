"""The server's side of the template: starts it, and asks it for readers."""

import atexit
import os
import socket
import subprocess
import sys
from contextlib import suppress

from app.errors import Overloaded

BUSY = "The server can't start a process to read the document; try again in a moment."
_TEMPLATE = "app.documents.reading.template"
_END_S = 5.0
# Of the server's environment, which has passwords, only what a Python program needs to start.
_ENVIRONMENT = ("PATH", "LANG", "LC_", "PYTHON", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "TMPDIR")


class Forks:
    """A template, which the first reader starts. All methods are called in one thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def fork(self) -> tuple[socket.socket, socket.socket]:
        """Returns the server's ends of the connection with a new reader, and of its lease.

        Raises:
            Overloaded: There can't be another process now.
        """
        connection, theirs = socket.socketpair()
        lease, their_lease = socket.socketpair()
        for each in (connection, lease):
            each.setblocking(False)
        with theirs, their_lease:
            for _ in range(2):  # the template may have ended, though nobody has asked it to
                with suppress(OSError):
                    control = self._control or self._start()
                    socket.send_fds(control, [b"r"], [theirs.fileno(), their_lease.fileno()])
                    return connection, lease
                self.stop()
        connection.close()
        lease.close()
        raise Overloaded(BUSY)

    def stop(self) -> None:
        """Ends the template and all readers, which takes some milliseconds; ``fork`` starts another."""
        if self._control:
            self._control.close()
        if self._process:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
        self._control = self._process = None

    def _start(self) -> socket.socket:
        """Starts the template. It takes a quarter of a second of processor time; requests wait in its socket."""
        self._control, theirs = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if name.startswith(_ENVIRONMENT)}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", _TEMPLATE, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment,
            )
        return self._control


FORKS = Forks()
"""The template of this process."""
atexit.register(FORKS.stop)
