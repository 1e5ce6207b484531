"""``dragoman translate`` with a glossary and a translation memory, from files and from a database."""

from contextlib import closing

import docx
import pytest
from typer.testing import CliRunner

from app.cli.main import app
from app.storage.database import Database
from app.storage.glossaries import GlossaryStore
from app.storage.keys import KeyStore
from tests.support.fakes import FakeEngine

FILES = {
    "terms.tsv": "Bier\tbeer\nWein\twine\n",
    "terms.csv": '"Bier",beer\r\nWein,"wine"\r\n',
    "memory.tsv": "Guten Tag!\tTop of the day!\nEs kostet 5 Euro.\tYou pay 5 euros.\nWo ist das?\tWhere is it?\n",
    "text.txt": "Guten Tag!\nIch möchte ein Bier.\nWein?\nEs kostet 7 Euro.\nWo ist dass?\n",
}
TRANSLATED = "Top of the day!\nI'd like a beer.\n[en] Wein?\nYou pay 7 euros.\n[en] Wo ist dass?\n"
MEMORY_TOLD = "memory: 1 matches used, 1 with other numbers; 1 not used"
TERMS_TOLD = "terms: 1 applied, 0 inflected, 1 not found: Wein (wine)"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setattr("app.engine.registry.Registry.from_settings", lambda _: FakeEngine())
    monkeypatch.chdir(tmp_path)
    for name, value in (("COLUMNS", "200"), ("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DRAGOMAN_DATA", "data")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")


def translate(*arguments: object, source: str = "de", code: int = 0):
    done = CliRunner().invoke(app, ["translate", "--from", source, "--to", "en", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize("glossary", ["terms.tsv", "terms.csv"])
def test_files(glossary):
    done = translate("text.txt", "--glossary", glossary, "--memory", "memory.tsv")
    assert done.stdout == TRANSLATED
    assert done.stderr.splitlines() == [MEMORY_TOLD, TERMS_TOLD]


def test_what_the_database_keeps(tmp_path):
    with closing(Database(tmp_path / "data")) as database:
        key = KeyStore(database).find(KeyStore(database).add("owner"))
        glossary = GlossaryStore(database).add(key.id, "drinks", [("de", "en", {"Bier": "beer", "Wein": "wine"})])
    for command in (["add", "site", "de", "en", "--key", str(key.id)], ["import", "site", "memory.tsv"]):
        assert CliRunner().invoke(app, ["memory", *command]).exit_code == 0
    options = ("text.txt", "--glossary", glossary.id, "--memory", "site")
    for source in ("de", "auto"):
        assert translate(*options, source=source).stdout == TRANSLATED
    done = translate(*options, "--threshold", 100)
    assert done.stdout.endswith("[en] Es kostet 7 Euro.\n[en] Wo ist dass?\n")
    assert "memory: 1 matches used, 0 with other numbers; 0 not used" in done.stderr


def test_a_document(tmp_path):
    document = docx.Document()
    for line in FILES["text.txt"].splitlines():
        document.add_paragraph(line)
    document.save("text.docx")
    done = translate("text.docx", "-o", "out.docx", "--glossary", "terms.tsv", "--memory", "memory.tsv")
    assert "\n".join(paragraph.text for paragraph in docx.Document("out.docx").paragraphs) + "\n" == TRANSLATED
    assert done.stderr.splitlines() == [MEMORY_TOLD, TERMS_TOLD]


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (["--glossary", "none.tsv"], 1, "No such file"),
        (["--glossary", "text.txt"], 2, "not a UUID"),
        (["--glossary", "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"], 1, "There is no such glossary"),
        (["--memory", "none"], 2, "there is no such memory"),
        (["--memory", "tsv"], 2, "there is no such memory"),
        (["--memory", "terms.tmx"], 1, "No such file"),
        (["--memory", "memory.tsv", "--from", "auto"], 2, "a file needs --from"),
        (["--memory", "memory.tsv", "--threshold", "101"], 2, "less than or equal to 100"),
    ],
)
def test_what_cannot_be_used(options, code, text):
    done = translate("text.txt", *options, code=code)
    assert text in done.output and not done.stdout
