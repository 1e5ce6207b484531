"""The command's server as a process of its own: ready line, signals, exit codes."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys
from app import server
from app.main import create_app
from app.settings import Settings
from tests.http.fakes import FakeEngine

class Broken(FakeEngine):
    async def start(self):
        raise RuntimeError("no model today")

class Reloading(FakeEngine):
    async def reload(self):
        if self.calls:
            raise RuntimeError("no reload today")
        self.calls.append("reload")
        print("reloaded", flush=True)
        return await super().reload()

settings = Settings(port=0)
engine = {"fake": FakeEngine, "broken": Broken, "reloading": Reloading}[sys.argv[1]]()
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
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def announced_url(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_it_serves_at_the_announced_url_and_ends_cleanly_on_sigterm() -> None:
    with start("fake") as process:
        url = announced_url(process)
        with urlopen(f"{url}/readyz", timeout=10) as response:
            assert response.status == 200
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (0, "stopped: stopping\n")


def test_ctrl_c_ends_it_cleanly_too() -> None:
    with start("fake") as process:
        assert announced_url(process).startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (0, "stopped: stopping\n")


def test_sighup_reloads_and_an_error_of_it_is_survived() -> None:
    with start("reloading") as process:
        url = announced_url(process)
        process.send_signal(signal.SIGHUP)
        assert process.stdout is not None
        assert process.stdout.readline() == "reloaded\n"
        process.send_signal(signal.SIGHUP)
        with urlopen(f"{url}/readyz", timeout=10) as response:
            assert response.status == 200
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (0, "stopped: stopping\n")


def test_an_error_at_start_up_reaches_the_caller() -> None:
    with start("broken") as process:
        output, _ = process.communicate(timeout=30)
    assert (process.returncode, output) == (1, "refused: no model today\n")
