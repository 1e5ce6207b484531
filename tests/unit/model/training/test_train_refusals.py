"""Runs that must not start, or not go on."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from model.data.corpus import build_corpus
from model.data.pairs import PairsError
from model.data.tokenizer import TokenizerError
from model.recipe import Recipe, RecipeError
from model.training.checkpoint import CheckpointError, model_tensors
from tests.support.toy_language import toy_recipe, write_toy_data
from tests.support.workplace import Workplace


def test_another_model_does_not_continue_a_run(workplace: Workplace) -> None:
    workplace.write_recipe(updates=2)
    workplace.train()
    workplace.write_recipe(updates=4, model="activation = 'gelu'")
    with pytest.raises(CheckpointError, match="another configuration"):
        workplace.train()


def test_other_pair_files_do_not_continue_a_run(workplace: Workplace) -> None:
    workplace.recipe.write_text(toy_recipe().replace("easy.tsv", "valid.tsv"), encoding="utf-8")
    with pytest.raises(RecipeError, match="other pair files"):
        workplace.train()


def test_a_corpus_may_be_used_after_its_recipe_has_moved(tmp_path: Path) -> None:
    data, run = tmp_path / "data", tmp_path / "run"
    write_toy_data(data)
    for folder in (tmp_path / "before", tmp_path / "after"):
        folder.mkdir()
        shutil.copyfile(data / "easy.tsv", folder / "words.tsv")
        text = toy_recipe().replace('path = "easy.tsv"', 'path = "./words.tsv"\ndictionary = true')
        (folder / "recipe.toml").write_text(text, encoding="utf-8")
        recipe = Recipe.load(folder / "recipe.toml")
        assert recipe.sources[0].dictionary
        build_corpus(recipe, data, run, report=lambda line: None)

    rules = run / "corpus" / "rules.json"
    saved = json.loads(rules.read_text(encoding="utf-8"))
    assert saved["dictionary"] == ["words.tsv"]
    # As earlier versions wrote it.
    rules.write_text(json.dumps({**saved, "dictionary": ["/elsewhere/words.tsv"]}), encoding="utf-8")
    build_corpus(recipe, data, run, report=lambda line: None)


def test_a_file_without_pairs_is_refused_before_training(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    workplace.write_recipe()
    write_toy_data(workplace.data)
    (workplace.data / "valid.tsv").write_bytes(b"\n")
    with pytest.raises(PairsError, match=r"valid\.tsv: holds no pairs"):
        workplace.train()


def test_too_little_text_for_the_vocabulary_is_said(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    write_toy_data(workplace.data)
    workplace.recipe.write_text(toy_recipe().replace("vocabulary = 300", "vocabulary = 4000"), encoding="utf-8")
    with pytest.raises(TokenizerError, match="no tokenizer of 4000 pieces"):
        workplace.train()
    assert not (workplace.run / "tokenizer.spm").exists()


def test_preparation_that_died_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workplace = Workplace(tmp_path)
    recipe = workplace.write_recipe()
    write_toy_data(workplace.data)

    def die(line: str) -> None:
        if line == "encoded":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_corpus(recipe, workplace.data, workplace.run, report=die)
    tokenizer = (workplace.run / "tokenizer.spm").read_bytes()
    assert not (workplace.run / "corpus" / "sources.json").exists()
    build_corpus(recipe, workplace.data, workplace.run, report=lambda line: None)
    assert (workplace.run / "tokenizer.spm").read_bytes() == tokenizer
    files = sorted(path.name for path in (workplace.run / "corpus").iterdir())
    assert files == ["00.npz", "01.npz", "rules.json", "sources.json", "validation.npz"]


def test_a_run_needs_what_it_is_to_start_from(workplace: Workplace) -> None:
    workplace.write_recipe(head='initial = "nowhere"')
    with pytest.raises(CheckpointError, match="nowhere"):
        workplace.train()


def test_an_initial_model_with_another_tokenizer_is_refused_before_training(workplaces: Iterator[Workplace]) -> None:
    earlier, later = next(workplaces), next(workplaces)
    earlier.write_recipe(updates=1)
    earlier.train()
    initial = earlier.run / "averaged"
    with (initial / "tokenizer.spm").open("ab") as tokenizer:
        tokenizer.write(b"\x78\x00")  # a field of the protocol buffer that SentencePiece doesn't know
    for options in ({"head": "initial_share = 0.25"}, {"source": "distilled = true"}):
        later.write_recipe(**options | {"head": f'initial = "{initial}"\n{options.get("head", "")}'})
        with pytest.raises(CheckpointError, match="initial_share and distilled need a model of the recipe's shape"):
            later.train()
    assert not (later.run / "metrics.jsonl").exists()


def test_a_gradient_that_is_no_number_ends_the_run_and_spoils_nothing(workplace: Workplace) -> None:
    trainer = workplace.trainer()
    before = {name: tensor.clone() for name, tensor in model_tensors(trainer.model).items()}
    trainer.model.encoder[0].feed_forward.inner.weight.register_hook(lambda gradient: gradient * torch.nan)
    with pytest.raises(FloatingPointError, match="update 1: the gradients are not finite"):
        trainer.update(trainer.batches(0))
    assert all(torch.equal(tensor, before[name]) for name, tensor in model_tensors(trainer.model).items())


@pytest.mark.parametrize(
    "changes", [{"augmentation": "capitals = 0.5"}, {"model": "alignment_layer = 1", "alignment_weight": 0.5}]
)
def test_a_corpus_of_another_recipe_is_refused(workplace: Workplace, changes: dict[str, Any]) -> None:
    recipe = workplace.write_recipe(**changes)
    with pytest.raises(RecipeError, match="made by another recipe"):
        build_corpus(recipe, workplace.data, workplace.run, report=lambda line: None)
