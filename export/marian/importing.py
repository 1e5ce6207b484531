"""``dragoman import``: make a bundle of a Marian model from a folder, an archive or the Hub."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import Pair, Provenance
from app.engine.models.tokenizer import Tokenizer
from export.bundle_builder import Ingredients, Sentences, build, check_out
from export.marian.archives import unpack
from export.marian.card import read_card
from export.marian.directions import find_pairs
from export.marian.hub import download, is_hub_id
from export.marian.huggingface import CONFIG, read_huggingface
from export.marian.limits import SourceError
from export.marian.original import DECODER, read_original
from export.marian.probe import SENTENCES, choose_alignment
from export.marian.source import MarianModel, Vocabularies
from export.precisions import Report

# How many pairs get sentences, and how many get golden sentences: a model may have hundreds of pairs.
_SPREAD = 8
_GOLDEN_PAIRS = 4
_GOLDEN_CANDIDATES = 8
_GOLDEN_EACH = 4


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Options of an import.

    Attributes:
        pairs: As ``export.marian.directions.parse_pair`` reads them; none: the model's files tell.
        name: Name of the bundle; None takes the name of the source.
        licence: Licence of the model; None takes the licence in its README.
        sentences: In the source languages, for int8 and the comparison with PyTorch; none: a built-in few.
    """

    pairs: Sequence[str] = ()
    name: str | None = None
    licence: str | None = None
    sentences: Sequence[str] = ()


def import_bundle(source: str, out: Path, *, choices: Choices, report: Report) -> Bundle:
    """Make a bundle of a Marian model.

    Args:
        source: Folder or zip file of MarianMT or of Marian itself, or the name of a model on the Hugging Face Hub.
        out: Folder to make or replace; on any error it is as it was.
        choices: Options of the user.
        report: Called with a line on each step.

    Raises:
        SourceError: There is no such model, or it is of a kind that can't be imported.
        BuildError: ``out`` exists and is no bundle, or the heads have a width that int8 can't have.
        ParityError: The float32 graphs are wrong.
    """
    check_out(out)
    # Unpack next to the bundle, because that disk must have space for it anyway.
    beside = out.parent if out.parent.is_dir() else None
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.import-", dir=beside) as scratch:
        folder = _fetch(source, Path(scratch), report)
        name = choices.name or _name(source)
        report(f"reading {name}")
        read = _read(folder)
        ingredients, sentences = _prepare(read, name, source, choices, Path(scratch) / "files", report)
        return build(ingredients, out, sentences=sentences, report=report)


def _fetch(source: str, scratch: Path, report: Report) -> Path:
    """Return the folder of a source; unpack or download it if necessary."""
    path = Path(source)
    if path.is_dir():
        return path
    if path.is_file():
        report(f"unpacking {path}")
        unpacked = scratch / "unpacked"
        unpacked.mkdir()
        return unpack(path, unpacked)
    if is_hub_id(source):
        report(f"downloading {source}")
        return download(source)
    raise SourceError(f"{source} is not a folder, a zip file or the name of a model such as Helsinki-NLP/opus-mt-de-en")


def _read(folder: Path) -> MarianModel:
    if (folder / CONFIG).exists():
        return read_huggingface(folder)
    if (folder / DECODER).exists() or any(folder.glob("*.npz")):
        return read_original(folder)
    raise SourceError(f"{folder.name} holds neither {CONFIG} (Hugging Face) nor an .npz file (Marian)")


def _prepare(
    read: MarianModel, name: str, source: str, choices: Choices, files: Path, report: Report
) -> tuple[Ingredients, list[Sentences]]:
    """Return the ingredients of the bundle, with their files in a new folder, and sentences for its calibration."""
    card = read_card(read.card)
    stem = Path(source).resolve().name if Path(source).exists() else source.rpartition("/")[2]
    tags = read.vocabularies.tags
    pairs = find_pairs(choices.pairs, card=card, stated=read.languages, name=stem.removesuffix(".zip"), tags=tags)
    tokenizers, vocabularies = _write_files(read, files)
    spread = _spread(pairs, _SPREAD)
    texts = choices.sentences or SENTENCES
    sentences = [
        Sentences(pair.source, pair.target, texts if len(texts) <= len(SENTENCES) else texts[index :: len(spread)])
        for index, pair in enumerate(spread)
    ]
    report("looking for the attention head that aligns words")
    tokenizer = Tokenizer(*tokenizers, *vocabularies)
    probes = [
        [*([tokenizer.piece_id(pair.tag)] if pair.tag else []), *tokenizer.encode(text), read.model.config.eos_id]
        for pair in spread[:_GOLDEN_PAIRS]
        for text in SENTENCES
    ]
    candidates = SENTENCES[:_GOLDEN_CANDIDATES]
    alignment = choose_alignment(read.model, read.vocabularies, probes, read.guided)
    ingredients = Ingredients(
        model=read.model,
        name=name,
        pairs=pairs,
        tokenizers=tokenizers,
        vocabularies=vocabularies,
        longest_source=read.longest_source,
        golden=[(pair.source, pair.target, text) for pair in spread[:_GOLDEN_PAIRS] for text in candidates],
        golden_limit=_GOLDEN_EACH,
        provenance=Provenance(
            licence=choices.licence or card.licence or "unknown",
            origin=f"{stem}, {read.weights.name} with sha256 {sha256(read.weights)}",
        ),
        alignment=alignment,
    )
    return ingredients, sentences


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


def _spread(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Return this many pairs, spread from the first to the last."""
    places = np.linspace(0, len(pairs) - 1, min(most, len(pairs))).round().astype(int)
    return [pairs[place] for place in dict.fromkeys(places.tolist())]


def _name(source: str) -> str:
    path = Path(source)
    return (path.resolve().name if path.exists() else source.rpartition("/")[2]).removesuffix(".zip")
