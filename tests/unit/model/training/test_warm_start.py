"""A run may go on from other weights, under another vocabulary too."""

from pathlib import Path

import pytest
import sentencepiece
import torch

from model.data.tokenizer import train_tokenizer
from model.network.transformer import Transformer
from model.training.checkpoint import CheckpointError, load_model, model_tensors, write_model
from model.training.warm_start import load_initial
from tests.support.tiny import LEXICON, VOCABULARY, random_model, sentence_pairs, tiny_config


def test_the_same_vocabulary_gives_the_same_model_without_the_biases_of_its_keys(
    tiny_model: Transformer, tiny_tokenizer: Path, tmp_path: Path
) -> None:
    expected = model_tensors(tiny_model)
    biases = {name: tensor + 100 for name, tensor in expected.items() if name.endswith("key.bias")}
    write_model(tmp_path, expected | biases, tiny_model.config, tiny_tokenizer)
    model = Transformer(tiny_config())
    load_initial(tmp_path, model, tiny_tokenizer)
    for name, tensor in model_tensors(model).items():
        torch.testing.assert_close(tensor, expected[name] * (name not in biases), rtol=0, atol=0)


def test_rows_follow_their_pieces(tiny_checkpoint: Path, tiny_tokenizer: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.spm"
    text = [side for pair in sentence_pairs(300, seed=5) for side in pair]
    train_tokenizer(
        [*text, *(f"{b}{a}" for a in LEXICON for b in LEXICON.values())], other, vocabulary=420, languages=("en", "de")
    )
    model = Transformer(tiny_config(source_vocabulary=420, target_vocabulary=420))
    load_initial(tiny_checkpoint, model, other)
    old, new = (sentencepiece.SentencePieceProcessor(model_file=str(path)) for path in (tiny_tokenizer, other))
    assert old.vocab_size() == VOCABULARY
    expected = load_model(tiny_checkpoint).target_embedding.weight
    shared = unshared = 0
    for index in range(new.vocab_size()):
        place = old.piece_to_id(new.id_to_piece(index))
        if old.id_to_piece(place) == new.id_to_piece(index):
            shared += 1
            rows = [place]
        else:
            unshared += 1
            rows = old.encode(new.id_to_piece(index).replace("▁", " "))
        torch.testing.assert_close(model.target_embedding.weight[index], expected[rows].mean(0))
    assert shared > 100 and unshared > 10


def test_a_model_without_a_memory_may_learn_one(tiny_checkpoint: Path, tiny_tokenizer: Path) -> None:
    model = Transformer(tiny_config(memory_length=8))
    load_initial(tiny_checkpoint, model, tiny_tokenizer)
    own = {name: tensor for name, tensor in model_tensors(model).items() if ".recall_" in name}
    assert len(own) == 2 * 4, "of two layers in encoder and decoder"
    assert not any(tensor.any() for tensor in own.values())
    source, target = torch.randint(3, VOCABULARY, (2, 7)), torch.randint(3, VOCABULARY, (2, 5))
    with torch.no_grad():
        torch.testing.assert_close(model(source, target)[0], load_model(tiny_checkpoint)(source, target)[0])


def test_a_deeper_encoder_starts_with_the_earlier_translations(tiny_checkpoint: Path, tiny_tokenizer: Path) -> None:
    earlier = load_model(tiny_checkpoint).eval()
    model = Transformer(tiny_config(encoder_layers=2 * earlier.config.encoder_layers)).eval()
    load_initial(tiny_checkpoint, model, tiny_tokenizer)
    source, target = torch.randint(3, VOCABULARY, (2, 7)), torch.randint(3, VOCABULARY, (2, 5))
    with torch.no_grad():
        torch.testing.assert_close(model(source, target)[0], earlier(source, target)[0])


def test_a_model_of_another_shape_is_refused(tiny_model: Transformer, tiny_tokenizer: Path, tmp_path: Path) -> None:
    write_model(tmp_path, model_tensors(tiny_model), tiny_model.config, tiny_tokenizer)
    for changes in ({"width": 32}, {"encoder_layers": 3}):
        with pytest.raises(CheckpointError, match="another shape than the recipe's"):
            load_initial(tmp_path, random_model(**changes), tiny_tokenizer)
