import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from model.network.config import ConfigError, TransformerConfig
from tests.support.paper import paper_base, paper_big

SMALL: dict[str, Any] = {"source_vocabulary": 40, "target_vocabulary": 40, "width": 16, "heads": 2, "feed_forward": 32}


def test_the_papers_base_model() -> None:
    config = paper_base(37000)
    assert (config.encoder_layers, config.decoder_layers) == (6, 6)
    assert (config.width, config.heads, config.head_width, config.feed_forward) == (512, 8, 64, 2048)
    assert (config.norm, config.activation, config.positions, config.dropout) == ("post", "relu", "sinusoidal", 0.1)
    assert config.scale_embeddings and config.tie_source_target and config.tie_output


def test_the_papers_big_model() -> None:
    config = paper_big(37000)
    assert (config.width, config.heads, config.head_width, config.feed_forward) == (1024, 16, 64, 4096)
    assert config.dropout == 0.3


def test_a_configuration_survives_json() -> None:
    config = TransformerConfig(**SMALL, norm="pre", positions="learned", activation="swish", alignment_layer=3)
    assert TransformerConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_a_configuration_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        TransformerConfig(**SMALL).width = 8  # type: ignore[misc]


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(ConfigError, match="widht"):
        TransformerConfig.from_dict({**SMALL, "widht": 3})


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"encoder_layers": -1}, "encoder_layers"),
        ({"decoder_layers": 0}, "decoder_layers"),
        ({"heads": 3}, "multiple of heads"),
        ({"heads": 0}, "heads"),
        ({"feed_forward": 0}, "feed_forward"),
        ({"max_positions": 0}, "max_positions"),
        ({"width": 15, "heads": 1}, "even width"),
        ({"target_vocabulary": 41}, "tie_source_target"),
        ({"alignment_layer": 6}, "alignment_layer"),
        ({"alignment_layer": -1}, "alignment_layer"),
        ({"alignment_head": 2}, "alignment_head"),
        ({"norm": "Pre"}, "norm"),
        ({"activation": "tanh"}, "activation"),
        ({"positions": "rotary"}, "positions"),
        ({"dropout": 1.5}, "dropout"),
        ({"attention_dropout": -0.1}, "attention_dropout"),
        ({"pad_id": 40}, "pad_id"),
        ({"eos_id": -1}, "eos_id"),
    ],
)
def test_what_describes_no_model_is_refused(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        TransformerConfig(**{**SMALL, **wrong})


def test_learned_positions_may_have_an_odd_width() -> None:
    assert TransformerConfig(**{**SMALL, "width": 15, "heads": 3, "positions": "learned"}).head_width == 5


def test_vocabularies_may_differ_when_nothing_ties_them() -> None:
    config = TransformerConfig(**{**SMALL, "source_vocabulary": 50}, tie_source_target=False)
    assert (config.source_vocabulary, config.target_vocabulary) == (50, 40)
