"""Where models are found if nobody names a bundle."""

from pathlib import Path

import pytest

from app.cli.options import load_settings
from app.engine.models import folders
from app.engine.models.folders import SHIPPED, usual_bundles
from app.engine.models.manifest import MANIFEST
from tests.support.command_line import run


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in, a checkout without a bundle, and a user without models."""
    for name in ("here", "checkout", "own"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(folders, "_CHECKOUT", tmp_path / "checkout")
    monkeypatch.setenv("DRAGOMAN_MODELS", str(tmp_path / "own"))
    monkeypatch.delenv("DRAGOMAN_BUNDLE", raising=False)


def install(models: Path) -> None:
    (models / "mine").mkdir()
    (models / "mine" / MANIFEST).touch()


def test_here_comes_before_the_checkout_and_the_users_models_are_added(tmp_path: Path):
    assert usual_bundles() == (SHIPPED,)
    install(tmp_path / "own")
    assert usual_bundles() == (tmp_path / "own",)
    (tmp_path / "checkout" / SHIPPED).mkdir(parents=True)
    assert usual_bundles() == (tmp_path / "checkout" / SHIPPED, tmp_path / "own")
    SHIPPED.mkdir(parents=True)
    assert usual_bundles() == (SHIPPED, tmp_path / "own")


def test_only_commands_without_a_bundle_look_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install(tmp_path / "own")
    assert load_settings().bundle == (tmp_path / "own",)
    assert load_settings(bundle=[Path("named")]).bundle == (Path("named"),)
    monkeypatch.setenv("DRAGOMAN_BUNDLE", "one,two")
    assert load_settings().bundle == (Path("one"), Path("two"))


def test_the_error_says_what_to_do(tmp_path: Path):
    for command in (["serve"], ["translate", "-f", "de", "-t", "en"]):
        refused = run(*command, given="Ja")
        assert refused.exit_code == 1
        assert "there is no bundle here" in refused.stderr
        for advice in ("--bundle", "DRAGOMAN_BUNDLE", str(tmp_path / "own"), "artifacts/de-en"):
            assert advice in refused.stderr
