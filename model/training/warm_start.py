"""Starting a run from the weights of an earlier one, whose vocabulary may be another and whose encoder less deep."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import sentencepiece
import torch

from model.network.transformer import Transformer
from model.training.checkpoint import CheckpointError, load_model, model_tensors

# The last weights of a residual branch of an encoder layer.
_BRANCH_END = re.compile(r"encoder\.\d+\.(?:self_attention\.output|feed_forward\.outer)\.")
_ENCODER_LAYER = re.compile(r"encoder\.(\d+)\.")
# Tensors with a row for every piece.
_TABLES = {"source_embedding.weight", "target_embedding.weight", "projection.weight", "projection.bias"}


def load_initial(folder: Path, model: Transformer, tokenizer: Path) -> None:
    """Copy the weights of a model folder into a model, the rows of the vocabulary by their pieces.

    A piece that the earlier vocabulary did not have starts as the mean of those it was written with. The biases of keys
    stay as they are, and so does what scores the memory, if the earlier model had none.

    The encoder may have a multiple of the earlier one's layers, if ``norm`` is "pre". Then copies follow each earlier
    layer. The last weights of a copy's branches are zero, so the deeper model starts with the earlier translations
    (Chen et al. 2016, "Net2Net: Accelerating Learning via Knowledge Transfer").

    Args:
        folder: Model folder of the earlier run, or one that was restored from a bundle.
        model: The model to start, changed in place.
        tokenizer: Its SentencePiece model.

    Raises:
        CheckpointError: The folder is missing or damaged, or holds a model of another shape.
    """
    loaded = load_model(folder)
    earlier = model_tensors(loaded)
    times, odd = divmod(model.config.encoder_layers, max(1, loaded.config.encoder_layers))
    if times > 1 and not odd and model.config.norm == "pre":
        earlier |= {name: _grown(name, earlier, times) for name in model_tensors(model) if _ENCODER_LAYER.match(name)}
    rows = list(_earlier_pieces(folder / "tokenizer.spm", tokenizer))
    if model.config.cutoffs and any(row != [index] for index, row in enumerate(rows)):
        raise CheckpointError(f"{folder} has another vocabulary; the recipe's cutoffs need the same")
    with torch.no_grad():
        for name, tensor in model_tensors(model).items():
            found = earlier.get(name)
            if found is None and ".recall_" in name:
                continue
            table = name in _TABLES
            if found is None or found.shape[table:] != tensor.shape[table:]:
                raise CheckpointError(f"{folder} holds a model of another shape than the recipe's: see {name}")
            # Those of keys change nothing, and large ones did harm: see model.network.attention.
            if model.config.scoring == "additive" or not name.endswith("key.bias"):
                tensor.copy_(torch.stack([found[row].mean(0) for row in rows]) if table else found)


def _grown(name: str, earlier: Mapping[str, torch.Tensor], times: int) -> torch.Tensor:
    """The tensor of an encoder layer, where ``times`` layers stand for each earlier one."""
    layer = int(_ENCODER_LAYER.findall(name)[0])
    tensor = earlier[_ENCODER_LAYER.sub(f"encoder.{layer // times}.", name)]
    return torch.zeros_like(tensor) if layer % times and _BRANCH_END.match(name) else tensor


def _earlier_pieces(earlier: Path, tokenizer: Path) -> Iterator[list[int]]:
    """For each piece, the ids of the earlier vocabulary that spell it."""
    old, new = (sentencepiece.SentencePieceProcessor(model_file=str(path)) for path in (earlier, tokenizer))
    for piece in (new.id_to_piece(index) for index in range(new.vocab_size())):
        index = old.piece_to_id(piece)
        if old.id_to_piece(index) == piece:
            yield [index]
        else:
            yield old.encode(piece.replace("▁", " ")) or [old.unk_id()]
