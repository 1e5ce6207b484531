"""Writes the word lists of ``languages/german/umlauts.py`` from the German side of the training text.

python -m tools.german_umlauts data/de-en/train
"""

import lzma
import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

_LISTS = Path(__file__).parents[1] / "languages" / "german"
_WORD = re.compile(r"[^\W\d_]+")
_UMLAUT = re.compile(r"[a-zäöüß]*[äöüß][a-zäöüß]*")
_DIGRAPH = re.compile(r"[a-z]*?(?:(?<![aeq])ue|oe|ae)[a-z]*")
_TRANSCRIBED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
# How often the text must have a word; a spelling that it has so much less often than another one is a slip.
_LEAST_UMLAUT, _LEAST_DIGRAPH, _RARER = 5, 2, 10


def main(folder: Annotated[Path, typer.Argument(help="Folder of compressed files of sentence pairs.")]) -> None:
    """Count the words and write the two lists."""
    counts: Counter[str] = Counter()
    for path in sorted(folder.glob("*.tsv.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                counts.update(_WORD.findall(line.partition("\t")[0].lower()))
    common: Counter[str] = Counter()  # by the spelling without umlauts
    umlauts = []
    for word, count in counts.items():
        if not _UMLAUT.fullmatch(word):
            continue
        spelling = word.translate(_TRANSCRIBED)
        common[spelling] = max(common[spelling], count)
        if count >= _LEAST_UMLAUT and not 3 <= counts[spelling] > count / _RARER:
            umlauts.append(word)
    digraphs = [
        word
        for word, count in counts.items()
        if count >= _LEAST_DIGRAPH and _DIGRAPH.fullmatch(word) and common[word] < count
    ]
    # Of two words with the same spelling without umlauts, the first one counts.
    by_count = sorted(umlauts, key=lambda word: (-counts[word], word))
    best = {word.translate(_TRANSCRIBED): word for word in reversed(by_count)}
    (_LISTS / "umlauts.txt").write_text("\n".join(sorted(best.values())) + "\n", encoding="utf-8")
    (_LISTS / "digraphs.txt").write_text("\n".join(sorted(digraphs)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
