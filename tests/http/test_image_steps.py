"""Carries out the Dockerfile without Docker, in a new environment, and uses the result as a container would."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = "/opt/dragoman"  # where the Dockerfile puts its virtual environment


class Image:
    """The outcome of the steps, below a folder instead of below /.

    Attributes:
        workdir: Where the container's command runs.
        entrypoint: The command.
        arguments: CMD, what follows it.
        health_check: The command of HEALTHCHECK.
        user: The value of USER.
        environment: Variables of the last stage.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.entrypoint: list[str] = []
        self.arguments: list[str] = []
        self.health_check: list[str] = []
        self.user = ""
        self._start_stage()
        for keyword, value in instructions(ROOT / "Dockerfile"):
            getattr(self, f"_{keyword.lower()}")(self._moved(value))

    def _start_stage(self) -> None:
        self.workdir = self.root
        path = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
        self.environment = {**os.environ, "PATH": path}

    def _moved(self, value: str) -> str:
        return value.replace(ENVIRONMENT, str(self.root / ENVIRONMENT[1:]))

    def _from(self, value: str) -> None:
        self._start_stage()

    def _arg(self, value: str) -> None:
        name, _, default = value.partition("=")
        self.environment[name] = default

    def _env(self, value: str) -> None:
        for word in shlex.split(value):
            name, _, text = word.partition("=")
            self.environment[name] = Template(text).substitute(self.environment)

    def _workdir(self, value: str) -> None:
        self.workdir = self.root / value[1:]
        self.workdir.mkdir(parents=True)

    def _copy(self, value: str) -> None:
        *sources, target = value.removeprefix("--chmod=755 ").split()
        if sources[0].startswith("--from="):
            return  # both stages share one folder here
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, self.workdir / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, self.workdir / target)

    def _run(self, value: str) -> None:
        step = subprocess.run(
            ["/bin/sh", "-c", value], cwd=self.workdir, env=self.environment, capture_output=True, text=True
        )
        assert step.returncode == 0, f"RUN {value}\n{step.stdout}\n{step.stderr}"

    def _user(self, value: str) -> None:
        self.user = value

    def _expose(self, value: str) -> None:
        assert value == "8000"

    def _entrypoint(self, value: str) -> None:
        self.entrypoint = json.loads(value)

    def _cmd(self, value: str) -> None:
        self.arguments = json.loads(value)

    def _healthcheck(self, value: str) -> None:
        self.health_check = json.loads(value[value.index("CMD") + len("CMD") :])


def instructions(dockerfile: Path) -> Iterator[tuple[str, str]]:
    lines = (line for line in dockerfile.read_text().splitlines() if line and not line.startswith("#"))
    for line in lines:
        while line.endswith("\\"):
            line = line[:-1].rstrip() + " " + next(lines).strip()
        keyword, _, value = line.partition(" ")
        yield keyword, value


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return Image(tmp_path_factory.mktemp("image"))


@contextmanager
def container(image: Image, temporary: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The image's command as a process, and the base URL it announces."""
    # Any free port in place of 8000, which may be taken here. A folder for temporary files, as Compose mounts one.
    environment = image.environment | {"DRAGOMAN_PORT": "0", "TMPDIR": str(temporary), "HOME": "/nonexistent"}
    program = shutil.which(image.entrypoint[0], path=environment["PATH"])
    assert program is not None
    assert program.startswith(str(image.root)), "the command must be the image's own"
    with (
        (temporary / "stderr").open("w+") as errors,
        subprocess.Popen(
            [program, *image.entrypoint[1:], *image.arguments],
            cwd=image.workdir,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        try:
            announced = next((line for line in server.stdout if "health check" in line), None)
            assert announced is not None, (temporary / "stderr").read_text()
            yield server, announced.split()[-1].removesuffix("/readyz")
        finally:
            server.terminate()


def fingerprint(folder: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in folder.rglob("*")}


def translate(url: str, text: str, source: str, target: str) -> str:
    body = json.dumps({"q": text, "source": source, "target": target}).encode()
    request = Request(f"{url}/translate", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as response:
        return str(json.load(response)["translatedText"])


def test_the_image_serves_the_shipped_model_and_writes_nothing(image: Image, tmp_path: Path) -> None:
    before = fingerprint(image.root)
    with container(image, tmp_path) as (server, url):
        check = [part.replace("http://127.0.0.1:8000", url) for part in image.health_check]
        assert url in " ".join(check)
        assert subprocess.run(check, env=image.environment).returncode == 0
        assert "beer" in translate(url, "Ich möchte ein Bier.", "de", "en").lower()
        assert "wo ist" in translate(url, "Where is the station?", "en", "de").lower()
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=30) == 0
    assert fingerprint(image.root) == before


def test_the_health_check_fails_where_nobody_answers(image: Image) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    check = [part.replace(":8000", f":{free}") for part in image.health_check]
    assert subprocess.run(check, env=image.environment, stderr=subprocess.DEVNULL).returncode != 0


@pytest.mark.parametrize("name", ["torch", "onnx", "pytest", "tests"])
def test_the_image_holds_the_service_only(image: Image, name: str) -> None:
    program = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is not None)"
    finished = subprocess.run(["python", "-c", program], cwd=image.workdir, env=image.environment)
    assert finished.returncode == 0


def test_the_image_runs_as_a_numeric_user_without_rights(image: Image) -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", image.user)
