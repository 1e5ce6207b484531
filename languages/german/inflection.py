"""Inflected forms of German words, by rule: some do not exist, but few belong to another word.

    inflected("Vorstand", is_last=True)  # Vorstands, Vorstandes, Vorstände, Vorständen, ...

The rules know endings, no dictionary. Nouns get a plural in -er only with an umlaut or from a closed list, since
"Spieler" is another word than "Spiel".
"""

import re
from collections.abc import Iterator

# Ending of a noun -> what is added, and what replaces the ending. The first rule that fits is taken.
_NOUNS = tuple(
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
_ADDED = ("s", "es", "e", "en", "er", "ern", "em", "n", "ns", "nen", "ses", "se", "sen")
_REPLACED = {"en": ("um", "us", "is", "a", "o"), "a": ("um",)}


def inflected(word: str, is_last: bool) -> Iterator[str]:
    """Yields the other forms of a word; see ``languages.language.Language.inflect``."""
    if word in _NUMBERS:
        return
    is_noun = word[0].isupper() and (is_last or not word.endswith(_ADJECTIVE_ENDINGS))
    yield from _noun(word) if is_noun else _adjective(word)


def bases(form: str) -> Iterator[str]:
    """Yields the words that a lower-case form may belong to; see ``languages.language.Language.bases``."""
    for stem in _stems(form):
        yield stem
        if _LAST_UMLAUT.search(stem):
            yield _LAST_UMLAUT.sub(lambda match: _PLAIN[match[0]], stem)


def _stems(form: str) -> Iterator[str]:
    yield form
    for ending in _ADDED:
        if form.endswith(ending):
            yield form[: -len(ending)]
    for ending, others in _REPLACED.items():
        if form.endswith(ending):
            yield from (form[: -len(ending)] + other for other in others)
    if form.endswith(_ADJECTIVE_ENDINGS):  # an adjective whose entry is inflected
        stem = _adjective_stem(form)
        yield from (stem + ending for ending in _ADJECTIVE_ENDINGS)


def _noun(word: str) -> Iterator[str]:
    if word.isupper():  # PC, PCs
        yield word + "s"
        return
    ending, added, replaced = next(rule for rule in _NOUNS if rule[0].search(word))
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


def _adjective_stem(word: str) -> str:
    """Returns an adjective without its ending, if it has one."""
    ending = next((each for each in ("en", "er", "es", "em", "e") if word.endswith(each)), "")
    return word[: len(word) - len(ending)] if len(word) - len(ending) >= 3 else word


def _adjective(word: str) -> Iterator[str]:
    yield from (word + ending for ending in _ADJECTIVE_ENDINGS)
    stem = _adjective_stem(word)
    if stem != word:
        yield from (stem + ending for ending in _ADJECTIVE_ENDINGS)
