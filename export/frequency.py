"""How often the training text has a word: what is frequent, the model has learnt, and the lexicon leaves to it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from app.engine.models.lexicon import KNOWN, WORD, lowered
from export.lexicon import Lexicons, mark
from model.data.corpus import read_source
from model.data.pairs import Pair
from model.recipe import Recipe

FREQUENT = 22
"""Sentences. On held-out text, 20, 40 and 80 gave the same BLEU, 10 and 160 less, when sentences were counted with
their changed copies (research/). From 22 without copies on, more than half of the words had 40 with them."""


def mark_frequent(lexicons: Lexicons, recipe: Recipe, data: Path) -> Lexicons:
    """Mark the words and terms as known that at least ``FREQUENT`` sentences of a recipe's text contain.

    Words with a capital that the lexicon lacks get an entry. Otherwise, a name could be seen in them, or they could be
    put together from parts: "Landschaft" is no shaft.

    Args:
        lexicons: By direction.
        recipe: Names the text. Dictionaries, back-translated text and text for one direction don't count.
        data: Folder that the recipe's files are relative to.

    Raises:
        PairsError: A file is missing or malformed.
    """
    terms = [
        {entry for (source, _), lexicon in lexicons.items() if source == language for entry in lexicon if " " in entry}
        for language in recipe.languages
    ]
    counts = dict(zip(recipe.languages, count_sentences(_texts(recipe, data), terms), strict=True))
    marked = {}
    for (source, target), lexicon in lexicons.items():
        frequent = {entry for entry, count in counts[source].items() if count >= FREQUENT}
        missing = {word for word in frequent if word[0].isupper() and not {word, lowered(word)} & lexicon.keys()}
        marked[source, target] = {**mark(lexicon, frequent), **{word: [KNOWN] for word in missing}}
    return marked


def count_sentences(texts: Iterable[Sequence[Pair]], terms: Sequence[set[str]]) -> list[Counter[str]]:
    """Count, for each side, the sentences that contain a word or a term.

    Args:
        texts: Pairs of sentences.
        terms: The terms of two words to count, of the first and of the second side. All words are counted.

    Returns:
        The numbers by word or term.
    """
    counts = [Counter[str]() for _ in terms]
    for pairs in texts:
        for pair in pairs:
            for sentence, wanted, found in zip(pair, terms, counts, strict=True):
                found.update(set(_words_and_terms(sentence, wanted)))
    return counts


def _texts(recipe: Recipe, data: Path) -> Iterator[list[Pair]]:
    for source in recipe.sources:
        if not (source.dictionary or source.synthetic) and source.direction == "both":
            yield read_source(source, data)


def _words_and_terms(text: str, wanted: set[str]) -> Iterator[str]:
    """Yields the words of a sentence and the wanted pairs of words; what begins it also with a small letter."""
    words = [match.span() for match in WORD.finditer(text)]
    terms = [(begin, end) for (begin, before), (after, end) in pairwise(words) if text[before:after] == " "]
    for begin, end in words:
        yield text[begin:end]
    if words:
        yield lowered(text[slice(*words[0])])
    for begin, end in terms if wanted else ():
        term = text[begin:end]
        if term in wanted:
            yield term
        if begin == words[0][0] and lowered(term) in wanted:
            yield lowered(term)
