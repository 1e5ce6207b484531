"""British and American spelling: "colour" or "color", as the target's region wants it.

The table is that of breame 0.1.2 (https://github.com/cdpierse/breame, Apache-2.0), a list of some 1,700 pairs, and lies
beside this module because the package has had no release since 2021. Left out are pairs that are not only spelling
("disc", "jail"), that both countries write both ways ("judgment"), and British forms that are hardly used
("connexion"). Pairs marked "<" go only from British to American: a British "practice" is a noun, and "program" is one
for computers.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from app.text.inline.placement import Edit

_TABLE = Path(__file__).with_suffix(".tsv")
_WORD = re.compile(r"[^\W\d_]+")
_BEFORE_WORDS = re.compile(r"[\s\"'“”‘’(\[–—-]*")
_SENTENCE_END = re.compile(r"[.!?…:]")


def spelling_edits(source: str, translation: str, locale: str | None) -> list[Edit]:
    """Finds what to change in an English sentence so that it is spelled as in a region, in order.

    Only the letters that differ are changed, so letter case stays. Names keep their spelling: words with a capital
    inside a sentence, and words that the source has, too.

    Args:
        source: The sentence that it translates.
        translation: The sentence.
        locale: en-GB or en-US; nothing is changed for any other.
    """
    if locale not in ("en-GB", "en-US"):
        return []
    table = _table(locale)
    edits = []
    for match in _WORD.finditer(translation):
        word = match[0]
        wanted = table.get(word.lower())
        if wanted is None or not (word.islower() or word.isupper() or _begins(translation, match.start())):
            continue
        if re.search(rf"\b{word}\b", source):
            continue
        edits.append(_difference(match.start(), word, wanted.upper() if word.isupper() else wanted))
    return edits


def _begins(text: str, offset: int) -> bool:
    """A sentence begins at the offset."""
    end = offset
    while end and _BEFORE_WORDS.fullmatch(text[end - 1]):
        end -= 1
    return not end or bool(_SENTENCE_END.match(text[end - 1]))


def _difference(begin: int, word: str, wanted: str) -> Edit:
    """The change of one word into another, without the letters that they have in common at both ends."""
    old, new = word.lower(), wanted.lower()
    head = _common(old, new)
    tail = _common(reversed(old[head:]), reversed(new[head:]))
    return Edit(begin + head, begin + len(word) - tail, wanted[head : len(wanted) - tail])


def _common(one: Iterable[str], other: Iterable[str]) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@lru_cache(maxsize=2)
def _table(locale: str) -> dict[str, str]:
    """Words of the other region and how this one spells them, in small letters."""
    found = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        american, british, *only_to_american = line.split("\t")
        if locale == "en-US":
            found[british] = american
        elif not only_to_american:
            found[american] = british
    return found
