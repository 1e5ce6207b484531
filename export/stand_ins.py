"""Which codes in capitals an imported model carries over, found by translating some.

They are the same in most languages, so nothing about the model's languages needs to be known.
"""

import re
from collections.abc import Sequence
from typing import Any

from app.engine.decoding.batch_decoder import Model, decode
from app.engine.decoding.search import default_max_length
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from model.network.config import TransformerConfig

# Two stand-ins in each; the words beside them are the same in most languages.
_TEMPLATES = (
    "{}, {}, 1998.",
    "Hotel {}, Via Roma 15, {}.",
    "{} – {} 3:2 (1:1).",
    "Taxi, hotel, {}, radio, {}, internet.",
    "{} (42): Android 14, {}, Linux 6.8.",
    "Anna Müller, {}, telefon +49 30 1234567, {}.",
)
_CODES = ("XQ7", "ZK4", "QX9", "KZ2", "XV8", "QJ5", "ZW6", "VX3", "KQ8", "JX4")
"""Models copy them like the names of products."""


def find_stand_ins(
    model: Model[Any], tokenizer: Tokenizer, config: TransformerConfig, prefix: Sequence[int]
) -> tuple[str, ...]:
    """The codes that come out as they went in, wherever they stand.

    Args:
        model: One of a bundle's models.
        tokenizer: Its tokenizer.
        config: Its configuration.
        prefix: Ids before each source: the target tag, if there is one.
    """
    pairs = [(code, _CODES[index - 1]) for index, code in enumerate(_CODES)]
    texts = [template.format(*pair) for pair in pairs for template in _TEMPLATES]
    sources = [[*prefix, *tokenizer.encode(text), config.eos_id] for text in texts]
    longest = min(config.max_positions, default_max_length(max(map(len, sources))))
    found = decode(
        model,
        sources,
        start_id=config.decoder_start_id,
        eos_id=config.eos_id,
        options=SearchOptions(beam_size=1),
        max_length=longest,
    )
    translations = [tokenizer.decode(hypotheses[0].tokens) for hypotheses in found]
    lost = {
        code
        for text, translation in zip(texts, translations, strict=True)
        for code in _CODES
        if len(re.findall(rf"\b{code}\b", text)) != len(re.findall(rf"\b{code}\b", translation))
    }
    return tuple(code for code in _CODES if code not in lost)
