"""Read a folder that OPUS-MT released: Marian's ``.npz``, ``decoder.yml``, vocabularies, SentencePiece models."""

from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from export.arrays import Array, Arrays, sinusoids
from export.marian.limits import SourceError, count, parse_yaml, read_text
from export.marian.mapping import assemble, make_config
from export.marian.names import Foreign, marian_name
from export.marian.npz import OPTIONS, MarianArrays
from export.marian.options import check_options, has_pre_norm, is_recurrent, normalises_embeddings
from export.marian.source import MarianModel, Vocabularies
from export.marian.vocabulary import Pieces, by_id, read_sentencepiece, read_yaml_vocabulary
from model.network.config import TransformerConfig

DECODER = "decoder.yml"

# Marian's sinusoidal positions have no limit; no decoder needs more than this.
_POSITIONS = 1024
_NORM_EPSILON = 1e-6  # of Marian's Transformer layers
_OUTPUT = "decoder_ff_logit_out"


def read_original(folder: Path) -> MarianModel:
    """Read weights, options and vocabularies.

    Raises:
        SourceError: It is no release of a Marian Transformer with SentencePiece, or is damaged.
    """
    decoder = _decoder_options(folder)
    arrays = MarianArrays(_weights_file(folder, decoder))
    source_ids, target_ids = _vocabulary_files(folder, decoder)
    reader = _Reader(arrays)
    source, target = (_read_vocabulary(path) for path in (source_ids, target_ids))
    if source_ids == target_ids:
        source = target
    config = reader.config(_id(source, target, "</s>"))
    rows = config.target_vocabulary
    vocabularies = Vocabularies(source=_padded(source, rows, source_ids), target=_padded(target, rows, target_ids))
    forbidden = {config.pad_id, *range(reader.target_rows, rows)}
    if not decoder.get("allow-unk", False):
        forbidden.add(target["<unk>"])
    card = folder / "README.md"
    return MarianModel(
        config=config,
        arrays=reader.read(config, forbidden),
        vocabularies=vocabularies,
        source_pieces=_pieces_file(folder, "source.spm", source_ids),
        target_pieces=_pieces_file(folder, "target.spm", target_ids),
        longest_source=min(count(arrays.options, "max-length", "positions", default=_POSITIONS), config.max_positions),
        card=read_text(card) if card.exists() else "",
        weights=arrays.path,
        guided=_guided(arrays.options, config),
    )


class _Reader:
    """Finds our weights among Marian's arrays.

    Marian starts a translation from an empty embedding. So the tables get one more row, all zeros, for padding and
    start, as in MarianMT. Tables of two sizes are padded to one size.
    """

    def __init__(self, arrays: MarianArrays) -> None:
        self._arrays = arrays
        self._shared = "Wemb" in arrays
        self.source_rows = arrays.rows("Wemb" if self._shared else "encoder_Wemb")
        self.target_rows = arrays.rows("Wemb" if self._shared else "decoder_Wemb")
        self._pre_norm = has_pre_norm(arrays.options)
        self._recurrent = is_recurrent(arrays.options)
        self._taken = {OPTIONS}

    def config(self, eos_id: int) -> TransformerConfig:
        """The model's configuration in our terms."""
        options = self._arrays.options
        check_options(options)
        rows = max(self.source_rows, self.target_rows) + 1
        learned = "Wpos" in self._arrays
        return make_config(
            self._arrays.stored_bytes,
            source_vocabulary=rows,
            target_vocabulary=rows,
            encoder_layers=count(options, "enc-depth", "layers"),
            decoder_layers=count(options, "dec-depth", "layers"),
            width=count(options, "dim-emb", "width"),
            heads=count(options, "transformer-heads", "heads"),
            feed_forward=count(options, "transformer-dim-ffn", "feed-forward width"),
            norm="pre" if self._pre_norm else "post",
            embedding_norm=normalises_embeddings(options),
            activation=options.get("transformer-ffn-activation", "swish"),
            decoder_cell="ssru" if self._recurrent else "attention",
            positions="learned" if learned else "sinusoidal-marian",
            max_positions=self._arrays.rows("Wpos") if learned else _POSITIONS,
            scale_embeddings=not learned,
            tie_source_target=self._shared,
            tie_output=not self._output_names(),
            output_bias=True,
            norm_epsilon=_NORM_EPSILON,
            pad_id=rows - 1,
            eos_id=eos_id,
            decoder_start_id=rows - 1,
        )

    def _output_names(self) -> list[str]:
        """Return the output projection's parameter, if it is not an embedding: (D, V), in newer files (V, D)."""
        return [name for name in (f"{_OUTPUT}_W", f"{_OUTPUT}_Wt") if name in self._arrays]

    def read(self, config: TransformerConfig, forbidden: set[int]) -> Arrays:
        """All weights, as ``export.arrays`` names them."""
        arrays = assemble(config, self._tables(config), self._take, self._name, forbidden)
        left = sorted(self._arrays.headers.keys() - self._taken)
        if left:
            raise SourceError(f"{self._arrays.path}: {left[0]:.60} is an unknown parameter")
        return arrays

    def _tables(self, config: TransformerConfig) -> dict[str, Array]:
        width, rows = config.width, config.target_vocabulary
        target_name = "Wemb" if self._shared else "decoder_Wemb"
        tables = {"target_embedding.weight": self._grown(self._table(target_name, self.target_rows, width), rows)}
        if not self._shared:
            source = self._table("encoder_Wemb", self.source_rows, width)
            tables["source_embedding.weight"] = self._grown(source, rows)
        for name in self._output_names():
            shape = (width, self.target_rows) if name.endswith("W") else (self.target_rows, width)
            matrix = self._take(Foreign(name), shape)
            tables["projection.weight"] = self._grown(matrix.T if name.endswith("W") else matrix, rows)
        bias = f"{_OUTPUT}_b"
        values = self._take(Foreign(bias), (self.target_rows,)) if bias in self._arrays else np.zeros(0, np.float32)
        tables["projection.bias"] = np.pad(values, (0, rows - len(values)))
        tables["positions"] = (
            self._table("Wpos", config.max_positions, width)
            if config.positions == "learned"
            else sinusoids(np.arange(config.max_positions), width, to_the_end=True)
        )
        return tables

    def _table(self, name: str, rows: int, width: int) -> Array:
        return self._take(Foreign(name), (rows, width))

    @staticmethod
    def _grown(table: Array, rows: int) -> Array:
        return np.pad(table, ((0, rows - len(table)), (0, 0)))

    def _take(self, foreign: Foreign, shape: tuple[int, ...]) -> Array:
        self._taken.add(foreign.name)
        return self._arrays.take(foreign, shape)

    def _name(self, name: str) -> Foreign:
        return marian_name(name, pre_norm=self._pre_norm, recurrent=self._recurrent)


def _decoder_options(folder: Path) -> dict[str, Any]:
    path = folder / DECODER
    return parse_yaml(read_text(path), path) if path.exists() else {}


def _weights_file(folder: Path, decoder: dict[str, Any]) -> Path:
    named = decoder.get("models")
    if named is None:
        named = sorted(path.name for path in folder.glob("*.npz"))
    if not isinstance(named, list) or len(named) != 1:
        raise SourceError(f"{folder} holds {len(named) if isinstance(named, list) else 'no'} models, not one")
    return _inside(folder, named[0])


def _vocabulary_files(folder: Path, decoder: dict[str, Any]) -> tuple[Path, Path]:
    """Return the vocabularies of source and target; the decoder's options take precedence over the folder's files."""
    named = decoder.get("vocabs")
    if named is None:
        named = sorted(path.name for path in folder.glob("*.yml") if path.name.endswith("vocab.yml"))
        named = named * 2 if len(named) == 1 else named
        if len(named) != 2 or named[0] != named[1]:
            raise SourceError(f"{folder} has no {DECODER} that says which vocabulary is which")
    if not isinstance(named, list) or len(named) != 2:
        raise SourceError(f"{folder / DECODER} doesn't name two vocabularies, one of the source, one of the target")
    return _inside(folder, named[0]), _inside(folder, named[1])


def _inside(folder: Path, name: object) -> Path:
    """Return a file of the folder; a path that leads elsewhere is refused."""
    parts = PurePosixPath(name).parts if isinstance(name, str) else ()
    if not parts or ".." in parts or PurePosixPath(str(name)).is_absolute() or "\0" in str(name):
        raise SourceError(f"{folder / DECODER} names {name!r:.60}, which is not a file of the folder")
    path = folder.joinpath(*parts)
    if not path.is_file():
        raise SourceError(f"{path} is missing")
    return path


def _read_vocabulary(path: Path) -> dict[str, int]:
    """Read pieces and ids from a ``.yml``, or from a SentencePiece model that Marian itself uses."""
    if path.suffix != ".spm":
        return read_yaml_vocabulary(path)
    processor = read_sentencepiece(path)
    return {processor.id_to_piece(index): index for index in range(processor.vocab_size())}


def _padded(ids: dict[str, int], rows: int, path: Path) -> Pieces:
    pieces = by_id(ids, rows, path)
    if pieces[-1] is not None:
        raise SourceError(f"{path} has more pieces than the model has rows")
    return pieces


def _id(source: dict[str, int], target: dict[str, int], piece: str) -> int:
    if piece not in source or source[piece] != target.get(piece):
        raise SourceError(f"the vocabularies don't agree on the id of {piece}")
    return source[piece]


def _pieces_file(folder: Path, name: str, vocabulary: Path) -> Path:
    path = vocabulary if vocabulary.suffix == ".spm" else folder / name
    if not path.exists():
        raise SourceError(f"{path} is missing: only models with SentencePiece can be imported")
    read_sentencepiece(path)
    return path


def _guided(options: dict[str, Any], config: TransformerConfig) -> int | None:
    """Return the decoder layer, from 0, whose first head was trained with guided alignment."""
    if options.get("guided-alignment", "none") in ("none", None):
        return None
    layer = options.get("transformer-guided-alignment-layer", "last")
    number = config.decoder_layers if layer == "last" else int(layer) if str(layer).isdecimal() else 0
    return number - 1 if 1 <= number <= config.decoder_layers else None
