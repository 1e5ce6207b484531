"""How often the training text has the words of a lexicon: what is frequent, the model has learnt."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from app.engine.models.lexicon import WORD
from export.lexicon import Lexicons, mark
from model.data.corpus import load_sentences

FREQUENT = 40
"""Sentences. On held-out text, 20, 40 and 80 gave the same BLEU, 10 and 160 less (docs/lab-notebook.md)."""
_AT_ONCE = 20_000  # sentences that are decoded together


def mark_frequent(lexicons: Lexicons, run: Path, languages: tuple[str, str]) -> Lexicons:
    """Mark the words and terms as known that at least ``FREQUENT`` sentences of a run's training text contain.

    Args:
        lexicons: By direction.
        run: Folder of the run. Changed copies of its sentences count, back-translated pairs don't.
        languages: Of the two sides of its pairs.

    Raises:
        PairsError: The run has no corpus, or one of other languages.
    """
    entries = [
        {word for (source, _), lexicon in lexicons.items() if source == language for word in lexicon}
        for language in languages
    ]
    counts = dict(zip(languages, count_sentences(run, languages, entries), strict=True))
    frequent = {
        language: {word for word, count in found.items() if count >= FREQUENT} for language, found in counts.items()
    }
    return {pair: mark(lexicon, frequent[pair[0]]) for pair, lexicon in lexicons.items()}


def count_sentences(run: Path, languages: tuple[str, str], entries: Sequence[set[str]]) -> list[Counter[str]]:
    """Count, for each entry, the sentences of its side that contain it.

    Args:
        run: Folder of the run.
        languages: Of the two sides of its pairs.
        entries: Words and terms of two words, as they are written, for the first and the second side.

    Returns:
        For each side, the numbers by entry.
    """
    corpora = load_sentences(run, languages)
    processor = SentencePieceProcessor(model_file=str(run / "tokenizer.spm"))
    counts = [Counter[str]() for _ in entries]
    for corpus in corpora:
        for side, (wanted, found) in enumerate(zip(entries, counts, strict=True)):
            for begin in range(0, len(corpus) if wanted else 0, _AT_ONCE):
                rows = range(begin, min(begin + _AT_ONCE, len(corpus)))
                for text in processor.decode([corpus.side(row, side).tolist() for row in rows]):
                    found.update(wanted & set(_words_and_terms(text)))
    return counts


def _words_and_terms(text: str) -> Iterator[str]:
    """Yields the words of a sentence and its pairs of words; what begins it also with a small letter."""
    words = [match.span() for match in WORD.finditer(text)]
    terms = [(begin, end) for (begin, before), (after, end) in pairwise(words) if text[before:after] == " "]
    for begin, end in [*words, *terms]:
        yield text[begin:end]
        if begin == words[0][0]:
            yield text[begin].lower() + text[begin + 1 : end]
