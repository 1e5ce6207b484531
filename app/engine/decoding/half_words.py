"""Half words: the beginning of a word of the model's own, behind which the lexicon's translation was written.

The alignment head often looks at a rare word only after the model has begun to translate it. Then the lexicon offers
its translation in the middle of the model's word: "Maria ist Toms Z Zwillingsschwester". The search keeps such
hypotheses, for the translation is right. The half word is taken out when the search is done.

Of 1,851 held-out sentences to German, 51 lose half words, and 19 to English. Forbidding the lexicon to offer a
translation within a word lost as many right words as it removed half words (docs/lab-notebook.md).
"""

from collections.abc import Sequence
from dataclasses import replace

from app.engine.decoding.search import Hypothesis
from app.engine.decoding.word_trees import Progress, WordTrees, position_and_best

_SPACE = "\u2581"  # SentencePiece's sign of a space
# Endings of German and English. Where the model would add one, it has written a whole word: "frisch|e Bettwäsche".
_ENDINGS = frozenset({"e", "em", "en", "er", "es", "m", "n", "r", "s"})


def without_half_words(hypothesis: Hypothesis, trees: WordTrees, pieces: Sequence[str], first: int) -> Hypothesis:
    """Take the half words out of a hypothesis, and the tokens that its source positions carry.

    Args:
        hypothesis: With source positions as ``LexiconSearch`` has them, see ``with_best``; or without any.
        trees: The translations of the rare words.
        pieces: The text of each target token.
        first: Number of tokens at the beginning that stay.

    Returns:
        The hypothesis, with the same log-probability and score.
    """
    kept: list[tuple[int, int]] = []  # token and position
    own = 0  # of the kept ones, those up to the lexicon's last token are not the model's
    progress = Progress()
    for index, (token, attended) in enumerate(zip(hypothesis.tokens, hypothesis.attended, strict=False)):
        position, best = position_and_best(attended)
        before, progress = progress, trees.after(progress, token, position)
        if progress.used != before.used and best is not None and index >= first:
            begin = last_word([pieces[each] for each, _ in kept], max(first, own))
            if _is_half(kept[begin:], hypothesis.tokens[index:], best, trees.positions(position), pieces):
                del kept[begin:]
        kept.append((token, position))
        if progress.node:
            own = len(kept)
    if not kept:
        return hypothesis
    tokens, positions = zip(*kept, strict=True)
    return replace(hypothesis, tokens=tokens, attended=positions)


def last_word(pieces: Sequence[str], first: int = 0) -> int:
    """Return the index of the last word's first piece, if that is ``first`` or later; else the number of pieces."""
    for begin in range(len(pieces) - 1, first - 1, -1):
        piece = pieces[begin]
        if not piece[:1].isalnum():
            is_of_word = piece == _SPACE or piece[-1:].isalnum()  # else a bracket or hyphen in front of it
            return begin if is_of_word else begin + 1
    return len(pieces)


def _is_half(
    word: Sequence[tuple[int, int]], following: Sequence[int], best: int, rare: Sequence[int], pieces: Sequence[str]
) -> bool:
    """Tell whether a word, tokens and positions, is the beginning of what the lexicon's word replaces.

    Args:
        word: The model's word.
        following: The lexicon's tokens, and those after them.
        best: The token that the model would write next.
        rare: Positions of the rare word.
        pieces: The text of each token.
    """
    text = "".join(pieces[token] for token, _ in word)
    if text == _SPACE:
        return pieces[following[0]].startswith(_SPACE)
    if not word or not pieces[best][:1].isalnum() or pieces[best] in _ENDINGS:
        return False
    if "".join(pieces[token] for token in following).startswith(text):
        return True
    # The head may look at the rare word only once its translation has begun.
    positions = [position for _, position in word]
    return positions[0] in (*rare, min(rare) - 1) and all(position in rare for position in positions[1:])
