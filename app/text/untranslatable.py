"""What is left as it is in every text: addresses, emoji, a letter again and again, characters unknown to the model."""

import unicodedata
from string import ascii_lowercase

from app.text.protection import Patterns, compile_patterns

# What ends a sentence behind an address isn't part of it, nor is the bracket that closes one around it.
_INSIDE = r"""[^\s<>"()]|\([^\s<>"()]*\)"""
_LAST = r"""[^\s<>"()'.,;:!?\]…]|\([^\s<>"()]*\)"""
_LABEL = r"[\p{L}\p{N}-]+"  # RE2's \w knows no umlauts
_DOMAIN = rf"(?:{_LABEL}\.)+(?:com|org|net|edu|gov|info|io|eu|de|ch|uk)(?:\.[a-z]{{2}})?\b"
_EXPRESSIONS = compile_patterns(
    [
        rf"regex:(?:(?i:https?|ftp)://|(?i:www)\.)(?:{_INSIDE})*(?:{_LAST})",
        rf"regex:{_DOMAIN}(?:/(?:{_INSIDE})*(?:{_LAST}))?",
        rf"regex:[\p{{L}}\p{{N}}_.+-]+@{_LABEL}(?:\.{_LABEL})+",
        r"regex:[0-9#*]\x{FE0F}?\x{20E3}",  # the emoji of keys
        rf"regex:(?i:\b(?:{'|'.join(f'{letter}{{4,}}' for letter in ascii_lowercase)})\b)",  # "xxxx"
    ]
).expressions
# They belong to the words that they touch: {name}, a_b, @tom, #1, C#. An asterisk doesn't: Bürger*innen.
_CODE = frozenset("#<=>@\\^_`{|}~")
_GENERAL_PUNCTUATION = "\u2000"  # the signs before it are of Latin-1, and common: ° © ®


def untranslatable(text: str, known: frozenset[str]) -> Patterns:
    """What to protect in a text.

    A model meets a character that it has no piece for as bytes, which it may well garble, or as an unknown one, which
    it can't write at all.

    Args:
        text: Any string, which may have markup.
        known: Characters that the model has pieces for; if there are none, all are taken to be known.
    """
    strange = frozenset(text) - known if known else ()
    return Patterns(
        harmless=tuple(expression for expression in _EXPRESSIONS if expression.search(text)),
        letters=frozenset(character for character in strange if character in _CODE or _is_letter(character, known)),
        signs=frozenset(character for character in strange if _is_sign(character)),
    )


def _is_letter(character: str, known: frozenset[str]) -> bool:
    """A letter or digit of which no compatible form is known, as it is of "ﬁ" and "²"."""
    return (character.isalpha() or character.isdecimal()) and not known.issuperset(
        unicodedata.normalize("NFKC", character)
    )


def _is_sign(character: str) -> bool:
    """An emoji, or the like of somebody's own (private use).

    Punctuation, currencies and operators belong to sentences, whatever they cost in bytes.
    """
    return character >= _GENERAL_PUNCTUATION and unicodedata.category(character) in ("So", "Co")
