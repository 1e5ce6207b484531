"""Models are installed from a list, whatever the network and the list's author do."""

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from app.cli.main import app
from app.engine.models.bundle import Bundle
from app.engine.models.folders import user_models
from export.choices import Choices
from export.marian.limits import SourceError
from export.registry.index import MOZILLA, choose, licence_of, read_index
from export.registry.installing import download, download_firefox, install, open_index
from tests.support.registry import Registry, digest, serving


@pytest.fixture
def registry() -> Iterator[Registry]:
    with serving() as served:
        yield served


def get(address: str, pair: str, folder: Path, architecture: str | None = None) -> Path:
    return download(address, pair, architecture, folder, lambda line: None, lambda done, whole: None)[0]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_arrive_unpacked(registry, tmp_path):
    address = registry.publish(registry.add("de-en"))
    assert contents(get(address, "de-en", tmp_path)) == {
        "metadata.json": b'{"architecture": "tiny"}',
        "model.deen.bin": b"model " * 9_000,
        "lexicalShortlist.deen.bin": b"lex" * 99,
        "vocab.deen.bin": b"vocab" * 99,
    }


def test_a_broken_connection_is_continued(registry, tmp_path):
    address = registry.publish(registry.add("de-en"))
    path = "de-en/tiny/model.deen.bin.gz"
    registry.cut[path] = [20_000, 10_000]
    assert contents(get(address, "de-en", tmp_path))["model.deen.bin"] == b"model " * 9_000
    assert [wanted for asked, wanted in registry.asked if asked == path] == [None, "bytes=20000-", "bytes=30000-"]


def test_a_server_without_ranges_begins_again(registry, tmp_path):
    registry.ranges = False
    address = registry.publish(registry.add("de-en"))
    registry.cut["de-en/tiny/model.deen.bin.gz"] = [20_000]
    assert contents(get(address, "de-en", tmp_path))["model.deen.bin"] == b"model " * 9_000


def test_another_try_takes_up_where_the_last_one_gave_up(registry, tmp_path):
    address = registry.publish(registry.add("de-en"))
    path = "de-en/tiny/model.deen.bin.gz"
    registry.cut[path] = [1_000, 1_000, 1_000]
    with pytest.raises(SourceError, match="can't be downloaded"):
        get(address, "de-en", tmp_path)
    assert contents(get(address, "de-en", tmp_path))["model.deen.bin"] == b"model " * 9_000
    assert registry.asked[-3:][0] == (path, "bytes=3000-")


def test_what_is_there_is_not_downloaded_again(registry, tmp_path):
    address = registry.publish(registry.add("de-en"))
    get(address, "de-en", tmp_path)
    before = len(registry.asked)
    get(address, "de-en", tmp_path)
    assert [path for path, _ in registry.asked[before:]] == ["models.json"]


@pytest.mark.parametrize("field", ["sha256", "uncompressedHash"])
def test_another_hash_is_refused_and_nothing_is_left(registry, tmp_path, field):
    entry = registry.add("de-en")
    entry["files"]["model"][field] = digest(b"another")
    with pytest.raises(SourceError, match="another SHA-256"):
        get(registry.publish(entry), "de-en", tmp_path)
    assert not list(tmp_path.rglob("model*"))


def test_a_file_that_unpacks_to_more_than_it_says_is_refused(registry, tmp_path):
    entry = registry.add("de-en")
    bomb = gzip.compress(b"\0" * 50_000_000)
    registry.files["de-en/tiny/model.deen.bin.gz"] = bomb
    entry["files"]["model"] |= {"size": len(bomb), "sha256": digest(bomb)}
    with pytest.raises(SourceError, match="unpacks to more than"):
        get(registry.publish(entry), "de-en", tmp_path)
    assert not list(tmp_path.rglob("model*"))


@pytest.mark.parametrize("packed", [b"no gzip", gzip.compress(b"model " * 9_000)[:-9]])
def test_a_damaged_file_is_refused(registry, tmp_path, packed):
    entry = registry.add("de-en")
    registry.files["de-en/tiny/model.deen.bin.gz"] = packed
    entry["files"]["model"] |= {"size": len(packed), "sha256": digest(packed)}
    with pytest.raises(SourceError, match="is damaged"):
        get(registry.publish(entry), "de-en", tmp_path)


def test_a_file_that_is_larger_than_the_list_says_is_refused(registry, tmp_path):
    entry = registry.add("de-en")
    entry["files"]["model"]["size"] = 1_000
    with pytest.raises(SourceError, match="more than the list says"):
        get(registry.publish(entry), "de-en", tmp_path)


def test_a_missing_file_is_named(registry, tmp_path):
    address = registry.publish(registry.add("de-en"))
    del registry.files["de-en/tiny/vocab.deen.bin.gz"]
    with pytest.raises(SourceError, match=r"vocab\.deen\.bin\.gz answers 404"):
        get(address, "de-en", tmp_path)


def test_redirects_are_followed_but_not_for_ever(registry, tmp_path):
    address = registry.publish(registry.add("de-en"))
    path = "de-en/tiny/model.deen.bin.gz"
    registry.files["elsewhere"] = registry.files[path]
    registry.redirects[path] = "/elsewhere"
    assert contents(get(address, "de-en", tmp_path))["model.deen.bin"] == b"model " * 9_000
    registry.redirects["models.json"] = "/models.json"
    with pytest.raises(SourceError, match="can't be downloaded"):
        open_index(address)


@pytest.mark.parametrize("path", ["http://192.0.2.1/model.gz", "../../secret.gz", "//192.0.2.1/model.gz"])
def test_paths_that_lead_elsewhere_are_refused(registry, tmp_path, path):
    entry = registry.add("de-en")
    entry["files"]["model"]["path"] = path
    with pytest.raises(SourceError, match="leads elsewhere"):
        get(registry.publish(entry), "de-en", tmp_path)


def test_a_list_on_this_machine_with_its_files_beside_it(registry, tmp_path):
    entry = registry.add("de-en")
    registry.publish(entry, base="")
    place = tmp_path / "mirror"
    for path, content in registry.files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    folder = get(str(place / "models.json"), "de-en", tmp_path / "models")
    assert contents(folder)["model.deen.bin"] == b"model " * 9_000
    assert not registry.asked
    entry["files"]["model"]["path"] = "../secret.gz"
    (tmp_path / "secret.gz").write_bytes(b"")
    registry.publish(entry, base="")
    (place / "models.json").write_bytes(registry.files["models.json"])
    with pytest.raises(SourceError, match="leads elsewhere"):
        get(str(place / "models.json"), "de-en", tmp_path / "models")


def test_the_best_released_model_is_chosen(registry):
    entries = [
        registry.add("de-en", "tiny"),
        registry.add("de-en", "base"),
        registry.add("de-en", "base-memory", releaseStatus="Nightly"),
        registry.add("en-de", "tiny"),
    ]
    index = read_index(json.dumps({"models": {"all": entries}}).encode(), "here")
    assert choose(index, "de-en").architecture == "base"
    assert choose(index, "de_EN", "tiny").architecture == "tiny"
    with pytest.raises(SourceError, match="no huge model de-en, only base, tiny, base-memory"):
        choose(index, "de-en", "huge")
    with pytest.raises(SourceError, match="no model de-fr; there are de-en, en-de"):
        choose(index, "de-fr")


def test_licences(registry):
    [plain] = read_index(json.dumps({"models": {"a": [registry.add("de-en")]}}).encode(), "").entries()
    [named] = read_index(json.dumps({"models": {"a": [registry.add("de-en", licence="CC0")]}}).encode(), "").entries()
    assert (licence_of(plain, MOZILLA), licence_of(plain, "https://example.org/"), licence_of(named, MOZILLA)) == (
        "MPL-2.0",
        "unknown",
        "CC0",
    )


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["models", "files", "model", "path", "de-en", "baseUrl", "architecture"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_list_ends_in_anything_but_a_list_or_a_refusal(value):
    try:
        list(read_index(json.dumps(value).encode(), "here").entries())
    except SourceError as error:
        assert "is no list of models" in str(error)


def test_an_import_may_name_a_model_of_the_list(registry, tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_MODEL_INDEX", registry.publish(registry.add("de-en"), registry.add("de-en", "base")))
    for source, name in (("firefox:de-en", "de-en-base"), ("firefox:de-en:tiny", "de-en-tiny")):
        folder = download_firefox(source, tmp_path, lambda line: None)
        assert folder.name == name
        assert (folder / "model.deen.bin").exists()


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch, tiny_bundle: Bundle) -> None:
    """An import that makes the tiny bundle of whatever was downloaded."""

    def import_bundle(source: str, out: Path, *, choices: Choices, report: object) -> Bundle:
        assert "model.deen.bin" in {path.name for path in Path(source).iterdir()}
        assert choices.licence == "CC0"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(tiny_bundle.path, out)
        return Bundle.open(out)

    monkeypatch.setattr("export.importing.import_bundle", import_bundle)


@pytest.mark.usefixtures("imported")
def test_an_installed_model_is_listed_found_again_and_removed(registry, tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("DRAGOMAN_MODEL_INDEX", registry.publish(registry.add("de-en", licence="CC0")))
    runner = CliRunner()

    def run(*arguments: str) -> str:
        done = runner.invoke(app, ["models", *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    assert "no models in" in run("list")
    assert "de-en-tiny is ready" in run("install", "de-en")
    assert "de-en-tiny" in run("list")
    assert "yes" in run("search", "de")
    assert not list((tmp_path / "models").rglob("*.bin.part"))
    assert "is removed" in run("remove", "de-en-tiny")
    assert "no models in" in run("list")
    missing = runner.invoke(app, ["models", "remove", "de-en-tiny"])
    assert missing.exit_code == 1 and "there is nothing" in missing.output


@pytest.mark.usefixtures("imported")
def test_an_import_that_fails_keeps_the_downloads(registry, tmp_path, monkeypatch):
    def fails(*arguments: object, **others: object) -> None:
        raise SourceError("this can't be imported")

    monkeypatch.setattr("export.importing.import_bundle", fails)
    address = registry.publish(registry.add("de-en", licence="CC0"))
    with pytest.raises(SourceError, match="can't be imported"):
        install(address, "de-en", None, tmp_path, lambda line: None, lambda done, whole: None)
    assert list(tmp_path.rglob("model.deen.bin"))


def test_where_models_are(monkeypatch, tmp_path):
    monkeypatch.delenv("DRAGOMAN_MODELS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert user_models() == tmp_path / "dragoman" / "models"
    monkeypatch.setenv("DRAGOMAN_MODELS", "/models")
    assert user_models() == Path("/models")
