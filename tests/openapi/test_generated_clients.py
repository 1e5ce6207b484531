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


@pytest.fixture
def folder(tmp_path: Path, url: str) -> Path:
    """A folder with the OpenAPI document."""
    (tmp_path / "spec.json").write_text(httpx.get(f"{url}/spec").text)
    return tmp_path


def check(answer: dict) -> None:
    assert "station" in answer["text"]
    assert answer["code"] == "unsupported_pair"
    [[language, text]] = answer["deepl"]
    assert (language, text.lower().startswith("good morning")) == ("DE", True)


def test_typescript(folder: Path, url: str) -> None:
    if not shutil.which("npm"):
        pytest.skip("npm is missing; on Debian: apt-get install npm")
    for name in ("package.json", "package-lock.json", "tsconfig.json", "client.ts"):
        shutil.copy(HERE / name, folder)
    run("npm", "ci", "--no-audit", "--no-fund", folder=folder)
    run("npx", "openapi-typescript", "spec.json", "--output", "api.d.ts", folder=folder)
    run("npx", "tsc", "--project", ".", folder=folder)
    answer = json.loads(run("node", "built/client.js", url, folder=folder))
    check(answer)
    assert len(answer["list"]) == 2 and answer["list"][1] == "Good evening!"
    assert [each["language"] for each in answer["detected"]] == ["de", "en"]
    assert answer["sentences"][0] == "Guten Morgen!"
    assert answer["languages"] == ["de", "en"]
    assert answer["unknown"] == "glossary_not_found"


def test_python(folder: Path, url: str) -> None:
    run(sys.executable, "-m", "venv", "environment", folder=folder)
    programs = folder / "environment" / "bin"
    run(programs / "pip", "install", "--quiet", "--requirement", HERE / "requirements.txt", folder=folder)
    generate = [programs / "openapi-python-client", "generate", "--path", "spec.json", "--meta", "none"]
    generate += ["--output-path", "generated", "--fail-on-warning"]
    warnings = run(*generate, folder=folder, programs=programs)  # ruff is one of them
    assert "warning" not in warnings.lower()
    shutil.copy(HERE / "client.py", folder)
    check(json.loads(run(programs / "python", "client.py", url, folder=folder)))


REFUSED_BY_DEEPLS_CONTRACT = re.compile("CustomInstruction|rephraseText")
INSIDE_THE_CLIENT = re.compile("constructor|internal|pipeToStream|constructUserAgentString")


def test_every_method_of_deepls_node_client_is_served_or_refused_by_name(url: str, tmp_path: Path) -> None:
    if not shutil.which("npm"):
        pytest.skip("npm is missing; on Debian: apt-get install npm")
    for name in ("package.json", "package-lock.json", "deepl.mjs"):
        shutil.copy(HERE / name, tmp_path)
    run("npm", "ci", "--no-audit", "--no-fund", folder=tmp_path)
    body = {"name": "Site", "source_lang": "de", "target_lang": "en"}
    memory = httpx.post(f"{url}/v3/translation_memories", json=body).json()["translation_memory_id"]
    answer = json.loads(run("node", "deepl.mjs", url, "any-key", memory, tmp_path, folder=tmp_path))
    methods = {name for name in answer["methods"] if not INSIDE_THE_CLIENT.match(name)}
    assert methods == answer["told"].keys()
    refused = {name for name in methods if REFUSED_BY_DEEPLS_CONTRACT.search(name)}
    for name, told in answer["told"].items():
        assert ("are not available on this server" in told) if name in refused else told == "served", (name, told)
