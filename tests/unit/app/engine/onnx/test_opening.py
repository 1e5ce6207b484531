"""Which operators a model gets."""

import logging
import shutil
from dataclasses import replace

import pytest

from app.engine.onnx import opening
from app.engine.onnx.device import DeviceModel
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.native import NativeModel, choose_kernels
from app.engine.onnx.opening import open_model, opened_graphs
from app.errors import ConfigurationError
from tests.support.device import write_device_graphs

built = pytest.mark.skipif(choose_kernels() is None, reason="no native operators were built for this machine")


@pytest.fixture
def without_native_graphs(tiny_bundle):
    graphs = {name: each for name, each in tiny_bundle.manifest.graphs.items() if name != "int8-native"}
    return replace(tiny_bundle, manifest=tiny_bundle.manifest.model_copy(update={"graphs": graphs}))


@built
def test_int8_is_native_where_it_can_be(tiny_bundle, caplog):
    model = open_model(tiny_bundle, "int8")
    assert isinstance(model, NativeModel)
    assert model.kernels == choose_kernels()
    assert not caplog.records


@built
def test_an_instruction_set_can_be_asked_for(tiny_bundle):
    assert open_model(tiny_bundle, "int8", kernels="plain").kernels == "plain"


def test_it_can_be_switched_off(tiny_bundle, caplog):
    model = open_model(tiny_bundle, "int8", kernels="off")
    assert isinstance(model, OnnxModel)
    assert model.kernels is None
    assert not caplog.records


def test_the_graphs_that_are_counted_are_those_that_are_opened(tiny_bundle, without_native_graphs, monkeypatch):
    """Of older bundles, too, which have int8 graphs that nothing opens."""
    monkeypatch.setattr(opening, "choose_kernels", lambda wanted: None if wanted == "neon" else wanted)
    manifest, older = tiny_bundle.manifest, without_native_graphs.manifest
    older = older.model_copy(update={"graphs": {**older.graphs, "int8": older.graphs["float32"]}})
    assert opened_graphs(manifest, "int8") == "int8-native"
    assert opened_graphs(manifest, "int8", "off") == opened_graphs(manifest, "int8", "neon") == "float32"
    assert opened_graphs(older, "int8") == "float32"
    assert [opened_graphs(manifest, each) for each in ("float32", "float16")] == ["float32", "float16"]
    assert isinstance(open_model(replace(tiny_bundle, manifest=older), "int8"), OnnxModel)


def test_other_precisions_are_onnx_runtimes(tiny_bundle):
    assert isinstance(open_model(tiny_bundle, "float32"), OnnxModel)


def test_without_a_library_there_is_one_warning(tiny_bundle, monkeypatch, caplog):
    monkeypatch.setattr(opening, "choose_kernels", lambda wanted: None)
    with caplog.at_level(logging.WARNING):
        assert isinstance(open_model(tiny_bundle, "int8"), OnnxModel)
    [record] = caplog.records
    assert "no library" in record.getMessage()


def test_bundles_without_native_graphs_are_served(without_native_graphs, monkeypatch, caplog):
    monkeypatch.setattr(opening, "choose_kernels", lambda wanted: "avx2")
    assert isinstance(open_model(without_native_graphs, "int8"), OnnxModel)
    [record] = caplog.records
    assert "no graphs for them" in record.getMessage()


def test_what_was_asked_for_and_is_not_there_is_an_error(tiny_bundle, without_native_graphs, monkeypatch):
    monkeypatch.setattr(opening, "choose_kernels", lambda wanted: None if wanted == "neon" else wanted)
    for bundle, kernels in ((tiny_bundle, "neon"), (without_native_graphs, "avx2")):
        with pytest.raises(ConfigurationError, match=f"kernels {kernels} were asked for"):
            open_model(bundle, "int8", kernels=kernels)


def test_a_lexicon_that_came_after_the_graphs_for_a_gpu_is_told(tiny_bundle, tmp_path, monkeypatch, caplog):
    """Such sentences are translated, but slowly. The graphs are opened on the CPU here."""
    monkeypatch.setattr(opening, "_on_device", lambda *_: True)
    shutil.copytree(tiny_bundle.path, tmp_path, dirs_exist_ok=True)
    [pair], manifest = tiny_bundle.manifest.pairs[:1], tiny_bundle.manifest
    pairs = (pair.model_copy(update={"lexicon": "lexicon.tsv.gz"}),)
    older = replace(tiny_bundle, path=tmp_path, manifest=manifest.model_copy(update={"pairs": pairs}))
    for has_lexicon, warnings in ((True, 0), (False, 1)):
        written = write_device_graphs(tiny_bundle, tmp_path, has_lexicon=has_lexicon)
        for role, name in manifest.graphs["float16-cuda"].files.items():
            written[role].replace(tmp_path / name)
        assert isinstance(open_model(older, "float16"), DeviceModel)
        assert len(caplog.records) == warnings
    assert "--cuda makes the graphs again" in caplog.text
