"""How the benchmarks show repeated measurements, and the sentences they translate."""

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from statistics import median

from model.data.pairs import read_pairs


def spread(values: Sequence[float], spec: str) -> str:
    """``median (smallest-largest)``; measurements that found nothing (NaN) are left out."""
    found = [value for value in values if not math.isnan(value)]
    if not found:
        return "-"
    return f"{median(found):{spec}} ({min(found):{spec}}-{max(found):{spec}})"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Ours over theirs, round by round."""
    return [mine / other if other else math.nan for mine, other in zip(ours, theirs, strict=True)]


def json_line(**values: object) -> str:
    """Return one line of JSON; a missing measurement (NaN) becomes null, because JSON has no NaN."""
    return json.dumps(_finite(values), ensure_ascii=False)


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def read_sentences(files: Iterable[Path], *, seed: int, reverse: bool = False) -> list[tuple[str, str]]:
    """(source, reference) pairs of all files, each source once, shuffled; ``reverse`` swaps the sides."""
    sides = (pair[::-1] if reverse else pair for path in files for pair in read_pairs(path))
    pairs = list({source: (source, reference) for source, reference in sides}.values())
    Random(seed).shuffle(pairs)
    return pairs
