"""Words of a lexicon that the training text has often."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import export.frequency
from app.cli.main import app
from app.engine.models.lexicon import Lexicon
from export.frequency import count_sentences, mark_frequent
from model.data.corpus import build_corpus
from model.data.pairs import PairsError, write_pairs
from model.recipe import Recipe
from tests.support.tiny import VOCABULARY, write_tokenizer
from tests.support.toy_language import toy_recipe

PAIRS = [
    ("Der Bahnhof ist neu.", "The station is new."),
    ("Am bahnhof Bahnhof", "At the Railway Station, or the station"),
    ("Ein Zug", "A railway  station isn't a train-station"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_pairs(folder / "easy.tsv", PAIRS)
    write_pairs(folder / "mixed.tsv.gz", [("Zug", "train")] * 3)
    write_pairs(folder / "valid.tsv", PAIRS)
    write_tokenizer(folder / "tokenizer.spm")
    recipe = (
        toy_recipe().replace("vocabulary = 300", f"vocabulary = {VOCABULARY}").replace("xa", "de").replace("xb", "en")
    )
    recipe = recipe.replace("weight = 0.5", "dictionary = true")
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    build_corpus(Recipe.load(folder / "recipe.toml"), folder, folder, report=lambda _: None)
    return folder


def test_sentences_of_a_side_are_counted_once_and_dictionaries_not_at_all(run: Path) -> None:
    german, english = count_sentences(run, [{"bahnhof", "zug", "katze"}, {"station", "railway station", "the station"}])
    assert german == {"bahnhof": 2, "zug": 1}
    assert english == {"station": 3, "railway station": 2, "the station": 2}


def test_frequent_words_and_terms_are_marked(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export.frequency, "FREQUENT", 2)
    english = {
        "station": ["Bahnhof", "Haltestelle"],
        "Railway Station": ["Bahnhof"],
        "train": ["Zug"],
        "The": ["The"],
        "-station": ["-bahnhof"],
        "at": ["~"],
    }
    german = {"Bahnhof": ["station"], "Zug": ["train"]}
    marked = mark_frequent({("de", "en"): german, ("en", "de"): english}, run, ("de", "en"))
    assert marked == {
        ("de", "en"): {**german, "Bahnhof": ["~", "station"]},
        ("en", "de"): {**english, "station": ["~", "Bahnhof", "Haltestelle"], "Railway Station": ["~", "Bahnhof"]},
    }


def test_a_folder_without_a_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PairsError, match="has no corpus"):
        mark_frequent({("de", "en"): {"Zug": ["train"]}}, tmp_path, ("de", "en"))


def test_the_command_marks_them(
    run: Path, tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export.frequency, "FREQUENT", 2)
    out, lexicon = tmp_path / "out", tmp_path / "lexicon.tsv"
    write_pairs(lexicon, [("Bahnhof", "station"), ("Zug", "train")])
    command = ["export", str(tiny_checkpoint), str(out), "--mark-frequent", str(run), "--lexicon", f"de-en={lexicon}"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    found = Lexicon(out / "lexicon.de-en.tsv.gz").find("Bahnhof Zug")
    assert [each.translations for each in found] == [("train",)]
