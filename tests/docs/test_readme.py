"""The commands of the README and of docs/api.md are executed, as they are written, in a folder like a clone.

Only the address of the server is another. `make serve` is not run but checked: it would install an environment.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import docx
import pytest
from typer.testing import CliRunner

from app.cli.main import app
from app.documents.memory_files import find_form
from app.engine.models.bundle import Bundle
from model.training.provenance import read_card
from tests.support.bergamot import write_model
from tests.support.tiny import relabel, sentence_pairs

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
ADDRESS = "http://127.0.0.1:8000"
SMALLER = {
    "vocabulary = 2000": "vocabulary = 350",
    "updates = 3000": "updates = 4",
    "batch_tokens = 1600": "batch_tokens = 100",
    "encoder_layers = 3": "encoder_layers = 1",
    "width = 128": "width = 32",
    "alignment_weight = 0.3": "alignment_weight = 0.0",  # words are aligned for 7 s, and in tests of training
}


def blocks(page: str, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def commands(page: str) -> list[str]:
    """Every command of the page's shell blocks, continued lines joined, comments dropped."""
    lines = "".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*", "", line).strip() for line in lines]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader has: the included model, a recipe (smaller here), and the files that the README names."""
    folder = tmp_path_factory.mktemp("readme") / "dragoman"
    (folder / "artifacts").mkdir(parents=True)
    (folder / "artifacts/de-en").symlink_to(ROOT / "artifacts/de-en")
    for name in (".venv", ".venv-dev"):
        (folder / name).mkdir()
        (folder / name / "bin").symlink_to(PROGRAMS)
    recipe = (ROOT / "model/recipes/tiny.toml").read_text(encoding="utf-8")
    for written, smaller in SMALLER.items():
        assert written in recipe
        recipe = recipe.replace(written, smaller)
    (folder / "model/recipes").mkdir(parents=True)
    (folder / "model/recipes/tiny.toml").write_text(recipe, encoding="utf-8")
    (folder / "notes.md").write_text("# Notizen\n\n* Der **Hund** schläft.\n", encoding="utf-8")
    (folder / "letter.txt").write_text("Wo ist der Bahnhof?\n\nDas Wetter ist schön.\n", encoding="utf-8")
    document = docx.Document()
    document.add_paragraph("Das Wetter ist schön.")
    document.save(str(folder / "letter.docx"))
    (folder / "terms.tsv").write_text("Wetter\tclimate\n", encoding="utf-8")
    memory = b"".join(find_form("tmx").write([("Das Wetter ist schön.", "It is a fine day.")], "de", "en"))
    (folder / "site.tmx").write_bytes(memory)
    pairs = "".join(f"{source}\t{target}\n" for source, target in sentence_pairs(3500))
    (folder / "my-pairs.tsv").write_text(pairs, encoding="utf-8")
    return folder


@contextmanager
def serving(command: str, folder: Path) -> Iterator[str]:
    """The address of a server that this command starts, on a free port."""
    arguments = [str(PROGRAMS / "dragoman"), *shlex.split(command)[1:], "--port", "0"]
    environment = os.environ | {"DRAGOMAN_DATA": str(folder / "kept")}  # glossaries need a database
    with subprocess.Popen(
        arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline() for _ in range(2)]
            yield lines[1].split()[-1].rstrip("/")
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def address(clone: Path) -> Iterator[str]:
    with serving("dragoman serve", clone) as url:
        yield url


def run(script: str, folder: Path, address: str) -> str:
    environment = os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
    script = "set -euo pipefail\n" + script.replace(ADDRESS, address)
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_quick_start_clones_without_the_history_and_serves() -> None:
    first = blocks("README.md", "sh")[0].splitlines()
    assert first[0].startswith("git clone --depth 1 ")
    assert first[1] == "cd dragoman"
    made = subprocess.run(["make", "-n", first[2].split()[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "dragoman serve --host 127.0.0.1 --port 8000" in made.stdout
    assert "or: docker compose up" in first[2] and (ROOT / "docker-compose.yml").exists()


def test_a_setting_on_the_command_line_reaches_the_server() -> None:
    (command,) = (command for command in commands("README.md") if command.startswith("DRAGOMAN_"))
    assert command.endswith("make serve")
    dry = subprocess.run(["bash", "-c", f"{command} -n"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "--port 5000" in dry.stdout


@pytest.mark.parametrize("page", ["README.md", "docs/api.md"])
def test_every_request_is_answered(page: str, clone: Path, address: str) -> None:
    requests = [command for command in commands(page) if command.startswith("curl")]
    assert requests
    for request in requests:
        output = run(request, clone, address)
        if ">" not in request:
            answer = json.loads(output)
            keys = ("translatedText", "data", "translatedFileUrl", "search", "glossary_id", "translation_memory_id")
            assert any(answer.get(key) for key in keys), answer
    if page == "README.md":
        assert re.fullmatch(r"# .+\n\n\* .*\*\*.+\*\*.*\n", (clone / "notes.en.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", ["README.md", "docs/api.md"])
def test_every_python_client_prints_a_translation(page: str, clone: Path, address: str) -> None:
    programs = blocks(page, "python")
    assert programs
    for program in programs:
        assert run(f"python - <<'END'\n{program}END", clone, address).strip()


def test_files_are_translated_without_a_server(clone: Path, address: str) -> None:
    (command,) = (command for command in commands("README.md") if command.startswith(".venv/bin/dragoman translate"))
    lines = run(command, clone, address).split("\n")
    assert [bool(line) for line in lines] == [True, False, True, False]


def test_a_language_is_added(clone: Path, address: str) -> None:
    (command,) = (command for command in commands("README.md") if command.startswith(".venv/bin/dragoman import"))
    write_model(clone / "enpt", [german for german, _ in sentence_pairs(400)], pair="enpt")
    run(command.replace("FOLDER-OR-ZIP", "enpt"), clone, address)
    [pair] = Bundle.open(clone / "artifacts/en-pt").manifest.pairs
    assert (pair.source, pair.target) == ("en", "pt")


def test_a_document_is_translated_with_terms_and_a_memory(clone: Path, address: str) -> None:
    (command,) = (command for command in commands("docs/api.md") if command.startswith("dragoman "))
    run(command, clone, address)
    assert [each.text for each in docx.Document(str(clone / "letter.en.docx")).paragraphs] == ["It is a fine day."]


def test_models_are_trained_imported_and_served(
    clone: Path, tiny_bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export compares a thousand translations, for half a minute, and has tests of its own: a bundle is copied."""

    def build(checkpoint: Path, out: Path, **_: object) -> Bundle:
        assert read_card(checkpoint).languages == ("de", "en")
        return Bundle.open(shutil.copytree(tiny_bundle.path, out))

    def import_bundle(source: str, out: Path, **_: object) -> Bundle:
        assert source == "Helsinki-NLP/opus-mt-de-fr"
        return Bundle.open(relabel(tiny_bundle, out, "de", "fr"))

    monkeypatch.setattr("export.bundle_builder.build_bundle", build)
    monkeypatch.setattr("export.importing.import_bundle", import_bundle)
    monkeypatch.chdir(clone)
    own = [command for command in commands("README.md") if command.startswith("dragoman ")]
    assert [command.split()[1] for command in own] == ["data", "train", "export", "import", "serve"]
    for command in own[:-1]:
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
    assert (clone / "artifacts/mine/manifest.json").exists()
    with serving(own[-1], clone) as url, urlopen(f"{url}/languages") as response:
        assert {language["code"] for language in json.load(response)} == {"de", "en", "fr"}


@pytest.mark.parametrize("page", ["README.md", "docs/api.md"])
def test_no_command_is_left_out(page: str) -> None:
    seen = (
        "git clone",
        "cd dragoman",
        "make serve",
        "curl",
        "DRAGOMAN_",
        ".venv/bin/dragoman",
        "export PATH=",
        "dragoman",
        "#",
    )
    assert [command for command in commands(page) if not command.startswith(seen)] == []
