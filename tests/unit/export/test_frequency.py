"""Words of a lexicon that the training text has often."""

import json
import shutil
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
    ("Am Bahnhof Bahnhof", "At the Railway Station, or the station"),
    ("Ein Zug", "A railway, Station isn't a train-station"),
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
    wanted = [{"Bahnhof", "Zug", "Katze", "am"}, {"station", "Station", "Railway Station", "the station", "the"}]
    german, english = count_sentences(run, ("de", "en"), wanted)
    assert german == {"Bahnhof": 2, "Zug": 1, "am": 1}
    assert english == {"station": 2, "Station": 2, "Railway Station": 1, "the station": 2, "the": 2}


def test_text_of_one_direction_is_not_counted(run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(run, tmp_path / "run")
    rules = json.loads((folder / "corpus" / "rules.json").read_text(encoding="utf-8"))
    (folder / "corpus" / "rules.json").write_text(json.dumps(rules | {"directions": ["reverse", "both"]}), "utf-8")
    assert count_sentences(folder, ("de", "en"), [{"Bahnhof"}, {"station"}]) == [{}, {}]


def test_frequent_words_and_terms_are_marked(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export.frequency, "FREQUENT", 2)
    english = {
        "station": ["Bahnhof", "Haltestelle"],
        "the station": ["Bahnhof"],
        "train": ["Zug"],
        "The": ["The"],
        "-station": ["-bahnhof"],
        "at": ["~"],
    }
    german = {"Bahnhof": ["station"], "Zug": ["train"]}
    marked = mark_frequent({("de", "en"): german, ("en", "de"): english}, run, ("de", "en"))
    assert marked == {
        ("de", "en"): {**german, "Bahnhof": ["~", "station"]},
        ("en", "de"): {**english, "station": ["~", "Bahnhof", "Haltestelle"], "the station": ["~", "Bahnhof"]},
    }


def test_a_folder_without_a_corpus_of_these_languages_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(PairsError, match="has no corpus"):
        mark_frequent({("de", "en"): {"Zug": ["train"]}}, tmp_path, ("de", "en"))
    with pytest.raises(PairsError, match="is of the languages de and en"):
        mark_frequent({("de", "fr"): {"Zug": ["train"]}}, run, ("de", "fr"))


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
