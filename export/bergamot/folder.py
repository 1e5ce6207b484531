"""The files of a Firefox or translateLocally model in a folder.

The folder has one ``.bin`` file of weights, one or two SentencePiece models (``.spm``), and maybe a lexical shortlist.
Files may be compressed with gzip, as in Mozilla's repository.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from app.engine.models.manifest import Pair
from export.bergamot.binary import is_binary_weights
from export.marian.directions import parse_pair
from export.marian.languages import language_code
from export.marian.limits import MODEL_BYTES, SourceError, check_plain, gunzip, parse_yaml, read_json, read_text

_WEIGHTS = re.compile(r"(?!lex|quality|pytorch_model).*\.bin")
_LEXICAL = re.compile(r"lex.*\.bin")
_PACKED = (".gz", ".zst")
_POINTER = b"version https://git-lfs"
# How much larger a file may be than its compressed form; weights hardly compress, vocabularies to a quarter.
_GROWTH, _SLACK_BYTES = 20, 16 << 20
# model.ende.intgemm.alphas.bin
_IN_NAME = re.compile(r"[a-z]+\.([a-z]{2})([a-z]{2})\..*")


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model, none of them compressed.

    Attributes:
        weights: The ``.bin`` file.
        source_pieces, target_pieces: The SentencePiece models; the same if there is one vocabulary.
        lexical: The lexical shortlist, if there is one.
        architecture: ``tiny``, ``base`` or the like, where a description says so.
        pair: The languages, as ``en-pt``, where files say so.
    """

    weights: Path
    source_pieces: Path
    target_pieces: Path
    lexical: Path | None
    architecture: str | None
    pair: str | None


def find_files(folder: Path, scratch: Path) -> ModelFiles | None:
    """The files of a model; None if the folder holds no such model.

    Args:
        folder: Where they are.
        scratch: An empty folder for the unpacked ones.

    Raises:
        SourceError: A file is missing, there are several models, or one can't be unpacked.
    """
    names = {_plain_name(path): path for path in sorted(folder.iterdir()) if path.is_file()}
    pieces = [name for name in names if name.endswith(".spm")]
    found = [name for name in names if _WEIGHTS.fullmatch(name)]
    if not found or not pieces or {"source.spm", "target.spm"} <= set(pieces):
        return None
    if len(found) > 1:
        raise SourceError(f"{folder} holds several files of weights: {', '.join(found[:3])}")
    weights = _unpacked(names[found[0]], scratch)
    if not is_binary_weights(weights):
        raise SourceError(f"{weights} is not a Marian model")
    source, target = (_unpacked(names[name], scratch) for name in _vocabularies(folder, names, pieces))
    lexical = [_unpacked(path, scratch) for name, path in names.items() if _LEXICAL.fullmatch(name)]
    return ModelFiles(
        weights=weights,
        source_pieces=source,
        target_pieces=target,
        lexical=lexical[0] if len(lexical) == 1 else None,
        architecture=_architecture(folder),
        pair=_pair_in_name(found[0]),
    )


def pairs_of(files: ModelFiles, given: tuple[str, ...], name: str) -> tuple[Pair, ...]:
    """The pair that the user named, or that the names of the files tell.

    Raises:
        SourceError: Nothing tells the languages, or several pairs are named.
    """
    if len(given) > 1:
        raise SourceError("such a model translates one pair of languages")
    told = (*given, *([files.pair] if files.pair else []))
    if not told:
        raise SourceError(f"{name} doesn't say which languages it translates: give --pair SOURCE-TARGET")
    pair = parse_pair(told[0])
    if pair.tag is not None:
        raise SourceError(f"{name} has no target tags")
    return (pair,)


def _plain_name(path: Path) -> str:
    return path.stem if path.suffix in _PACKED else path.name


def _vocabularies(folder: Path, names: dict[str, Path], pieces: list[str]) -> tuple[str, str]:
    """Source and target; the configuration of Marian's decoder takes precedence over the names of the files."""
    for path in (path for name, path in names.items() if re.fullmatch(r"config.*\.ya?ml", name)):
        named = parse_yaml(read_text(path), path).get("vocabs")
        if isinstance(named, list) and len(named) == 2 and all(isinstance(one, str) and one in pieces for one in named):
            return named[0], named[1]
    if len(pieces) == 1:
        return pieces[0], pieces[0]
    source = [name for name in pieces if name.startswith(("src", "source"))]
    target = [name for name in pieces if name.startswith(("trg", "target"))]
    if len(source) != 1 or len(target) != 1:
        raise SourceError(f"{folder} doesn't say which vocabulary is which: {', '.join(pieces[:4])}")
    return source[0], target[0]


def _unpacked(path: Path, scratch: Path) -> Path:
    """The file itself, or what is in it if it is compressed."""
    check_plain(path)
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise SourceError(f"{path} is a pointer of Git LFS, not the file: run git lfs pull")
    if path.suffix not in _PACKED:
        return path
    if path.suffix == ".zst":
        raise SourceError(f"{path} is compressed with zstd: unpack it with zstd -d")
    unpacked = scratch / path.stem
    if unpacked.exists():  # one vocabulary of both sides
        return unpacked
    gunzip(path, unpacked, min(MODEL_BYTES, _GROWTH * path.stat().st_size + _SLACK_BYTES), str(path))
    return unpacked


def _architecture(folder: Path) -> str | None:
    """From Mozilla's or translateLocally's description of a model."""
    for name, key in (("metadata.json", "architecture"), ("model_info.json", "type")):
        if (folder / name).is_file():
            value = read_json(folder / name).get(key)
            return value if isinstance(value, str) and len(value) <= 40 else None
    return None


def _pair_in_name(name: str) -> str | None:
    match = _IN_NAME.fullmatch(name)
    codes = [language_code(code) for code in match.groups()] if match else []
    return "-".join(code for code in codes if code) if len(codes) == 2 and all(codes) else None
