"""Builds the bundle of a foreign model from its arrays. PyTorch is not needed."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import onnx

from app.engine.decoding.shortlist import Shortlist
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import FORMAT_VERSION, Alignment, Graphs, Manifest, Pair, Precision, Provenance
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.native import NativeModel, choose_kernels
from export.agreement import agreement, source_ids, tag_ids
from export.alignment_search import choose_alignment
from export.arrays import Arrays
from export.attention_graphs import ATTENTION
from export.bundle_writer import golden, ids_of, replacing, seal, shape_of
from export.imported_graphs import write_graphs
from export.marian.probe_sentences import SENTENCES
from export.progress import Report
from export.stand_ins import find_stand_ins
from export.written_graphs import written_decoder, written_encoder
from model.network.config import TransformerConfig

# A model may have hundreds of pairs: how many get sentences, and how many get golden sentences.
_SPREAD, _GOLDEN_PAIRS = 8, 4
_GOLDEN_CANDIDATES, _GOLDEN_EACH = 8, 4


@dataclass(frozen=True, kw_only=True)
class Imported:
    """A foreign model after reading.

    Attributes:
        config: Without an alignment head.
        arrays: Its weights.
        name: Name of the bundle.
        pairs: Directions that it translates.
        tokenizers: Files of the source and the target tokenizer; they may be the same.
        vocabularies: Files that map pieces to ids, see ``app.engine.models.tokenizer``; None if the ids are
            SentencePiece's.
        longest_source: Maximum source pieces that it was made for.
        provenance: Its origin and licence.
        guided: Decoder layer whose head 0 was trained towards word alignments, if it is known.
        only_guided: No other head is looked at.
        shortlist: Its own table of likely pieces, if it has one.
        sentences: Source texts that its graphs are compared by, beside a built-in few.
    """

    config: TransformerConfig
    arrays: Arrays
    name: str
    pairs: tuple[Pair, ...]
    tokenizers: tuple[Path, Path]
    vocabularies: tuple[Path, Path] | None = None
    longest_source: int
    provenance: Provenance
    guided: int | None = None
    only_guided: bool = False
    shortlist: Shortlist | None = None
    sentences: Sequence[str] = ()

    def open_tokenizer(self) -> Tokenizer:
        """The tokenizer as the service will have it."""
        return Tokenizer(*self.tokenizers, *(self.vocabularies or ()))


def build(imported: Imported, out: Path, *, report: Report) -> Bundle:
    """Make a bundle: float graphs, and graphs for the native operators if they compute such a model.

    What the model does with copied words is measured: it decides about the alignment head and about stand-ins.

    Raises:
        BuildError: ``out`` exists and is not a bundle.
    """
    tokenizer = imported.open_tokenizer()
    spread = _spread(imported.pairs, _SPREAD)
    sources_of = partial(source_ids, tokenizer, eos_id=imported.config.eos_id, longest=imported.longest_source)
    known = sources_of((pair.tag, SENTENCES) for pair in spread[:_GOLDEN_PAIRS])
    report("looking for the attention head that aligns words")
    config, alignment, floats = _aligning(imported, tokenizer, known)
    with replacing(out) as folder:
        for path in {*imported.tokenizers, *(imported.vocabularies or ())}:
            shutil.copyfile(path, folder / path.name)
        report("writing the graphs")
        graphs = write_graphs(config, imported.arrays, floats, folder, imported.shortlist)
        model, native = _float_model(folder, graphs, config), _native_model(folder, graphs, report)
        own = sources_of((pair.tag, imported.sentences[index :: len(spread)]) for index, pair in enumerate(spread))
        sources = [*known, *own]
        same = {"greedy_agreement": agreement(model, native, config, sources)} if native else None
        report("measuring what the model copies")
        prefix = tag_ids(tokenizer, imported.pairs[0].tag)
        manifest = _manifest(imported, config, graphs, tokenizer).model_copy(
            update={
                "alignment": alignment,
                "parity": {"int8-native": same} if same else {},
                "stand_ins": find_stand_ins(native or model, tokenizer, config, prefix),
            }
        )
        seal(folder, manifest, ())
        report("translating the golden sentences")
        asked = [
            (pair.source, pair.target, text)
            for pair in spread[:_GOLDEN_PAIRS]
            for text in SENTENCES[:_GOLDEN_CANDIDATES]
        ]
        seal(folder, manifest, golden(folder, asked, _GOLDEN_EACH, "int8" if native else None))
        bundle = Bundle.open(folder)
    report(f"wrote {out}, {sum(path.stat().st_size for path in out.iterdir()) / 1e6:.1f} MB")
    return Bundle(out, bundle.manifest, bundle.golden)


def _aligning(
    imported: Imported, tokenizer: Tokenizer, sources: Sequence[Sequence[int]]
) -> tuple[TransformerConfig, Alignment, tuple[onnx.ModelProto, onnx.ModelProto]]:
    """The model with the alignment head that was found, if any, what the search says of it, and the float32 graphs."""
    config, arrays = imported.config, imported.arrays
    encoder, decoder = written_encoder(config, arrays), written_decoder(config, arrays)
    alignment = choose_alignment(
        config,
        (encoder, decoder),
        (tokenizer.source_label, tokenizer.target_label),
        sources,
        guided=imported.guided,
        only_guided=imported.only_guided,
    )
    if alignment.used:
        assert alignment.head is not None
        config = replace(config, alignment_layer=alignment.layer, alignment_head=alignment.head)
        decoder = written_decoder(config, arrays)
    return config, alignment, (encoder, decoder)


def _spread(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """This many pairs, from the first to the last."""
    count = min(most, len(pairs))
    return [pairs[index * (len(pairs) - 1) // max(count - 1, 1)] for index in range(count)]


def _float_model(folder: Path, graphs: dict[Precision, Graphs], config: TransformerConfig) -> OnnxModel:
    paths = {role: folder / name for role, name in graphs["float32"].files.items()}
    return OnnxModel(**paths, pad_id=config.pad_id, provider="cpu", threads=1)


def _native_model(folder: Path, graphs: dict[Precision, Graphs], report: Report) -> NativeModel | None:
    names = graphs.get("int8-native")
    if names is None:
        return None
    if choose_kernels() is None:
        report("int8-native is not tried: its operators were not built for this machine")
        return None
    table = folder / names.shortlist if names.shortlist else None
    return NativeModel(folder / names.encoder, folder / names.decoder, shortlist=table)


def _manifest(
    imported: Imported, config: TransformerConfig, graphs: dict[Precision, Graphs], tokenizer: Tokenizer
) -> Manifest:
    source, target = (path.name for path in imported.tokenizers)
    source_ids, target_ids = (path and path.name for path in imported.vocabularies or (None, None))
    return Manifest(
        format_version=FORMAT_VERSION,
        name=imported.name,
        pairs=imported.pairs,
        ids=ids_of(config),
        shape=shape_of(config),
        longest_source=imported.longest_source,
        graphs=graphs,
        attention=ATTENTION,
        source_tokenizer=source,
        target_tokenizer=target,
        source_vocabulary=source_ids,
        target_vocabulary=target_ids,
        characters=tokenizer.characters(),
        files={},
        provenance=imported.provenance,
    )
