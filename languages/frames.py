"""Sentences with slots for numbers, amounts and dates, from which pairs of any two languages are made for training."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=16)
def frames_of(room: Path) -> Mapping[str, str]:
    """The frames in a room's folder by their names; ``frames.tsv`` has one in a line."""
    lines = (room / "frames.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)
