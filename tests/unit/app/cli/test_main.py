import json
import socket
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.cli import commands as command_group
from app.cli.main import app
from app.installation import how_to_install
from tests.support.command_line import UpperCaseEngine, run
from tests.support.fakes import FakeEngine, build

# --- help and usage --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ([], ["serve", "translate", "info", "train", "evaluate", "export", "data", "--debug", "--version"]),
        (
            ["serve"],
            ["--bundle", "--host", "--port", "--workers", "--threads", "--provider", "--precision", "--log-level"],
        ),
        (["serve"], ["[default: 8000]", "[env: DRAGOMAN_PORT]"]),
        (["translate"], ["--from", "--to", "--whole", "--output", "--beam-size", "--bundle", "files"]),
        (["info"], ["BUNDLE", "--json"]),
    ],
)
def test_help_names_every_option(command: list[str], options: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert [option for option in options if option not in result.output] == []


@pytest.mark.parametrize("command", ["data", "train", "evaluate", "export"])
def test_the_training_commands_have_help(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Not installed" not in result.output


def test_an_unknown_option_is_wrong_usage() -> None:
    result = run("serve", "--colour")
    assert result.exit_code == 2
    assert "--colour" in result.stderr


# --- commands by entry points ----------------------------------------------------------------------------------------


def install_command(monkeypatch: pytest.MonkeyPatch, folder: Path, source: str) -> None:
    (folder / "plugged.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "plugged", raising=False)
    entry = EntryPoint(name="train", value="plugged:train [train]", group=command_group.ENTRY_POINTS)
    monkeypatch.setattr(command_group, "entry_points", lambda *, group: [entry])


def test_a_function_becomes_a_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_command(monkeypatch, tmp_path, 'def train(steps: int = 1):\n    "Trains."\n    print(steps + 1)\n')
    assert "Trains." in run("--help").output
    assert "completion" not in run("train", "--help").output
    assert run("train", "--steps", "4").output == "5\n"


def test_a_typer_app_becomes_a_group(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = """
import typer
train = typer.Typer()
@train.command()
def fast(): print("fast")
@train.command()
def slow(): print("slow")
"""
    install_command(monkeypatch, tmp_path, source)
    assert run("train", "slow").output == "slow\n"
    assert "completion" not in run("train", "--help").output


@pytest.mark.parametrize(
    "source",
    ["import no_such_package\ndef train(): pass\n", "def train():\n    import no_such_package\n"],
    ids=["at import", "when it runs"],
)
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str) -> None:
    install_command(monkeypatch, tmp_path, source)
    assert "train" in run("--help").output
    result = run("train")
    assert result.exit_code == 3
    (line,) = result.stderr.splitlines()
    assert "no_such_package" in line
    assert how_to_install("train") in line


def test_a_missing_extra_is_named_whatever_the_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_command(monkeypatch, tmp_path, "import no_such_package")
    assert run("train", "config.toml", "--steps", "3").exit_code == 3
    assert how_to_install("train") in run("train", "--help").output


def test_serving_imports_no_other_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_command(monkeypatch, tmp_path, "raise SystemExit('imported')")
    assert run("serve", "--port", "-1").exit_code == 2


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--port", "70000"], "DRAGOMAN_PORT"),
        (["--provider", "abacus"], "DRAGOMAN_PROVIDER"),
        (["--threads", "0"], "DRAGOMAN_THREADS"),
        (["--precision", "float16"], "cuda"),
    ],
)
def test_a_wrong_setting_is_one_line(arguments: list[str], hint: str) -> None:
    result = run("serve", *arguments)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert hint in line


def test_a_port_in_use_is_one_line(engine: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.main.create_app", lambda settings, engine: build(FakeEngine()))
    monkeypatch.setattr("app.logs.configure_logging", lambda level: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port))
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert f"port {port}" in line


def test_a_missing_bundle_is_one_line(tmp_path: Path) -> None:
    result = run("info", tmp_path / "nowhere")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "nowhere" in line


def test_an_unexpected_error_is_one_line_that_says_how_to_see_more(engine: type[UpperCaseEngine]) -> None:
    engine.error = ZeroDivisionError("oh")
    result = run("translate", "--from", "de", "--to", "en", given="eins")
    assert result.exit_code == 1
    assert result.stderr == "error: ZeroDivisionError: oh (`dragoman --debug translate` shows where)\n"


def test_debug_lets_the_error_through(engine: type[UpperCaseEngine]) -> None:
    engine.error = ZeroDivisionError("oh")
    result = run("--debug", "translate", "--from", "de", "--to", "en", given="eins")
    assert result.exception is engine.error


def test_ctrl_c_is_quiet(engine: type[UpperCaseEngine]) -> None:
    engine.error = KeyboardInterrupt()
    result = run("translate", "--from", "de", "--to", "en", given="eins")
    assert (result.exit_code, result.output) == (130, "")


def test_the_commands_import_no_web_framework() -> None:
    """``dragoman translate`` and ``--help`` would wait for it: importing FastAPI takes longer than all the rest."""
    program = (
        "import sys, app.cli.main, app.cli.files, app.engine.registry; "
        "print([name for name in ('fastapi', 'starlette', 'uvicorn', 'app.api') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_a_reader_that_left_is_no_error(tmp_path: Path) -> None:
    program = "from tests.unit.app.cli.test_main import write_for_ever; write_for_ever()"
    root = Path(__file__).parents[4]
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=120) == 141


def write_for_ever() -> None:
    @app.command()
    def yes() -> None:
        while True:
            print("y")

    app(["yes"])


# --- info ------------------------------------------------------------------------------------------------------------

MANIFEST: dict[str, Any] = {
    "name": "toy",
    "pairs": [{"source": "de", "target": "en", "tag": None}],
    "graphs": {"int8": {"encoder": "encoder.int8.onnx", "decoder": "decoder.int8.onnx"}},
    "provenance": {"licence": "CC BY [4.0]", "sources": [{"name": "tatoeba", "sha256": "0" * 64}]},
    "scores": [{"test_set": "wmt19", "bleu": 21.5, "bleu_signature": "nrefs:1"}],
    "files": {"vocabulary.spm": "1" * 64},
}


@pytest.fixture
def toy_bundle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    (tmp_path / "vocabulary.spm").write_bytes(bytes(2500))
    opened = SimpleNamespace(manifest=SimpleNamespace(model_dump=lambda mode: dict(MANIFEST)))
    monkeypatch.setattr("app.engine.models.bundle.Bundle.open", lambda path: opened)
    return tmp_path


def test_info_shows_what_a_person_asks(toy_bundle: Path) -> None:
    result = run("info", toy_bundle)
    assert result.exit_code == 0
    shown = ("toy", "de", "encoder.int8.onnx", "CC BY [4.0]", "tatoeba", "wmt19", "21.5", "2.5 kB")
    assert [text for text in shown if text not in result.stdout] == []
    assert "000000" not in result.stdout


def test_info_shows_the_code_points_of_what_has_no_glyph(toy_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MANIFEST, "placeholders", ["\ue000", "\ue001"])
    shown = run("info", toy_bundle).stdout
    assert "U+E000" in shown and "U+E001" in shown
    assert "\ue000" not in shown


def test_info_gives_programs_everything(toy_bundle: Path) -> None:
    assert json.loads(run("info", "--json", toy_bundle).stdout) == MANIFEST


def test_a_cluster_without_ray_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "app.cluster.local", None)
    result = run("serve", "--cluster")
    assert result.exit_code == command_group.WRONG_USAGE
    assert how_to_install("cluster") in result.stderr
