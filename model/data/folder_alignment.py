"""Sentence pairs from a folder of documents in two languages, aligned by rough translations."""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from model.data.pairs import Pair, PairsError
from model.data.preparation import key
from model.data.synthesis import Translate, align_documents

_SUFFIX = ".txt.xz"
_LEAST_WORDS = 3
# Ratio of the sides' characters, plus a few. Outside of it, one side usually says more than the other.
_SHORTEST, _LONGEST, _MORE = 0.6, 1.7, 10
# Splitting leaves the opening quotation mark of the next sentence behind, or the closing one of the sentence before.
_STRAY = re.compile(r'\s+[“„»«"‘’–-]+$|^[”"’)\]]\s+')


def align_folder(
    folder: Path,
    translate: Translate,
    *,
    languages: tuple[str, str],
    least: float,
    avoid: Collection[str] = (),
    without: Collection[str] = (),
    report: Callable[[str, int], None] = lambda name, count: None,
) -> Iterator[Pair]:
    """Yield the pairs of all documents, each once.

    Args:
        folder: Has NAME.LANGUAGE.txt.xz of both languages for each document, a paragraph a line.
        translate: Translates the first language into the second, roughly.
        languages: Of the documents.
        least: Cosine of the translated and the second sentence; pairs below are left out.
        avoid: Sentences, of test sets say, that no pair may contain.
        without: Names of documents to leave out.
        report: Called with the name of each document and the number of its pairs.

    Raises:
        PairsError: The folder has no such documents, a name in ``without`` is of none, or a document is damaged.
    """
    first, second = (f".{language}{_SUFFIX}" for language in languages)
    names = [path.name.removesuffix(first) for path in sorted(folder.glob(f"*{first}"))]
    names = [name for name in names if (folder / f"{name}{second}").exists()]
    if not names:
        raise PairsError(f"{folder}: has no documents NAME{first} and NAME{second}")
    if unknown := sorted(set(without) - set(names)):
        raise PairsError(f"{folder}: has no document {unknown[0]}")
    seen: set[Pair] = set()
    for name in names:
        if name in without:
            continue
        count = 0
        documents = (folder / f"{name}{first}", folder / f"{name}{second}")
        for _, pair in align_documents(*documents, translate, languages=languages, least=least, avoid=avoid):
            pair = (_STRAY.sub("", pair[0]), _STRAY.sub("", pair[1]))
            keys = (key(pair[0]), key(pair[1]))
            if _is_whole(pair) and keys not in seen:
                seen.add(keys)
                count += 1
                yield pair
        report(name, count)


def _is_whole(pair: Pair) -> bool:
    ratio = (len(pair[1]) + _MORE) / (len(pair[0]) + _MORE)
    return _SHORTEST <= ratio <= _LONGEST and min(len(side.split()) for side in pair) >= _LEAST_WORDS
