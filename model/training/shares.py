"""Choosing ``initial_share``: the loss of held-out pairs under means of a run and the model that it started from."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import sentencepiece

from model.data.batches import BatchStream, Packed
from model.data.pairs import PairsError, read_pairs
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
        sets: Pair files that training has not seen.
        shares: 0 is the run alone, 1 the initial model alone.

    Raises:
        RecipeError: The recipe has no ``initial``.
        CheckpointError: The run has no checkpoint, or the initial model can't be averaged with it.
        PairsError: A pair file is missing, malformed or empty.
    """
    if not recipe.initial:
        raise RecipeError("the recipe names no initial model to share with")
    checkpoints = training_checkpoints(run / "checkpoints")
    if not checkpoints:
        raise CheckpointError(f"{run}/checkpoints holds no checkpoint: train first")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(run / "tokenizer.spm"))
    streams = [_stream(path, recipe, processor) for path in sets]
    for share in shares:
        weights = mean_weights(checkpoints, recipe.initial, share)
        with TemporaryDirectory() as folder:
            average(weights, mean := Path(folder, "mean"))
            model = load_model(mean)
        yield share, [loss_per_token(model, map(stream.collate, stream.epoch(0))) for stream in streams]


def _stream(path: Path, recipe: Recipe, processor: sentencepiece.SentencePieceProcessor) -> BatchStream:
    first, second = ([pair[side] for pair in read_pairs(path)] for side in (0, 1))
    if not first:
        raise PairsError(f"{path}: holds no pairs")
    encoded = list(zip(processor.encode(first), processor.encode(second), strict=True))
    packed = Packed.build(encoded, [np.zeros((0, 2), np.int16)] * len(encoded))
    tags = [processor.piece_to_id(target_tag(language)) for language in recipe.languages]
    return BatchStream([packed], [1.0], recipe, (tags[0], tags[1]))
