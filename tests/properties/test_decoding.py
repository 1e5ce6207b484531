"""The shipping search against slow, obvious ones, over a toy model. Scores are random reals, so ties don't occur."""

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.engine.decoding.batch_decoder import BatchDecoder, decode
from app.engine.decoding.search import Hypothesis, Search, default_max_length, length_penalty
from app.engine.options import SearchOptions
from tests.support.reference import beam_search, exhaustive_search, greedy_search
from tests.support.toy import EOS, START, ToyModel, greedy

quick = settings(max_examples=60)

# Never so large that min_length and no_repeat_ngram leave no continuation: the oracle doesn't define what is left then,
# and test_where_every_continuation_is_forbidden_what_there_is_must_do does.
SMALLEST_VOCABULARY, LARGEST_MIN_LENGTH = 7, 6

models = st.builds(
    ToyModel,
    st.integers(SMALLEST_VOCABULARY, 14),
    seed=st.integers(0, 999),
    eos_bonus=st.sampled_from([-4.0, -1.0, 0.0, 2.0]),
    most_steps=st.sampled_from([1, 2, 4]),
)
sources = st.lists(st.integers(3, 9), min_size=1, max_size=5).map(tuple)
penalties = st.sampled_from([1.0, 1.1, 1.7, 5.0])
alphas = st.floats(0, 3)


@st.composite
def search_options(draw: st.DrawFn, all_found: bool = False) -> SearchOptions:
    beam = draw(st.integers(1, 5))
    max_length = draw(st.integers(1, 9))
    return SearchOptions(
        beam_size=beam,
        n_best=beam if all_found else draw(st.integers(1, beam)),
        beam_threshold=draw(st.floats(0, 5)),
        length_penalty=draw(alphas),
        min_length=draw(st.integers(0, min(max_length, LARGEST_MIN_LENGTH))),
        max_length=max_length,
        no_repeat_ngram=draw(st.integers(0, 3)),
        repetition_penalty=draw(penalties),
    )


def translate(model: ToyModel, source: tuple[int, ...], options: SearchOptions) -> list[Hypothesis]:
    [hypotheses] = decode(model, [source], start_id=START, eos_id=EOS, options=options)
    return hypotheses


@quick
@given(models, sources, st.integers(1, 12))
def test_a_beam_of_one_is_greedy_search(model, source, max_length):
    [hypothesis] = translate(model, source, greedy(max_length=max_length))
    assert hypothesis.tokens == greedy_search(model.next_scores(source), eos_id=EOS, max_length=max_length)


@quick
@given(models, sources, search_options())
def test_beam_search_finds_what_the_oracle_finds(model, source, options):
    found = translate(model, source, options)
    expected = beam_search(
        model.next_scores(source),
        eos_id=EOS,
        max_length=options.max_length,
        beam=options.beam_size,
        alpha=options.length_penalty,
        min_length=options.min_length,
        no_repeat_ngram=options.no_repeat_ngram,
        repetition_penalty=options.repetition_penalty,
        threshold=options.beam_threshold if options.n_best == 1 else math.inf,
    )
    assert [(item.tokens, item.score) for item in found] == expected[: options.n_best]


words = st.lists(st.lists(st.integers(3, 9), min_size=1, max_size=3).map(tuple), min_size=1, max_size=4, unique=True)


@quick
@given(st.integers(0, 999), st.sampled_from([1, 4]), sources, search_options(), words)
def test_avoided_words_are_as_if_they_had_no_probability(seed, most_steps, source, options, avoided):
    model = ToyModel(14, seed=seed, most_steps=most_steps)
    options = replace(options, no_repeat_ngram=0, repetition_penalty=1.0)
    search = Search(start_id=START, eos_id=EOS, max_length=options.max_length, options=options, avoided=avoided)
    batch = BatchDecoder(model)
    batch.join([search], model.encode([source]))
    while batch.searches:
        batch.step()

    def scores(target):
        known = model.next_scores(source)(target)
        banned = {word[-1] for word in avoided if target[len(target) - len(word) + 1 :] == word[:-1]}
        return [-math.inf if token in banned else score for token, score in enumerate(known)]

    expected = beam_search(
        scores,
        eos_id=EOS,
        max_length=options.max_length,
        beam=options.beam_size,
        alpha=options.length_penalty,
        min_length=options.min_length,
        threshold=options.beam_threshold if options.n_best == 1 else math.inf,
    )
    assert [(item.tokens, item.score) for item in search.hypotheses()] == expected[: options.n_best]


@quick
@given(st.integers(0, 999), sources, alphas, st.sampled_from([(3, 1), (3, 2), (3, 3), (4, 2), (13, 1)]))
def test_a_beam_wide_enough_is_exhaustive_search(seed, source, alpha, size):
    vocabulary, max_length = size
    model = ToyModel(vocabulary, seed=seed)
    best, *_ = translate(
        model, source, SearchOptions(beam_size=16, n_best=2, max_length=max_length, length_penalty=alpha)
    )
    expected = exhaustive_search(
        model.next_scores(source), eos_id=EOS, vocabulary=vocabulary, max_length=max_length, alpha=alpha
    )
    assert best.tokens == expected.tokens
    assert best.score == pytest.approx(expected.score)


@quick
@given(models, sources, search_options())
def test_the_best_come_first_and_are_the_same_whatever_n(model, source, options):
    assume(options.n_best > 1)  # for one, some may be given up
    all_found = translate(model, source, SearchOptions(**(vars(options) | {"n_best": options.beam_size})))
    assert translate(model, source, options) == all_found[: options.n_best]
    assert len({item.tokens for item in all_found}) == len(all_found)
    assert [item.truncated for item in all_found] == sorted(item.truncated for item in all_found)
    for _, group in itertools.groupby(all_found, key=lambda item: item.truncated):
        ranks = [item.score for item in group]
        assert ranks == sorted(ranks, reverse=True)


@quick
@given(models, sources, st.integers(1, 5), st.integers(1, 9), alphas)
def test_scores_are_the_models_and_truncated_says_who_ended(model, source, beam, max_length, alpha):
    options = SearchOptions(beam_size=beam, n_best=beam, max_length=max_length, length_penalty=alpha)
    for hypothesis in translate(model, source, options):
        ended = hypothesis.tokens if hypothesis.truncated else (*hypothesis.tokens, EOS)
        total = sum(float(model.scores(source, ended[:n])[token]) for n, token in enumerate(ended))
        assert hypothesis.log_probability == pytest.approx(total)
        assert hypothesis.score == pytest.approx(total / ((5 + len(ended)) / 6) ** alpha)
        assert EOS not in hypothesis.tokens
        assert len(hypothesis.tokens) == max_length if hypothesis.truncated else len(hypothesis.tokens) < max_length


@quick
@given(models, sources, search_options(all_found=True))
def test_limits_and_ngrams_are_kept(model, source, options):
    for hypothesis in translate(model, source, options):
        tokens, size = hypothesis.tokens, options.no_repeat_ngram
        assert options.min_length <= len(tokens) <= options.max_length
        if size:
            ngrams = [tokens[begin : begin + size] for begin in range(len(tokens) - size + 1)]
            assert len(ngrams) == len(set(ngrams))


@quick
@given(models, st.lists(st.tuples(sources, search_options()), min_size=1, max_size=6), st.data())
def test_companions_change_nothing(model, sentences, data):
    """Each with options of its own, joining at different steps, some dropped midway: as if each were alone."""
    expected = [translate(model, source, options) for source, options in sentences]
    joins = data.draw(st.lists(st.integers(0, 6), min_size=len(sentences), max_size=len(sentences)), label="joins")
    drops = data.draw(st.dictionaries(st.integers(0, len(sentences) - 1), st.integers(1, 8)), label="drops")
    searches = [
        Search(start_id=START, eos_id=EOS, max_length=options.max_length, options=options) for _, options in sentences
    ]
    batch, dropped, done = BatchDecoder(model), set(), []
    for step in range(20):
        joining = [index for index, when in enumerate(joins) if when == step]
        if joining:
            batch.join([searches[i] for i in joining], model.encode([sentences[i][0] for i in joining]))
        gone = [i for i, when in drops.items() if when == step and searches[i] in batch.searches]
        if gone:
            batch.drop([searches[index] for index in gone])
            dropped.update(gone)
        if batch.searches:
            assert batch.live_rows == sum(search.rows for search in batch.searches)
            done += batch.step()
    assert not batch.searches
    assert batch.live_rows == 0
    survivors = [index for index in range(len(sentences)) if index not in dropped]
    assert [searches[index].hypotheses() for index in survivors] == [expected[index] for index in survivors]
    assert sorted(map(id, done)) == sorted(id(searches[index]) for index in survivors)


@quick
@given(models, st.lists(sources, min_size=2, max_size=6), search_options(), st.randoms())
def test_order_changes_nothing(model, batch, options, random):
    shuffled = random.sample(range(len(batch)), len(batch))
    straight = decode(model, batch, start_id=START, eos_id=EOS, options=options)
    mixed = decode(model, [batch[index] for index in shuffled], start_id=START, eos_id=EOS, options=options)
    assert [straight[index] for index in shuffled] == mixed


@settings(max_examples=40)
@given(
    st.integers(4, 12),
    st.integers(0, 99),
    st.sampled_from([-60.0, 0.0, 60.0]),
    st.builds(
        lambda beam, n_best, alpha, lengths, ngram, penalty: SearchOptions(
            beam_size=beam,
            n_best=min(n_best, beam),
            length_penalty=alpha,
            min_length=min(lengths),
            max_length=max(*lengths, 1),
            no_repeat_ngram=ngram,
            repetition_penalty=penalty,
        ),
        st.sampled_from([1, 2, 4, 16]),
        st.integers(1, 16),
        alphas,
        st.tuples(st.integers(0, 60), st.integers(0, 60)),
        st.integers(0, 10),
        penalties,
    ),
)
def test_every_search_ends_in_time_with_an_answer(vocabulary, seed, eos_bonus, options):
    model = ToyModel(vocabulary, seed=seed, eos_bonus=eos_bonus)
    hypotheses = translate(model, (3,), options)
    assert model.steps <= options.max_length
    assert 1 <= len(hypotheses) <= options.n_best


def test_what_has_ended_early_gives_nobody_up():
    """Every token costs 0.3, and so the long translation falls far behind a short one that is worse."""

    def best(threshold):
        options = SearchOptions(beam_size=2, beam_threshold=threshold)
        search = Search(start_id=START, eos_id=EOS, max_length=50, options=options)
        while search.rows:
            end = -0.01 if search.length == 20 else -1.7
            row = sorted([(-0.3, 5), (end, EOS)], reverse=True)
            search.advance([[score for score, _ in row]] * search.rows, [[token for _, token in row]] * search.rows)
        return search.hypotheses()[0].tokens

    assert best(2) == best(100) == (5,) * 20


@pytest.mark.parametrize("beam", [1, 3])
def test_where_every_continuation_is_forbidden_what_there_is_must_do(beam):
    """Four tokens, none twice, and no end before the eighth."""
    options = SearchOptions(beam_size=beam, n_best=beam, no_repeat_ngram=1, min_length=8, max_length=9)
    hypotheses = translate(ToyModel(4), (3,), options)
    assert len(hypotheses) == beam
    for hypothesis in hypotheses:
        assert hypothesis.truncated
        assert sorted(hypothesis.tokens) == [0, 1, 3]


def test_a_translation_that_the_model_ended_beats_one_cut_off():
    """Cut-off ones miss the price of their end, so their scores look better than they are."""
    options = SearchOptions(beam_size=4, n_best=4, max_length=3, length_penalty=0.0)
    for seed in range(200):
        hypotheses = translate(ToyModel(7, seed=seed, eos_bonus=-1.0), (3,), options)
        if not hypotheses[0].truncated and hypotheses[-1].truncated and hypotheses[-1].score > hypotheses[0].score:
            return
    pytest.fail("no seed shows it")


def test_the_default_limit_follows_the_source_and_the_request_wins():
    endless = ToyModel(8, eos_bonus=-60.0)
    assert len(translate(endless, (3, 4), greedy())[0].tokens) == default_max_length(2)
    assert len(translate(endless, (3, 4), greedy(max_length=30))[0].tokens) == 30


def test_length_penalty_is_the_papers():
    assert length_penalty(1, 2.0) == 1.0
    assert length_penalty(7, 2.0) == 4.0
    assert length_penalty(7, 0.0) == 1.0


def run_with_prefix(
    model: ToyModel, source: tuple[int, ...], prefix: tuple[int, ...], options: SearchOptions
) -> list[Hypothesis]:
    search = Search(start_id=START, eos_id=EOS, max_length=options.max_length or 99, options=options, prefix=prefix)
    batch = BatchDecoder(model)
    batch.join([search], model.encode([source]))
    while batch.searches:
        batch.step()
    return search.hypotheses()


prefixes = st.lists(st.integers(3, SMALLEST_VOCABULARY - 1), max_size=4).map(tuple)


@quick
@given(models, sources, prefixes, st.integers(1, 4), alphas)
def test_a_search_goes_on_from_its_prefix(model, source, prefix, beam, alpha):
    options = SearchOptions(beam_size=beam, beam_threshold=100, length_penalty=alpha, max_length=9)
    [found] = run_with_prefix(model, source, prefix, options)
    scores = model.next_scores(source)

    def certain(target: tuple[int, ...]) -> list[float]:
        """The model's scores, but the prefix is certain."""
        if len(target) >= len(prefix):
            return scores(target)
        return [0.0 if token == prefix[len(target)] else -1e9 for token in range(model.vocabulary)]

    expected, *_ = beam_search(certain, eos_id=EOS, max_length=9, beam=beam, alpha=alpha, threshold=100)
    assert found.tokens[: len(prefix)] == prefix
    assert (found.tokens, found.score) == (expected.tokens, pytest.approx(expected.score))


@quick
@given(models, sources, prefixes, st.integers(2, 5))
def test_ways_to_complete_a_prefix_differ_at_once_and_are_greedy_then(model, source, prefix, count):
    found = run_with_prefix(model, source, prefix, SearchOptions(beam_size=count, n_best=count, max_length=9))
    scores = model.next_scores(source)
    best = sorted(range(model.vocabulary), key=lambda token: -scores(prefix)[token])[:count]
    expected = set()
    for token in best:
        tokens = prefix
        while token != EOS and len(tokens) < 8:
            tokens = (*tokens, token)
            token = max(range(model.vocabulary), key=scores(tokens).__getitem__)
        expected.add(tokens if token == EOS else (*tokens, token))
    assert {item.tokens for item in found} == expected


def test_searches_with_and_without_a_prefix_share_a_batch():
    model = ToyModel(10, seed=3, most_steps=4)
    sources = [(3, 4), (5,), (6, 7, 8)]
    given_prefixes = [None, (4, 5), ()]
    options = [greedy(max_length=9), greedy(max_length=9), SearchOptions(beam_size=3, n_best=3, max_length=9)]
    searches = [
        Search(start_id=START, eos_id=EOS, max_length=9, options=each, prefix=prefix)
        for each, prefix in zip(options, given_prefixes, strict=True)
    ]
    batch = BatchDecoder(model)
    batch.join(searches, model.encode(sources))
    while batch.searches:
        batch.step()
    alone = [
        translate(model, sources[0], options[0]),
        run_with_prefix(model, sources[1], (4, 5), options[1]),
        run_with_prefix(model, sources[2], (), options[2]),
    ]
    assert [search.hypotheses() for search in searches] == alone
