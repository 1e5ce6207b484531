"""The shipped model in a server process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def shipped_server(log: Path, **settings: str) -> Iterator[str]:
    """The URL of a server that stops at the end.

    Args:
        log: Where its log goes.
        settings: Environment variables without their prefix.
    """
    command = [sys.executable, "-m", "app", "serve", "--port", "0", "--threads", "1"]
    variables = os.environ | {f"DRAGOMAN_{name}": value for name, value in settings.items()}
    root = Path(__file__).parents[2]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, cwd=root, env=variables, stdout=subprocess.PIPE, stderr=errors, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            announced = next((line for line in server.stdout if "health check" in line), None)
            assert announced is not None, log.read_text()
            yield announced.split()[-1].removesuffix("/readyz")
        finally:
            server.terminate()
