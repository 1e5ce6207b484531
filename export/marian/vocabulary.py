"""Read vocabularies of Marian and MarianMT: pieces with their ids in the embedding tables."""

import re
from collections.abc import Mapping
from pathlib import Path

import sentencepiece

from export.marian.limits import VOCABULARY_BYTES, SourceError, parse_yaml, read_bytes, read_json, read_text

Pieces = list[str | None]
"""Pieces by id."""

_LINE = re.compile(r"(.+?): *(\d{1,9}) *")
_EXPLICIT = re.compile(r"^\? (.*)\n: ", re.MULTILINE)  # YAML's other way to write a key with its value
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'", re.DOTALL)


def read_json_vocabulary(path: Path, size: int) -> Pieces:
    """Read MarianMT's ``vocab.json``: an object of pieces and ids.

    Raises:
        SourceError: It is something else, or has ids beyond ``size``.
    """
    return by_id(read_json(path, VOCABULARY_BYTES), size, path)


def read_yaml_vocabulary(path: Path) -> dict[str, int]:
    """Read Marian's ``.yml``: one line for each piece, ``"piece": id``.

    It is read line by line, because a YAML parser would misread it: in ``no: 5``, the key is a piece, not False.

    Raises:
        SourceError: It is something else.
    """
    found: dict[str, int] = {}
    lines = _EXPLICIT.sub(r"\1: ", read_text(path, VOCABULARY_BYTES)).split("\n")
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if not line.strip() or line == "---":
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise SourceError(f"{path}: line {number} is not of the form 'piece: id'")
        found[_unquoted(match[1], f"{path}: line {number}")] = int(match[2])
    return found


def _unquoted(key: str, place: str) -> str:
    match = _QUOTED.fullmatch(key)
    if match is None:
        return key
    if match[2] is not None:
        return match[2].replace("''", "'")
    if "\\" not in match[1]:
        return match[1]
    [piece] = parse_yaml(f"{key}: 0", place)  # for its escapes
    return str(piece)


def by_id(ids: Mapping[str, object], size: int, name: object) -> Pieces:
    """Turn pieces with ids into pieces at ids.

    Raises:
        SourceError: An id is none, beyond ``size``, or there twice; or there is no ``<unk>`` or ``</s>``.
    """
    pieces: Pieces = [None] * size
    for piece, index in ids.items():
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < size:
            raise SourceError(f"{name}: the id of {piece!r:.40} is {index!r:.40}, not one of {size}")
        if pieces[index] is not None:
            raise SourceError(f"{name}: id {index} belongs to two pieces")
        pieces[index] = piece
    for special in ("<unk>", "</s>"):
        if special not in ids:
            raise SourceError(f"{name} has no {special}")
    return pieces


def read_sentencepiece(path: Path) -> sentencepiece.SentencePieceProcessor:
    """Read the pieces of a SentencePiece model.

    Raises:
        SourceError: It is missing, too large or no such model.
    """
    try:
        return sentencepiece.SentencePieceProcessor.from_proto(read_bytes(path, VOCABULARY_BYTES))
    except RuntimeError as error:
        raise SourceError(f"{path} is not a SentencePiece model") from error
