"""Documents in two languages, aligned by a table of words."""

import lzma
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.main import app
from model.data.folder_alignment import align_folder
from model.data.glosses import Glosses
from model.data.pairs import PairsError, read_pairs, write_pairs

KNOWN = [
    ("der alte Mann", "the old man"),
    ("der Mann ging", "the man went"),
    ("das alte Haus", "the old house"),
    ("die Katze schlief", "the cat slept"),
    ("Katze", "cat"),
    ("Morgen", "morning"),
    ("am Morgen regnete es", "it rained in the morning"),
    ("es regnete im Tal", "it rained in the valley"),
    ("das Haus im Tal", "the house in the valley"),
]
GERMAN = ["Der alte Mann ging nach Hause. Die Katze schlief lange.", "Am Morgen regnete es im Tal.", "Ohne Gegenstück."]
ENGLISH = [
    "A preface by the translator. The old man went home.",
    "The cat slept for long. In the morning it rained in the valley.",
]
ALIGNED = [
    ("Der alte Mann ging nach Hause.", "The old man went home."),
    ("Die Katze schlief lange.", "The cat slept for long."),
    ("Am Morgen regnete es im Tal.", "In the morning it rained in the valley."),
]


def write(folder: Path, name: str, lines: list[str]) -> None:
    (folder / f"{name}.txt.xz").write_bytes(lzma.compress("\n".join(lines).encode()))


@pytest.fixture
def books(tmp_path: Path) -> Path:
    folder = tmp_path / "books"
    folder.mkdir()
    for name, german, english in (("tale", GERMAN, ENGLISH), ("twice", GERMAN[:1], ENGLISH[:1])):
        write(folder, f"{name}.de", german)
        write(folder, f"{name}.en", english)
    write(folder, "alone.de", GERMAN)
    write_pairs(tmp_path / "known.tsv", KNOWN)
    return folder


def test_a_gloss_has_the_words_that_go_together_and_keeps_unknown_ones() -> None:
    [gloss] = Glosses(KNOWN)(["Heidi: die Katze, das Tal"], "de", "en")
    words = gloss.split()
    assert words[0] == "heidi"
    assert {"cat", "valley"} <= set(words)
    assert "rained" not in words[:4]


def test_pairs_of_all_documents_come_once(books: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.tsv"
    command = ["data", "align-folder", str(books), "--dictionary", str(tmp_path / "known.tsv"), "--out", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert list(read_pairs(out)) == ALIGNED
    assert "tale: 3 pairs" in result.output
    assert "twice: 0 pairs" in result.output


def test_sentences_and_documents_may_be_left_out(books: Path) -> None:
    found = align_folder(
        books, Glosses(KNOWN), languages=("de", "en"), least=0.2, avoid=["the cat slept for long"], without=["twice"]
    )
    assert list(found) == [ALIGNED[0], ALIGNED[2]]


def test_quotation_marks_of_other_sentences_go_and_halves_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a.de", ["Die Katze schlief im Haus. „", "Der Mann ging ins Tal"])
    write(
        tmp_path, "a.en", ["The cat slept in the house. “", "The man went to the valley, and he did other things there"]
    )
    found = align_folder(tmp_path, Glosses(KNOWN), languages=("de", "en"), least=0.1)
    assert list(found) == [("Die Katze schlief im Haus.", "The cat slept in the house.")]


def test_what_is_missing_is_named(books: Path) -> None:
    with pytest.raises(PairsError, match=r"has no documents NAME\.fr\.txt\.xz and NAME\.en\.txt\.xz"):
        list(align_folder(books, Glosses([]), languages=("fr", "en"), least=0.2))
    with pytest.raises(PairsError, match="has no document faust"):
        list(align_folder(books, Glosses([]), languages=("de", "en"), least=0.2, without=["faust"]))
