import tomllib
from collections import Counter
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from model.data.batches import BOTH, FORWARD, REVERSE, Batch, BatchStream, NumberedBatches, Packed, pad
from model.data.subwords import Subwords
from model.data.tokenizer import BOS_ID, EOS_ID, PAD_ID
from model.recipe import Recipe
from tests.support.toy_language import toy_recipe

TAGS = (4, 5)
SHIFT = 5000
MARK = 6


def numbered_corpus(count: int, *, first_id: int = 100, seed: int = 0) -> Packed:
    """Pairs whose ids occur once in the corpus; the second side is the first + SHIFT, reordered, and linked so."""
    rng = np.random.default_rng(seed)
    pairs, links, start = [], [], first_id
    for _ in range(count):
        length = int(rng.integers(1, 12))
        order = rng.permutation(length)
        ids = np.arange(start, start + length)
        pairs.append((ids.tolist(), (ids[order] + SHIFT).tolist()))
        links.append(np.stack([order, np.arange(length)], 1).astype(np.int16))
        start += length
    return Packed.build(pairs, links)


def stream(
    corpora: list[Packed], weights: list[float] | None = None, *, seed: int = 1, **training: float
) -> BatchStream:
    recipe = Recipe.model_validate({**tomllib.loads(toy_recipe(**training)), "seed": seed})
    return BatchStream(corpora, weights or [1.0] * len(corpora), recipe, TAGS)


def equal(a: Batch, b: Batch) -> bool:
    return all(torch.equal(x, y) for x, y in zip(a[:5], b[:5], strict=True)) and a.distilled == b.distilled


def test_pad_fills_on_the_right() -> None:
    padded = pad([np.array([7, 8, 9]), np.array([6])])
    assert padded.dtype == torch.int64
    assert padded.tolist() == [[7, 8, 9], [6, PAD_ID, PAD_ID]]


def test_a_packed_corpus_gives_back_what_went_in(tmp_path: Path) -> None:
    pairs = [([11, 12], [21]), ([], [22, 23]), ([13], [24])]
    links = [np.array([[0, 0], [1, 0]], np.int16), np.zeros((0, 2), np.int16), np.array([[0, 0]], np.int16)]
    Packed.build(pairs, links).save(tmp_path / "corpus.npz")
    packed = Packed.load(tmp_path / "corpus.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.npz"]
    assert len(packed) == 3
    assert [(packed.side(n, 0).tolist(), packed.side(n, 1).tolist()) for n in range(3)] == pairs
    assert packed.lengths(0).tolist() == [2, 0, 1] and packed.lengths(1).tolist() == [1, 2, 1]
    bounds = packed.link_offsets
    assert [packed.links[a:b].tolist() for a, b in pairwise(bounds)] == [link.tolist() for link in links]


def test_an_empty_corpus_can_be_packed(tmp_path: Path) -> None:
    Packed.build([], []).save(tmp_path / "corpus.npz")
    assert len(Packed.load(tmp_path / "corpus.npz")) == 0


def test_the_same_seed_gives_the_same_batches() -> None:
    corpus = [numbered_corpus(50)]
    once, again = (list(islice(stream(corpus).batches(), 40)) for _ in range(2))
    assert all(equal(a, b) for a, b in zip(once, again, strict=True))
    other = list(islice(stream(corpus, seed=2).batches(), 40))
    assert not all(equal(a, b) for a, b in zip(once, other, strict=True))


@pytest.mark.parametrize(("direction", "reverse"), [("forward", [0]), ("reverse", [1]), ("both", [0, 1])])
def test_a_recipe_may_train_one_direction_only(direction: str, reverse: list[int]) -> None:
    recipe = Recipe.model_validate({**tomllib.loads(toy_recipe()), "direction": direction})
    examples = np.concatenate(BatchStream([numbered_corpus(50)], [1.0], recipe, TAGS).epoch(0))
    assert sorted(set(examples[:, 2].tolist())) == reverse
    assert len(examples) == 50 * len(reverse)


def test_epochs_hold_the_same_pairs_in_another_order() -> None:
    epochs = [np.concatenate(stream([numbered_corpus(50)]).epoch(number)).tolist() for number in (0, 1)]
    assert epochs[0] != epochs[1]
    assert sorted(epochs[0]) == sorted(epochs[1])


@pytest.mark.parametrize(("first", "stride"), [(0, 1), (3, 1), (0, 2), (1, 2), (7, 5), (60, 3)])
def test_batches_can_begin_anywhere_and_leave_some_to_others(first: int, stride: int) -> None:
    batches = stream([numbered_corpus(50)], batch_tokens=60)
    assert len(batches.epoch(0)) < 60, "the slices below must cross an epoch's end"
    every = list(islice(batches.batches(), 100))
    mine = list(islice(batches.batches(first, stride), len(every[first::stride])))
    assert all(equal(a, b) for a, b in zip(mine, every[first::stride], strict=True))


def test_batches_keep_to_the_token_budget_and_use_it() -> None:
    batches = stream([numbered_corpus(300)], batch_tokens=90)
    made = [batches.collate(examples) for examples in batches.epoch(0)]
    assert max(max(batch.source.numel(), batch.target_input.numel()) for batch in made) <= 90
    filled = sum(int((batch.source != PAD_ID).sum()) for batch in made)
    assert filled > 0.7 * 90 * len(made), "sorted by length, batches are nearly full"


def test_shapes_recur() -> None:
    """A processor's library compiles kernels for each shape."""
    batches = stream([numbered_corpus(300)], batch_tokens=90)
    for examples in batches.epoch(0):
        batch = batches.collate(examples)
        assert batch.source.shape[1] % 2 == batch.target_input.shape[1] % 2 == 0
        assert batch.target_output.shape == batch.target_input.shape


def test_every_pair_is_drawn_by_its_weight_in_both_directions() -> None:
    corpora = [numbered_corpus(40), numbered_corpus(600, first_id=1000), numbered_corpus(30, first_id=9000)]
    examples = np.concatenate(stream(corpora, [2, 0.5, 0]).epoch(0))
    drawn = Counter(map(tuple, examples.tolist()))
    assert [drawn[0, pair, reverse] for pair in range(40) for reverse in (0, 1)] == [2] * 80
    halves = [sum(drawn[1, pair, reverse] for pair in range(600)) for reverse in (0, 1)]
    assert halves == pytest.approx([300, 300], abs=50)
    assert max(count for (corpus, _, _), count in drawn.items() if corpus == 1) == 1
    assert not any(corpus == 2 for corpus, _, _ in drawn)


def test_a_source_starts_with_the_tag_of_the_language_it_is_translated_into() -> None:
    corpus = Packed.build([([11, 12], [21, 22, 23])], [np.array([[0, 2], [1, 0]], np.int16)])
    forward = stream([corpus]).collate(np.array([[0, 0, 0]]))
    assert forward.source.tolist() == [[TAGS[1], 11, 12, EOS_ID]]
    assert forward.target_input.tolist() == [[BOS_ID, 21, 22, 23]]
    assert forward.target_output.tolist() == [[21, 22, 23, EOS_ID]]
    assert forward.links.tolist() == [[0, 2, 1], [0, 0, 2], [0, 3, 3]]
    backward = stream([corpus]).collate(np.array([[0, 0, 1]]))
    assert backward.source.tolist() == [[TAGS[0], 21, 22, 23, EOS_ID, PAD_ID]]
    assert backward.target_output.tolist() == [[11, 12, EOS_ID, PAD_ID]]
    assert backward.links.tolist() == [[0, 0, 3], [0, 1, 1], [0, 2, 4]]


def test_links_point_at_the_right_tokens_in_both_directions() -> None:
    batches = stream([numbered_corpus(80)])
    directions = set()
    for batch in map(batches.collate, batches.epoch(0)):
        rows, target_at, source_at = batch.links.unbind(1)
        source, target = batch.source[rows, source_at], batch.target_output[rows, target_at]
        ends = target == EOS_ID
        assert (source[ends] == EOS_ID).all() and int(ends.sum()) == len(batch.source)
        forward = batch.source[rows, 0] == TAGS[1]
        expected = torch.where(forward, SHIFT, -SHIFT)
        assert ((target - source)[~ends] == expected[~ends]).all()
        assert len(rows) == int((batch.target_output != PAD_ID).sum()), "every target token is linked here"
        directions |= set(batch.source[:, 0].tolist())
    assert directions == set(TAGS)


def test_the_links_of_a_target_token_share_its_weight() -> None:
    links = np.array([[0, 0], [1, 0], [2, 1]], np.int16)
    batch = stream([Packed.build([([11, 12, 13], [21, 22])], [links])]).collate(np.array([[0, 0, 0], [0, 0, 1]]))
    weights: Counter[tuple[int, int]] = Counter()
    for (row, target_at, _), weight in zip(batch.links.tolist(), batch.link_weights.tolist(), strict=True):
        weights[row, target_at] += weight
    assert weights == {(0, 0): 1, (0, 1): 1, (0, 2): 1, (1, 0): 1, (1, 1): 1, (1, 2): 1, (1, 3): 1}
    assert batch.link_weights.tolist()[:2] == [0.5, 0.5]


def test_pairs_that_are_too_long_or_empty_on_a_side_are_left_out() -> None:
    pairs = [([11], [21]), ([12] * 9, [22]), ([13], [23] * 8), ([], [24]), ([14], []), ([], [])]
    corpus = Packed.build(pairs, [np.zeros((0, 2), np.int16)] * len(pairs))
    drawn = np.concatenate(stream([corpus], max_length=10).epoch(0))
    assert {pair for _, pair, _ in drawn.tolist()} == {0, 2}


def test_where_no_pair_is_usable_that_is_said() -> None:
    corpus = Packed.build([([11] * 50, [21])], [np.zeros((0, 2), np.int16)])
    with pytest.raises(ValueError, match="no training pair"):
        next(stream([corpus], max_length=10).batches())


def test_moving_a_batch_moves_all_of_it() -> None:
    batch = stream([numbered_corpus(5)]).collate(np.array([[0, 0, 0]])).to(torch.device("meta"))
    assert {tensor.device.type for tensor in batch[:5]} == {"meta"}


def test_a_pair_is_only_drawn_the_ways_it_is_meant_for() -> None:
    pairs = [([11], [21]), ([12], [22]), ([13], [23])]
    none = [np.zeros((0, 2), np.int16)] * 3
    corpus = Packed.build(pairs, none, [FORWARD, REVERSE, BOTH])
    drawn = sorted((pair, reverse) for _, pair, reverse in np.concatenate(stream([corpus]).epoch(0)).tolist())
    assert drawn == [(0, 0), (1, 1), (2, 0), (2, 1)]


def test_synthetic_sources_are_marked() -> None:
    links = [np.array([[0, 0]], np.int16)]
    corpora = [Packed.build([([11], [21])], links) for _ in range(2)]
    batches = BatchStream(corpora, [1, 1], stream(corpora).recipe, TAGS, [None, MARK])
    plain, marked = (batches.collate(np.array([[index, 0, 0]])) for index in (0, 1))
    assert plain.source.tolist()[0][:3] == [TAGS[1], 11, EOS_ID]
    assert marked.source.tolist() == [[TAGS[1], MARK, 11, EOS_ID]]
    assert marked.links.tolist() == [[0, 0, 2], [0, 1, 3]]


def documents(corpora: list[Packed], **training: float) -> BatchStream:
    """The first corpus is in the order of its documents."""
    recipe = stream(corpora, segments=3, **training).recipe
    return BatchStream(corpora, [1] * len(corpora), recipe, TAGS, consecutive=[True] + [False] * (len(corpora) - 1))


def test_sentences_of_documents_are_learnt_in_a_row() -> None:
    batches = documents([numbered_corpus(40), numbered_corpus(40, first_id=2000)], batch_tokens=90)
    rows = alone = 0
    for examples in batches.epoch(0):
        batch = batches.collate(examples)
        assert len(batch.segments) == (3 if examples[0, 0] == 0 else 1)
        assert len(set(examples[:, 0].tolist())) == 1
        alone += len(examples) * (examples[0, 0] == 1)
        for number, segment in enumerate(batch.segments):
            single = batches._collate(examples + np.array([0, number, 0]))
            assert equal(segment, single)
            rows += len(examples) * (examples[0, 0] == 0)
        padded = sum(max(part.source.shape[1], part.target_input.shape[1]) for part in batch.segments) * len(examples)
        assert padded <= 90
        assert batch.tokens == sum(int((part.target_output != PAD_ID).sum()) for part in batch.segments)
        assert len(batch.to(torch.device("meta")).following) == len(batch.following)
    assert alone == 80
    assert 2 * 36 <= rows <= 2 * 39, "whole threes of forty, in both directions"
    starts = [{int(row[1]) % 3 for row in np.concatenate(batches.epoch(n)) if row[0] == 0} for n in range(8)]
    assert set.union(*starts) == {0, 1, 2}, "each epoch begins with another sentence"


def test_distilled_sources_have_batches_of_their_own() -> None:
    corpora = [numbered_corpus(40), numbered_corpus(40, first_id=2000)]
    batches = BatchStream(corpora, [1.0, 0.5], stream(corpora).recipe, TAGS, distilled=[False, True])
    drawn = Counter[tuple[int, bool]]()
    for examples in batches.epoch(0):
        batch = batches.collate(examples).to(torch.device("meta"))
        drawn.update((int(index), batch.distilled) for index in examples[:, 0])
    assert set(drawn) == {(0, False), (1, True)}
    assert drawn[0, False] == 80 and 20 <= drawn[1, True] <= 60


def test_a_document_ends_at_a_pair_that_is_left_out() -> None:
    pairs = [([11], [21])] * 4 + [([12] * 9, [22])] + [([13], [23])] * 3
    corpus = Packed.build(pairs, [np.zeros((0, 2), np.int16)] * len(pairs))
    drawn = {
        tuple(row) for n in range(9) for row in np.concatenate(documents([corpus], max_length=10).epoch(n)).tolist()
    }
    assert {pair for _, pair, _ in drawn} <= {0, 1, 5}


@pytest.mark.filterwarnings("ignore:This DataLoader will create 2 worker processes:UserWarning")  # on one processor
def test_other_processes_collate_the_same_batches() -> None:
    batches = stream([numbered_corpus(50)], batch_tokens=60)
    loader = DataLoader(NumberedBatches(batches, 3, 1), batch_size=None, num_workers=2)
    alone = islice(batches.batches(3), 8)
    assert all(equal(a, Batch(*b)) for a, b in zip(alone, loader, strict=False))


def test_sampled_sources_keep_their_links_and_distilled_ones_stay_whole() -> None:
    corpora = [numbered_corpus(40), numbered_corpus(40, seed=1)]
    # Piece i is spelt by 20000 + i and 30000 + i.
    pieces = range(20_000)
    subwords = Subwords({i: ((i + 20_000, i + 30_000),) for i in pieces}, {i: np.ones(1) for i in pieces})
    recipe = stream(corpora, subword_sampling=0.5).recipe
    batches = BatchStream(corpora, [1.0, 1.0], recipe, TAGS, distilled=[False, True], subwords=subwords)
    changed = 0
    for batch in islice(batches.batches(), 40):
        whole = batch.source < 20_000
        if batch.distilled:
            assert whole.all()
            continue
        changed += int((~whole).sum())
        for row, target_at, source_at in batch.links.tolist():
            target, source = int(batch.target_output[row, target_at]), int(batch.source[row, source_at])
            assert (target, source) == (EOS_ID, EOS_ID) or abs(target - source % 10_000) == SHIFT
    assert changed
    once, again = (list(islice(batches.batches(), 10)) for _ in range(2))
    assert all(equal(a, b) for a, b in zip(once, again, strict=True))
    assert all(equal(a, b) for a, b in zip(once[5:], islice(batches.batches(5), 5), strict=True))
