"""What an imported model does with names, numbers and codes, found by translating some.

They are the same in most languages, so nothing about the model's languages needs to be known.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from app.engine.decoding.batch_decoder import Model, decode
from app.engine.decoding.search import Hypothesis, default_max_length
from app.engine.models.manifest import Alignment
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from export.marian.probe_sentences import LEAST_SHARE, LEAST_TOKENS
from model.network.config import TransformerConfig

_COPIED = re.compile(r"\w")
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
"""Codes in capitals: models copy them like the names of products."""


class Probe:
    """Greedy translations by one of a bundle's models."""

    def __init__(self, model: Model[Any], tokenizer: Tokenizer, config: TransformerConfig) -> None:
        self._model, self._tokenizer, self._config = model, tokenizer, config

    def sources(self, texts: Iterable[str]) -> list[list[int]]:
        """Source ids, end of sentence included."""
        return [[*self._tokenizer.encode(text), self._config.eos_id] for text in texts]

    def translate(self, sources: Sequence[Sequence[int]]) -> list[Hypothesis]:
        """The best hypothesis of each."""
        config, options = self._config, SearchOptions(beam_size=1)
        longest = min(config.max_positions, default_max_length(max(map(len, sources))))
        found = decode(
            self._model,
            sources,
            start_id=config.decoder_start_id,
            eos_id=config.eos_id,
            options=options,
            max_length=longest,
        )
        return [hypotheses[0] for hypotheses in found]

    def alignment(self, texts: Sequence[str]) -> Alignment:
        """How many copied tokens the alignment head finds. Where there are too few to judge by, it is trusted."""
        sources, hits, tokens = self.sources(texts), 0, 0
        for source, found in zip(sources, self.translate(sources), strict=True):
            labels = [self._tokenizer.source_label(piece) for piece in source]
            written = [self._tokenizer.target_label(piece) for piece in found.tokens]
            for label, looked in zip(written, found.attended, strict=True):
                if _COPIED.search(label) and labels.count(label) == written.count(label) == 1:
                    tokens += 1
                    hits += labels.index(label) == looked
        share = hits / tokens if tokens else None
        used = share is None or tokens < LEAST_TOKENS or share >= LEAST_SHARE
        config = self._config
        return Alignment(
            copied_tokens=tokens,
            layer=config.alignment_layer,
            head=config.alignment_head,
            share=None if share is None else round(share, 4),
            used=used,
        )

    def stand_ins(self) -> tuple[str, ...]:
        """The codes that come out as they went in, wherever they stand."""
        pairs = [(code, _CODES[index - 1]) for index, code in enumerate(_CODES)]
        texts = [template.format(*pair) for pair in pairs for template in _TEMPLATES]
        translations = [self._tokenizer.decode(found.tokens) for found in self.translate(self.sources(texts))]
        lost = {
            code
            for text, translation in zip(texts, translations, strict=True)
            for code in _CODES
            if len(re.findall(rf"\b{code}\b", text)) != len(re.findall(rf"\b{code}\b", translation))
        }
        return tuple(code for code in _CODES if code not in lost)
