import lzma
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.main import app
from model.data.corpora import CORPORA
from model.data.pairs import read_pairs, sentence_key, write_pairs
from model.evaluation.corpus_translator import CorpusTranslator

LETTERS = "abcdefghij"
PAIRS = [("quelle " + "".join(LETTERS[int(d)] for d in str(n)), "target " + str(n)[::-1] + "xyz") for n in range(60)]


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    """The address of a loopback server and the folder it serves."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()
    thread.join()


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(app, ["data", *map(str, arguments)], env={"COLUMNS": "160"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def one_error_line(result: Result) -> str:
    """The single error line of a run that failed, progress bars aside."""
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert result.stderr.rstrip().endswith(line)
    return line


def test_list_shows_every_corpus_with_its_licence() -> None:
    result = run("list")
    assert result.exit_code == 0
    for corpus in CORPORA.values():
        assert corpus.name in result.stdout
        assert corpus.licence.split()[0] in result.stdout


@pytest.mark.parametrize("command", ["fetch", "prepare", "list"])
def test_help_has_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"dragoman data {command}" in result.stdout


def test_fetch_an_address_then_prepare_it(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    write_pairs(folder / "own.tsv.gz", PAIRS)
    raw, out = tmp_path / "raw", tmp_path / "out"
    result = run("fetch", f"{url}/own.tsv.gz", "--out", raw)
    assert result.exit_code == 0, result.output
    assert str(raw / "own.tsv.xz") in result.stdout
    assert list(read_pairs(raw / "own.tsv.xz")) == PAIRS

    result = run("prepare", raw / "own.tsv.xz", "--out", out, "--valid", 5, "--test", 6, "--seed", 3)
    assert result.exit_code == 0, result.output
    assert len(list(read_pairs(out / "train.tsv.xz"))) == 49
    assert len(list(read_pairs(out / "valid.tsv"))) == 5
    assert len(list(read_pairs(out / "test.tsv"))) == 6
    rows = {
        line.split("│")[1].strip(): line.split("│")[2].strip() for line in result.stdout.splitlines() if "│" in line
    }
    assert rows["read"] == "60"
    assert rows["train.tsv.xz"] == "49"


def test_fetch_options_for_archives_reach_the_corpus(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    with zipfile.ZipFile(folder / "b.zip", "w") as archive:
        archive.writestr("fr/x.fr", "un\n")
        archive.writestr("x.en", "one\n")
    raw = tmp_path / "raw"
    assert run("fetch", f"{url}/b.zip", "--out", raw, "--languages", "fr-en", "--name", "books").exit_code == 0
    assert list(read_pairs(raw / "books.tsv.xz")) == [("un", "one")]
    chosen = ["--member", "x.en", "--member", "x.fr", "--name", "swapped"]
    assert run("fetch", f"{url}/b.zip", "--out", raw, *chosen).exit_code == 0
    assert list(read_pairs(raw / "swapped.tsv.xz")) == [("one", "un")]


def test_failed_fetch_is_one_line_and_exit_code_1(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    write_pairs(folder / "own.tsv", PAIRS)
    assert "404" in one_error_line(run("fetch", f"{url}/none.tsv", "--out", tmp_path))
    line = one_error_line(run("fetch", f"{url}/own.tsv", "--out", tmp_path, "--sha256", "0" * 64))
    assert "wrong checksum" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "nonsense"], "unknown corpus 'nonsense'"),
        (["fetch", "tatoeba", "--sha256", "0" * 64], "go with an address"),
        (["fetch", "http://127.0.0.1/a.zip", "--languages", "german"], "SOURCE-TARGET"),
        (["fetch", "http://127.0.0.1/a.zip", *["--member", "x"] * 3], "once for a table or twice"),
        (["fetch"], "Missing argument"),
        (["prepare", "a.tsv"], "Missing option"),
        (["prepare", "a.tsv", "--out", "x", "--valid", "-1"], "--valid"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, [], "no such file"),
        (b"ja\tyes\nnein\n", [], "own.tsv:2: expected source TAB target"),
        (b"ja\tyes\n", ["--max-words", "0"], "min_words 1 must lie between 1 and max_words 0"),
        (b"ja\tyes\n", ["--valid", "1"], "cannot draw 2001 pairs"),
    ],
)
def test_failed_prepare_is_one_line_and_exit_code_1(
    tmp_path: Path, content: bytes | None, options: list[str], message: str
) -> None:
    path = tmp_path / "own.tsv"
    if content is not None:
        path.write_bytes(content)
    assert message in one_error_line(run("prepare", path, "--out", tmp_path / "out", *options))
    assert not (tmp_path / "out").exists()


def test_the_commands_need_neither_torch_nor_httpx_to_show_their_help() -> None:
    code = (
        "import sys; import model.data.commands; "
        "names = ('torch', 'httpx', 'numpy', 'rich.progress', 'model.data.corpora'); "
        "print([name for name in names if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_hold_out_writes_the_drawn_pairs_and_says_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    write_pairs(path, [(f"ein recht langer Satz Nummer {n}", f"a rather long sentence number {n}") for n in range(9)])
    result = run("hold-out", path, "--draw", "own.tsv=4", "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "own.tsv: 5 of 9 pairs kept" in result.stdout and "4 pairs" in result.stdout
    assert len(list(read_pairs(tmp_path / "out" / "held-out.tsv"))) == 4
    assert "other.tsv is not among the files" in one_error_line(
        run("hold-out", path, "--draw", "other.tsv=1", "--out", tmp_path / "two")
    )
    assert run("hold-out", path, "--draw", "own.tsv", "--out", tmp_path / "two").exit_code == 2


def test_complete_puts_sentences_in_the_place_of_their_keys(tmp_path: Path) -> None:
    text, keyed, out = tmp_path / "text.txt.xz", tmp_path / "keyed.tsv", tmp_path / "out.tsv"
    text.write_bytes(lzma.compress(b"Another one.\nThe rain  has stopped.\n"))
    write_pairs(keyed, [("Der Regen hat aufgehört.", sentence_key("The rain has stopped."))])
    result = run("complete", keyed, "--second", text, "--out", out)
    assert result.exit_code == 0 and "1 pairs" in result.stdout
    assert list(read_pairs(out)) == [("Der Regen hat aufgehört.", "The rain has stopped.")]
    out.unlink()
    message = one_error_line(run("complete", keyed, "--first", text, "--out", out))
    assert "1 of 1 sentences are in none of these files" in message
    assert not out.exists()
    assert run("complete", keyed, "--out", out).exit_code == 2


def test_back_translation_leaves_out_what_was_set_aside(
    tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CorpusTranslator, "__call__", lambda self, lines, source, target: ["a b c"] * len(lines))
    lines = ["Hund trinkt Wasser.", "Der Zug ist alt.", "Wir sind heute hier."]
    (tmp_path / "text.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "held").mkdir()
    write_pairs(tmp_path / "held" / "sentences.tsv", [("x", lines[0])])
    write_pairs(tmp_path / "held" / "keys.tsv.xz", [(sentence_key(lines[1]), "y")])
    options = ("--from", "de", "--to", "en", "--out", tmp_path / "out.tsv", "--avoid", tmp_path / "held")
    result = run("back-translate", tiny_checkpoint, tmp_path / "text.txt", *options)
    assert result.exit_code == 0, result.stderr
    assert list(read_pairs(tmp_path / "out.tsv")) == [(lines[2], "a b c")]


def test_a_checkpoint_back_translates_and_aligns(tiny_checkpoint: Path, tmp_path: Path) -> None:
    lines = ["Hund trinkt Wasser.", "klein alt Zug über Straße nicht heute."]
    (tmp_path / "text.txt").write_text("\n".join(lines), encoding="utf-8")
    options = ("--from", "de", "--to", "en", "--out", tmp_path / "out.tsv")
    result = run("back-translate", tiny_checkpoint, tmp_path / "text.txt", *options)
    assert result.exit_code == 0, result.stderr
    # What a tiny model says isn't the point: whatever may be learnt from is there, with the real side first.
    assert {pair[0] for pair in read_pairs(tmp_path / "out.tsv")} <= set(lines)
    wrong = run("back-translate", tiny_checkpoint, tmp_path / "text.txt", *options, "--columns", "de-fr")
    assert wrong.exit_code == 2 and "'de-fr'" in wrong.stderr
    missing = ("align", tiny_checkpoint, tmp_path / "text.txt", tmp_path / "no.txt", "--out", tmp_path / "b.tsv")
    assert "no.txt: no such file" in one_error_line(run(*missing))
