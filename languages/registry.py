"""Gives the language of any code: its room where there is one, otherwise what Unicode and CLDR say."""

import importlib
import importlib.util
import pkgutil
import unicodedata
from dataclasses import replace
from functools import lru_cache

import languages
from languages import codes
from languages.language import Language
from languages.neutral import neutral


@lru_cache(maxsize=256)
def language_of(code: str) -> Language:
    """The language of a BCP 47 code in any letter case: ``de``, ``en-GB``, ``zh-Hant``; any other string has one, too.

    The same code gives the same object.
    """
    parts = codes.parse(code)
    room = _room(parts.language, parts.region)
    if room is None:
        return replace(neutral(code), region=parts.region)
    return replace(room, script=parts.script or room.script, region=parts.region)


def rooms() -> tuple[Language, ...]:
    """All languages that have a room, by their names."""
    modules = sorted(name for _, name, _ in pkgutil.iter_modules(languages.__path__))
    loaded = (importlib.import_module(f"{languages.__name__}.{name}") for name in modules)
    return tuple(module.LANGUAGE for module in loaded if hasattr(module, "LANGUAGE"))


@lru_cache(maxsize=256)
def _room(code: str, region: str | None) -> Language | None:
    """Loads the room of a language, the module that has its English name; None if there is none.

    So a new room is found by its name, and only the rooms that are needed are loaded. ``REGIONS`` of the module has the
    regions where more differs than notation.
    """
    name = _module_name(neutral(code).name)
    if not name.isidentifier() or importlib.util.find_spec(f"{languages.__name__}.{name}") is None:
        return None
    module = importlib.import_module(f"{languages.__name__}.{name}")
    found = getattr(module, "REGIONS", {}).get(region) or getattr(module, "LANGUAGE", None)
    return found if isinstance(found, Language) and found.code == code else None


def _module_name(name: str) -> str:
    """``norwegian_bokmal`` for "Norwegian Bokmål"."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return "_".join(plain.lower().split())


@lru_cache(maxsize=1)
def bracketed_endings() -> frozenset[str]:
    """The endings that any language writes in brackets behind a word, where a text's language isn't known."""
    return frozenset().union(*(room.bracketed_endings for room in rooms()))


@lru_cache(maxsize=1)
def small_words() -> frozenset[str]:
    """The words that any language writes in small letters in titles."""
    return frozenset().union(*(room.writing.small_words for room in rooms()))


@lru_cache(maxsize=1)
def gender_endings() -> frozenset[str]:
    """The endings that any language writes behind a sign for all genders."""
    return frozenset().union(*(room.gender_endings for room in rooms()))


@lru_cache(maxsize=1)
def ampersand_words() -> frozenset[str]:
    """The words that "&" joins to another in any language."""
    return frozenset().union(*(room.ampersand_words for room in rooms()))


@lru_cache(maxsize=16)
def cardinals(number: int) -> frozenset[str]:
    """The words of all languages for a number from 1 to 12."""
    return frozenset(room.numbers.cardinals[number - 1] for room in rooms() if room.numbers.cardinals)


@lru_cache(maxsize=1)
def scales() -> frozenset[str]:
    """The abbreviations of all languages for powers of ten, in small letters, without single letters."""
    return frozenset(scale.lower() for room in rooms() for scale in room.numbers.scales if len(scale) > 1)


@lru_cache(maxsize=1)
def ordinal_endings() -> frozenset[str]:
    """The letters behind the digits of an ordinal in any language: "2nd", "2e"."""
    return frozenset(ending for room in rooms() for ending in room.numbers.ordinal_endings if ending.isalpha())


@lru_cache(maxsize=1)
def large_numbers() -> tuple[str, ...]:
    """The words of all languages for large numbers, in small letters, or their beginnings."""
    return tuple(dict.fromkeys(word.lower() for room in rooms() for word in room.numbers.large_numbers))
