"""Words of a lexicon that the training text has often."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import export.frequency
from app.cli.main import app
from app.engine.models.lexicon import Lexicon
from export.frequency import count_sentences, mark_frequent
from model.data.pairs import PairsError, write_pairs
from model.recipe import Recipe
from tests.support.toy_language import toy_recipe

PAIRS = [
    ("Der Bahnhof ist neu.", "The station is new."),
    ("Am Bahnhof Bahnhof", "At the Railway Station, or the station"),
    ("Ein Zug", "A railway, Station isn't a train-station"),
]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    write_pairs(tmp_path / "easy.tsv", PAIRS)
    write_pairs(tmp_path / "mixed.tsv.gz", [("Zug", "train")] * 3)
    text = toy_recipe().replace("xa", "de").replace("xb", "en").replace("weight = 0.5", "dictionary = true")
    (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
    return tmp_path / "recipe.toml"


def test_sentences_that_contain_a_word_or_a_term_are_counted_once() -> None:
    german, english = count_sentences([PAIRS], [set(), {"Railway Station", "the station"}])
    assert {word: german[word] for word in ("Bahnhof", "Zug", "der", "Katze")} == {
        "Bahnhof": 2,
        "Zug": 1,
        "der": 1,
        "Katze": 0,
    }
    assert {entry: count for entry, count in english.items() if " " in entry} == {
        "Railway Station": 1,
        "the station": 2,
    }
    assert (english["station"], english["Station"], english["the"]) == (2, 2, 2)


def test_frequent_words_and_terms_are_marked(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export.frequency, "FREQUENT", 2)
    english = {
        "station": ["Bahnhof", "Haltestelle"],
        "the station": ["Bahnhof"],
        "train": ["Zug"],
        "The": ["The"],
        "-station": ["-bahnhof"],
        "at": ["~"],
        "the": ["der"],
    }
    german = {"Zug": ["train"]}
    marked = mark_frequent({("de", "en"): german, ("en", "de"): english}, Recipe.load(recipe), recipe.parent)
    assert marked == {
        ("de", "en"): {**german, "Bahnhof": ["~"]},  # "Zug" is in one sentence, and in a dictionary
        ("en", "de"): {
            **english,
            "station": ["~", "Bahnhof", "Haltestelle"],
            "the station": ["~", "Bahnhof"],
            "the": ["~", "der"],
        },
    }


def test_text_of_one_direction_is_not_counted(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export.frequency, "FREQUENT", 1)
    text = recipe.read_text(encoding="utf-8").replace("early = true", 'early = true\ndirection = "reverse"')
    lexicons = {("de", "en"): {"Zug": ["train"]}}
    assert mark_frequent(lexicons, Recipe.parse(text), recipe.parent) == lexicons


def test_a_file_that_is_missing_is_named(recipe: Path) -> None:
    (recipe.parent / "easy.tsv").unlink()
    with pytest.raises(PairsError, match=r"easy\.tsv: no such file"):
        mark_frequent({}, Recipe.load(recipe), recipe.parent)


def test_the_command_marks_them(
    recipe: Path, tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export.frequency, "FREQUENT", 2)
    out, lexicon = tmp_path / "out", tmp_path / "lexicon.tsv"
    write_pairs(lexicon, [("Bahnhof", "station"), ("Zug", "train")])
    options = ["--mark-frequent", str(recipe), "--data", str(tmp_path), "--lexicon", f"de-en={lexicon}"]
    result = CliRunner().invoke(app, ["export", str(tiny_checkpoint), str(out), *options])
    assert result.exit_code == 0, result.output
    found = Lexicon(out / "lexicon.de-en.tsv.gz").find("Bahnhof Zug")
    assert [each.translations for each in found] == [("train",)]
