"""How often the training text has the words of a lexicon: what is frequent, the model has learnt."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from app.engine.models.lexicon import KNOWN, WORD
from export.lexicon import Lexicons, Translations
from model.data.corpus import load_sentences

FREQUENT = 40
"""Sentences. On held-out text, 20, 40 and 80 gave the same BLEU, 10 and 160 less (docs/lab-notebook.md)."""
_AT_ONCE = 20_000


def mark_frequent(lexicons: Lexicons, run: Path, languages: tuple[str, str]) -> Lexicons:
    """Mark the words and terms as known that the training text of a run has in ``FREQUENT`` sentences or more.

    Words that are the same in both languages and parts of compounds stay as they are.

    Args:
        lexicons: By direction.
        run: Folder of the run; the changed copies of its sentences count, too.
        languages: Of the two sides of its pairs.

    Raises:
        PairsError: The run has no corpus.
    """
    entries = [
        {word.casefold() for pair, lexicon in lexicons.items() if pair[0] == language for word in lexicon}
        for language in languages
    ]
    counts = dict(zip(languages, count_sentences(run, entries), strict=True))
    return {pair: _marked(lexicon, counts[pair[0]]) for pair, lexicon in lexicons.items()}


def count_sentences(run: Path, entries: Sequence[set[str]]) -> list[Counter[str]]:
    """Count the sentences of each side of a run's pairs that have an entry.

    Args:
        run: Folder of the run.
        entries: For the first and the second side, words and terms of two words, case-folded.

    Returns:
        For each side, the numbers by entry.
    """
    corpora = load_sentences(run)
    processor = SentencePieceProcessor(model_file=str(run / "tokenizer.spm"))
    counts = [Counter[str]() for _ in entries]
    for corpus in corpora:
        for side, (wanted, found) in enumerate(zip(entries, counts, strict=True)):
            for begin in range(0, len(corpus) if wanted else 0, _AT_ONCE):
                rows = range(begin, min(begin + _AT_ONCE, len(corpus)))
                for text in processor.decode([corpus.side(row, side).tolist() for row in rows]):
                    found.update(wanted & _words_and_terms(text.casefold()))
    return counts


def _words_and_terms(text: str) -> set[str]:
    words = WORD.findall(text)
    return {*words, *map(" ".join, pairwise(words))}


def _marked(lexicon: Translations, counts: Counter[str]) -> Translations:
    def is_known(word: str, listed: Sequence[str]) -> bool:
        return listed[0] not in (word, KNOWN) and word.strip("-") == word and counts[word.casefold()] >= FREQUENT

    return {word: [KNOWN, *listed] if is_known(word, listed) else listed for word, listed in lexicon.items()}
