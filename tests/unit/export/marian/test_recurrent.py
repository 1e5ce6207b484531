"""A release of Marian's with a recurrent decoder, as students of OPUS-MT have it, is the reference."""

import numpy as np
import pytest
import torch
import yaml

from export.bergamot.binary import BinaryWeights
from export.bergamot.weights import read_arrays, read_config
from export.marian.original import read_original
from tests.support.bergamot import options, random_tensors, train_pieces, write_weights
from tests.support.bergamot_reference import Reference
from tests.support.imported import as_transformer
from tests.support.tiny import sentence_pairs

MOST, PIECES = 10, 90


@pytest.fixture
def release(tmp_path):
    """The same weights as ``.npz`` and as ``.bin``."""
    train_pieces(tmp_path / "vocab.spm", [german for german, _ in sentence_pairs(300)])
    given = options(**{"dim-emb": 64, "transformer-dim-ffn": 48, "enc-depth": 2, "dec-depth": 2})
    tensors = random_tensors(given, PIECES)
    content = (yaml.safe_dump(given) + "\0").encode()
    np.savez(tmp_path / "model.npz", **tensors, **{"special:model.yml": np.frombuffer(content, dtype=np.int8)})
    (tmp_path / "decoder.yml").write_text(yaml.safe_dump({"models": ["model.npz"], "vocabs": ["vocab.spm"] * 2}))
    write_weights(tmp_path / "model.bin", tensors, given)
    return tmp_path


def test_both_readers_give_the_references_translations(release):
    model = as_transformer(read_original(release))
    assert model.config.recurrent
    reference, rng = Reference(release / "model.bin"), np.random.default_rng(0)
    for _ in range(5):
        source = [*rng.integers(2, PIECES, 7).tolist(), 0]
        tokens, looked, margins = reference.translate(source, MOST)
        given = torch.tensor([[model.config.decoder_start_id, *tokens]])
        with torch.no_grad():
            states, maps = model(torch.tensor([source]), given)
            best = model.logits(states)[0].argmax(-1).tolist()
        for position, token in enumerate(tokens):
            assert best[position] == token or margins[position] < 0.001
        assert maps.cross[-1][0, 0].argmax(-1).tolist()[: len(looked)] == looked


def test_both_readers_give_the_same_weights(release):
    read = read_original(release)
    weights = BinaryWeights(release / "model.bin")
    arrays = read_arrays(weights, read_config(weights, 0), set())
    assert arrays.keys() == read.arrays.keys()
    for name in arrays.keys() - {"positions", "projection.bias"}:  # of other lengths; what may not be produced differs
        np.testing.assert_array_equal(read.arrays[name], arrays[name])
    np.testing.assert_array_equal(read.arrays["positions"][:40], arrays["positions"][:40])
