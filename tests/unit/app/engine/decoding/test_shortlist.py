"""Shortlists: the pieces that a sentence's translation may use."""

import numpy as np
import pytest

from app.engine.decoding.shortlist import Shortlist
from app.errors import BundleError

# Piece 0 allows 3 and 1, piece 1 nothing, piece 2 is a target tag, piece 3 allows itself.
OFFSETS, PIECES = np.array([0, 2, 2, 5, 6]), np.array([3, 1, 0, 1, 2, 3])


def written(path, offsets, pieces):
    np.savez(path, offsets=np.array(offsets), pieces=np.array(pieces))
    return path


def test_a_sentence_gets_what_its_pieces_bring_about_and_the_pieces_themselves(tmp_path):
    Shortlist(OFFSETS, PIECES).save(tmp_path / "shortlist.npz")
    shortlist = Shortlist.read(tmp_path / "shortlist.npz")
    assert shortlist.of([1]).tolist() == [1]
    assert shortlist.of([0, 0, 1]).tolist() == [0, 1, 3]
    assert shortlist.of([2, 3]).tolist() == [0, 1, 2, 3]
    assert shortlist.of([0]).dtype == np.int64


@pytest.mark.parametrize(
    ("offsets", "pieces", "message"),
    [
        ([0, 2, 1], [0], "is not a shortlist"),
        ([1, 2], [0, 0], "is not a shortlist"),
        ([0, 1], [0, 0], "is not a shortlist"),
        ([0], [], "is not a shortlist"),
        ([[0, 1]], [0], "is not a shortlist"),
        ([0, 1, 2], [0, 2], "names pieces that the vocabulary doesn't have"),
        ([0, 1, 2], [-1, 0], "names pieces that the vocabulary doesn't have"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path, offsets, pieces, message):
    with pytest.raises(BundleError, match=message):
        Shortlist.read(written(tmp_path / "wrong.npz", offsets, pieces))


def test_what_is_no_table_is_refused(tmp_path):
    (tmp_path / "text.npz").write_text("pieces", encoding="utf-8")
    np.savez(tmp_path / "other.npz", other=OFFSETS)
    for name in ("text.npz", "other.npz", "missing.npz"):
        with pytest.raises(BundleError, match=f"{name} is not a shortlist"):
            Shortlist.read(tmp_path / name)
