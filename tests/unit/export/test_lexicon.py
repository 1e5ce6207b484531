"""Lexicons from pair files into bundles."""

import pytest
from typer.testing import CliRunner

from app.cli.main import app
from app.engine.models.lexicon import Lexicon
from export.bundle_builder import BuildError, build_bundle
from export.lexicon import mark_known, read_lexicon, write_lexicon
from model.evaluation.evaluate import BundleTranslator

PAIRS = (
    "Narkose\tanesthesia\nNarkose\tanesthetic\nNarkose\tanesthesia\nTipperary\tTipperary\nim Übrigen\tincidentally\n"
    "so gut wie\tnearly\n"
)


@pytest.fixture
def pairs(tmp_path):
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    return tmp_path / "pairs.tsv"


def test_a_word_keeps_its_translations_in_order(pairs):
    assert read_lexicon(pairs) == {
        "Narkose": ["anesthesia", "anesthetic"],
        "Tipperary": ["Tipperary"],
        "im Übrigen": ["incidentally"],
    }


def test_the_second_column_may_be_the_source(pairs):
    found = read_lexicon(pairs, reverse=True)
    assert found["anesthetic"] == ["Narkose"]
    assert found["incidentally"] == ["im Übrigen"]


def test_the_service_reads_what_is_written(pairs, tmp_path):
    write_lexicon(read_lexicon(pairs), tmp_path / "lexicon.tsv.gz")
    found = Lexicon(tmp_path / "lexicon.tsv.gz").find("Narkose Tipperary")
    assert [translations for _, _, translations in found] == [("anesthesia", "anesthetic"), ("Tipperary",)]


def test_words_that_the_model_knows_are_marked():
    lexicon = {
        "Narkose": ["anesthesia", "anesthetic"],
        "Mandel": ["almond"],
        "Tipperary": ["Tipperary"],
        "im Übrigen": ["incidentally"],
        "-direktor": ["director"],
        "Staatsoper": ["~"],
    }
    asked = []

    def translate(words):
        asked.extend(words)
        return {"Narkose": "Anesthetic", "Mandel": "Mandel"}[words[0]], "tonsil"

    marked = mark_known(lexicon, translate)
    assert asked == ["Narkose", "Mandel"]
    assert marked == {**lexicon, "Narkose": ["~", "anesthesia", "anesthetic"]}


def test_a_marked_word_is_not_offered(tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(BundleTranslator, "translate", lambda *_: ["DOG", "tomcat"])
    out, lexicon = tmp_path / "out", tmp_path / "lexicon.tsv"
    lexicon.write_text("Hund\tdog\nKatze\tcat\n", encoding="utf-8")
    command = ["export", str(tiny_checkpoint), str(out), "--mark-known", "--lexicon", f"de-en={lexicon}"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "1 of its 2 words are marked as known" in result.output
    found = Lexicon(out / "lexicon.de-en.tsv.gz").find("Hund Katze")
    assert [each.translations for each in found] == [("cat",)]


def test_a_bundle_names_its_lexicons(tiny_bundle):
    assert [pair.lexicon for pair in tiny_bundle.manifest.pairs] == ["lexicon.de-en.tsv.gz", None]
    assert len(Lexicon(tiny_bundle.path / "lexicon.de-en.tsv.gz")) == 2


def test_a_lexicon_for_another_direction(tiny_checkpoint, tmp_path):
    with pytest.raises(BuildError, match="a lexicon is for de-fr, which the model doesn't translate"):
        build_bundle(tiny_checkpoint, tmp_path / "out", lexicons={("de", "fr"): {"a": ["b"]}}, report=lambda line: None)


@pytest.mark.parametrize("given", ["pairs.tsv", "de-fr=pairs.tsv", "de-en="])
def test_the_command_names_what_it_expects(tiny_checkpoint, tmp_path, given):
    result = CliRunner().invoke(app, ["export", str(tiny_checkpoint), str(tmp_path / "out"), "--lexicon", given])
    assert result.exit_code == 2
    assert "is not de-en or en-de with = and a file" in " ".join(result.output.replace("│", " ").split())


def test_several_files_are_one_lexicon(tiny_checkpoint, pairs, tmp_path):
    (tmp_path / "more.tsv").write_text("Narkose\tnarcosis\nOpern-\topera\n", encoding="utf-8")
    options = [text for file in (pairs, tmp_path / "more.tsv") for text in ("--lexicon", f"de-en={file}")]
    result = CliRunner().invoke(app, ["export", str(tiny_checkpoint), str(tmp_path / "out"), *options])
    assert result.exit_code == 0, result.output
    found = Lexicon(tmp_path / "out" / "lexicon.de-en.tsv.gz")
    assert len(found) == 4
    assert found.find("Narkose")[0].translations == ("narcosis",)
