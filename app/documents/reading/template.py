"""The process that readers are forked from: ``python -m app.documents.reading.template FD``.

It has the libraries of all formats in memory, runs no code on a file, and has one thread, so that a fork is safe. The
server sends it two sockets for each reader: one that the reader talks to the server by, and a lease. When the server
closes its end of a lease, the reader ends; when the reader ends, the lease tells the server how. When the server
ends, everything does.
"""

import gc
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module

from app.documents.reading import child
from app.documents.reading.frames import ENDED, OUT_OF_MEMORY, Connection
from app.documents.registry import FORMATS

_LIBRARIES = ("app.documents.pdf_pages", "docx", "babel.messages.plurals")
_BYTES_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024


class Template:
    """Forks readers.

    Args:
        control: The socket by which the server asks for them.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._leases: dict[int, socket.socket] = {}  # by process
        self._selector = selectors.DefaultSelector()
        self._child_ended, woken = socket.socketpair()
        for each in (self._child_ended, woken):
            each.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        self._own = (control, self._child_ended, woken)
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._child_ended, selectors.EVENT_READ)

    def run(self) -> None:
        """Serves until the server closes its end of the control."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._child_ended:
                    self._reap()
                elif key.fileobj is not self._control:
                    self._kill(key.data)  # the server has closed the lease
                elif not self._fork():
                    return

    def end(self) -> None:
        """Ends all readers."""
        for process in [*self._leases]:
            self._kill(process)

    def _fork(self) -> bool:
        asked, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
        if not asked:
            return False
        connection, lease = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        try:
            process = os.fork()
        except OSError:  # as many processes as there may be
            with suppress(OSError):
                lease.send(ENDED.pack(-1, 0, 0.0))
            lease.close()
        else:
            if process == 0:
                self._become_reader(connection, lease)
            self._leases[process] = lease
            self._selector.register(lease, selectors.EVENT_READ, process)
        connection.close()
        return True

    def _become_reader(self, connection: socket.socket, lease: socket.socket) -> None:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            for each in (*self._own, *self._leases.values(), lease):
                each.close()
            child.serve(Connection(connection))
            code = 0
        except MemoryError:
            code = OUT_OF_MEMORY
        finally:  # without a trace: an error is one of the connection, because the server has hung up
            os._exit(code)

    def _kill(self, process: int) -> None:
        """Ends a reader. It was not reaped yet, so that the number is still its own."""
        if lease := self._leases.pop(process, None):
            self._selector.unregister(lease)
            lease.close()
            os.kill(process, signal.SIGKILL)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._child_ended.recv(4096)
        with suppress(ChildProcessError):
            while (ended := os.wait4(-1, os.WNOHANG))[0]:
                process, status, usage = ended
                lease = self._leases.pop(process, None)
                if lease:
                    self._selector.unregister(lease)
                    with suppress(OSError):
                        used_s = usage.ru_utime + usage.ru_stime
                        lease.send(ENDED.pack(status, usage.ru_maxrss * _BYTES_OF_MAXRSS, used_s))
                    lease.close()


def main() -> None:
    """Runs the program."""
    for each in (signal.SIGINT, signal.SIGTERM):  # sent to all processes of a terminal or service; the server decides
        signal.signal(each, signal.SIG_IGN)
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in (*(f"app.documents.formats.{each.name}" for each in FORMATS), *_LIBRARIES):
        with suppress(ImportError):  # an extra that is not installed
            import_module(name)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # libraries may write there what files have
        os.dup2(nowhere, descriptor)
    gc.freeze()
    template = Template(control)
    try:
        template.run()
    finally:
        template.end()


if __name__ == "__main__":
    main()
