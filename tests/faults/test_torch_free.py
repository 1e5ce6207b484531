"""The service works where nothing of the training world can be imported."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORBIDDEN = ("torch", "onnx", "transformers", "safetensors", "model", "export")

REFUSE_TRAINING_WORLD = f"""
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {FORBIDDEN}:
            raise ImportError(f"the service must not import {{name}}")

sys.meta_path.insert(0, Refuse())
"""

SERVE_A_REQUEST = """
import asyncio, importlib, pkgutil
import app

for module in pkgutil.walk_packages(app.__path__, "app."):
    importlib.import_module(module.name)

from tests.support.fakes import FakeEngine, serving

async def main():
    async with serving(FakeEngine()) as client:
        assert (await client.get("/readyz")).status_code == 200
        body = {"q": "Ich möchte ein Bier.", "source": "de", "target": "en"}
        print((await client.post("/translate", json=body)).json()["translatedText"])

asyncio.run(main())
"""


def run_without_training_world(program: str, *path: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-c", REFUSE_TRAINING_WORLD + program],
        cwd=path[0],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_service_imports_and_serves() -> None:
    finished = run_without_training_world(SERVE_A_REQUEST, ROOT)
    assert finished.returncode == 0, finished.stderr
    assert "I'd like a beer." in finished.stdout


def test_a_service_that_imports_torch_is_found_out(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "app", tmp_path / "app")
    with (tmp_path / "app" / "errors.py").open("a", encoding="utf-8") as file:  # one of the first to be imported
        file.write("\nimport torch\n")
    finished = run_without_training_world(SERVE_A_REQUEST, tmp_path, ROOT)
    assert finished.returncode != 0
    assert str(tmp_path / "app" / "errors.py") in finished.stderr
    assert "the service must not import torch" in finished.stderr


@pytest.mark.parametrize("name", FORBIDDEN)
def test_each_package_is_refused(name: str, tmp_path: Path) -> None:
    finished = run_without_training_world(f"import {name}", tmp_path, ROOT)
    assert f"the service must not import {name}" in finished.stderr


def test_a_server_without_a_database_imports_none() -> None:
    program = "import sys, app.cli.main, app.main; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=120).returncode == 0
