"""The attention weights of a bundle's model while it translates a sentence; for any bundle with float32 graphs."""

from pathlib import Path

import onnx

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Pair
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.attention import AttentionReader
from export.attention_graphs import with_maps
from model.evaluation.attention_maps import SentenceMaps


class AttentionMapsError(ValueError):
    """No maps can be drawn of this; the message says why."""


def read_maps(bundle: Bundle, text: str, pair: Pair) -> SentenceMaps:
    """Translate one sentence greedily, and note what every head looks at.

    Args:
        bundle: One with float32 graphs.
        text: One sentence.
        pair: A direction of the bundle.

    Raises:
        AttentionMapsError: The text is empty, or too long for the model; or the model has a memory.
        BundleError: The bundle has no float32 graphs, or its tokenizer is damaged.
    """
    manifest, graphs = bundle.manifest, bundle.graphs("float32")
    if any("memory" in variant for variant in manifest.shape.variants):
        raise AttentionMapsError("maps can't be drawn for a model with a memory")
    tokenizer = Tokenizer(*bundle.tokenizer_files)
    pieces = tokenizer.encode(text)
    prefix = [tokenizer.piece_id(pair.tag)] if pair.tag else []
    source = [*prefix, *pieces, manifest.ids.eos]
    if not pieces or len(source) > manifest.longest_source:
        raise AttentionMapsError(
            f"the text has {len(pieces)} pieces; maps can be drawn for 1 to {manifest.longest_source - len(prefix) - 1}"
        )
    encoder, decoder = bundle.attention_graphs() or (_with_maps(graphs["encoder"]), _with_maps(graphs["decoder"]))
    maps = AttentionReader(encoder, decoder, manifest.shape, manifest.ids).read(source)
    labels = [*([pair.tag] if pair.tag else []), *(tokenizer.decode([piece]) for piece in pieces), "</s>"]
    written = ["<s>", *(tokenizer.decode([piece]) for piece in maps.tokens[1:])]
    return SentenceMaps(labels, written, maps.encoder, maps.decoder, maps.cross)


def _with_maps(path: Path) -> bytes:
    """The graph with maps of a bundle that was exported before there were any."""
    return bytes(with_maps(onnx.load(path)).SerializeToString())
