from pathlib import Path

import pytest

from app.engine.models.discovery import find_bundles, loaded_bytes
from app.engine.models.manifest import Manifest
from app.errors import BundleError
from tests.support.bundles import SHIPPED, write_bundle


def test_a_folder_is_a_bundle_or_holds_some(tmp_path):
    single = write_bundle(tmp_path / "single", "de-en")
    for name in ("es-en", "en-fr", ".half-made.partial"):
        write_bundle(tmp_path / "models" / name, "es-en")
    (tmp_path / "models" / "notes").mkdir()
    models = tmp_path / "models"
    found = find_bundles([models, single, tmp_path / "nowhere"])
    assert found == [models / "en-fr", models / "es-en", single]


def test_a_bundle_named_twice_is_found_once(tmp_path):
    bundle = write_bundle(tmp_path / "models" / "de-en", "de-en")
    (tmp_path / "link").symlink_to(bundle)
    assert find_bundles([bundle, tmp_path / "models", tmp_path / "link"]) == [bundle]


def test_a_folder_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(BundleError, match=f"{tmp_path}: Permission denied"):
        find_bundles([tmp_path])


def test_the_estimate_counts_the_files_that_a_precision_loads():
    manifest = Manifest.read(SHIPPED)
    sizes = {path.name: path.stat().st_size for path in SHIPPED.iterdir()}
    native = loaded_bytes(SHIPPED, manifest, "int8-native")
    float32 = loaded_bytes(SHIPPED, manifest, "float32")

    def of_both_models(*names: str) -> int:
        return sum(sizes[f"{prefix}{name}"] for prefix in ("", "en-de.") for name in names)

    graphs = ("encoder.int8-native.onnx", "decoder.int8-native.onnx", "weights.bin")
    assert native / of_both_models(*graphs) == pytest.approx(1.2)
    weights = of_both_models("encoder.float32.onnx", "decoder.float32.onnx", "weights.bin")
    assert float32 / weights == pytest.approx(3.5)


def test_a_precision_that_is_not_there_is_named(tmp_path):
    bundle = write_bundle(tmp_path, "de-en")
    with pytest.raises(BundleError, match="has no float16 graphs, only float32"):
        loaded_bytes(bundle, Manifest.read(bundle), "float16")


def test_a_missing_file_is_named(tmp_path):
    bundle = write_bundle(tmp_path, "de-en")
    (bundle / "decoder.onnx").unlink()
    with pytest.raises(BundleError, match=r"decoder\.onnx: No such file"):
        loaded_bytes(bundle, Manifest.read(bundle), "float32")
