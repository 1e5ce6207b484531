"""Inflected forms of German and English words, by rule: some do not exist, but few belong to another word.

    inflected("Vorstand", "de")  # Vorstand, Vorstands, Vorstandes, Vorstände, Vorständen, ...

The rules know endings, no dictionary. German nouns get a plural in -er only with an umlaut or from a closed list, since
"Spieler" is another word than "Spiel". Words of other languages stay as they are.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

# Ending of a German noun -> what is added, and what replaces the ending. The first rule that fits is taken.
_GERMAN_NOUNS = tuple(
    (re.compile(rf"(?:{ending})$"), added.split(), replaced.split())
    for ending, added, replaced in (
        ("ung|heit|keit|schaft|tät|ion", "en", ""),
        ("in", "nen s e en es", ""),  # Lehrerin, Termin
        ("nis", "ses se sen", ""),
        ("(?<!a)um", "s", "en a"),  # Zentren, Praktika
        ("(?<!a)us", "ses se sen", "en"),  # Busse, Viren
        ("(?<!e)is", "", "en"),
        ("[ao]", "s", "en"),  # Firmen, Konten
        ("e", "n s ns", ""),
        ("chen|lein|en", "s", ""),
        ("el|er", "s n", ""),
        ("[iuy]", "s en e es", ""),
        ("[sßxz]", "es e en", ""),
        ("", "s es e en", ""),
    )
)
_LAST_VOWEL = re.compile(r"(au|[ao]|(?<![aäe])u)(?=[^aeiouäöüy]*(?:e[lrn])?$)", re.IGNORECASE)
_UMLAUTS = {"au": "äu", "a": "ä", "o": "ö", "u": "ü"}
_LAST_UMLAUT = re.compile(r"[äöü](?=[^äöü]*$)")
_PLAIN = {"ä": "a", "ö": "o", "ü": "u"}
# Neuters and masculines with a plural in -er whose vowel has no umlaut.
_PLURAL_IN_ER = re.compile(
    r"(?:bild|kind|feld|geld|kleid|lied|glied|brett|nest|rind|licht|gesicht|geschlecht|schild|schwert|gespenst|geist|ei)$",
    re.IGNORECASE,
)
_ADJECTIVE_ENDINGS = ("e", "en", "er", "es", "em")
_NUMBERS = frozenset("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split())
_ENGLISH_PLURALS = dict(
    pair.split("-")
    for pair in (
        "man-men woman-women child-children person-people foot-feet tooth-teeth goose-geese mouse-mice life-lives "
        "knife-knives wife-wives leaf-leaves half-halves shelf-shelves self-selves thief-thieves wolf-wolves "
        "loaf-loaves analysis-analyses basis-bases crisis-crises thesis-theses hypothesis-hypotheses "
        "criterion-criteria phenomenon-phenomena datum-data medium-media matrix-matrices index-indices"
    ).split()
)
_SINGULARS = {plural: singular for singular, plural in _ENGLISH_PLURALS.items()}
_GERMAN_ADDED = ("s", "es", "e", "en", "er", "ern", "em", "n", "ns", "nen", "ses", "se", "sen")
_GERMAN_REPLACED = {"en": ("um", "us", "is", "a", "o"), "a": ("um",)}


@lru_cache(maxsize=4096)
def inflected(word: str, language: str, *, is_last: bool = True) -> tuple[str, ...]:
    """Returns the word and its other forms, each once.

    Args:
        word: A word as a glossary has it, normally in its dictionary form.
        language: Code of its language.
        is_last: No other word of a term follows; before another word, an adjective stands.
    """
    language = language.split("-")[0]
    if not word[-1:].isalpha() or len(word) < 2:
        return (word,)
    if language == "en":
        return tuple(dict.fromkeys((word, *_english(word))))
    if language == "de" and word not in _NUMBERS:
        is_noun = word[0].isupper() and (is_last or not word.endswith(_ADJECTIVE_ENDINGS))
        return tuple(dict.fromkeys((word, *(_german_noun(word) if is_noun else _german_adjective(word)))))
    return (word,)


def bases(form: str, language: str) -> Iterator[str]:
    """Returns the words that a lower-case form may belong to, itself first. Many of them do not exist."""
    language = language.split("-")[0]
    yield form
    if language == "en":
        yield from _english_bases(form)
    elif language == "de":
        for stem in _german_stems(form):
            yield stem
            if _LAST_UMLAUT.search(stem):
                yield _LAST_UMLAUT.sub(lambda match: _PLAIN[match[0]], stem)


def _german_stems(form: str) -> Iterator[str]:
    yield form
    for ending in _GERMAN_ADDED:
        if form.endswith(ending):
            yield form[: -len(ending)]
    for ending, others in _GERMAN_REPLACED.items():
        if form.endswith(ending):
            yield from (form[: -len(ending)] + other for other in others)
    if form.endswith(_ADJECTIVE_ENDINGS):  # an adjective whose entry is inflected
        stem = adjective_stem(form)
        yield from (stem + ending for ending in _ADJECTIVE_ENDINGS)


def _german_noun(word: str) -> Iterator[str]:
    if word.isupper():  # PC, PCs
        yield word + "s"
        return
    ending, added, replaced = next(rule for rule in _GERMAN_NOUNS if rule[0].search(word))
    yield from (word + each for each in added)
    yield from (ending.sub(each, word) for each in replaced)
    if _PLURAL_IN_ER.search(word):
        yield from (word + "er", word + "ern")
    if word.endswith(("ung", "heit", "keit", "schaft", "ion", "e", "chen", "lein")):
        return
    changed = _LAST_VOWEL.sub(lambda match: _umlaut(match[0]), word)
    if changed != word and word.endswith(("el", "er", "en")):
        yield from (changed, changed + "n")
    elif changed != word:
        yield from (changed + each for each in ("e", "en", "er", "ern"))


def _umlaut(vowel: str) -> str:
    changed = _UMLAUTS[vowel.lower()]
    return changed.capitalize() if vowel[0].isupper() else changed


def adjective_stem(word: str) -> str:
    """Returns a German adjective without its ending, if it has one."""
    ending = next((each for each in ("en", "er", "es", "em", "e") if word.endswith(each)), "")
    return word[: len(word) - len(ending)] if len(word) - len(ending) >= 3 else word


def _german_adjective(word: str) -> Iterator[str]:
    yield from (word + ending for ending in _ADJECTIVE_ENDINGS)
    stem = adjective_stem(word)
    if stem != word:
        yield from (stem + ending for ending in _ADJECTIVE_ENDINGS)


def _english(word: str) -> Iterator[str]:
    small = word.lower()
    if small in _ENGLISH_PLURALS:
        plural = _ENGLISH_PLURALS[small]
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


def _english_bases(form: str) -> Iterator[str]:
    form = re.sub(r"['’]s?$", "", form)
    yield form
    for ending in ("s", "es"):
        if form.endswith(ending):
            yield form[: -len(ending)]
    if form.endswith("ies"):
        yield form[:-3] + "y"
    if form in _SINGULARS:
        yield _SINGULARS[form]
