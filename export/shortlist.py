"""Decoder graphs that choose from a shortlist of target pieces, and the table that the shortlists come from."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import sentencepiece
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from app.engine.decoding.shortlist import Shortlist
from model.data.batches import Packed
from model.data.tokenizer import EOS_ID, target_tag
from model.training.checkpoint import CheckpointError

SHORTLIST = "shortlist.npz"
"""Name of the table in a bundle."""


class Vocabulary(NamedTuple):
    """The facts about a vocabulary that a shortlist needs, and the sizes of its parts."""

    size: int
    tags: tuple[int, int]  # the tags of the first and the second language
    eos: int
    bytes: Sequence[int]  # the pieces for single bytes
    per_piece: int = 80  # target pieces for each source piece: the ones it was aligned with most often
    per_language: int = 400  # target pieces that are always included: the most frequent of the language


def build_shortlist(corpora: Sequence[Packed], vocabulary: Vocabulary) -> Shortlist:
    """Build the table from the word alignments of the training pairs, in both directions.

    A tag's row has the frequent pieces of its language and the end of sentence. A byte's row has all bytes, so that a
    character without a piece of its own can be produced.
    """
    size = vocabulary.size
    codes = np.concatenate([_linked(corpus, size) for corpus in corpora])
    rows: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * size
    for first, second in ((codes // size, codes % size), (codes % size, codes // size)):
        pairs, counts = np.unique(first * size + second, return_counts=True)
        order = np.lexsort((-counts, pairs // size))
        sources, targets = pairs[order] // size, pairs[order] % size
        starts = np.searchsorted(sources, np.arange(size + 1))
        for piece in range(size):
            best = targets[starts[piece] : starts[piece + 1]][: vocabulary.per_piece]
            rows[piece] = np.union1d(rows[piece], best)
    for side, tag in enumerate(vocabulary.tags):
        frequency = np.bincount(np.concatenate([corpus.ids[side] for corpus in corpora]), minlength=size)
        rows[tag] = np.union1d(np.argsort(-frequency, kind="stable")[: vocabulary.per_language], vocabulary.eos)
    for piece in vocabulary.bytes:
        rows[piece] = np.union1d(rows[piece], vocabulary.bytes)
    offsets = np.cumsum([0, *map(len, rows)])
    return Shortlist(offsets, np.concatenate(rows))


def read_shortlist(run: Path, languages: tuple[str, str]) -> Shortlist:
    """Build the table of a training run, or read the one of a bundle.

    Args:
        run: Folder of the run, with ``tokenizer.spm`` and ``corpus/``, or of a bundle of the same vocabulary.
        languages: Languages of the first and the second side of its pairs.

    Raises:
        CheckpointError: There is no corpus, or it was never aligned.
        BundleError: The bundle's table is damaged.
    """
    if (run / SHORTLIST).exists():
        return Shortlist.read(run / SHORTLIST)
    files = sorted((run / "corpus").glob("[0-9]*.npz"))
    corpora = [Packed.load(path) for path in files]
    if not sum(len(corpus.links) for corpus in corpora):
        raise CheckpointError(f"{run} holds no aligned corpus to make a shortlist from")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(run / "tokenizer.spm"))
    size, (first, second) = processor.vocab_size(), languages
    vocabulary = Vocabulary(
        size=size,
        tags=(processor.piece_to_id(target_tag(first)), processor.piece_to_id(target_tag(second))),
        eos=EOS_ID,
        bytes=[piece for piece in range(size) if processor.is_byte(piece)],
    )
    return build_shortlist(corpora, vocabulary)


def _linked(corpus: Packed, size: int) -> NDArray[np.int64]:
    """Return (L,) first piece * size + second piece, for every link."""
    pair = np.repeat(np.arange(len(corpus)), np.diff(corpus.link_offsets))
    first, second = (
        ids[offsets[pair] + corpus.links[:, side]].astype(np.int64)
        for side, (ids, offsets) in enumerate(zip(corpus.ids, corpus.offsets, strict=True))
    )
    codes: NDArray[np.int64] = first * size + second
    return codes


def over_shortlist(decoder: onnx.ModelProto) -> onnx.ModelProto:
    """Return an int8 decoder graph in which each row chooses from a part of the vocabulary.

    Its additional inputs are ``shortlist`` (U,) int64, the pieces of all rows together; ``choices`` (R, 1, C) int64,
    the indices of each row's own pieces in it; and ``choice_bias`` (R, 1, C) float32, 0 for a choice and a large
    negative number for padding. At most C candidates are returned. Log-probabilities are over a row's own pieces,
    gathered side by side, so that the other rows' pieces make no difference.

    Args:
        decoder: Graph from ``export.quantization``; it is not changed.
    """
    graph = copy.deepcopy(decoder)
    body = graph.graph
    weights = {tensor.name: tensor for tensor in body.initializer}
    [softmax] = [node for node in body.node if node.op_type == "LogSoftmax"]
    [projection] = [node for node in body.node if node.output[0] == softmax.input[0]]
    weight = weights[projection.input[1]]
    # One row for each piece, so that a piece is copied from contiguous memory.
    pieces = np.ascontiguousarray(numpy_helper.to_array(weight).T)
    body.initializer.append(numpy_helper.from_array(pieces, "projection.pieces"))
    body.input.extend(
        [
            helper.make_tensor_value_info("shortlist", TensorProto.INT64, ["shortlisted"]),
            helper.make_tensor_value_info("choices", TensorProto.INT64, ["rows", 1, "choices"]),
            helper.make_tensor_value_info("choice_bias", TensorProto.FLOAT, ["rows", 1, "choices"]),
        ]
    )
    nodes = [
        helper.make_node("Gather", ["projection.pieces", "shortlist"], ["projection.chosen"], axis=0),
        helper.make_node("Transpose", ["projection.chosen"], ["projection.shortlisted"], perm=[1, 0]),
        helper.make_node("Gather", ["shortlist", "choices"], ["choices.pieces"], axis=0),
        helper.make_node("Shape", ["choices"], ["choice_count"], start=2, end=3),
    ]
    narrow, gathers = _narrowed(projection)
    nodes += gathers
    dropped = ("LogSoftmax", "Min", "TopK")
    kept = [node for node in body.node if node.op_type not in dropped and node is not projection]
    nodes += [onnx.NodeProto.FromString(node.SerializeToString()) for node in kept]
    nodes += [narrow, *_choice()]
    del body.node[:]
    body.node.extend(nodes)
    for unused in (weight, weights["vocabulary"]):
        body.initializer.remove(unused)
    return graph


def _choice() -> list[onnx.NodeProto]:
    """The nodes that choose the best candidates of each row from its own pieces."""
    return [
        helper.make_node("GatherElements", ["logits.shortlisted", "choices"], ["logits.gathered"], axis=2),
        helper.make_node("Add", ["logits.gathered", "choice_bias"], ["logits"]),
        helper.make_node("LogSoftmax", ["logits"], ["log_probabilities"], axis=-1),
        helper.make_node("Min", ["top", "choice_count"], ["candidate_count"]),
        helper.make_node("TopK", ["log_probabilities", "candidate_count"], ["scores", "best_choices"], axis=-1),
        helper.make_node("GatherElements", ["choices.pieces", "best_choices"], ["candidates"], axis=2),
    ]


def _narrowed(projection: onnx.NodeProto) -> tuple[onnx.NodeProto, list[onnx.NodeProto]]:
    """The projection onto the shortlisted pieces, and the nodes that gather their scales, zeros and biases."""
    narrow = onnx.NodeProto.FromString(projection.SerializeToString())
    narrow.input[1], narrow.output[0] = "projection.shortlisted", "logits.shortlisted"
    gathers = []
    for position in (3, 5, 6):
        if position < len(narrow.input):
            name = narrow.input[position]
            narrow.input[position] = f"{name}.shortlisted"
            gathers.append(helper.make_node("Gather", [name, "shortlist"], [f"{name}.shortlisted"], axis=0))
    return narrow, gathers
