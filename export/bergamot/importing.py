"""Make a bundle of a Firefox or translateLocally model. PyTorch is not needed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.engine.decoding.shortlist import Shortlist
from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import (
    FORMAT_VERSION,
    Graphs,
    Manifest,
    Pair,
    Precision,
    Provenance,
)
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.native import NativeModel, choose_kernels
from export.agreement import agreement
from export.arrays import Arrays
from export.bergamot.binary import BinaryWeights
from export.bergamot.folder import ModelFiles, pairs_of
from export.bergamot.graphs import write_graphs
from export.bergamot.lexical import read_lexical
from export.bergamot.pieces import Pieces
from export.bergamot.probing import Probe
from export.bergamot.weights import read_arrays, read_config
from export.bundle_writer import golden, ids_of, replacing, seal, shape_of
from export.choices import Choices
from export.marian.limits import SourceError
from export.marian.probe_sentences import SENTENCES
from export.progress import Report
from model.network.config import TransformerConfig

_LONGEST_SOURCE = 128  # pieces, as the original engine cuts sentences
_GOLDEN, _GOLDEN_CANDIDATES = 4, 8


def import_bergamot(files: ModelFiles, out: Path, *, name: str, choices: Choices, report: Report) -> Bundle:
    """Make a bundle; see ``export.importing.import_bundle``.

    The graphs are those of the native operators, and float32. The alignment head is the one that such models are
    trained with. What the model does with copied words is measured: it decides about the head and about stand-ins.

    Args:
        files: The model.
        out: Folder to make or replace.
        name: Name of the bundle.
        choices: Options of the user.
        report: Called with a line on each step.

    Raises:
        SourceError: It is damaged, or no model of this kind.
    """
    pairs = pairs_of(files, tuple(choices.pairs), name)
    weights = BinaryWeights(files.weights)
    pieces = Pieces(files.source_pieces), Pieces(files.target_pieces)
    config, arrays = _read(weights, pieces)
    with replacing(out) as folder:
        tokenizers = _write_pieces(pieces, folder, shared=files.source_pieces == files.target_pieces)
        report("writing the graphs")
        shortlist = _shortlist(files, config)
        graphs = write_graphs(config, arrays, folder, shortlist)
        report("measuring what the model copies")
        tokenizer = Tokenizer(*(folder / file for file in tokenizers))
        alignment = Probe(_float_model(folder, graphs, config), tokenizer, config).alignment(SENTENCES)
        if not alignment.used:
            config = replace(config, alignment_layer=None)
            graphs = write_graphs(config, arrays, folder, shortlist)
        model = _float_model(folder, graphs, config)
        probe = Probe(model, tokenizer, config)
        native = _native_model(folder, graphs, report)
        texts = [*SENTENCES, *choices.sentences]
        sources = [source for source in probe.sources(texts) if len(source) <= _LONGEST_SOURCE]
        parity = {"int8-native": {"greedy_agreement": agreement(model, native, config, sources)}} if native else {}
        manifest = _manifest(config, name, pairs, graphs, tokenizers, tokenizer).model_copy(
            update={
                "alignment": alignment,
                "parity": parity,
                "provenance": _provenance(files, choices),
                "stand_ins": Probe(native or model, tokenizer, config).stand_ins(),
            }
        )
        seal(folder, manifest, ())
        report("translating the golden sentences")
        asked = [(pairs[0].source, pairs[0].target, text) for text in SENTENCES[:_GOLDEN_CANDIDATES]]
        seal(folder, manifest, golden(folder, asked, _GOLDEN, "int8" if native else None))
        bundle = Bundle.open(folder)
    report(f"wrote {out}, {sum(path.stat().st_size for path in out.iterdir()) / 1e6:.1f} MB")
    return Bundle(out, bundle.manifest, bundle.golden)


def _read(weights: BinaryWeights, pieces: tuple[Pieces, Pieces]) -> tuple[TransformerConfig, Arrays]:
    source, target = pieces
    if source.eos_id != target.eos_id:
        raise SourceError(f"{weights.path}: </s> has another id in the source than in the target")
    config = read_config(weights, source.eos_id)
    names = ("Wemb", "Wemb") if config.tie_source_target else ("encoder_Wemb", "decoder_Wemb")
    for side, table in zip(pieces, names, strict=True):
        if side.size > weights.rows(table):
            raise SourceError(f"{weights.path}: {table} has {weights.rows(table)} rows for {side.size} pieces")
    # A table may have more rows than there are pieces.
    never = target.never | set(range(target.size, config.target_vocabulary))
    return config, read_arrays(weights, config, never)


def _write_pieces(pieces: tuple[Pieces, Pieces], folder: Path, *, shared: bool) -> tuple[str, str]:
    """Write the SentencePiece models; returns their names."""
    names = ("vocabulary.spm", "vocabulary.spm") if shared else ("source.spm", "target.spm")
    for name, side in zip(names, pieces, strict=True):
        (folder / name).write_bytes(side.content)
    return names


def _float_model(folder: Path, graphs: dict[Precision, Graphs], config: TransformerConfig) -> OnnxModel:
    paths = {role: folder / name for role, name in graphs["float32"].files.items()}
    return OnnxModel(**paths, pad_id=config.pad_id, provider="cpu", threads=1)


def _native_model(folder: Path, graphs: dict[Precision, Graphs], report: Report) -> NativeModel | None:
    if choose_kernels() is None:
        report("int8-native is not tried: its operators were not built for this machine")
        return None
    names = graphs["int8-native"]
    table = folder / names.shortlist if names.shortlist else None
    return NativeModel(folder / names.encoder, folder / names.decoder, shortlist=table)


def _shortlist(files: ModelFiles, config: TransformerConfig) -> Shortlist | None:
    """The model's own, if source and target share their pieces: a sentence may also use its own."""
    if files.lexical is None or files.source_pieces != files.target_pieces:
        return None
    return read_lexical(files.lexical, config.target_vocabulary, config.eos_id)


def _manifest(
    config: TransformerConfig,
    name: str,
    pairs: Sequence[Pair],
    graphs: dict[Precision, Graphs],
    tokenizers: tuple[str, str],
    tokenizer: Tokenizer,
) -> Manifest:
    source, target = tokenizers
    return Manifest(
        format_version=FORMAT_VERSION,
        name=name,
        pairs=tuple(pairs),
        ids=ids_of(config),
        shape=shape_of(config),
        longest_source=_LONGEST_SOURCE,
        graphs=graphs,
        source_tokenizer=source,
        target_tokenizer=target,
        characters=tokenizer.characters(),
        files={},
        provenance=Provenance(licence="unknown"),
    )


def _provenance(files: ModelFiles, choices: Choices) -> Provenance:
    origin = f"{files.weights.name} with sha256 {sha256(files.weights)}"
    kind = f", architecture {files.architecture}" if files.architecture else ""
    return Provenance(licence=choices.licence or "unknown", origin=origin + kind)
