"""The memory of a model: arrays of the earlier sentences of a text (Dai et al. 2019)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = tuple[NDArray[Any], ...]


@dataclass(frozen=True, eq=False)
class Memory:
    """Keys and values of the last positions of the sentences before, of every layer's self-attention.

    Attributes:
        key: Digest of these sentences and of their translations: equal keys mean equal arrays.
        encoder: Two arrays (positions, D) a layer, keys before values.
        decoder: The same for the decoder, in the layout of its graph's cache.
    """

    key: bytes
    encoder: Arrays
    decoder: Arrays

    @classmethod
    def after(
        cls, before: "Memory | None", source: Sequence[int], target: Sequence[int], encoder: Arrays, decoder: Arrays
    ) -> "Memory":
        """The memory after one more sentence, with the ids of both sides; the arrays have all that is kept."""
        digest = hashlib.blake2b(before.key if before else b"", digest_size=16)
        for ids in (source, target):
            digest.update(len(ids).to_bytes(8, "little") + np.asarray(ids, dtype=np.int64).tobytes())
        return cls(digest.digest(), encoder, decoder)
