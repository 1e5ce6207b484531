"""The spans that are protected in every text: addresses, variables, tags, emoji, characters unknown to the model."""

import unicodedata
from string import ascii_lowercase

from app.text.protection.patterns import Patterns, compile_patterns

# Punctuation after an address isn't part of it, nor is the bracket that closes one around it.
_INSIDE = r"""[^\s<>"()]|\([^\s<>"()]*\)"""
_LAST = r"""[^\s<>"()'.,;:!?\]…]|\([^\s<>"()]*\)"""
_LABEL = r"[\p{L}\p{N}-]+"  # RE2's \w knows no umlauts
# Without domains that are words ("it", "me", "us"): people forget the space after a full stop.
_DOMAIN = rf"(?:{_LABEL}\.)+(?:com|org|net|edu|gov|info|io|dev|app|eu|de|at|ch|fr|nl|pl|uk)(?:\.[a-z]{{2}})?\b"
_EXPRESSIONS = compile_patterns(
    [
        rf"regex:(?:(?i:https?|ftp)://|(?i:www)\.)(?:{_INSIDE})*(?:{_LAST})",
        rf"regex:{_DOMAIN}(?:/(?:{_INSIDE})*(?:{_LAST}))?",
        rf"regex:[\p{{L}}\p{{N}}_.+-]+@{_LABEL}(?:\.{_LABEL})+",
        r"regex:\{\{[^{}]*\}\}|[$#%]?\{[^\s{}]+\}",  # {{ user.name }}, ${name}
        r"regex:%(?:\([\w.]+\)|\d+\$)?(?:\.?\d+)?(?:[sdif]\b|@)",  # %s, %(name)s, %1$s, %.2f
        r"regex:\[X\d+X\]",  # Weblate's stand-ins
        r"regex:[0-9#*]\x{FE0F}?\x{20E3}",  # the emoji of keys
        rf"regex:(?i:\b(?:{'|'.join(f'{letter}{{4,}}' for letter in ascii_lowercase)})\b)",  # "xxxx"
    ]
).expressions
# Marks in plain text: tags, and {\an8} of subtitles.
_MARKS = compile_patterns(
    [r"regex:</?[A-Za-z][A-Za-z0-9:-]*(?:(?:\s[^<>]*)?=[^<>]*)?\s*/?>", r"regex:\{\\[^{}]*\}"]
).expressions
_GENDER = "_innen"
_IDENTIFIER = compile_patterns([r"regex:[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+"]).expressions
# Signs of code that the model may not know. Code letters belong to the word that they touch (@tom, #1, C#, x^2, \n).
# Other signs are protected on their own, because words are beside them: Ja|Nein, _sehr_. An asterisk is not code:
# Bürger*innen.
_CODE_LETTERS = frozenset("#@\\^`")
_CODE_SIGNS = frozenset("<=>_{|}~")
_GENERAL_PUNCTUATION = "\u2000"  # the signs before it are of Latin-1, and common: ° © ®


def untranslatable(text: str, known: frozenset[str]) -> Patterns:
    """What to protect in a text.

    A model meets a character that it has no piece for as bytes, which it may well garble, or as an unknown one, which
    it can't write at all.

    Args:
        text: Any string, which may have markup.
        known: Characters that the model has pieces for; if there are none, all are taken to be known.
    """
    strange = frozenset(text) - known if known else frozenset()
    expressions = _EXPRESSIONS if _GENDER in text else _EXPRESSIONS + _IDENTIFIER
    return Patterns(
        harmless=tuple(expression for expression in expressions if expression.search(text)),
        marks=tuple(expression for expression in _MARKS if expression.search(text)),
        letters=frozenset(one for one in strange if one in _CODE_LETTERS or _is_letter(one, known)),
        signs=frozenset(one for one in strange if one in _CODE_SIGNS or _is_sign(one)),
    )


def _is_letter(character: str, known: frozenset[str]) -> bool:
    """A letter or digit of which no compatible form is known, as it is of "ﬁ" and "²"."""
    return (character.isalpha() or character.isdecimal()) and not known.issuperset(
        unicodedata.normalize("NFKC", character)
    )


def _is_sign(character: str) -> bool:
    """An emoji, or the like of somebody's own (private use).

    Punctuation, currencies and operators belong to sentences, however many byte pieces they take.
    """
    return character >= _GENERAL_PUNCTUATION and unicodedata.category(character) in ("So", "Co")
