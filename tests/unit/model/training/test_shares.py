from collections.abc import Iterator
from pathlib import Path

import pytest
import sentencepiece
import torch
from torch.nn import functional as F

from model.data.pairs import PairsError, read_pairs, write_pairs
from model.data.tokenizer import BOS_ID, EOS_ID, target_tag
from model.recipe import Recipe, RecipeError
from model.training.checkpoint import CheckpointError, load_model
from model.training.shares import losses_by_share
from tests.support.workplace import Workplace


def loss_pair_by_pair(folder: Path, pairs: Path) -> float:
    """The loss of both directions as torch's own cross-entropy has it, without batches and without padding."""
    model = load_model(folder)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.spm"))
    total, tokens = 0.0, 0
    for first, second in read_pairs(pairs):
        for source, target, language in ((first, second, "xb"), (second, first, "xa")):
            ids = [processor.piece_to_id(target_tag(language)), *processor.encode(source), EOS_ID]
            wanted = [*processor.encode(target), EOS_ID]
            with torch.no_grad():
                states, _ = model(torch.tensor([ids]), torch.tensor([[BOS_ID, *wanted[:-1]]]))
                logits = model.logits(states)[0]
            total += F.cross_entropy(logits, torch.tensor(wanted), reduction="sum").item()
            tokens += len(wanted)
    return total / tokens


@pytest.fixture
def later(workplaces: Iterator[Workplace]) -> tuple[Workplace, Recipe]:
    """A run of four updates that has started from another of four, and its recipe."""
    earlier, later = next(workplaces), next(workplaces)
    earlier.write_recipe(updates=4)
    earlier.train()
    recipe = later.write_recipe(head=f'initial = "{earlier.run / "averaged"}"\ninitial_share = 0.25', updates=4)
    later.train()
    return later, recipe


def test_losses_are_those_of_the_means_that_training_makes(later: tuple[Workplace, Recipe]) -> None:
    workplace, recipe = later
    pairs = workplace.data / "valid.tsv"
    found = dict(losses_by_share(recipe, workplace.run, [pairs, pairs], [0.25, 1.0]))
    for share, folder in ((0.25, workplace.run / "averaged"), (1.0, Path(str(recipe.initial)))):
        first, second = found[share]
        assert first == second == pytest.approx(loss_pair_by_pair(folder, pairs), rel=1e-5)
    assert found[0.25] != found[1.0]


def test_what_can_not_be_compared_is_named(later: tuple[Workplace, Recipe], tmp_path: Path) -> None:
    workplace, recipe = later
    pairs = workplace.data / "valid.tsv"
    with pytest.raises(RecipeError, match="names no initial model"):
        next(losses_by_share(recipe.model_copy(update={"initial": None}), workplace.run, [pairs], [0.5]))
    with pytest.raises(CheckpointError, match="holds no checkpoint: train first"):
        next(losses_by_share(recipe, tmp_path, [pairs], [0.5]))
    with pytest.raises(PairsError, match="no such file"):
        next(losses_by_share(recipe, workplace.run, [tmp_path / "missing.tsv"], [0.5]))
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(PairsError, match="holds no pairs"):
        next(losses_by_share(recipe, workplace.run, [tmp_path / "empty.tsv"], [0.5]))
    write_pairs(tmp_path / "long.tsv", [("a " * 200, "m " * 200)])
    with pytest.raises(PairsError, match="no pair is short enough"):
        next(losses_by_share(recipe, workplace.run, [tmp_path / "long.tsv"], [0.5]))
