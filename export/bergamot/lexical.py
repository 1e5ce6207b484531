"""Read a lexical shortlist as Marian stores it in binary form (``lex.50.50.deen.s2t.bin``).

Six u64: magic, checksum, ``first``, ``best``, number of offsets, number of entries; the offsets (u64), one more than
there are source pieces; the target ids (u32).
"""

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.shortlist import Shortlist
from export.marian.limits import VOCABULARY_BYTES, SourceError, read_bytes

_MAGIC = 0xF11A48D5013417F5
_HEADER = struct.Struct("<6Q")
_WORD = (1 << 64) - 1


def read_lexical(path: Path, vocabulary: int, eos_id: int) -> Shortlist:
    """The target pieces that each source piece allows.

    The ``first`` pieces of the target vocabulary are always allowed: they are put into the row of the end of sentence,
    which every source has.

    Args:
        path: The file.
        vocabulary: Rows of the embedding tables; the shortlist gets as many rows.
        eos_id: End of sentence in the source.

    Raises:
        SourceError: It is no such file, is damaged, or names pieces that there aren't.
    """
    data = read_bytes(path, VOCABULARY_BYTES)
    if len(data) < _HEADER.size or _HEADER.unpack_from(data)[0] != _MAGIC:
        raise SourceError(f"{path} is not a binary shortlist of Marian's")
    _, checksum, first, _, rows, entries = _HEADER.unpack_from(data)
    if rows < 1 or _HEADER.size + 8 * rows + 4 * entries != len(data):
        raise SourceError(f"{path} is longer or shorter than its header says")
    if _checksum(data) != checksum:
        raise SourceError(f"{path} is damaged: its checksum is wrong")
    offsets = np.frombuffer(data, "<u8", rows, _HEADER.size)
    targets = np.frombuffer(data, "<u4", entries, _HEADER.size + 8 * rows).astype(np.int64)
    if offsets[0] or offsets[-1] != entries or np.any(offsets[1:] < offsets[:-1]):
        raise SourceError(f"{path}: its offsets are not in order")
    if not eos_id < rows - 1 <= vocabulary or first > vocabulary or np.any(targets >= vocabulary):
        raise SourceError(f"{path} names pieces that the model doesn't have")
    return _with_always(offsets.astype(np.int64), targets, np.arange(first), vocabulary, eos_id)


def _with_always(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int64],
    always: NDArray[np.int64],
    vocabulary: int,
    eos_id: int,
) -> Shortlist:
    lengths = np.zeros(vocabulary, np.int64)
    lengths[: len(offsets) - 1] = np.diff(offsets)
    own = np.union1d(targets[offsets[eos_id] : offsets[eos_id + 1]], always)
    before, after = targets[: offsets[eos_id]], targets[offsets[eos_id + 1] :]
    lengths[eos_id] = len(own)
    return Shortlist(np.concatenate([[0], np.cumsum(lengths)]), np.concatenate([before, own, after]))


def _checksum(data: bytes) -> int:
    """Boost's ``hash_combine`` over the words from the third number of the header on."""
    seed = 0
    for (word,) in struct.iter_unpack("<Q", data[16 : 16 + (len(data) - 16) // 8 * 8]):
        seed ^= (word + 0x9E3779B9 + ((seed << 6) & _WORD) + (seed >> 2)) & _WORD
    return seed
