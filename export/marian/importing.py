"""Make a bundle of MarianMT's folders and OPUS-MT's releases. PyTorch is not needed."""

import json
import shutil
from pathlib import Path
from typing import Any

from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import Provenance
from export.choices import Choices
from export.imported_bundle import Imported, build
from export.marian.card import read_card
from export.marian.directions import find_pairs
from export.marian.huggingface import CONFIG, read_huggingface
from export.marian.limits import SourceError
from export.marian.original import DECODER, read_original
from export.marian.source import MarianModel, Vocabularies
from export.progress import Report


def import_marian(
    folder: Path, out: Path, *, name: str, source: str, choices: Choices, scratch: Path, report: Report
) -> Bundle:
    """Make a bundle of a MarianMT model, or of a release of OPUS-MT; see ``export.importing.import_bundle``.

    Args:
        folder: Where the model is.
        out: Folder to make or replace.
        name: Name of the bundle.
        source: What the user named.
        choices: Options of the user.
        scratch: A folder to make, for files of the bundle.
        report: Called with a line on each step.
    """
    read = _read(folder)
    card = read_card(read.card)
    stem = Path(source).resolve().name if Path(source).exists() else source.rpartition("/")[2]
    tags = read.vocabularies.tags
    pairs = find_pairs(choices.pairs, card=card, stated=read.languages, name=stem.removesuffix(".zip"), tags=tags)
    tokenizers, vocabularies = _write_files(read, scratch)
    imported = Imported(
        config=read.config,
        arrays=read.arrays,
        name=name,
        pairs=tuple(pairs),
        tokenizers=tokenizers,
        vocabularies=vocabularies,
        longest_source=read.longest_source,
        provenance=Provenance(
            licence=choices.licence or card.licence or "unknown",
            origin=f"{stem}, {read.weights.name} with sha256 {sha256(read.weights)}",
        ),
        guided=read.guided,
        sentences=choices.sentences,
    )
    return build(imported, out, report=report)


def _read(folder: Path) -> MarianModel:
    if (folder / CONFIG).exists():
        return read_huggingface(folder)
    if (folder / DECODER).exists() or any(folder.glob("*.npz")):
        return read_original(folder)
    raise SourceError(f"{folder} holds neither {CONFIG} (Hugging Face) nor an .npz file (Marian)")


def _write_files(read: MarianModel, folder: Path) -> tuple[tuple[Path, Path], tuple[Path, Path]]:
    """Write tokenizers and vocabularies under their names in a bundle."""
    folder.mkdir()
    source, target = folder / "source.spm", folder / "target.spm"
    shutil.copyfile(read.source_pieces, source)
    if read.target_pieces == read.source_pieces:
        target = source
    else:
        shutil.copyfile(read.target_pieces, target)
    return (source, target), _write_vocabularies(read.vocabularies, folder)


def _write_vocabularies(vocabularies: Vocabularies, folder: Path) -> tuple[Path, Path]:
    def write(name: str, pieces: Any) -> Path:
        path = folder / name
        path.write_text(json.dumps(pieces, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        return path

    if vocabularies.source == vocabularies.target:
        path = write("vocab.json", vocabularies.source)
        return path, path
    return write("source.vocab.json", vocabularies.source), write("target.vocab.json", vocabularies.target)
