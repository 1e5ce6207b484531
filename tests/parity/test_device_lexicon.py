"""The lexicon in the graphs for a GPU: what they find on the CPU is what single steps with its trees find."""

from collections.abc import Sequence
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.engine.decoding.batch_decoder import BatchDecoder
from app.engine.decoding.lexicon_search import LexiconSearch
from app.engine.decoding.search import Hypothesis, Search
from app.engine.decoding.word_trees import RareWord, position_and_best
from app.engine.models.bundle import Bundle
from app.engine.onnx.device import DeviceModel
from app.engine.onnx.device_graphs import SOURCE_POSITIONS, Source
from app.engine.onnx.device_lexicon import CHILDREN, WORDS, fits, trees_of
from app.engine.onnx.device_rows import DeviceRows
from app.engine.options import SearchOptions
from model.data.tokenizer import BOS_ID, EOS_ID
from tests.support.device import device_batch, open_device_model, run, write_device_graphs
from tests.support.tiny import open_graphs, sentence_pairs, source_ids

TEXTS = [german for german, _ in sentence_pairs(8, seed=9)]
LONGEST = 16
PIECES = [f"\u2581{token}" if token % 2 else str(token) for token in range(512)]

Known = Sequence[tuple[tuple[tuple[int, ...], ...], bool] | None]


@pytest.fixture(scope="module")
def sources(tiny_tokenizer: Path) -> list[tuple[int, ...]]:
    return [tuple(source) for source in source_ids(tiny_tokenizer, TEXTS)]


@pytest.fixture(scope="module")
def model(tiny_bundle: Bundle, tmp_path_factory: pytest.TempPathFactory) -> DeviceModel:
    return open_device_model(tiny_bundle, write_device_graphs(tiny_bundle, tmp_path_factory.mktemp("device")))


def search(known: Known, beam: int, n_best: int = 1, longest: int = LONGEST) -> Search:
    """A search that knows the words at the first source positions."""
    chosen = SearchOptions(beam_size=beam, n_best=min(n_best, beam), max_length=longest)
    words = [RareWord((at,), *each) for at, each in enumerate(known) if each]
    ends = {"start_id": BOS_ID, "eos_id": EOS_ID, "max_length": longest}
    return LexiconSearch(rare_words=words, pieces=PIECES, options=chosen, **ends)


def stepwise(bundle: Bundle, source: tuple[int, ...], one: Search) -> Search:
    """The same search, step by step."""
    simple = open_graphs(bundle, "float32")
    batch = BatchDecoder(simple)
    batch.join([one], simple.encode([source]))
    while batch.searches:
        batch.step()
    return one


def close(found: Sequence[Hypothesis], wanted: Sequence[Hypothesis]) -> None:
    """Equal but for the last digits of scores, and for tokens that nobody looks at, see ``with_best``."""
    for name in ("tokens", "truncated"):
        assert [getattr(each, name) for each in found] == [getattr(each, name) for each in wanted]
    positions = [[[position_and_best(at)[0] for at in each.attended] for each in both] for both in (found, wanted)]
    assert positions[0] == positions[1]
    np.testing.assert_allclose([each.score for each in found], [each.score for each in wanted], atol=1e-4)


# Few tokens, so that words share beginnings, and one translation is the beginning of another.
tokens = st.sampled_from([5, 6, 7, 9, 11, 13])
translations = st.lists(st.lists(tokens, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)
words = st.lists(st.none() | st.tuples(translations, st.booleans()), max_size=8)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    plan=st.lists(
        st.tuples(words, st.integers(1, 4), st.sampled_from([1, 1, 4]), st.integers(1, LONGEST)),
        min_size=1,
        max_size=len(TEXTS),
    ),
    joins=st.integers(1, 3),
    steps=st.integers(2, 8),
)
def test_searches_find_what_single_steps_find(model, tiny_bundle, sources, plan, joins, steps):
    """Slots are used again, so trees and progress of the sentence before must be gone."""
    searches = [search(*each) for each in plan]
    assume(all(fits(trees, SOURCE_POSITIONS) for trees in map(trees_of, searches) if trees))
    pairs = [(one, Source(source)) for one, source in zip(searches, sources, strict=False)]
    run(device_batch(model), pairs, repeat(joins), repeat(steps))
    for one, each, source in zip(searches, plan, sources, strict=False):
        expected = stepwise(tiny_bundle, source, search(*each))
        close(Search.hypotheses(one), Search.hypotheses(expected))
        close(one.hypotheses(), expected.hypotheses())  # without half words


@pytest.mark.parametrize("beam", [1, 4])
def test_what_model_and_lexicon_both_say_counts_the_same(model, tiny_bundle, sources, beam):
    for source in sources[:3]:
        [plain] = stepwise(tiny_bundle, source, search([], beam)).hypotheses()
        known = [(((token,),), False) for token in plain.tokens]
        one = search(known, beam)
        run(device_batch(model), [(one, Source(source))], repeat(1), repeat(8))
        expected = stepwise(tiny_bundle, source, search(known, beam))
        close(one.hypotheses(), expected.hypotheses())
        assert one.hypotheses()[0].log_probability != pytest.approx(plain.log_probability)


def test_whoever_reads_along_sees_no_half_words(model, sources):
    one, seen = search([(((5, 6),), False)] * 6, 1), []
    one.streams = True
    batch = device_batch(model)
    batch.join([one], model.encode([sources[0]]))
    while batch.live_rows:
        batch.step(2)
        seen.append(one.best_tokens)
    [found] = one.hypotheses()
    assert all(found.tokens[: len(part)] == part for part in seen)


def test_trees_that_no_slot_has_room_for_go_step_by_step(model, sources):
    source = Source(sources[0])
    assert model._takes(search([(((5,),), False)], 4), source)
    many = (tuple((token,) for token in range(5, 6 + CHILDREN)), False)
    assert not model._takes(search([many], 4), source)
    assert not model._takes(search([(((5,),), False)] * (WORDS + 1), 4), source)


def test_graphs_without_a_lexicon_leave_such_searches_to_single_steps(tiny_bundle, tmp_path, sources):
    paths = write_device_graphs(tiny_bundle, tmp_path, has_lexicon=False)
    model = open_device_model(tiny_bundle, paths)
    known, source = [(((5, 6),), False)] * 4, Source(sources[0])
    assert not model._takes(search(known, 2), source)
    assert model._takes(search([], 2), source)
    one, batch = search(known, 2), model.new_batch()
    batch.join([one], [source])
    while batch.live_rows:
        batch.step(8)
    close(one.hypotheses(), stepwise(tiny_bundle, sources[0], search(known, 2)).hypotheses())


def test_a_slot_without_a_search_keeps_no_progress(model, sources):
    """A search that was dropped in the middle of a translation leaves the slot clean for a sentence without words."""
    rows = DeviceRows(model.graphs, 4, sentences=1, eos_id=EOS_ID)
    gone = search([(((5, 6, 7, 9),), False)] * 8, 4)
    rows.join([gone], model.encode([sources[0]]))
    rows.advance(2)
    rows.drop([gone])
    found = []
    for each in (rows, DeviceRows(model.graphs, 4, sentences=1, eos_id=EOS_ID)):
        one = search([], 4)
        each.join([one], model.encode([sources[0]]))
        while each.searches:
            each.advance(8)
        found.append(one.hypotheses())
    assert found[0] == found[1]
