"""Other lexicons or labels for a bundle that exists."""

import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.engine.models.bundle import Bundle
from app.engine.models.labels import Labels
from app.engine.models.lexicon import Lexicon
from export.bundle_builder import BuildError
from export.commands import labels, lexicons
from export.word_lists import replace_lexicons


@pytest.fixture
def bundle(tiny_bundle: Bundle, tmp_path: Path) -> Bundle:
    shutil.copytree(tiny_bundle.path, tmp_path / "bundle")
    return Bundle.open(tmp_path / "bundle")


def test_the_bundle_has_the_new_lexicons_and_the_old_weights(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("Amsel\tblackbird\n", encoding="utf-8")
    command = typer.Typer()
    command.command()(lexicons)
    result = CliRunner().invoke(command, [str(bundle.path), "--lexicon", f"en-de={tmp_path / 'pairs.tsv'}"])
    assert result.exit_code == 0, result.output
    after = Bundle.open(bundle.path)  # with the checksums of its manifest
    assert [pair.lexicon for pair in after.manifest.pairs] == [None, "lexicon.en-de.tsv.gz"]
    assert Lexicon(bundle.path / "lexicon.en-de.tsv.gz").find("blackbird")[0].translations == ("Amsel",)
    assert not (bundle.path / "lexicon.de-en.tsv.gz").exists()
    others = {name: digest for name, digest in bundle.manifest.files.items() if not name.startswith("lexicon")}
    assert others == {name: digest for name, digest in after.manifest.files.items() if not name.startswith("lexicon")}
    assert after.golden == bundle.golden


def test_a_direction_that_the_bundle_lacks(bundle: Bundle) -> None:
    with pytest.raises(BuildError, match="a lexicon is for de-fr, which the bundle doesn't translate"):
        replace_lexicons(bundle, {("de", "fr"): {"a": ["b"]}}, mark_known=False, report=print)


def test_the_bundle_has_the_new_labels_and_everything_else(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "first.tsv").write_text("Öffnen\tOpen\nÖffnen\tUnlock\nTeilen\tSplit\nAn\tOn\n", encoding="utf-8")
    (tmp_path / "second.tsv").write_text("Teilen\tShare\n", encoding="utf-8")
    (tmp_path / "unlisted.tsv").write_text("An\t~\n", encoding="utf-8")
    named = {"de-en": ["first", "second", "unlisted"], "en-de": ["second"]}
    files = [f"{pair}={tmp_path / name}.tsv" for pair, names in named.items() for name in names]
    command = typer.Typer()
    command.command()(labels)
    result = CliRunner().invoke(command, [str(bundle.path), *(part for file in files for part in ("--labels", file))])
    assert result.output.endswith("has 2 from de to en, 1 from en to de labels\n"), result.output
    after = Bundle.open(bundle.path)
    to_english, to_german = (Labels(bundle.path / str(pair.labels)) for pair in after.manifest.pairs)
    assert [to_english.find("Öffnen"), to_english.find("Teilen"), to_german.find("Share")] == [
        "Open",
        "Share",
        "Teilen",
    ]
    assert to_english.find("An") == ""
    assert bundle.manifest.files.items() < after.manifest.files.items()

    assert CliRunner().invoke(command, [str(bundle.path)]).output.endswith("has no labels\n")
    assert Bundle.open(bundle.path) == bundle
