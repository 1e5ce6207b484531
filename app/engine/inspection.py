"""Looks into the translation of one sentence: each step of the search, and what every attention head looked at.

It runs beside the scheduler, in a batch of its own, and finds the same translation. Its tree has half words, too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.batch_decoder import BatchDecoder
from app.engine.decoding.half_words import endings_of
from app.engine.decoding.search import default_max_length
from app.engine.decoding.trace import TracedSearch
from app.engine.decoding.word_trees import RareWord
from app.engine.interface import Attention, Inspection, InspectionCall, Map, SearchNode
from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.attention import AttentionMaps, AttentionReader
from app.engine.onnx.opening import OpenModel
from app.errors import InvalidRequest
from app.fairness.budget import checkpoint

INSPECTION_SIZE = 64 * 1024
"""What it counts in the pool of text work: as a large job, of which only some are taken at a time."""

_START, _END = "<s>", "</s>"


def inspect(
    bundle: Bundle,
    model: OpenModel,
    tokenizer: Tokenizer,
    prefix: Sequence[int],
    rare_words: Sequence[RareWord],
    call: InspectionCall,
) -> Inspection:
    """Look into one sentence; takes 0.1 s of processor time for twenty words.

    Args:
        bundle: For its manifest and its graphs with attention maps.
        model: What searches.
        tokenizer: The bundle's.
        prefix: Source ids in front of the text: the target tag, if the model needs one.
        rare_words: Words of the text that the lexicon has.
        call: What to look into.

    Raises:
        InvalidRequest: The text, or the given translation, is empty or too long.
        BundleError: The graphs with attention maps can't be loaded.
        ModelFailure: A graph raised.
    """
    manifest = bundle.manifest
    pieces = tokenizer.encode(call.text)
    source = [*prefix, *pieces, manifest.ids.eos]
    _check_length("The text", len(pieces), manifest.longest_source - len(prefix) - 1)
    search = _search(bundle, model, source, rare_words, tokenizer.target_pieces, call)
    [best] = search.hypotheses()[:1]
    target = best.tokens if call.translation is None else tokenizer.encode_target(call.translation)
    graphs, attention = bundle.attention_graphs(), None
    if graphs and target:
        _check_length(
            "The translation", len(target), min(default_max_length(len(source)), manifest.shape.max_positions - 1)
        )
        maps = AttentionReader(*graphs, manifest.shape, manifest.ids).read(source, target)
        attention = _attention(maps, (_START, *map(tokenizer.target_label, target)))
    best_nodes = set(search.best_path())
    labels = {manifest.ids.eos: _END}
    return Inspection(
        source=(*(tokenizer.source_label(piece) for piece in source[:-1]), _END),
        nodes=tuple(
            SearchNode(
                parent=node.parent,
                text=labels.get(node.token) or tokenizer.target_label(node.token),
                log_probability=node.log_probability,
                score=node.score,
                is_best=index in best_nodes,
            )
            for index, node in enumerate(search.nodes)
        ),
        attention=attention,
    )


def _search(
    bundle: Bundle,
    model: OpenModel,
    source: Sequence[int],
    rare_words: Sequence[RareWord],
    pieces: Sequence[str],
    call: InspectionCall,
) -> TracedSearch:
    ids = bundle.manifest.ids
    search = TracedSearch(
        rare_words=rare_words,
        pieces=pieces,
        endings=endings_of(pair.target for pair in bundle.manifest.pairs),
        start_id=ids.decoder_start,
        eos_id=ids.eos,
        max_length=min(default_max_length(len(source)), bundle.manifest.shape.max_positions),
        options=call.options,
    )
    batch: BatchDecoder[Any] = BatchDecoder(model)
    batch.join([search], model.encode([source]))
    while batch.searches:
        checkpoint()
        batch.step()
    return search


def _check_length(what: str, length: int, longest: int) -> None:
    if not 1 <= length <= longest:
        raise InvalidRequest(f"{what} has {length} pieces; only a sentence of 1 to {longest} pieces can be inspected.")


def _attention(maps: AttentionMaps, target: tuple[str, ...]) -> Attention:
    def lists(layers: Sequence[NDArray[np.floating]]) -> list[list[Map]]:
        return [np.round(layer.astype(np.float64), 3).tolist() for layer in layers]

    return Attention(target=target, encoder=lists(maps.encoder), decoder=lists(maps.decoder), cross=lists(maps.cross))
