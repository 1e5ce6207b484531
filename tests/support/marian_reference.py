"""MarianMT's numbers and translations, and ours beside them.

How the two searches are made comparable (``MATCHED``), and why:

* ``length_penalty`` 0 in both, so that hypotheses are ranked by their log-probability. The library divides it by a
  power of the length, we by Wu et al.'s term: they rank hypotheses of different lengths differently on purpose.
* ``early_stopping`` in the library: its search is over when four hypotheses are complete, as ours is.
* No ``forced_eos_token_id``: at the length limit the library would force an end, ours reports a cut-off.
* Padding, with which both start, is forbidden: the library sets its score after the softmax and, told to renormalise,
  divides its share among the rest, as our bias before the softmax does. Where n-grams are forbidden, too, the library
  would also renormalise over those and ours doesn't; there the reference gets our bias instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import transformers  # imports its classes when they are first used, which takes seconds

from app.engine.decoding.batch_decoder import Model, decode
from app.engine.options import SearchOptions
from export.marian.names import FORBIDDEN
from model.network.transformer import Transformer
from tests.support.marian import (
    EOS,
)

TOLERANCE = 1e-4


LENGTH_LIMIT = 40


BEAM = 4


MATCHED: dict[str, Any] = {
    "do_sample": False,
    "length_penalty": 0.0,
    "early_stopping": True,
    "forced_eos_token_id": None,
    "max_new_tokens": LENGTH_LIMIT,
}


def random_sources(
    model: transformers.MarianMTModel, count: int, *, longest: int = 12, seed: int = 0
) -> list[list[int]]:
    """Ids without special ones, of different lengths, and the end of sentence."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, count)
    return [[*rng.integers(2, model.config.pad_token_id, size).tolist(), EOS] for size in sizes]


def padded(model: transformers.MarianMTModel, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[model.config.pad_token_id] * (longest - len(row))] for row in rows])
    return {"input_ids": ids, "attention_mask": (ids != model.config.pad_token_id).long()}


def generated(
    model: transformers.MarianMTModel, sources: Sequence[Sequence[int]], **options: Any
) -> list[tuple[int, ...]]:
    """The library's translations, without start and end."""
    padding = model.config.pad_token_id
    options = MATCHED | {"bad_words_ids": [[padding]], "renormalize_logits": True} | options
    rows = model.generate(**padded(model, sources), **options).tolist()
    return [tuple(row[1 : row.index(EOS, 1)] if EOS in row[1:] else row[1 : 1 + LENGTH_LIMIT]) for row in rows]


def translated(
    model: Model, reference: transformers.MarianMTModel, sources: Sequence[Sequence[int]], **options: Any
) -> list[Any]:
    """Our translations."""
    found = decode(
        model,
        sources,
        start_id=reference.config.decoder_start_token_id,
        eos_id=EOS,
        options=SearchOptions(length_penalty=0.0, beam_threshold=100, max_length=LENGTH_LIMIT, **options),
    )
    return [hypotheses[0].tokens for hypotheses in found]


def assert_same_numbers(ours: Transformer, theirs: transformers.MarianMTModel, rows: int = 8) -> None:
    """Encoder states and logits on a padded batch; of what is forbidden only that it is ruled out."""
    config = theirs.config
    given = padded(theirs, random_sources(theirs, rows, longest=30))
    rng = np.random.default_rng(1)
    target = torch.from_numpy(rng.integers(2, (config.decoder_vocab_size or config.vocab_size) - 1, (rows, 9)))
    target[:, 0] = config.decoder_start_token_id
    with torch.no_grad():
        expected = theirs(**given, decoder_input_ids=target)
        encoded = ours.encode(given["input_ids"])
        logits = ours.logits(ours.decode(target, encoded))
    real = given["attention_mask"].bool()
    assert (encoded.states - expected.encoder_last_hidden_state)[real].abs().max() < TOLERANCE
    allowed = ours.projection.bias != FORBIDDEN
    assert not allowed[config.pad_token_id]
    assert allowed.float().mean() > 0.9
    assert (logits - expected.logits)[..., allowed].abs().max() < TOLERANCE
    assert torch.softmax(logits, -1)[..., ~allowed].max() == 0
    assert expected.logits.std() > 0.5  # there is something to compare
