"""`dragoman attention` draws the model's own attention maps."""

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from app.cli.main import app
from app.engine.models.tokenizer import Tokenizer
from export.attention_maps import AttentionMapsError, read_maps
from model.evaluation.attention_maps import SentenceMaps, draw_maps

TEXT = "Der Hund trinkt Wasser."
PNG = b"\x89PNG"


def test_maps_are_the_models(tiny_bundle, tiny_model):
    pair = tiny_bundle.manifest.pairs[0]
    maps = read_maps(tiny_bundle, TEXT, pair)
    tokenizer = Tokenizer(*tiny_bundle.tokenizer_files)
    source = [tokenizer.piece_id(pair.tag), *tokenizer.encode(TEXT), tiny_bundle.manifest.ids.eos]
    assert (maps.source[0], maps.source[-1], maps.target[0]) == (pair.tag, "</s>", "<s>")
    assert len(maps.source) == len(source)
    # The model itself, over the source and its own greedy translation.
    target = [tiny_bundle.manifest.ids.decoder_start]
    with torch.no_grad():
        for _ in maps.target[1:]:
            states, _ = tiny_model(torch.tensor([source]), torch.tensor([target]))
            target.append(int(tiny_model.logits(states[0, -1]).argmax()))
        _, expected = tiny_model(torch.tensor([source]), torch.tensor([target]))
    assert [tokenizer.decode([piece]) for piece in target[1:]] == list(maps.target[1:])
    for found, wanted in zip(
        (*maps.encoder, *maps.decoder, *maps.cross),
        (*expected.encoder, *expected.decoder, *expected.cross),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted[0].numpy(), atol=1e-4)


def test_the_command_draws_a_picture(tiny_bundle, tmp_path):
    out = tmp_path / "map.png"
    result = CliRunner().invoke(app, ["attention", str(tiny_bundle.path), TEXT, "--out", str(out), "--pair", "de-en"])
    assert result.exit_code == 0, result.output
    assert out.read_bytes().startswith(PNG)
    result = CliRunner().invoke(app, ["attention", str(tiny_bundle.path), TEXT, "--pair", "de-fr"])
    assert result.exit_code == 2
    assert "must be one of de-en, en-de" in result.output


@pytest.mark.parametrize("text", ["", "Hund " * 100])
def test_texts_without_a_map_are_refused(tiny_bundle, text):
    with pytest.raises(AttentionMapsError, match=r"maps can be drawn for 1 to 30"):
        read_maps(tiny_bundle, text, tiny_bundle.manifest.pairs[0])


def test_labels_are_no_formulas(tmp_path):
    weights = [np.eye(2)[None]]
    draw_maps(SentenceMaps(["$", "x^{"], ["$a$", "\\frac{"], weights, weights, weights), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(PNG)
