"""`dragoman restore` gives back the model that a bundle was exported from."""

from pathlib import Path

import pytest
import torch

from app.engine.models.bundle import Bundle
from export.bundle_builder import build_bundle
from export.restore import RestoreError, restore
from model.network.transformer import Transformer
from model.training.checkpoint import load_model, model_tensors
from model.training.provenance import read_card
from tests.support.tiny import random_model, round_weights, write_checkpoint

ROOT = Path(__file__).parents[2]


def test_the_restored_model_is_the_exported_one(
    tiny_bundle: Bundle, tiny_model: Transformer, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    restore(tiny_bundle, tmp_path / "model")
    restored = load_model(tmp_path / "model")
    assert restored.config == tiny_model.config
    expected = model_tensors(tiny_model)
    for name, tensor in model_tensors(restored).items():
        torch.testing.assert_close(tensor, expected[name], rtol=0, atol=0)
    assert read_card(tmp_path / "model") == read_card(tiny_checkpoint)
    assert (tmp_path / "model" / "tokenizer.spm").read_bytes() == (tiny_checkpoint / "tokenizer.spm").read_bytes()


def test_everything_that_a_standard_model_may_have_is_restored(tiny_tokenizer: Path, tmp_path: Path) -> None:
    model = random_model(
        positions="learned",
        max_positions=150,  # no whole number of blocks
        encoder_layers=1,
        norm="post",
        embedding_norm=True,
        tie_source_target=False,
        tie_output=False,
        biases=False,
        output_bias=True,
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))  # no norm or bias as it begins
    round_weights(model)
    checkpoint = write_checkpoint(tmp_path / "model", model, tiny_tokenizer)
    bundle = build_bundle(checkpoint, tmp_path / "bundle", has_float16=False, report=lambda _: None)
    assert "float16" not in bundle.manifest.graphs
    restore(bundle, tmp_path / "restored")
    restored = model_tensors(load_model(tmp_path / "restored"))
    torch.testing.assert_close(restored, model_tensors(model), rtol=0, atol=0)


@pytest.mark.parametrize("pair", [("de", "en"), ("en", "de")], ids=["de-en", "en-de"])
def test_the_shipped_bundle_can_be_trained_on(pair: tuple[str, str], tmp_path: Path) -> None:
    bundle = Bundle.open(ROOT / "artifacts" / "de-en").model_of(*pair)
    restore(bundle, tmp_path / "model")
    assert read_card(tmp_path / "model").recipe == bundle.manifest.provenance.recipe
    for name, tensor in model_tensors(load_model(tmp_path / "model")).items():
        assert torch.equal(tensor, tensor.half().float()), name  # a tensor that was missed has random digits


def test_nothing_is_replaced(tiny_bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(RestoreError, match="exists; choose another folder"):
        restore(tiny_bundle, tmp_path)


def test_a_model_that_was_not_trained_here_is_refused(tiny_bundle: Bundle, tmp_path: Path) -> None:
    provenance = tiny_bundle.manifest.provenance.model_copy(update={"recipe": None})
    foreign = Bundle(tiny_bundle.path, tiny_bundle.manifest.model_copy(update={"provenance": provenance}), ())
    with pytest.raises(RestoreError, match="no training recipe in its manifest"):
        restore(foreign, tmp_path / "model")
    assert not list(tmp_path.iterdir())
