"""SentencePiece pieces <-> ids, with character offsets into the text as the user wrote it.

The ids of a model are SentencePiece's own. Imported models have a vocabulary with other ids.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import sentencepiece

from app.engine.models.files import MAX_VOCABULARY_BYTES, read_plain
from app.engine.models.ligatures import with_ligatures, without_ligatures
from app.engine.models.typography import plain_signs
from app.errors import BundleError

UNKNOWN = "<unk>"
_SPACE = "\u2581"  # a space in pieces
_SILENT = frozenset({"<pad>", "</s>", "<s>"})  # pieces that mean no text


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


class Vocabulary:
    """The model's own numbers of pieces."""

    def __init__(self, path: Path) -> None:
        """Read a JSON list of pieces, each at the place of its id; null where an id has no piece.

        Raises:
            BundleError: The file is not a tokenizer, or has no piece for unknown text.
        """
        try:
            pieces = json.loads(read_plain(path, MAX_VOCABULARY_BYTES))
        except (ValueError, RecursionError) as error:
            raise BundleError(f"{path} can't be read as JSON") from error
        if not isinstance(pieces, list) or not all(piece is None or isinstance(piece, str) for piece in pieces):
            raise BundleError(f"{path} is not a list of pieces")
        self.pieces: list[str] = [piece or "" for piece in pieces]
        self.ids = {piece: index for index, piece in enumerate(self.pieces) if piece}
        if UNKNOWN not in self.ids:
            raise BundleError(f"{path} has no {UNKNOWN}")

    def numbers(self, processor: sentencepiece.SentencePieceProcessor) -> list[int]:
        """The model's id for each SentencePiece id; the unknown piece's id where the vocabulary lacks the piece.

        A target tag is never among them: no text can ask for another language than the request does.
        """
        unknown = self.ids[UNKNOWN]
        pieces = (processor.id_to_piece(index) for index in range(processor.vocab_size()))
        return [unknown if is_tag(piece) else self.ids.get(piece, unknown) for piece in pieces]


def is_tag(piece: str) -> bool:
    """Whether a piece of an imported model is a target tag, as ``>>deu<<``."""
    return piece.startswith(">>") and piece.endswith("<<")


class Tokenizer:
    """The two SentencePiece models of a bundle, which may be one file, and the vocabularies, if ids are not theirs."""

    def __init__(
        self, source: Path, target: Path, source_vocabulary: Path | None = None, target_vocabulary: Path | None = None
    ) -> None:
        """Load the models.

        Raises:
            BundleError: A file is not a SentencePiece model or no vocabulary, or there is only one vocabulary.
        """
        if (source_vocabulary is None) != (target_vocabulary is None):
            raise BundleError(f"{source.parent} has a vocabulary for only one of its languages")
        self._path = source
        self._source = _load(source)
        self._target = self._source if target == source else _load(target)
        self._vocabulary: Vocabulary | None = None
        self._numbers: list[int] | None = None
        self._pieces: list[str] | None = None
        self._target_numbers: list[int] | None = None
        if source_vocabulary and target_vocabulary:
            self._vocabulary = own = Vocabulary(source_vocabulary)
            self._numbers = own.numbers(self._source)
            other = own if target_vocabulary == source_vocabulary else Vocabulary(target_vocabulary)
            self._pieces = ["" if piece in _SILENT or is_tag(piece) else piece for piece in other.pieces]
            self._target_numbers = other.numbers(self._target)
        self._plain = plain_signs(self._knows)

    def encode(self, text: str) -> list[int]:
        """Ids of a source text, without special ids."""
        ids: list[int] = self._source.encode(self._plainly(text))
        return self._numbered(ids)

    def encode_target(self, text: str) -> list[int]:
        """Ids of a target text, without special ids."""
        ids: list[int] = self._target.encode(text)
        return ids if self._target_numbers is None else [self._target_numbers[index] for index in ids]

    def encode_with_spans(self, text: str) -> Pieces:
        """Ids of a source text with their places in it."""
        # The offsets of return_type="proto" count bytes.
        mapping = self._source.encode(self._plainly(text), return_type="offset_mapping")
        return Pieces(tuple(self._numbered(mapping["ids"])), with_ligatures(text, mapping["offsets"]))

    def decode_with_spans(self, ids: Sequence[int]) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Target ids -> text, and for each id its (begin, end) there, in code points; as in ``Pieces``."""
        mapping = self._target.decode(self._decodable(ids), return_type="offset_mapping")
        return self._spaced(mapping["text"]), tuple(mapping["offsets"])

    def decode(self, ids: Sequence[int]) -> str:
        """Target ids -> text. Control pieces vanish; a broken byte sequence becomes U+FFFD."""
        return self._spaced(self._target.decode(self._decodable(ids)))

    def source_label(self, piece: int) -> str:
        """A source piece as people read it: a word begins with a space."""
        own = self._vocabulary
        return (own.pieces[piece] if own else str(self._source.id_to_piece(piece))).replace(_SPACE, " ")

    def target_label(self, piece: int) -> str:
        """A target piece as people read it; imported models' control pieces are empty."""
        known = self._pieces
        return (known[piece] if known else str(self._target.id_to_piece(piece))).replace(_SPACE, " ")

    def characters(self) -> str:
        """Return the characters that source pieces consist of; any other is encoded as bytes, or as unknown."""
        source = self._source
        known = self._vocabulary.ids if self._vocabulary else None
        found: set[str] = set()
        for index in range(source.vocab_size()):
            piece = source.id_to_piece(index)
            special = source.is_byte(index) or source.is_control(index) or source.is_unknown(index)
            if not special and (known is None or piece in known):
                found |= set(piece)
        # A tokenizer may fold capitals.
        others = {other for one in found for other in (one.upper(), one.lower()) if len(other) == 1} - found
        found |= {other for other in others if source.normalize(other).strip() in found}
        return "".join(sorted((found | set(map(chr, self._plain))) - {_SPACE}))

    @cached_property
    def target_pieces(self) -> list[str]:
        """Target pieces by id; a word begins with SentencePiece's sign of a space."""
        return self._pieces or [self._target.id_to_piece(index) for index in range(self._target.vocab_size())]

    def word_parts(self) -> frozenset[int]:
        """Target ids of pieces that continue a word."""
        return frozenset(index for index, piece in enumerate(self.target_pieces) if piece[:1].isalnum())

    def piece_id(self, piece: str) -> int:
        """Id of a source piece, such as a target tag.

        Raises:
            BundleError: The vocabulary does not have it.
        """
        if self._vocabulary:
            index = self._vocabulary.ids.get(piece)
        else:
            index = self._source.piece_to_id(piece)
            index = index if self._source.id_to_piece(index) == piece else None
        if index is None:
            raise BundleError(f"{self._path} has no piece {piece:.40}")
        return index

    def _plainly(self, text: str) -> str:
        text = without_ligatures(text)
        return text.translate(self._plain) if self._plain else text

    def _knows(self, character: str) -> bool:
        """Whether the source vocabulary has pieces, or bytes, for a character."""
        unknown = self._vocabulary.ids[UNKNOWN] if self._vocabulary else self._source.unk_id()
        return unknown not in self._numbered(self._source.encode(character))

    def _numbered(self, ids: list[int]) -> list[int]:
        numbers = self._numbers
        return ids if numbers is None else [numbers[index] for index in ids]

    def _decodable(self, ids: Sequence[int]) -> list[int] | list[str]:
        """Return SentencePiece's input: its ids, or pieces if the vocabulary has pieces that it lacks."""
        return list(ids) if self._pieces is None else [self._pieces[index] for index in ids]

    def _spaced(self, text: str) -> str:
        """Replace the space sign in pieces that SentencePiece lacks and so returns unchanged."""
        return text if self._pieces is None else text.replace(_SPACE, " ")


def _load(path: Path) -> sentencepiece.SentencePieceProcessor:
    try:
        return sentencepiece.SentencePieceProcessor.from_proto(
            read_plain(path, MAX_VOCABULARY_BYTES)  # the constructor takes an empty file
        )
    except RuntimeError as error:
        raise BundleError(f"{path} is not a SentencePiece model") from error
