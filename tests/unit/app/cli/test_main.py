import json
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner, Result

from app.cli import commands as command_group
from app.cli.main import app
from app.cli.translate import CHUNK_TEXTS
from app.engine.interface import (
    Alphabet,
    Event,
    SentenceEvent,
    SentenceTranslation,
    TextEvent,
    TextTranslation,
    Timing,
    TranslationCall,
)
from app.settings import Settings
from app.text.quality_checks import Verdict
from tests.support.fakes import FakeEngine, build

GERMAN = "Ich möchte bitte ein Bier, und wo ist der Bahnhof?\n"


class UpperCaseEngine:
    """Translates into capitals; what it was asked is in ``calls``."""

    pairs = frozenset({("de", "en"), ("en", "de"), ("de", "fr")})
    calls: ClassVar[list[tuple[list[str], str, str, int]]] = []
    splittings: ClassVar[set[str]] = set()
    error: ClassVar[BaseException | None] = None
    running = False

    @classmethod
    def from_settings(cls, settings: object) -> "UpperCaseEngine":
        return cls()

    async def start(self) -> None:
        self.running = True

    async def stop(self) -> None:
        self.running = False

    def alphabet(self, source: str, target: str) -> Alphabet:
        return Alphabet(placeholders=("\ue000",))

    async def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        assert self.running
        self.calls.append((list(call.texts), call.source, call.target, call.options.beam_size))
        self.splittings.add(call.splitting)
        if self.error is not None:
            raise self.error
        for index, text in enumerate(call.texts):
            translation = self._translate(text)
            for sentence in translation.sentences:
                yield SentenceEvent(call.key(index), sentence)
            yield TextEvent(call.key(index), translation)
        yield Timing(queue_s=0, encode_s=0, decode_s=0)

    def _translate(self, text: str) -> TextTranslation:
        sentence = SentenceTranslation(
            source_begin=0,
            target_begin=0,
            source=text,
            text=text.upper(),
            score=-1,
            alternatives=(),
            verdicts=(Verdict.TRUNCATED,) if "endless" in text else (),
        )
        pivot = "en" if "far" in text else None
        return TextTranslation(text=text.upper(), alternatives=(), sentences=(sentence,), pivot=pivot)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[UpperCaseEngine]:
    monkeypatch.setattr("app.engine.registry.Registry", UpperCaseEngine)
    monkeypatch.setattr(UpperCaseEngine, "calls", [])
    monkeypatch.setattr(UpperCaseEngine, "splittings", set())
    monkeypatch.setattr(UpperCaseEngine, "error", None)
    return UpperCaseEngine


@pytest.fixture(autouse=True)
def wide_plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    # Help is drawn for the terminal at hand: without this, a narrow one would break option names across lines.
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")


def run(*arguments: str | Path, given: str | bytes = "") -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


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
    assert "pip install 'dragoman[train]'" in line


def test_a_missing_extra_is_named_whatever_the_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_command(monkeypatch, tmp_path, "import no_such_package")
    assert run("train", "config.toml", "--steps", "3").exit_code == 3
    assert "pip install 'dragoman[train]'" in run("train", "--help").output


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
        assert process.wait(timeout=30) == 141


def write_for_ever() -> None:
    @app.command()
    def yes() -> None:
        while True:
            print("y")

    app(["yes"])


# --- translate -------------------------------------------------------------------------------------------------------


def test_lines_stay_lines_and_keep_their_ends(engine: type[UpperCaseEngine]) -> None:
    result = run("translate", "-f", "de", "-t", "en", given=b"eins\r\n\n  zwei \ndrei")
    assert result.exit_code == 0
    assert result.stdout_bytes == b"EINS\r\n\n  ZWEI \nDREI"
    assert engine.calls == [(["eins", "  zwei ", "drei"], "de", "en", 4)]
    assert engine.splittings == {"sentences"}


def test_a_whole_file_is_one_text(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("eins\nzwei\n")
    result = run("translate", "-f", "de", "-t", "en", "--whole", "--beam-size", "2", tmp_path / "a.txt")
    assert result.stdout == "EINS\nZWEI\n"
    assert engine.calls == [(["eins\nzwei\n"], "de", "en", 2)]
    assert engine.splittings == {"no_newlines"}


def test_what_a_server_protects_unasked_is_protected(engine: type[UpperCaseEngine]) -> None:
    result = run("translate", "-f", "de", "-t", "en", given="Mehr auf https://www.zeit.de/a?b=c.\n12345\n")
    assert result.stdout == "MEHR AUF https://www.zeit.de/a?b=c.\n12345\n"


def test_a_language_into_itself_stays_as_it_is(engine: type[UpperCaseEngine]) -> None:
    assert run("translate", "-t", "de", given=GERMAN).stdout == GERMAN


def test_files_and_stdin_follow_each_other(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "b.txt").write_text("b\n")
    target = tmp_path / "out.txt"
    result = run(
        "translate", "-f", "de", "-t", "en", "-o", target, tmp_path / "a.txt", "-", tmp_path / "b.txt", given="s\n"
    )
    assert (result.exit_code, result.output) == (0, "")
    assert target.read_text() == "A\nS\nB\n"


def test_many_lines_go_in_chunks(engine: type[UpperCaseEngine]) -> None:
    count = 2 * CHUNK_TEXTS + 1
    result = run("translate", "-f", "de", "-t", "en", given="ja\n" * count)
    assert result.stdout == "JA\n" * count
    assert [len(texts) for texts, *_ in engine.calls] == [CHUNK_TEXTS, CHUNK_TEXTS, 1]


def test_auto_detects_each_file(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text("\n42\n")
    (tmp_path / "de.txt").write_text(GERMAN)
    result = run("translate", "-t", "en", tmp_path / "blank.txt", tmp_path / "de.txt")
    assert result.stdout == "\n42\n" + GERMAN.upper()
    assert engine.calls == [([GERMAN.rstrip()], "de", "en", 4)]


@pytest.mark.parametrize("mode", [[], ["--whole"]])
def test_what_is_not_utf8_is_named(engine: object, tmp_path: Path, mode: list[str]) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes("gut\nschön\n".encode("latin-1"))
    result = run("translate", "-f", "de", "-t", "en", *mode, path)
    assert result.exit_code == 1
    assert result.stderr == f"error: {path}, line 2: this is not UTF-8 text\n"


def test_incomplete_sentences_are_not_passed_over_in_silence(engine: object) -> None:
    result = run("translate", "-f", "de", "-t", "en", given="endless\nkurz\nendless\n")
    assert result.exit_code == 0
    assert "2 sentences reached the length limit" in result.stderr


def test_a_pivot_is_said_once(engine: object) -> None:
    result = run("translate", "-f", "de", "-t", "fr", given="far\nkurz\nfar\n")
    assert (result.exit_code, result.stdout) == (0, "FAR\nKURZ\nFAR\n")
    assert result.stderr == "note: translated through en, because there is no model from the source language to fr\n"


def test_several_bundles_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[tuple[Path, ...]] = []

    def from_settings(settings: Settings) -> UpperCaseEngine:
        named.append(settings.bundle)
        return UpperCaseEngine()

    monkeypatch.setattr("app.engine.registry.Registry.from_settings", from_settings)
    assert run("translate", "-f", "de", "-t", "en", "--bundle", "a", "--bundle", "b", given="x").exit_code == 0
    assert named == [(Path("a"), Path("b"))]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("en", "fr", "French (fr) is not available as a target language from English (en)"),
        ("xx", "xx", "xx is not supported"),
        ("auto", "auto", "auto is not supported"),
    ],
)
def test_a_pair_without_a_model_is_wrong_usage(
    engine: object, tmp_path: Path, source: str, target: str, message: str
) -> None:
    output = tmp_path / "precious.txt"
    output.write_text("precious")
    result = run("translate", "-f", source, "-t", target, "-o", output, given="eins")
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")
    assert output.read_text() == "precious"


def test_codes_may_be_in_capitals(engine: object) -> None:
    assert run("translate", "-f", "DE", "-t", "EN", given="eins").stdout == "EINS"


def test_an_output_that_is_an_input_is_refused(engine: object, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("eins")
    assert run("translate", "-t", "en", "-o", path, path).exit_code == 2
    assert path.read_text() == "eins"


def test_a_folder_among_the_inputs_costs_nothing(engine: object, tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.write_text("precious")
    (tmp_path / "folder").mkdir()
    result = run("translate", "-t", "en", "-o", output, tmp_path / "folder")
    assert (result.exit_code, output.read_text()) == (2, "precious")
    assert "is a folder" in result.stderr


def test_documents_keep_their_format(engine: object, tmp_path: Path) -> None:
    page, output = tmp_path / "page.html", tmp_path / "out.html"
    page.write_text('<html lang="de"><p>Der <b>Hund</b> läuft</p></html>', encoding="utf-8")
    translated = '<html lang="en"><p>DER <b>HUND</b> LÄUFT</p></html>'
    assert run("translate", "-f", "de", "-t", "en", page).stdout == translated
    assert run("translate", "-f", "de", "-t", "en", "-o", output, page).exit_code == 0
    assert output.read_text(encoding="utf-8") == translated


def test_a_document_that_fails_costs_nothing(engine: object, tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"none")
    (tmp_path / "b.docx").write_text("precious")
    result = run("translate", "-f", "de", "-t", "en", "-o", tmp_path / "b.docx", tmp_path / "a.docx")
    assert (result.exit_code, (tmp_path / "b.docx").read_text()) == (2, "precious")
    assert "The file is damaged" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["a.docx"], "name the file for the translation of"),
        (["a.docx", "a.docx", "-o", "b.docx"], "one at a time"),
        (["a.docx", "-o", "b.odt"], "can be: docx"),
    ],
)
def test_wrong_usage_of_documents(
    engine: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.docx").write_bytes(b"")
    result = run("translate", "-t", "en", *arguments)
    assert result.exit_code == 2
    assert hint in result.stderr


@pytest.mark.parametrize("arguments", [[], ["--to", "en", "no-such-file.txt"], ["--to", "en", "--beam-size", "99"]])
def test_wrong_usage_of_translate(engine: object, arguments: list[str]) -> None:
    assert run("translate", *arguments).exit_code == 2


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
    assert "pip install 'dragoman[cluster]'" in result.stderr
