"""Find the attention head that aligns words, in a model whose languages we don't know.

Names, numbers and addresses are the same in most languages: a translation has them, too, and where it has one, the head
that tells which source word a target word translates must look at the same one in the source.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np
import onnx

from app.engine.models.manifest import Alignment
from app.engine.onnx.attention import AttentionReader
from export.attention_graphs import with_maps
from export.bundle_writer import ids_of, shape_of
from export.marian.probe_sentences import LEAST_SHARE, LEAST_TOKENS
from model.network.config import TransformerConfig

_COPIED = re.compile(r"\w")

Labels = Callable[[int], str]
"""The piece of an id."""


def choose_alignment(
    config: TransformerConfig,
    floats: tuple[onnx.ModelProto, onnx.ModelProto],
    labels: tuple[Labels, Labels],
    sources: Sequence[Sequence[int]],
    *,
    guided: int | None,
    only_guided: bool = False,
) -> Alignment:
    """Look for the cross-attention head that finds copied tokens best.

    Args:
        config: Of the model.
        floats: Its float32 encoder and decoder.
        labels: Pieces of source and target: they show which tokens are the same.
        sources: Source ids of sentences with something to copy.
        guided: Decoder layer whose head 0 was trained towards alignments; it wins a draw, and is taken on trust where
            there is too little to judge by.
        only_guided: No other head is looked at.

    Returns:
        The head, with the figures of the search; ``used`` if it finds enough.
    """
    encoder, decoder = (with_maps(graph).SerializeToString() for graph in floats)
    reader = AttentionReader(encoder, decoder, shape_of(config), ids_of(config))
    hits, tokens = np.zeros((config.decoder_layers, config.heads), dtype=np.int64), 0
    for source in sources:
        maps = reader.read(source)
        looked = np.stack([layer.argmax(-1) for layer in maps.cross])  # (L, H, T)
        pieces = [[label(index) for index in ids] for label, ids in zip(labels, (source, maps.tokens[1:]), strict=True)]
        for position, place in _copies(*pieces):
            hits += looked[:, :, position] == place
            tokens += 1
    enough = tokens >= LEAST_TOKENS
    places: Collection[tuple[int, ...]] = (
        [(guided, 0)] if only_guided and guided is not None else [*np.ndindex(*hits.shape)]
    )
    order = sorted(places, key=lambda place: (-hits[place], place != (guided, 0)))
    layer, head = order[0] if enough or guided is None else (guided, 0)
    share = float(hits[layer, head] / tokens) if tokens else None
    known = enough or guided is not None
    return Alignment(
        copied_tokens=tokens,
        layer=layer if known else None,
        head=head if known else None,
        share=None if share is None else round(share, 4),
        used=share is not None and share >= LEAST_SHARE if enough else guided is not None,
    )


def _copies(source: Sequence[str], target: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Target and source position of each piece with a letter or digit that both sides have exactly once."""
    for position, piece in enumerate(target):
        is_word = _COPIED.search(piece) and piece not in ("<unk>", "</s>")
        if is_word and source.count(piece) == target.count(piece) == 1:
            yield position, source.index(piece)
