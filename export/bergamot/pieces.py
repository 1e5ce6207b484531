"""SentencePiece models as Marian uses them: the ids of the pieces are those of the model."""

from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from export.marian.limits import VOCABULARY_BYTES, SourceError, read_bytes

_Piece = sentencepiece_model_pb2.ModelProto.SentencePiece  # type: ignore[attr-defined]  # made at run time


class Pieces:
    """A vocabulary, with its control symbols made harmless.

    SentencePiece finds user-defined symbols literally in any text. Newer vocabularies have ``__start__``, ``__sep__``
    and the like, which the models never learnt. As unused pieces, a text that has them is read as text.

    Attributes:
        content: The SentencePiece model to store.
        size: Number of pieces.
        eos_id: Id of ``</s>``.
        never: Ids of pieces that no translation has.
    """

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            SourceError: It is no SentencePiece model, or has no ``</s>`` or ``<unk>``.
        """
        content = read_bytes(path, VOCABULARY_BYTES)
        try:
            model = sentencepiece_model_pb2.ModelProto.FromString(content)  # type: ignore[attr-defined]
            changed = [piece for piece in model.pieces if piece.type == _Piece.USER_DEFINED]
            for piece in changed:
                piece.type = _Piece.UNUSED
            self.content = model.SerializeToString() if changed else content
            processor = sentencepiece.SentencePieceProcessor.from_proto(self.content)
        except Exception as error:  # protobuf's DecodeError, SentencePiece's RuntimeError
            raise SourceError(f"{path} is not a SentencePiece model") from error
        self.size: int = processor.vocab_size()
        self.eos_id: int = processor.eos_id()
        if self.eos_id < 0 or processor.unk_id() < 0:
            raise SourceError(f"{path} has no </s> or no <unk>")
        silent = (_Piece.UNKNOWN, _Piece.CONTROL, _Piece.UNUSED)
        self.never = {index for index, piece in enumerate(model.pieces) if piece.type in silent} - {self.eos_id}
