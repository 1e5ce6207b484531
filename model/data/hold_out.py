"""Set pairs aside to choose models by, so that no training file shares a side with them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from model.data.pairs import Pair, read_pairs, write_pairs
from model.data.preparation import PreparationError, key

# A shorter sentence is likely to be in other files too, and says little about a model.
_LEAST_WORDS = 6


def hold_out(
    files: Sequence[Path], drawn: Mapping[str, int], out: Path, *, seed: int, report: Callable[[str], None]
) -> int:
    """Write ``out/held-out.tsv`` and, beside it, copies of the files without the pairs that share a side with it.

    Sides are compared in lower case without punctuation, as ``dragoman data prepare`` does.

    Args:
        files: Pair files; their names must differ.
        drawn: How many pairs to draw from which of the files, by name ("wmt-news.tsv.xz").
        out: New folder.
        seed: Another seed draws other pairs.
        report: Called with a line on each file.

    Returns:
        The number of pairs held out.

    Raises:
        PreparationError: Two files have one name, ``drawn`` names another file, or a file has too few pairs.
        PairsError: A file is missing or damaged.
        OSError: The folder exists or can't be written.
    """
    by_name = {path.name: path for path in files}
    if len(by_name) < len(files):
        raise PreparationError("two of the files have the same name")
    if unknown := sorted(drawn.keys() - by_name.keys()):
        raise PreparationError(f"{unknown[0]} is not among the files")
    held: list[Pair] = []
    for name, count in drawn.items():
        pairs = [pair for pair in read_pairs(by_name[name]) if min(len(side.split()) for side in pair) >= _LEAST_WORDS]
        if len(pairs) < count:
            raise PreparationError(f"{name} has {len(pairs)} pairs of {_LEAST_WORDS} words and more, not {count}")
        held += Random(f"{seed} {name}").sample(pairs, count)
    taken = {key(side) for pair in held for side in pair}
    out.mkdir(parents=True)
    write_pairs(out / "held-out.tsv", held)
    for name, path in by_name.items():
        pairs = list(read_pairs(path))
        kept = write_pairs(out / name, (pair for pair in pairs if not taken & {key(side) for side in pair}))
        report(f"{name}: {kept:,} of {len(pairs):,} pairs kept")
    return len(held)
