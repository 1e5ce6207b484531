"""The command's server as a process of its own: ready line, signals, exit codes."""

import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[2]

PROGRAM = """
import asyncio
import sys
from app.cli import server
from app.main import create_app
from app.settings import Settings
from tests.support.fakes import FakeEngine

class Broken(FakeEngine):
    async def start(self):
        raise RuntimeError("no model today")

class Told(FakeEngine):
    async def reload(self):
        if self.calls:
            raise RuntimeError("no reload today")
        self.calls.append("reload")
        print("reloaded", flush=True)
        return await super().reload()

    async def stream(self, call):
        print("asked", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        async for event in super().stream(call):
            yield event

settings = Settings(port=0)
engine = {"fake": FakeEngine, "broken": Broken, "told": Told}[sys.argv[1]]()
app = create_app(settings, engine)
try:
    server.run(
        app, settings, announce=lambda url: print(url, flush=True), on_hangup=app.state.service.reload
    )
except RuntimeError as error:
    print("refused:", error)
    sys.exit(1)
print("stopped:", engine.state)
"""


def start(engine: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, engine],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def announced_url(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def translate(url: str) -> str:
    body = json.dumps({"q": "Ich möchte ein Bier.", "source": "de", "target": "en"}).encode()
    request = Request(f"{url}/translate", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=120) as response:
        return str(json.load(response)["translatedText"])


def listens(url: str) -> bool:
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10).close()
    except OSError:  # refused, or reset if the listener was closed with this connection waiting
        return False
    return True


def test_signals_reload_it_and_end_it_after_the_request_under_way() -> None:
    """SIGHUP reloads, and an error of that is survived; SIGTERM waits for what has begun."""
    with start("told") as process, ThreadPoolExecutor(1) as pool:
        url = announced_url(process)
        assert process.stdout is not None and process.stdin is not None
        process.send_signal(signal.SIGHUP)
        assert process.stdout.readline() == "reloaded\n"
        process.send_signal(signal.SIGHUP)
        with urlopen(f"{url}/readyz", timeout=120) as response:
            assert response.status == 200
        answer = pool.submit(translate, url)
        assert process.stdout.readline() == "asked\n"
        process.send_signal(signal.SIGTERM)
        while listens(url):  # until the end has begun
            pass
        process.stdin.write("go on\n")
        process.stdin.flush()
        assert answer.result(timeout=120) == "I'd like a beer."
        output, _ = process.communicate(timeout=120)
    assert (process.returncode, output) == (0, "stopped: stopping\n")


def test_ctrl_c_ends_it_cleanly_too() -> None:
    with start("fake") as process:
        assert announced_url(process).startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=120)
    assert (process.returncode, output) == (0, "stopped: stopping\n")


def test_an_error_at_start_up_reaches_the_caller() -> None:
    with start("broken") as process:
        output, _ = process.communicate(timeout=120)
    assert (process.returncode, output) == (1, "refused: no model today\n")
