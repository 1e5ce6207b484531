"""A checkpoint behind the shipping search, against the oracle."""

import functools
from typing import Any

import pytest
import torch

from app.engine.decoding.batch_decoder import decode
from app.engine.options import SearchOptions
from model.evaluation.inference import TorchModel
from model.network.config import TransformerConfig
from model.network.transformer import Transformer
from tests.support.reference import beam_search, greedy_search, model_scores

MAX_LENGTH = 10
SOURCES = [[4, 5, 6, 7, 8, 2], [9, 2], [10, 11, 12, 2]]


@functools.cache
def tiny(**options: Any) -> Transformer:
    """A random model that ends its translations at different lengths."""
    torch.manual_seed(1)
    values = {"encoder_layers": 1, "decoder_layers": 2, "width": 16, "heads": 2, "feed_forward": 16, **options}
    model = Transformer(
        TransformerConfig(
            source_vocabulary=14, target_vocabulary=14, norm="pre", tie_output=False, output_bias=True, **values
        )
    )
    with torch.no_grad():
        model.target_embedding.weight.mul_(3)
        model.projection.weight.mul_(2)
        model.projection.bias[model.config.eos_id] += 0.5
    return model.eval()


def found(model: Transformer, sources: list[list[int]], **options: Any) -> list[list[tuple[tuple[int, ...], float]]]:
    config = model.config
    results = decode(
        TorchModel(model),
        sources,
        start_id=config.decoder_start_id,
        eos_id=config.eos_id,
        options=SearchOptions(max_length=MAX_LENGTH, **options),
    )
    return [[(hypothesis.tokens, hypothesis.score) for hypothesis in hypotheses] for hypotheses in results]


def test_greedy_is_the_references() -> None:
    model = tiny()
    translations = found(model, SOURCES, beam_size=1)
    for source, [(tokens, _)] in zip(SOURCES, translations, strict=True):
        assert tokens == greedy_search(model_scores(model, source), eos_id=2, max_length=MAX_LENGTH)
    assert len({tokens for [(tokens, _)] in translations}) == 3, "the model must not be trivial"
    assert len({len(tokens) for [(tokens, _)] in translations}) > 1


@pytest.mark.parametrize(
    "options",
    [{}, {"min_length": 4}, {"no_repeat_ngram": 2}, {"repetition_penalty": 1.5}],
    ids=["plain", "min-length", "no-repeat", "repetition-penalty"],
)
def test_a_beam_of_four_is_the_references(options: dict[str, Any]) -> None:
    model = tiny()
    for source, hypotheses in zip(SOURCES, found(model, SOURCES, beam_size=4, n_best=4, **options), strict=True):
        expected = beam_search(
            model_scores(model, source),
            eos_id=2,
            max_length=MAX_LENGTH,
            beam=4,
            alpha=SearchOptions().length_penalty,
            **options,
        )
        assert [tokens for tokens, _ in hypotheses] == [scored.tokens for scored in expected]
        assert [score for _, score in hypotheses] == pytest.approx([scored.score for scored in expected], rel=1e-4)


@pytest.mark.parametrize("ids", [{"pad_id": 0}, {"pad_id": 13, "eos_id": 0, "decoder_start_id": 13}])
def test_companions_change_nothing_whatever_the_pad_id(ids: dict[str, int]) -> None:
    model = tiny(**ids)
    sources = [[*source[:-1], model.config.eos_id] for source in SOURCES]
    together = found(model, sources, beam_size=4)
    for source, [(tokens, score)] in zip(sources, together, strict=True):
        [[(alone, alone_score)]] = found(model, [source], beam_size=4)
        assert tokens == alone
        assert score == pytest.approx(alone_score, rel=1e-4)


def test_features_are_encoder_states_without_padding() -> None:
    features = TorchModel(tiny()).encode(SOURCES)
    assert [tuple(item.shape) for item in features] == [(6, 16), (2, 16), (4, 16)]
    torch.testing.assert_close(features[1], tiny().encode(torch.tensor([SOURCES[1]])).states[0].detach())


def test_a_step_gives_the_best_first_and_no_more_than_there_are() -> None:
    model = TorchModel(tiny())
    rows = model.rows()
    rows.join(model.encode(SOURCES))
    scores, tokens, _ = rows.step([1, 1, 1], 100)
    assert scores.shape == tokens.shape == (3, 14)
    assert (scores[:, :-1] >= scores[:, 1:]).all()
    rows.select([2, 0])
    scores, tokens, _ = rows.step([3, 4], 5)
    assert scores.shape == tokens.shape == (2, 5)


def test_what_can_not_be_joined_or_stepped_is_said() -> None:
    model = TorchModel(tiny())
    rows = model.rows()
    with pytest.raises(ValueError, match="no sentence"):
        rows.step([1], 1)
    rows.join(model.encode(SOURCES))
    with pytest.raises(ValueError, match="at once"):
        rows.join(model.encode(SOURCES))
