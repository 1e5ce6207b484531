"""Make a bundle of a Firefox or translateLocally model. PyTorch is not needed."""

from dataclasses import replace
from pathlib import Path

from app.engine.decoding.shortlist import Shortlist
from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import Provenance
from export.arrays import Arrays
from export.bergamot.binary import BinaryWeights
from export.bergamot.folder import ModelFiles, pairs_of
from export.bergamot.lexical import read_lexical
from export.bergamot.pieces import Pieces
from export.bergamot.weights import read_arrays, read_config
from export.choices import Choices
from export.imported_bundle import Imported, build
from export.marian.limits import SourceError
from export.progress import Report
from model.network.config import TransformerConfig

_LONGEST_SOURCE = 128  # pieces, as the original engine cuts sentences


def import_bergamot(
    files: ModelFiles, out: Path, *, name: str, choices: Choices, scratch: Path, report: Report
) -> Bundle:
    """Make a bundle; see ``export.importing.import_bundle``.

    Its alignment head is the one that such models are trained with.

    Args:
        files: The model.
        out: Folder to make or replace.
        name: Name of the bundle.
        choices: Options of the user.
        scratch: A folder to make, for files of the bundle.
        report: Called with a line on each step.

    Raises:
        SourceError: It is damaged, or no model of this kind.
    """
    pairs = pairs_of(files, tuple(choices.pairs), name)
    weights = BinaryWeights(files.weights)
    pieces = Pieces(files.source_pieces), Pieces(files.target_pieces)
    config, arrays = _read(weights, pieces)
    imported = Imported(
        config=replace(config, alignment_layer=None),
        arrays=arrays,
        name=name,
        pairs=tuple(pairs),
        tokenizers=_write_pieces(pieces, scratch, shared=files.source_pieces == files.target_pieces),
        longest_source=_LONGEST_SOURCE,
        provenance=_provenance(files, choices),
        guided=config.alignment_layer,
        only_guided=True,
        shortlist=_shortlist(files, config),
        sentences=choices.sentences,
    )
    return build(imported, out, report=report)


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


def _write_pieces(pieces: tuple[Pieces, Pieces], folder: Path, *, shared: bool) -> tuple[Path, Path]:
    """Write the SentencePiece models under their names in a bundle."""
    folder.mkdir()
    names = ("vocabulary.spm", "vocabulary.spm") if shared else ("source.spm", "target.spm")
    for name, side in zip(names, pieces, strict=True):
        (folder / name).write_bytes(side.content)
    return folder / names[0], folder / names[1]


def _shortlist(files: ModelFiles, config: TransformerConfig) -> Shortlist | None:
    """The model's own, if source and target share their pieces: a sentence may also use its own."""
    if files.lexical is None or files.source_pieces != files.target_pieces:
        return None
    return read_lexical(files.lexical, config.target_vocabulary, config.eos_id)


def _provenance(files: ModelFiles, choices: Choices) -> Provenance:
    origin = f"{files.weights.name} with sha256 {sha256(files.weights)}"
    kind = f", architecture {files.architecture}" if files.architecture else ""
    return Provenance(licence=choices.licence or "unknown", origin=origin + kind)
