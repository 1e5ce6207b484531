"""Clients made from the OpenAPI document by the usual generators translate. Needs npm and the package registries."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.shipped_server import shipped_server

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent


def run(*command: object, folder: Path, programs: Path | None = None) -> str:
    """Runs a command, which finds other programs in a folder first."""
    path = os.pathsep.join([*([str(programs)] if programs else []), os.environ["PATH"]])
    environment = os.environ | {"PATH": path}
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    with shipped_server(folder / "log", DATA=str(folder)) as url:
        yield url


@pytest.fixture(scope="module")
def npm_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what package.json names."""
    if not shutil.which("npm"):
        pytest.skip("npm is missing; on Debian: apt-get install npm")
    folder = tmp_path_factory.mktemp("npm")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    run("npm", "ci", "--no-audit", "--no-fund", folder=folder)
    return folder


def check(answer: dict) -> None:
    assert "station" in answer["text"]
    assert answer["code"] == "unsupported_pair"
    [[language, text]] = answer["deepl"]
    assert (language, text.lower().startswith("good morning")) == ("DE", True)


def test_typescript(npm_packages: Path, url: str) -> None:
    (npm_packages / "spec.json").write_text(httpx.get(f"{url}/spec").text)
    for name in ("tsconfig.json", "client.ts"):
        shutil.copy(HERE / name, npm_packages)
    run("npx", "openapi-typescript", "spec.json", "--output", "api.d.ts", folder=npm_packages)
    run("npx", "tsc", "--project", ".", folder=npm_packages)
    answer = json.loads(run("node", "built/client.js", url, folder=npm_packages))
    check(answer)
    assert len(answer["list"]) == 2 and answer["list"][1] == "Good evening!"
    assert [each["language"] for each in answer["detected"]] == ["de", "en"]
    assert answer["sentences"][0] == "Guten Morgen!"
    assert answer["languages"] == ["de", "en"]
    assert answer["unknown"] == "glossary_not_found"


def test_python(tmp_path: Path, url: str) -> None:
    (tmp_path / "spec.json").write_text(httpx.get(f"{url}/spec").text)
    run(sys.executable, "-m", "venv", "--without-pip", "environment", folder=tmp_path)
    programs = tmp_path / "environment" / "bin"
    uv = Path(sys.executable).parent / "uv"
    install = [uv, "pip", "install", "--quiet", "--python", programs / "python"]
    run(*install, "--requirement", HERE / "requirements.txt", folder=tmp_path)
    generate = [programs / "openapi-python-client", "generate", "--path", "spec.json", "--meta", "none"]
    generate += ["--output-path", "generated", "--fail-on-warning"]
    warnings = run(*generate, folder=tmp_path, programs=programs)  # ruff is one of them
    assert "warning" not in warnings.lower()
    shutil.copy(HERE / "client.py", tmp_path)
    check(json.loads(run(programs / "python", "client.py", url, folder=tmp_path)))


REFUSED_BY_DEEPLS_CONTRACT = re.compile("CustomInstruction|rephraseText")
INSIDE_THE_CLIENT = re.compile("constructor|internal|pipeToStream|constructUserAgentString")


def test_every_method_of_deepls_node_client_is_served_or_refused_by_name(url: str, npm_packages: Path) -> None:
    shutil.copy(HERE / "deepl.mjs", npm_packages)
    body = {"name": "Site", "source_lang": "de", "target_lang": "en"}
    memory = httpx.post(f"{url}/v3/translation_memories", json=body).json()["translation_memory_id"]
    answer = json.loads(run("node", "deepl.mjs", url, "any-key", memory, npm_packages, folder=npm_packages))
    methods = {name for name in answer["methods"] if not INSIDE_THE_CLIENT.match(name)}
    assert methods == answer["told"].keys()
    refused = {name for name in methods if REFUSED_BY_DEEPLS_CONTRACT.search(name)}
    for name, told in answer["told"].items():
        assert ("are not available on this server" in told) if name in refused else told == "served", (name, told)
