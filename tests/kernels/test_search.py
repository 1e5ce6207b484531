"""The native search loops against ``app.engine.decoding.search`` over the same steps, to the last bit."""

import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.decoding.batch_decoder import Batch, BatchDecoder, decode
from app.engine.decoding.lexicon_search import LexiconSearch
from app.engine.decoding.search import Hypothesis, Search
from app.engine.decoding.split_batch import SplitBatch, new_batch
from app.engine.decoding.word_trees import RareWord, position_and_best
from app.engine.onnx.native import NativeModel
from app.engine.options import SearchOptions
from model.data.tokenizer import BOS_ID, EOS_ID
from tests.support.tiny import sentence_pairs, source_ids

MAX_LENGTH = 24
TEXTS = [german for german, _ in sentence_pairs(12, seed=3)]


PIECES = [f"\u2581{token}" if token % 2 else str(token) for token in range(512)]


def both(search: LexiconSearch) -> tuple[list[Hypothesis], list[Hypothesis]]:
    """The hypotheses of a search, without half words and as they were found."""
    return search.hypotheses(), Search.hypotheses(search)


@pytest.fixture(scope="module")
def sources(tiny_tokenizer):
    return source_ids(tiny_tokenizer, TEXTS)


@pytest.fixture(scope="module")
def models(tiny_bundle):
    """A model that makes whole searches, and a model that makes single steps."""
    paths = tiny_bundle.graphs("int8-native")
    return tuple(NativeModel(paths["encoder"], paths["decoder"], most_steps=most) for most in (64, 1))


options = st.builds(
    lambda beam, n_best, threshold, alpha, least, most: SearchOptions(
        beam_size=beam,
        n_best=min(n_best, beam),
        beam_threshold=threshold,
        length_penalty=alpha,
        min_length=min(least, most),
        max_length=most,
    ),
    st.integers(1, 6),
    st.sampled_from([1, 1, 6]),
    st.sampled_from([0.0, 0.3, 2.0, 100]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([0, 0, 0, 3]),
    st.integers(1, MAX_LENGTH),
)


Plan = list[tuple[int, SearchOptions, int]]
"""Searches: the number of the source, the options, and the turn in which it joins."""


def assert_as_single_searches(models, sources, plan: Plan, batch: Batch, most: int) -> None:
    """Search by the native model in the batch, and compare with each search alone, step by step."""
    native, stepwise = models
    expected = [
        decode(stepwise, [sources[index]], start_id=BOS_ID, eos_id=EOS_ID, options=wanted)[0]
        for index, wanted, _ in plan
    ]
    searches = [
        Search(start_id=BOS_ID, eos_id=EOS_ID, max_length=wanted.max_length or 0, options=wanted)
        for _, wanted, _ in plan
    ]
    done: list[Search] = []
    for turn in range(13 + MAX_LENGTH):
        joining = [place for place, (_, _, when) in enumerate(plan) if when == turn]
        if joining:
            features = native.encode([sources[plan[place][0]] for place in joining])
            batch.join([searches[place] for place in joining], features)
        if batch.live_rows:
            done += batch.step(most)
    assert set(searches) == set(done)
    assert [search.hypotheses() for search in searches] == expected


@settings(max_examples=60)
@given(plan=st.lists(st.tuples(st.integers(0, len(TEXTS) - 1), options, st.integers(0, 12)), min_size=1, max_size=8))
def test_whole_searches_are_those_of_single_steps(models, sources, plan):
    """Hypothesis by hypothesis, alignment included, whoever joins meanwhile."""
    assert_as_single_searches(models, sources, plan, BatchDecoder(models[0]), sys.maxsize)


@settings(max_examples=30)
@given(
    plan=st.lists(
        st.tuples(st.integers(0, len(TEXTS) - 1), options, st.sampled_from([0, 0, 2]), st.integers(0, 12)),
        min_size=2,
        max_size=8,
    ),
    most=st.integers(1, 64),
)
def test_a_batch_in_two_parts_gives_the_results_of_single_searches(models, sources, plan, most):
    """Searches with restrictions and without, whoever joins meanwhile; one was dropped before."""
    native, _ = models
    batch = new_batch(native)
    assert isinstance(batch, SplitBatch)
    dropped = Search(start_id=BOS_ID, eos_id=EOS_ID, max_length=MAX_LENGTH, options=SearchOptions(no_repeat_ngram=2))
    batch.join([dropped], native.encode(sources[:1]))
    batch.step(1)
    batch.drop([dropped])
    restricted = [(index, replace(wanted, no_repeat_ngram=size), when) for index, wanted, size, when in plan]
    assert_as_single_searches(models, sources, restricted, batch, most)


tokens = st.integers(3, 60)
translations = st.lists(st.lists(tokens, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)


@settings(max_examples=60)
@given(
    plan=st.lists(
        st.tuples(
            st.integers(0, len(TEXTS) - 1),
            options,
            st.lists(st.none() | st.tuples(translations, st.booleans()), max_size=8),
            st.sampled_from([0, 0, 2]),
            st.integers(0, 12),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_searches_with_a_lexicon_are_those_of_single_steps(models, sources, plan):
    """Rare words and names at the first positions; some searches forbid something besides, and go step by step."""

    def search(wanted: SearchOptions, known: list[tuple[tuple[tuple[int, ...], ...], bool] | None]) -> Search:
        words = [RareWord((at,), *each) for at, each in enumerate(known) if each]
        return LexiconSearch(
            rare_words=words, pieces=PIECES,
            start_id=BOS_ID, eos_id=EOS_ID, max_length=wanted.max_length or 0, options=wanted,
        )  # fmt: skip

    native, stepwise = models
    plan = [(index, replace(wanted, no_repeat_ngram=size), known, when) for index, wanted, known, size, when in plan]
    expected = []
    for index, wanted, known, _ in plan:
        alone = BatchDecoder(stepwise)
        alone.join([one := search(wanted, known)], stepwise.encode([sources[index]]))
        while alone.searches:
            alone.step()
        expected.append(both(one))
    searches = [search(wanted, known) for _, wanted, known, _ in plan]
    batch = new_batch(native)
    for turn in range(13 + MAX_LENGTH):
        joining = [place for place, (*_, when) in enumerate(plan) if when == turn]
        if joining:
            features = native.encode([sources[plan[place][0]] for place in joining])
            batch.join([searches[place] for place in joining], features)
        if batch.live_rows:
            batch.step(sys.maxsize)
    assert [both(each) for each in searches] == expected


@pytest.mark.parametrize("beam", [1, 4])
def test_what_model_and_lexicon_both_say_counts_the_same(models, sources, beam):
    """The lexicon offers what the model writes without it, so both probabilities are added."""
    native, stepwise = models
    wanted = SearchOptions(beam_size=beam, max_length=MAX_LENGTH)
    plain = decode(native, sources, start_id=BOS_ID, eos_id=EOS_ID, options=wanted)

    def searches() -> list[Search]:
        return [
            LexiconSearch(
                rare_words=[RareWord((at,), ((token,),)) for at, token in enumerate(found[0].tokens)], pieces=PIECES,
                start_id=BOS_ID, eos_id=EOS_ID, max_length=MAX_LENGTH, options=wanted,
            )
            for found in plain
        ]  # fmt: skip

    results = []
    for batch, model, steps in ((new_batch(native), native, sys.maxsize), (BatchDecoder(stepwise), stepwise, 1)):
        batch.join(own := searches(), model.encode(sources))
        while batch.live_rows:
            batch.step(steps)
        results.append([both(each) for each in own])
    assert results[0] == results[1]
    assert any(position_and_best(at)[1] for _, raw in results[0] for found in raw for at in found.attended)
    assert [found for found, _ in results[0]] != plain


def test_places_are_given_back(models, sources):
    """However many sentences come and go, and are dropped, the memory doesn't grow."""
    native, _ = models
    batch = BatchDecoder(native)
    wanted = SearchOptions(beam_size=4)
    size = batch._rows._memory.array.shape
    for number in range(60):
        search = Search(start_id=BOS_ID, eos_id=EOS_ID, max_length=MAX_LENGTH, options=wanted)
        batch.join([search], native.encode([sources[number % len(sources)]]))
        batch.step(1 + number % 3)
        if number % 5 == 4:
            batch.drop(batch.searches[:1])
    assert batch._rows._memory.array.shape == size


def test_a_search_that_needs_more_than_the_loops_know_goes_step_by_step(models, sources):
    native, stepwise = models
    for wanted in (SearchOptions(no_repeat_ngram=2), SearchOptions(repetition_penalty=1.5, beam_size=2)):
        limited = replace(wanted, max_length=MAX_LENGTH)
        one, other = (decode(m, sources, start_id=BOS_ID, eos_id=EOS_ID, options=limited) for m in (native, stepwise))
        assert one == other
