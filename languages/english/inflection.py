"""Inflected forms of English words, by rule."""

import re
from collections.abc import Iterator

_PLURALS = dict(
    pair.split("-")
    for pair in (
        "man-men woman-women child-children person-people foot-feet tooth-teeth goose-geese mouse-mice life-lives "
        "knife-knives wife-wives leaf-leaves half-halves shelf-shelves self-selves thief-thieves wolf-wolves "
        "loaf-loaves analysis-analyses basis-bases crisis-crises thesis-theses hypothesis-hypotheses "
        "criterion-criteria phenomenon-phenomena datum-data medium-media matrix-matrices index-indices"
    ).split()
)
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items()}


def inflected(word: str, is_last: bool) -> Iterator[str]:
    """Yields the other forms of a word; see ``languages.language.Language.inflect``."""
    small = word.lower()
    if small in _PLURALS:
        plural = _PLURALS[small]
        plural = plural.capitalize() if word[0].isupper() else plural
    elif re.search(r"[^aeiou]y$", small):
        plural = word[:-1] + "ies"
    elif small.endswith(("s", "x", "z", "ch", "sh")):
        plural = word + "es"
    else:
        plural = word + "s"
    yield plural
    for mark in "'’":
        yield word + mark + "s"
        yield plural + mark + ("" if plural.endswith("s") else "s")


def bases(form: str) -> Iterator[str]:
    """Yields the words that a lower-case form may belong to; see ``languages.language.Language.bases``."""
    form = re.sub(r"['’]s?$", "", form)
    yield form
    for ending in ("s", "es"):
        if form.endswith(ending):
            yield form[: -len(ending)]
    if form.endswith("ies"):
        yield form[:-3] + "y"
    if form in _SINGULARS:
        yield _SINGULARS[form]
