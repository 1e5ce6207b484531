"""Choosing ``initial_share``: the loss of held-out pairs under means of a run and the model that it started from."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import sentencepiece

from model.data.batches import Batch, BatchStream, Packed
from model.data.pairs import PairsError, read_test_pairs
from model.data.tokenizer import target_tag
from model.recipe import Recipe, RecipeError
from model.training.checkpoint import CheckpointError, average, load_model, mean_weights, training_checkpoints
from model.training.loss import loss_per_token


def losses_by_share(
    recipe: Recipe, run: Path, sets: Sequence[Path], shares: Sequence[float]
) -> Iterator[tuple[float, list[float]]]:
    """Yield for each share of the initial model the loss per target token of each set, in the recipe's directions.

    The mean is the one that training would make with this ``initial_share``. Losses are natural logarithms, without
    label smoothing, in float32.

    Args:
        recipe: Of the run; ``initial`` names the model that it started from.
        run: Folder of the run, with its last checkpoints.
        sets: Pair files that training has not seen. Pairs longer than the recipe's ``max_length`` are left out.
        shares: 0 is the run alone, 1 the initial model alone.

    Raises:
        RecipeError: The recipe has no ``initial``.
        CheckpointError: The run has no checkpoint, or the initial model can't be averaged with it.
        PairsError: A pair file is missing, malformed or empty, has keys in the place of sentences, or only long pairs.
    """
    if not recipe.initial:
        raise RecipeError("the recipe names no initial model to share with")
    checkpoints = training_checkpoints(run / "checkpoints")
    if not checkpoints:
        raise CheckpointError(f"{run}/checkpoints holds no checkpoint: train first")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(run / "tokenizer.spm"))
    batches = [_batches(path, recipe, processor) for path in sets]
    for share in shares:
        weights = mean_weights(checkpoints, recipe.initial, share)
        with TemporaryDirectory() as folder:
            average(weights, mean := Path(folder, "mean"))
            model = load_model(mean)
        yield share, [loss_per_token(model, found) for found in batches]


def _batches(path: Path, recipe: Recipe, processor: sentencepiece.SentencePieceProcessor) -> list[Batch]:
    first, second = (processor.encode(list(column)) for column in zip(*read_test_pairs(path), strict=True))
    packed = Packed.build(list(zip(first, second, strict=True)), [np.zeros((0, 2), np.int16)] * len(first))
    tags = [processor.piece_to_id(target_tag(language)) for language in recipe.languages]
    stream = BatchStream([packed], [1.0], recipe, (tags[0], tags[1]))
    batches = [stream.collate(examples) for examples in stream.epoch(0)]
    if not batches:
        raise PairsError(f"{path}: no pair is short enough for the recipe's max_length")
    return batches
