"""The table of shortlists follows the word alignments of the training pairs."""

import numpy as np
import pytest

from export.shortlist import Vocabulary, build_shortlist, read_shortlist
from model.data.batches import Packed
from model.training.checkpoint import CheckpointError

EOS, TO_FIRST, TO_SECOND, BYTE, OTHER_BYTE = 1, 2, 3, 4, 5
# First-language pieces are 10 to 13, second-language pieces 20 to 23.
PAIRS = [([10, 11], [20, 21]), ([10], [20]), ([10], [22]), ([12], [23, 23])]
LINKS = [[(0, 0), (1, 1)], [(0, 0)], [(0, 0)], [(0, 0), (0, 1)]]


@pytest.fixture
def build():
    corpora = [
        Packed.build(PAIRS[:2], [np.array(links, np.int16) for links in LINKS[:2]]),
        Packed.build(PAIRS[2:], [np.array(links, np.int16) for links in LINKS[2:]]),
    ]

    def built(**limits):
        vocabulary = Vocabulary(30, (TO_FIRST, TO_SECOND), EOS, (BYTE, OTHER_BYTE), **limits)
        return build_shortlist(corpora, vocabulary)

    return built


def test_both_directions(build):
    shortlist = build(per_piece=5, per_language=5)
    assert shortlist.of([10]).tolist() == [10, 20, 22]
    assert shortlist.of([20]).tolist() == [10, 20]
    assert shortlist.of([23]).tolist() == [12, 23]
    assert shortlist.of([13]).tolist() == [13]


def test_the_most_frequent_links_are_kept(build):
    assert build(per_piece=1).of([10]).tolist() == [10, 20]


def test_a_tag_brings_the_frequent_pieces_of_its_language(build):
    assert build(per_language=2).of([TO_SECOND]).tolist() == [EOS, TO_SECOND, 20, 23]
    assert build(per_language=1).of([TO_FIRST]).tolist() == [EOS, TO_FIRST, 10]


def test_a_byte_brings_all_bytes(build):
    assert build().of([BYTE]).tolist() == [BYTE, OTHER_BYTE]


def test_a_run_without_alignments_is_refused(tmp_path):
    (tmp_path / "corpus").mkdir()
    with pytest.raises(CheckpointError, match="no aligned corpus"):
        read_shortlist(tmp_path, ("de", "en"))
    Packed.build(PAIRS, [np.zeros((0, 2), np.int16)] * len(PAIRS)).save(tmp_path / "corpus" / "00.npz")
    with pytest.raises(CheckpointError, match="no aligned corpus"):
        read_shortlist(tmp_path, ("de", "en"))


def test_a_bundles_table_is_taken_as_it_is(build, tmp_path):
    build().save(tmp_path / "shortlist.npz")
    table = read_shortlist(tmp_path, ("de", "en"))
    assert all(table.of([piece]).tolist() == build().of([piece]).tolist() for piece in range(30))
