"""Find the attention head that aligns words, in a model whose languages we don't know.

Names, numbers and addresses are the same in most languages: a translation has them, too, and where it has one, the head
that tells which source word a target word translates must look at the same one in the source.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from app.engine.decoding.batch_decoder import decode
from app.engine.models.manifest import Alignment
from app.engine.options import SearchOptions
from export.marian.probe_sentences import LEAST_SHARE, LEAST_TOKENS
from export.marian.source import Vocabularies
from model.data.batches import pad
from model.evaluation.inference import TorchModel
from model.network.transformer import Transformer

_COPIED = re.compile(r"\w")
_BATCH = 32


def choose_alignment(
    model: Transformer, vocabularies: Vocabularies, sources: Sequence[Sequence[int]], guided: int | None
) -> Alignment:
    """Give a model the cross-attention head that finds copied tokens best, if one finds enough.

    Args:
        model: Without an alignment head; gets one in its configuration, in place.
        vocabularies: Names of the tokens: they show which source and target token are the same.
        sources: Source ids of sentences with something to copy.
        guided: Decoder layer whose head 0 was trained towards alignments; it wins a draw, and is taken on trust where
            there is too little to judge by.

    Returns:
        The head, with the figures of the search.
    """
    config = model.config
    hits, tokens = np.zeros((config.decoder_layers, config.heads), dtype=np.int64), 0
    for start in range(0, len(sources), _BATCH):
        batch = sources[start : start + _BATCH]
        targets = _translations(model, batch)
        maps = _cross_attention(model, batch, targets)  # (L, B, H, T, S)
        for row, (source, target) in enumerate(zip(batch, targets, strict=True)):
            for position, place in _copies(source, target, vocabularies):
                hits += (maps[:, row, :, position, : len(source)].argmax(-1) == place).numpy()
                tokens += 1
    enough = tokens >= LEAST_TOKENS
    order = sorted(np.ndindex(*hits.shape), key=lambda place: (-hits[place], place != (guided, 0)))
    layer, head = order[0] if enough or guided is None else (guided, 0)
    share = float(hits[layer, head] / tokens) if tokens else None
    used = share is not None and share >= LEAST_SHARE if enough else guided is not None
    if used:
        model.config = replace(config, alignment_layer=layer, alignment_head=head)
    known = enough or guided is not None
    return Alignment(
        copied_tokens=tokens,
        layer=layer if known else None,
        head=head if known else None,
        share=None if share is None else round(share, 4),
        used=used,
    )


def _translations(model: Transformer, sources: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Greedy translations, target ids without start and end."""
    config = model.config
    found = decode(
        TorchModel(model),
        sources,
        start_id=config.decoder_start_id,
        eos_id=config.eos_id,
        options=SearchOptions(beam_size=1),
        max_length=max(map(len, sources)) + 10,
    )
    return [hypotheses[0].tokens for hypotheses in found]


@torch.no_grad()
def _cross_attention(model: Transformer, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> Tensor:
    """Return cross-attention maps (L, B, H, T, S); position t is the step that chose token t."""
    start, padding = model.config.decoder_start_id, model.config.pad_id
    given = [np.array([start, *target]) for target in targets]
    _, maps = model(pad([np.array(source) for source in sources], padding), pad(given, padding))
    return torch.stack(maps.cross)


def _copies(source: Sequence[int], target: Sequence[int], vocabularies: Vocabularies) -> list[tuple[int, int]]:
    """Return target and source position of each piece with a letter or digit that both sides have exactly once."""
    source_pieces = [vocabularies.source[index] for index in source]
    target_pieces = [vocabularies.target[index] for index in target]
    return [
        (position, source_pieces.index(piece))
        for position, piece in enumerate(target_pieces)
        if piece
        and _COPIED.search(piece)
        and piece not in ("<unk>", "</s>")
        and source_pieces.count(piece) == target_pieces.count(piece) == 1
    ]
