from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from app.cli.main import app
from model.data.batches import Batch
from model.data.corpus import build_corpus
from model.data.pairs import PairsError
from model.data.tokenizer import EOS_ID, PAD_ID
from model.recipe import Recipe
from model.training.checkpoint import load_model, model_tensors
from model.training.pretrain import (
    MASK_ID,
    build_text_corpus,
    mask_tokens,
    pretrain,
    pretraining_losses,
)
from model.training.provenance import read_card
from model.training.train import Distributed, Trainer
from tests.support.tiny import random_model
from tests.support.toy_language import toy_pairs, toy_recipe, write_toy_data

SPECIAL, VOCABULARY = 5, 512
CPU = Distributed(torch.device("cpu"))


def test_four_fifths_of_the_predicted_tokens_are_masked_and_a_tenth_is_another() -> None:
    source = torch.randint(SPECIAL + 1, VOCABULARY, (200, 100))
    source[:, 0], source[:, -1], source[:, -2] = SPECIAL, PAD_ID, EOS_ID
    hidden, chosen = mask_tokens(source, SPECIAL, VOCABULARY, torch.Generator().manual_seed(0))
    assert torch.equal(hidden[~chosen], source[~chosen])
    assert not chosen[:, [0, -1, -2]].any(), "tags, ends and padding are left alone"
    masked = hidden == MASK_ID
    replaced = chosen & ~masked & (hidden != source)
    assert chosen[:, 1:-2].float().mean().item() == pytest.approx(0.15, abs=0.01)
    assert (masked.sum() / chosen.sum()).item() == pytest.approx(0.8, abs=0.03)
    assert (replaced.sum() / chosen.sum()).item() == pytest.approx(0.1, abs=0.02)
    assert hidden[replaced].min() > SPECIAL
    again, _ = mask_tokens(source, SPECIAL, VOCABULARY, torch.Generator().manual_seed(0))
    assert torch.equal(again, hidden)


@torch.no_grad()
def test_the_decoder_as_language_model_is_one_whose_source_says_nothing() -> None:
    model = random_model()  # pre-norm: what adds zero changes nothing
    text = torch.randint(3, VOCABULARY, (3, 8))
    alone = model.predict(text)
    for layer in model.decoder:
        layer.cross_attention.output.weight.zero_()
        layer.cross_attention.output.bias.zero_()
    torch.testing.assert_close(alone, model(torch.randint(3, VOCABULARY, (3, 5)), text)[0])
    decoder = random_model(encoder_layers=0)
    shorter = text.clone()
    shorter[:, 5:] = 7
    torch.testing.assert_close(decoder.predict(shorter)[:, :5], decoder.predict(text)[:, :5])


def batch() -> Batch:
    text = torch.randint(SPECIAL + 1, VOCABULARY, (8, 12))
    start, end = torch.full((8, 1), 1), torch.full((8, 1), EOS_ID)
    tag = torch.full((8, 1), SPECIAL)
    links = torch.zeros(0, 3, dtype=torch.int64)
    return Batch(
        torch.cat([tag, text, end], 1), torch.cat([start, text], 1), torch.cat([text, end], 1), links, torch.zeros(0)
    )


@torch.no_grad()
def test_the_loss_is_the_cross_entropy_of_masked_and_of_next_tokens() -> None:
    given = batch()
    model = random_model()
    found = pretraining_losses(model, given, 0.0, special=SPECIAL)
    hidden, chosen = mask_tokens(given.source, SPECIAL, VOCABULARY, torch.Generator().manual_seed(0))
    filled = model.logits(model.encode(hidden).states).log_softmax(-1)
    continued = model.logits(model.predict(given.target_input)).log_softmax(-1)
    expected = 0.0
    for row in range(8):
        expected -= sum(float(filled[row, i, given.source[row, i]]) for i in range(14) if chosen[row, i])
        expected -= sum(float(continued[row, i, given.target_output[row, i]]) for i in range(13))
    assert float(found.smoothed) == pytest.approx(expected, rel=1e-4)
    assert found.tokens == 8 * 13
    alone = pretraining_losses(random_model(encoder_layers=0), given, 0.0, special=SPECIAL)
    assert float(alone.smoothed) == pytest.approx(float(alone.likelihood), rel=1e-4)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A recipe, its pairs, and text of both languages."""
    write_toy_data(tmp_path / "data")
    pairs = toy_pairs(300, seed=9)
    for side, name in enumerate(("first.txt", "second.txt")):
        (tmp_path / name).write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
    (tmp_path / "toy.toml").write_text(toy_recipe(updates=6, validate_every=3, checkpoint_every=2), encoding="utf-8")
    return tmp_path


def test_a_translation_run_starts_from_pretrained_weights(toy: Path) -> None:
    options = ["--out", str(toy / "run"), "--device", "cpu", "--threads", "1"]
    texts = [str(toy / "first.txt"), str(toy / "second.txt")]
    result = CliRunner(env={"COLUMNS": "400"}).invoke(app, ["pretrain", str(toy / "toy.toml"), *texts, *options])
    assert result.exit_code == 0, result.output
    averaged = toy / "run" / "averaged"
    assert f'write initial = "{averaged}" into the recipe' in result.output
    assert [source["name"] for source in read_card(averaged).sources] == ["first", "second"]
    recipe = toy_recipe(head=f'initial = "{averaged}"')
    (toy / "toy.toml").write_text(recipe, encoding="utf-8")
    # The tokenizer and corpus of the pairs; pieces have the weights of the pretrained ones.
    loaded = Recipe.load(toy / "toy.toml")
    build_corpus(loaded, toy / "data", toy / "translation", report=lambda line: None)
    started = model_tensors(Trainer(loaded, recipe, toy / "translation", CPU).model)
    pretrained = model_tensors(load_model(averaged))
    for name in ("encoder.0.feed_forward.inner.weight", "decoder.1.self_attention.query.weight"):
        assert torch.equal(started[name], pretrained[name])
    assert (pretrained["decoder.0.cross_residual.norm.weight"] == 1).all(), "attention to the source isn't trained"
    assert not (pretrained["decoder.0.self_residual.norm.weight"] == 1).all()


def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(toy: Path) -> None:
    torch.set_num_threads(1)

    def run(folder: str, *, stop_at: int = 0) -> None:
        def on_update(metrics: dict[str, float]) -> None:
            if metrics["update"] == stop_at:
                raise KeyboardInterrupt

        texts = [toy / "first.txt", toy / "second.txt"]
        pretrain(toy / "toy.toml", texts, toy / folder, CPU, report=lambda line: None, on_update=on_update)

    run("whole")
    with pytest.raises(KeyboardInterrupt):
        run("stopped", stop_at=5)
    run("stopped")
    whole, stopped = (model_tensors(load_model(toy / folder / "averaged")) for folder in ("whole", "stopped"))
    for name, tensor in whole.items():
        torch.testing.assert_close(stopped[name], tensor)


def test_too_little_text_is_refused(toy: Path) -> None:
    (toy / "short.txt").write_text("a b\n", encoding="utf-8")
    with pytest.raises(PairsError, match=r"short.txt: has 1 lines; pretraining needs at least 100"):
        build_text_corpus(Recipe.load(toy / "toy.toml"), [toy / "short.txt"], toy / "run", report=lambda line: None)
