"""Training text from a model's own translations: back-translated monolingual text, and documents aligned by them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Protocol

from sentencex import segment  # type: ignore[import-untyped]

from model.data.pairs import Pair, PairsError, open_lines, sentence_key, write_pairs
from model.data.preparation import key
from model.data.sentence_alignment import align_sentences

# Lines translated between two looks at the clock: enough for full batches.
_CHUNK = 512
# Maximum ratio of the words of a translation and its source, in both directions; a few more are allowed.
_LONGEST, _MORE = 2.2, 3
# A translation whose words repeat more than this is a loop.
_DISTINCT = 0.5


class Translate(Protocol):
    """Translates lines, each a sentence."""

    def __call__(self, lines: Sequence[str], source: str, target: str) -> list[str]:
        """One translation a line."""


def back_translate(
    text: Path,
    out: Path,
    translate: Translate,
    *,
    written_in: str,
    other: str,
    columns: tuple[str, str],
    avoid: Collection[str] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Translate every line of a text and write the pairs; a run that was stopped goes on where it ended.

    Copies, loops and translations of unlikely length are left out.

    Args:
        text: Lines in ``written_in``, plain, .gz or .xz.
        out: Pair file; until it is complete its pairs are in ``out`` + ".partial".
        translate: Translates ``written_in`` into ``other``.
        written_in: Language of the text.
        other: Language of the translations.
        columns: Order of the two languages in ``out``.
        avoid: Lines to leave out, or their keys (see ``sentence_key``).
        progress: Called with the number of lines done so far.

    Returns:
        The number of pairs written.

    Raises:
        PairsError: The text is missing or damaged.
    """
    partial = out.with_name(out.name + ".partial")
    done = _lines_done(partial)
    progress(done)
    lines = islice(open_lines(text), done, None)
    with partial.open("a", encoding="utf-8") as file:
        while chunk := list(islice(lines, _CHUNK)):
            for line, translation in zip(chunk, translate(chunk, written_in, other), strict=True):
                pair = (line, translation) if columns[0] == written_in else (translation, line)
                # A blank line keeps the count of those done.
                fit = plausible(line, translation) and line not in avoid and sentence_key(line) not in avoid
                file.write(("\t".join(pair) if fit else "") + "\n")
            file.flush()
            done += len(chunk)
            progress(done)
    count = write_pairs(out, _complete(partial))
    partial.unlink()
    return count


def _lines_done(partial: Path) -> int:
    """Whole lines of an earlier run; half a line at the end is cut off."""
    if not partial.exists():
        return 0
    content = partial.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    partial.write_bytes(whole)
    return whole.count(b"\n")


def _complete(partial: Path) -> Iterator[Pair]:
    with partial.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                first, second = line.rstrip("\n").split("\t")
                yield first, second


def plausible(source: str, translation: str) -> bool:
    """Return whether a translation is fit for training: no copy, no loop, no unlikely length, no tab."""
    words, translated = len(source.split()), translation.split()
    ratio = (len(translated) + _MORE) / (words + _MORE)
    pairs = list(pairwise(translated))
    return (
        bool(translated)
        and 1 / _LONGEST <= ratio <= _LONGEST
        and "\t" not in source + translation
        and (len(pairs) < 8 or len(set(pairs)) > _DISTINCT * len(pairs))
        and (words < 3 or key(source) != key(translation))
    )


def align_documents(
    first: Path,
    second: Path,
    translate: Translate,
    *,
    languages: tuple[str, str],
    least: float,
    avoid: Iterable[str] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> list[tuple[float, Pair]]:
    """The sentence pairs of two versions of a document, with how alike they are.

    Args:
        first: The document in the first language: paragraphs, one a line, plain, .gz or .xz.
        second: The document in the second language.
        translate: Translates the first language into the second.
        languages: Languages of the documents.
        least: Cosine of the translated and the second sentence; pairs below are left out.
        avoid: Sentences, of test sets say, that no pair may contain.
        progress: Called with the number of sentences translated so far.

    Raises:
        PairsError: A document is missing or damaged, or holds no sentence.
    """
    sides = [
        [sentence.strip() for line in open_lines(path) for sentence in segment(language, line) if sentence.strip()]
        for path, language in zip((first, second), languages, strict=True)
    ]
    if not all(sides):
        raise PairsError(f"{first} and {second}: one of them holds no sentence")
    translated: list[str] = []
    for begin in range(0, len(sides[0]), _CHUNK):
        chunk = sides[0][begin : begin + _CHUNK]
        translated += translate(chunk, *languages)
        progress(len(translated))
    avoided = {key(sentence) for sentence in avoid}
    pairs = []
    for bead in align_sentences(translated, sides[1]):
        pair = (" ".join(sides[0][slice(*bead.first)]), " ".join(sides[1][slice(*bead.second)]))
        if bead.cosine >= least and plausible(*pair) and not avoided & {key(side) for side in pair}:
            pairs.append((bead.cosine, pair))
    return pairs
