"""A real S3 server, rclone's, from PyPI. Only tests marked ``cluster`` import this."""

import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.support.cluster import free_port

START_S = 30.0
RCLONE = shutil.which("rclone", path=str(Path(sys.executable).parent))


class S3Server:
    """A server on this machine with a bucket named ``bucket``.

    Args:
        folder: An empty folder; each object is a file below it.

    Attributes:
        variables: The environment variables with which clients find it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        (folder / "objects" / "bucket").mkdir(parents=True)
        self.variables = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ACCESS_KEY_ID": "access",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        self.start()

    def start(self) -> None:
        """Starts it, also again after ``kill``."""
        assert RCLONE
        command = [RCLONE, "serve", "s3", "--addr", f"127.0.0.1:{self._port}", "--auth-key", "access,secret"]
        with (self._folder / "s3.log").open("ab") as log:
            self._process = subprocess.Popen([*command, str(self._folder / "objects")], stdout=log, stderr=log)
        end_s = time.monotonic() + START_S
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                return
            assert self._process.poll() is None and time.monotonic() < end_s, "the S3 server doesn't start"
            time.sleep(0.01)

    def objects(self, prefix: str) -> list[bytes]:
        """All objects of the bucket below a prefix, as they are on the disk."""
        folder = self._folder / "objects" / "bucket" / prefix
        return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]

    def kill(self) -> None:
        """Kills it, as a crash of the machine would."""
        self._process.kill()
        self._process.wait()
