"""Pretraining on text of one language at a time: the encoder as BERT, the decoder as GPT, with the weights they share.

The encoder fills in masked tokens (Devlin et al. 2019, section 3.1); the decoder, without its attention to the source,
predicts the next token (Radford et al. 2018). A translation run then starts from both: ``initial`` in its recipe.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import sentencepiece
import torch
from torch import Tensor

from model.data.batches import Batch, Packed
from model.data.corpus import TOKENIZER_PAIRS, write_facts
from model.data.pairs import PairsError, open_lines
from model.data.tokenizer import PAD_ID, UNK_ID, train_tokenizer
from model.network.transformer import Transformer
from model.recipe import Augmentation, Recipe, Source
from model.recipe_files import read_text
from model.training.loss import Losses, cross_entropy
from model.training.train import Distributed, Metrics, Trainer

# Text never has it: SentencePiece falls back to bytes.
MASK_ID = UNK_ID
# Share of a text's tokens that are predicted; shares of these tokens that are masked and replaced by another.
PREDICTED, MASKED, REPLACED = 0.15, 0.8, 0.1
# One line in this many is kept for the validation loss.
_HELD_OUT = 100


def mask_tokens(source: Tensor, special: int, vocabulary: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Choose the tokens that the encoder has to predict, and hide most of them.

    Args:
        source: (B, S) int64.
        special: Ids up to this one are left alone: special pieces, tags.
        vocabulary: V, from which replacements are drawn.
        generator: Source of random numbers.

    Returns:
        The changed (B, S), and (B, S) bool, True where a token is to be predicted: 80 % of these are masked, 10 % are
        another token, and 10 % are as they were.
    """
    chance = torch.rand(source.shape, generator=generator)
    kind = torch.rand(source.shape, generator=generator)
    others = torch.randint(special + 1, vocabulary, source.shape, generator=generator)
    chosen = (chance < PREDICTED) & (source.cpu() > special)
    changed = torch.where(chosen & (kind < MASKED), MASK_ID, source.cpu())
    changed = torch.where(chosen & (kind >= MASKED) & (kind < MASKED + REPLACED), others, changed)
    return changed.to(source.device), chosen.to(source.device)


def pretraining_losses(model: Transformer, batch: Batch, label_smoothing: float, *, special: int) -> Losses:
    """Cross-entropy of the masked tokens by the encoder, and of the next tokens by the decoder, summed.

    The likelihood is the decoder's, so that it is one of every token of the target.
    """
    vocabulary = model.config.target_vocabulary
    real = batch.target_output != PAD_ID
    states = model.predict(batch.target_input)[real]
    smoothed, likelihood = cross_entropy(model, states, batch.target_output[real], label_smoothing)
    if not model.config.decoder_only:
        # In training the seed is the update's, see ``Trainer.update``; a validation hides the same tokens each time.
        seed = int(torch.randint(2**31, ())) if model.training else 0
        hidden, chosen = mask_tokens(batch.source, special, vocabulary, torch.Generator().manual_seed(seed))
        encoded = model.encode(hidden).states[chosen]
        smoothed = smoothed + cross_entropy(model, encoded, batch.source[chosen], label_smoothing)[0]
    return Losses(smoothed, likelihood, smoothed.new_zeros(()), int(real.sum()))


def build_text_corpus(recipe: Recipe, texts: Sequence[Path], run: Path, *, report: Callable[[str], None]) -> None:
    """Make the tokenizer and a packed corpus, in which each line is a pair with itself, unless they exist.

    Raises:
        PairsError: A file is missing, is no text, or has no lines.
        TokenizerError: The text is too little for the recipe's vocabulary.
    """
    folder, tokenizer = run / "corpus", run / "tokenizer.spm"
    if (folder / "sources.json").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    lines = [list(open_lines(path)) for path in texts]
    for path, found in zip(texts, lines, strict=True):
        if len(found) < _HELD_OUT:
            raise PairsError(f"{path}: has {len(found)} lines; pretraining needs at least {_HELD_OUT}")
        report(f"read {len(found):,} lines from {path.name}")
    everything = [line for found in lines for line in found]
    report(f"training a tokenizer of {recipe.vocabulary} pieces")
    sample = np.random.default_rng(recipe.seed).permutation(len(everything))[: 2 * TOKENIZER_PAIRS]
    train_tokenizer(
        (everything[index] for index in sample), tokenizer, vocabulary=recipe.vocabulary, languages=recipe.languages
    )
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer))
    held_out: list[list[int]] = []
    for index, found in enumerate(lines):
        encoded = processor.encode(found)
        held_out += encoded[::_HELD_OUT]
        _packed([ids for number, ids in enumerate(encoded) if number % _HELD_OUT]).save(folder / f"{index:02d}.npz")
    _packed(held_out).save(folder / "validation.npz")
    write_facts(folder / "sources.json", texts, [len(found) for found in lines])


def _packed(rows: Sequence[Sequence[int]]) -> Packed:
    return Packed.build([(row, row) for row in rows], [np.zeros((0, 2), np.int16)] * len(rows))


class Pretrainer(Trainer):
    """A training run with the losses of pretraining."""

    def prepared(self, model: Transformer) -> Transformer:
        """Attention to the source and to memory stays as it was made: there is neither."""
        for name, parameter in model.named_parameters():
            if ".cross_" in name or ".recall_" in name:
                parameter.requires_grad_(False)
        return model

    def objective(self, model: Transformer, batch: Batch, label_smoothing: float) -> Losses:
        """See ``pretraining_losses``."""
        return pretraining_losses(model, batch, label_smoothing, special=max(UNK_ID, *self.tags))


def pretrain(
    path: Path,
    texts: Sequence[Path],
    run: Path,
    place: Distributed,
    *,
    report: Callable[[str], None],
    on_update: Callable[[Metrics], None],
) -> Path:
    """The whole run, from text to a model folder for a recipe's ``initial``; continues where an earlier one stopped.

    Args:
        path: The recipe of the translation run: languages, vocabulary, model and training are taken from it.
        texts: Files of one sentence or paragraph a line, plain, .gz or .xz. Longer lines than the recipe's
            ``max_length`` are left out.
        run: Folder of the run.
        place: Device.
        report: Called with a line on each preparatory step.
        on_update: Called with the metrics of each update.

    Raises:
        RecipeError: The recipe can't be used.
        PairsError: A text can't be used.
    """
    recipe = Recipe.load(path)
    training = recipe.training.model_copy(update={"alignment_weight": 0.0, "early_updates": 0})
    sources = tuple(Source(path=text.name) for text in texts)
    changes = {"training": training, "sources": sources, "augmentation": Augmentation(), "initial": None}
    recipe = recipe.model_copy(update=changes)
    run.mkdir(parents=True, exist_ok=True)
    build_text_corpus(recipe, texts, run, report=report)
    return Pretrainer(recipe, read_text(path), run, place).fit(on_update)
