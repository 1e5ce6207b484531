"""A Marian model after reading, the same for both of its file formats."""

from dataclasses import dataclass, field
from pathlib import Path

from export.arrays import Arrays
from model.network.config import TransformerConfig


@dataclass(frozen=True, kw_only=True)
class Vocabularies:
    """Pieces by the model's ids; None where an id has no piece.

    Attributes:
        source, target: As long as the embedding tables. They may be the same object.
    """

    source: list[str | None]
    target: list[str | None]

    @property
    def tags(self) -> tuple[str, ...]:
        """Target tags, such as ``>>deu<<``, in the order of their ids."""
        return tuple(piece for piece in self.source if piece and piece.startswith(">>") and piece.endswith("<<"))


@dataclass(frozen=True, kw_only=True)
class MarianModel:
    """A model after reading: its weights by our names, and the facts that the configuration doesn't hold.

    Attributes:
        config: Its configuration in our terms.
        arrays: Its weights. Ids that must never be produced have a bias that rules them out.
        vocabularies: The vocabularies of source and target.
        source_pieces, target_pieces: Paths of the SentencePiece models.
        longest_source: Source pieces that the model was made for.
        card: What its README says; "" if there is none.
        languages: Source and target, where the files say so besides the card.
        weights: Path of the file of weights.
        guided: Decoder layer whose head 0 was trained towards word alignments, if it is known.
    """

    config: TransformerConfig
    arrays: Arrays
    vocabularies: Vocabularies
    source_pieces: Path
    target_pieces: Path
    longest_source: int
    card: str
    languages: tuple[str, str] | None = field(default=None)
    weights: Path
    guided: int | None = field(default=None)
