"""SentencePiece pieces <-> ids, with character offsets into the text as the user wrote it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sentencepiece

from app.errors import BundleError


@dataclass(frozen=True)
class Pieces:
    """A tokenised text.

    Attributes:
        ids: Piece ids, without special ids.
        spans: Per piece (begin, end) in code points of the text as given: normalisation is already undone, and white
            space belongs to the piece behind it. The bytes of a character that is not in the vocabulary share its
            span: all but the last are empty.
    """

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


class Tokenizer:
    """The two SentencePiece models of a bundle; they may be one file."""

    def __init__(self, source: Path, target: Path) -> None:
        """Load the models.

        Raises:
            BundleError: A file is no SentencePiece model.
        """
        self._source = _load(source)
        self._target = self._source if target == source else _load(target)

    def encode(self, text: str) -> list[int]:
        """Ids of a source text, without special ids."""
        ids: list[int] = self._source.encode(text)
        return ids

    def encode_with_spans(self, text: str) -> Pieces:
        """Ids of a source text with their places in it."""
        # The offsets of return_type="proto" count bytes.
        mapping = self._source.encode(text, return_type="offset_mapping")
        return Pieces(tuple(mapping["ids"]), tuple(mapping["offsets"]))

    def decode_with_spans(self, ids: Sequence[int]) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Target ids -> text, and for each id its (begin, end) there, in code points; as in ``Pieces``."""
        mapping = self._target.decode(list(ids), return_type="offset_mapping")
        return mapping["text"], tuple(mapping["offsets"])

    def decode(self, ids: Sequence[int]) -> str:
        """Target ids -> text. Control pieces vanish; a broken byte sequence becomes U+FFFD."""
        text: str = self._target.decode(list(ids))
        return text

    def piece_id(self, piece: str) -> int:
        """Id of a source piece, such as a target tag.

        Raises:
            BundleError: The vocabulary does not have it.
        """
        index: int = self._source.piece_to_id(piece)
        if self._source.id_to_piece(index) != piece:
            raise BundleError(f"the tokenizer has no piece {piece}")
        return index


def _load(path: Path) -> sentencepiece.SentencePieceProcessor:
    try:
        return sentencepiece.SentencePieceProcessor.from_proto(path.read_bytes())  # the constructor takes an empty file
    except (OSError, RuntimeError) as error:
        raise BundleError(f"{path} is no SentencePiece model") from error
