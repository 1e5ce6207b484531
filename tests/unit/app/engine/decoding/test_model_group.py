"""A group of models: each sentence is translated by the model of its tag, whatever the other model does."""

from collections.abc import Sequence

import pytest

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.model_group import ModelGroup
from app.engine.decoding.search import Hypothesis, Search
from app.engine.options import SearchOptions
from tests.support.toy import EOS, START, ToyModel

VOCABULARY, FIRST, SECOND, LENGTH = 12, 7, 8, 20
SOURCES = [(FIRST, 3, 4, EOS), (SECOND, 3, 4, EOS), (SECOND, 5, EOS), (FIRST, 6, 5, 3, EOS), (FIRST, 4, EOS)]
BEAM = SearchOptions(beam_size=3)


def models(**several: int) -> dict[int, ToyModel]:
    return {FIRST: ToyModel(VOCABULARY, seed=1, eos_bonus=-3, **several), SECOND: ToyModel(VOCABULARY, seed=2)}


def searches(options: SearchOptions, count: int = len(SOURCES)) -> list[Search]:
    return [Search(start_id=START, eos_id=EOS, max_length=LENGTH, options=options) for _ in range(count)]


def alone(source: Sequence[int], options: SearchOptions) -> list[Hypothesis]:
    model = models()[source[0]]
    [found] = decode(model, [source], start_id=START, eos_id=EOS, options=options, max_length=LENGTH)
    return found


@pytest.mark.parametrize("options", [SearchOptions(beam_size=1), BEAM, SearchOptions(beam_size=3, no_repeat_ngram=2)])
@pytest.mark.parametrize("several", [1, 4])
def test_every_sentence_comes_out_as_from_its_model_alone(options: SearchOptions, several: int) -> None:
    group = ModelGroup(models(most_steps=several))
    batch = group.new_batch()
    started = searches(options)
    finished: list[Search] = []
    batch.join(started, group.encode(SOURCES))
    while batch.live_rows:
        finished += batch.step(100)
    assert set(finished) == set(started) and len(finished) == len(started)
    for search, source in zip(started, SOURCES, strict=True):
        assert [each.tokens for each in search.hypotheses()] == [each.tokens for each in alone(source, options)]


def test_a_model_that_takes_single_steps_keeps_up() -> None:
    group = ModelGroup(models(most_steps=4))
    batch = group.new_batch()
    started = searches(BEAM, 2)
    batch.join(started, group.encode(SOURCES[:2]))
    batch.step(4)
    assert batch.steps == 4
    assert [len(search.best_tokens) for search in started if search.rows] == [4, 4]


def test_a_sentence_that_is_dropped_leaves_the_others_alone() -> None:
    group = ModelGroup(models())
    batch = group.new_batch()
    started = searches(BEAM)
    batch.join(started, group.encode(SOURCES))
    batch.step(1)
    batch.drop([started[1], started[3]])
    finished: list[Search] = []
    while batch.live_rows:
        finished += batch.step(1)
    assert started[1] not in finished and started[3] not in finished
    for index in (0, 2, 4):
        assert [each.tokens for each in started[index].hypotheses()] == [
            each.tokens for each in alone(SOURCES[index], BEAM)
        ]


def test_nothing_to_do_is_no_step() -> None:
    batch = ModelGroup(models()).new_batch()
    assert batch.step(8) == [] and batch.steps == 0
