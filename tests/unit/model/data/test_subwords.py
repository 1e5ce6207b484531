from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from model.data.subwords import Subwords
from model.data.tokenizer import PLACEHOLDERS, train_tokenizer

PARTS = ["Haus", "Land", "Boot", "Wasser", "Berg", "Garten", "Stadt", "Sommer", "Winter", "Schul", "Bahn", "Hof"]
WORDS = [*PARTS, *(first + second.lower() for first in PARTS for second in PARTS)]


@pytest.fixture(scope="module")
def processor(tmp_path_factory: pytest.TempPathFactory) -> sentencepiece.SentencePieceProcessor:
    path: Path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.spm"
    text = [" ".join(WORDS[(i * k) % len(WORDS)] for k in range(1, 8)) for i in range(400)]
    train_tokenizer(text, path, vocabulary=400, languages=["de", "en"])
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def ids_of(processor: sentencepiece.SentencePieceProcessor, text: str) -> np.ndarray:
    return np.array(processor.encode(text), np.int32)


def test_a_drawn_segmentation_spells_the_same(processor: sentencepiece.SentencePieceProcessor) -> None:
    subwords, rng = Subwords.of_tokenizer(processor), np.random.default_rng(1)
    text = "Das Landhaus, Wasserboot und 12 😀 im Sommergarten " + PLACEHOLDERS[0]
    ids = ids_of(processor, text)
    drawn = [subwords.draw(ids, 0.5, rng) for _ in range(30)]
    assert {processor.decode(changed.tolist()) for changed, _ in drawn} == {processor.decode(ids.tolist())}
    assert len({tuple(changed.tolist()) for changed, _ in drawn}) >= 3
    for changed, positions in drawn:
        bounds = [*positions.tolist(), len(changed)]
        for index, (begin, end) in enumerate(pairwise(bounds)):
            spelt = "".join(processor.id_to_piece(int(i)) for i in changed[begin:end])
            assert spelt == processor.id_to_piece(int(ids[index]))


def test_nothing_changes_without_a_share_and_the_same_seed_draws_the_same(
    processor: sentencepiece.SentencePieceProcessor,
) -> None:
    subwords, ids = Subwords.of_tokenizer(processor), ids_of(processor, "Bergstadt Winterhof")
    same, positions = subwords.draw(ids, 0.0, np.random.default_rng(1))
    assert same.tolist() == ids.tolist() and positions.tolist() == list(range(len(ids)))
    once, again = (subwords.draw(ids, 0.5, np.random.default_rng(7))[0].tolist() for _ in range(2))
    assert once == again


def test_special_pieces_are_never_drawn(processor: sentencepiece.SentencePieceProcessor) -> None:
    subwords = Subwords.of_tokenizer(processor)
    used = {index for spellings in subwords.spellings.values() for spelling in spellings for index in spelling}
    used |= set(subwords.spellings)
    assert used
    for index in used:
        assert not processor.is_control(index) and not processor.is_byte(index) and not processor.is_unknown(index)
        assert processor.id_to_piece(index) not in PLACEHOLDERS
