"""The spans that are protected in every text: addresses, variables, tags, emoji, characters unknown to the model."""

import unicodedata
from string import ascii_lowercase
from typing import Any

from app.text.protection.expressions import Checked, Expressions, compiled
from app.text.protection.identifiers import IDENTIFIERS
from app.text.protection.patterns import Patterns
from app.text.protection.templates import MARKS, VARIABLES

# Punctuation after an address isn't part of it, nor is the bracket that closes one around it.
_INSIDE = r"""[^\s<>"()]|\([^\s<>"()]*\)"""
_LAST = r"""[^\s<>"()'.,;:!?\]…]|\([^\s<>"()]*\)"""
_LABEL = r"[\p{L}\p{N}-]+"  # RE2's \w knows no umlauts
# Without domains that are words ("it", "me", "us"): people forget the space after a full stop.
_DOMAIN = rf"(?:{_LABEL}\.)+(?:com|org|net|edu|gov|info|io|dev|app|eu|de|at|ch|fr|nl|pl|uk)(?:\.[a-z]{{2}})?\b"

_HARMLESS = compiled(
    {
        rf"(?i:https?|ftp)://(?:{_INSIDE})*(?:{_LAST})": "://",
        rf"(?i:www)\.(?:{_INSIDE})*(?:{_LAST})": ".",
        rf"{_DOMAIN}(?:/(?:{_INSIDE})*(?:{_LAST}))?": ".",
        rf"[\p{{L}}\p{{N}}_.+-]+@{_LABEL}(?:\.{_LABEL})+": "@",
        r"\{\{[^{}]*\}\}|[$#%]?\{[^\s{}]+\}": "{",  # {{ user.name }}, ${name}
        r"%(?:\([\w.]+\)|\d+\$)?(?:\.?\d+)?(?:[sdif]\b|@)": "%",  # %s, %(name)s, %1$s, %.2f
        r"\[X\d+X\]": "[X",  # Weblate's stand-ins
        r"&(?:amp;)*(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});": "&",  # in a text that isn't HTML
        r"[0-9#*]\x{FE0F}?\x{20E3}": "\u20e3",  # the emoji of keys
        rf"(?i:\b(?:{'|'.join(f'{letter}{{4,}}' for letter in ascii_lowercase)})\b)": "",  # "xxxx"
    }
)
# Marks in plain text: tags, with escaped brackets, too, and {\an8} of subtitles.
_MARKS = compiled(
    {
        r"</?[A-Za-z][A-Za-z0-9:-]*(?:(?:\s[^<>]*)?=[^<>]*)?\s*/?>": "<",
        r"&(?:amp;)*lt;/?[A-Za-z][A-Za-z0-9:-]*\s*/?&(?:amp;)*gt;": "lt;",
        r"\{\\[^{}]*\}": "{\\",
    }
)
# The marks of footnotes behind amounts and numbers: 19 €¹, 50 %²⁾, 19 €1); in 10⁶ it is an exponent.
_FOOTNOTES = [
    *((digit, Checked(r"[0-9\p{Sc}%‰]([⁻⁺]?[¹²³⁰⁴-⁹]+(?:[,⁻][¹²³⁰⁴-⁹]+)*⁾?)")) for digit in "¹²³⁴⁵⁶⁷⁸⁹"),
    *((sign, Checked(rf"[0-9] ?{sign}([0-9]{{1,2}}\))")) for sign in "€%"),
]
_IDENTIFIER = compiled({r"[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+": "_"})
_GENDER = "_innen"
# Signs of code that the model may not know. Code letters belong to the word that they touch (@tom, #1, C#, x^2, \n).
# Other signs are protected on their own, because words are beside them: Ja|Nein, _sehr_. An asterisk is not code:
# Bürger*innen.
_CODE_LETTERS = frozenset("#@\\^`")
_CODE_SIGNS = frozenset("<=>_{|}~")
_GENERAL_PUNCTUATION = "\u2000"  # the signs before it are of Latin-1, and common: ° © ®


def _found(text: str, expressions: Expressions) -> tuple[Any, ...]:
    return tuple(expression for needed, expression in expressions if needed in text and expression.search(text))


def untranslatable(text: str, known: frozenset[str]) -> Patterns:
    """Finds the spans of a text that a translation must keep unchanged.

    A model meets a character that it has no piece for as bytes, which it may well garble, or as an unknown one, which
    it can't write at all.

    Args:
        text: Any string, which may have markup.
        known: Characters that the model has pieces for; if there are none, all are taken to be known.
    """
    strange = frozenset(text) - known if known else frozenset()
    identifiers = () if _GENDER in text else _found(text, _IDENTIFIER)
    return Patterns(
        harmless=_found(text, _HARMLESS + VARIABLES + IDENTIFIERS) + identifiers,
        marks=_found(text, _MARKS + MARKS + _FOOTNOTES),
        letters=frozenset(one for one in strange if one in _CODE_LETTERS or _is_letter(one, known)),
        signs=frozenset(one for one in strange if one in _CODE_SIGNS or _is_sign(one)),
    )


def _is_letter(character: str, known: frozenset[str]) -> bool:
    """Tells whether a character is a letter or digit without a compatibility form (as "ﬁ" and "²" have)."""
    return (character.isalpha() or character.isdecimal()) and not known.issuperset(
        unicodedata.normalize("NFKC", character)
    )


def _is_sign(character: str) -> bool:
    """Tells whether a character is an emoji or in a private use area.

    Punctuation, currencies and operators belong to sentences, however many byte pieces they take.
    """
    return character >= _GENERAL_PUNCTUATION and unicodedata.category(character) in ("So", "Co")
