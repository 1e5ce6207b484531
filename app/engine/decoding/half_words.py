"""Half words: the beginning of a word that the model wrote before the lexicon's translation came instead.

The alignment head often looks at a rare word only after the model has begun to translate it. Then the lexicon offers
its translation in the middle of the model's word: "Maria ist Toms Z Zwillingsschwester". The search keeps such
hypotheses, for the translation is right, and the half word is taken out of what the search returns. If the lexicon
couldn't offer a translation there, the right word would often be missing (research/).
"""

from collections.abc import Collection, Iterable, Sequence

from app.engine.decoding.word_trees import Progress, WordTrees, position_and_best
from languages.registry import language_of

_SPACE = "\u2581"  # SentencePiece's sign of a space
_SHORT = 3  # letters: most half words are as short as that ("be", "Sch"), and the first words of compounds seldom are
_Token = tuple[int, int]  # a token, and the source position that the alignment head looked at


def endings_of(languages: Iterable[str]) -> frozenset[str]:
    """The endings of words in languages, given by their codes."""
    return frozenset().union(*(language_of(code).word_endings for code in languages))


def without_half_words(
    tokens: Sequence[int],
    attended: Sequence[int],
    trees: WordTrees,
    pieces: Sequence[str],
    first: int,
    endings: Collection[str] = (),
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Take the half words out of a hypothesis.

    Args:
        tokens: Its tokens.
        attended: Their source positions as ``LexiconSearch`` has them, see ``with_best``.
        trees: The translations of the rare words.
        pieces: The text of each target token.
        first: Number of tokens at the beginning that stay.
        endings: Where the model would add one of them, it has written a whole word: "frisch|e Bettwäsche".

    Returns:
        The other tokens, and their source positions alone.
    """
    kept: list[_Token] = []
    own = first  # the model's words begin here or later
    progress = Progress()
    for index, (token, looked_at) in enumerate(zip(tokens, attended, strict=True)):
        position, best = position_and_best(looked_at)
        before, progress = progress, trees.after(progress, token, position)
        if progress.used != before.used and best is not None:
            begin = last_word([pieces[each] for each, _ in kept], own)
            following = "".join(pieces[each] for each in tokens[index:])
            if _is_half(
                kept[begin:], kept[:begin], following, pieces[best], trees.positions(position), pieces, endings
            ):
                del kept[begin:]
        kept.append((token, position))
        if progress.node:
            own = max(first, len(kept))
    return tuple(token for token, _ in kept), tuple(position for _, position in kept)


def last_word(pieces: Sequence[str], first: int = 0) -> int:
    """Return the index of the last word's first piece, if that is ``first`` or later; else the number of pieces."""
    for begin in range(len(pieces) - 1, first - 1, -1):
        piece = pieces[begin]
        if not piece[:1].isalnum():
            is_of_word = piece == _SPACE or piece[-1:].isalnum()  # else a bracket or hyphen in front of it
            return begin if is_of_word else begin + 1
    return len(pieces)


def _is_half(
    word: Sequence[_Token],
    earlier: Sequence[_Token],
    following: str,
    best: str,
    rare: Sequence[int],
    pieces: Sequence[str],
    endings: Collection[str],
) -> bool:
    """Tell whether the model's last word is the beginning of one that the lexicon's translation replaces.

    Args:
        word: The word.
        earlier: The tokens before it.
        following: The text from the lexicon's translation on.
        best: The piece that the model would write next.
        rare: Positions of the rare word.
        pieces: The text of each target token.
        endings: As of ``without_half_words``.
    """
    text = "".join(pieces[token] for token, _ in word)
    if text == _SPACE:
        return following.startswith(_SPACE)
    if not word or not best[:1].isalnum():
        return False
    if following.startswith(text + best):
        return True
    if best in endings:
        return False
    if following.startswith(text):
        return True
    # The head may be late, and look at the word before once more. But the model may as well translate that word.
    before = min(rare) - 1
    is_late = len(text.strip(_SPACE)) <= _SHORT or any(position == before for _, position in earlier)
    (_, at), *rest = word
    return (at in rare or (is_late and at == before)) and all(position in rare for _, position in rest)
