"""Make a bundle of a Marian model that PyTorch reads: MarianMT's folders and OPUS-MT's releases."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import Pair, Provenance
from app.engine.models.tokenizer import Tokenizer
from export.bundle_builder import Ingredients, Sentences, build
from export.choices import Choices
from export.marian.card import read_card
from export.marian.directions import find_pairs
from export.marian.huggingface import CONFIG, read_huggingface
from export.marian.limits import SourceError
from export.marian.original import DECODER, read_original
from export.marian.probe import choose_alignment
from export.marian.probe_sentences import SENTENCES
from export.marian.source import MarianModel, Vocabularies
from export.progress import Report

# How many pairs get sentences, and how many get golden sentences: a model may have hundreds of pairs.
_SPREAD = 8
_GOLDEN_PAIRS = 4
_GOLDEN_CANDIDATES = 8
_GOLDEN_EACH = 4


def import_marian(
    folder: Path, out: Path, *, name: str, source: str, choices: Choices, files: Path, report: Report
) -> Bundle:
    """Make a bundle of a MarianMT model, or of a release of OPUS-MT; see ``export.importing.import_bundle``.

    Args:
        folder: Where the model is.
        out: Folder to make or replace.
        name: Name of the bundle.
        source: What the user named.
        choices: Options of the user.
        files: A folder to make, for files of the bundle.
        report: Called with a line on each step.
    """
    ingredients, sentences = _prepare(_read(folder), name, source, choices, files, report)
    return build(ingredients, out, sentences=sentences, report=report)


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
