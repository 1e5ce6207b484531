"""The spans that are protected in every text: addresses, variables, tags, emoji, characters unknown to the model."""

import re
import unicodedata
from functools import partial
from string import ascii_lowercase
from typing import Any

from app.text.protection import codes, emoticons, escapes, messages, mnemonics, printf, templates
from app.text.protection.addresses import ADDRESSES
from app.text.protection.brackets import BRACKETS
from app.text.protection.decoding import Decoder, decode
from app.text.protection.expressions import Expressions, compiled
from app.text.protection.footnotes import FOOTNOTES
from app.text.protection.formulas import FORMULAS
from app.text.protection.identifiers import IDENTIFIERS
from app.text.protection.patterns import Patterns
from app.text.protection.tags import TAGS

_SIGNS = compiled(
    {
        r"[0-9#*]\x{FE0F}?\x{20E3}": "\u20e3",  # the emoji of keys
        rf"(?i:\b(?:{'|'.join(f'{letter}{{4,}}' for letter in ascii_lowercase)})\b)": "",  # "xxxx"
    }
)
_HARMLESS = [
    *ADDRESSES,
    *printf.DIRECTIVES,
    *templates.VARIABLES,
    *messages.ARGUMENTS,
    *codes.VALUES,
    *FORMULAS,
    *IDENTIFIERS,
    *_SIGNS,
]
_MARKS = [*templates.MARKS, *codes.MARKS, *FOOTNOTES]
_TAGS = [*TAGS, *templates.TAGS]
_BREAKS = [*templates.BREAKS, *messages.BREAKS, *escapes.BREAKS, *emoticons.BREAKS]
_DECODERS: list[tuple[str, Decoder]] = [
    ("\\", escapes.read_escapes),
    ("''", messages.read_quotes),
    *mnemonics.READERS.items(),
]
_IDENTIFIER = compiled({r"[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+": "_"})
_GENDER = re.compile(r"_in(?:nen)?\b")
# Signs of code that the model may not know. Code letters belong to the word that they touch (@tom, #1, C#, x^2, \n).
# Other signs are protected on their own, because words are beside them: Ja|Nein, _sehr_. An asterisk is not code:
# Bürger*innen.
_CODE_LETTERS = frozenset("#@\\^`")
_CODE_SIGNS = frozenset("<=>_{|}~")
_GENERAL_PUNCTUATION = "\u2000"  # the signs before it are of Latin-1, and common: ° © ®


def _found(text: str, characters: frozenset[str], expressions: Expressions) -> tuple[Any, ...]:
    return tuple(
        expression
        for needed, expression in expressions
        if (needed in text if isinstance(needed, str) else not needed.isdisjoint(characters))
        and expression.search(text)
    )


def untranslatable(text: str, known: frozenset[str]) -> Patterns:
    """Finds the spans of a text that a translation must keep unchanged.

    A model meets a character that it has no piece for as bytes, which it may well garble, or as an unknown one, which
    it can't write at all.

    Args:
        text: Any string, which may have markup.
        known: Characters that the model has pieces for; if there are none, all are taken to be known.
    """
    decoders = tuple(decoder for needed, decoder in _DECODERS if needed in text and decoder(text)[0])
    text = decode(text, decoders).text if decoders else text
    characters = frozenset(text)
    strange = characters - known if known else frozenset()
    found = partial(_found, text, characters)
    has_gender_forms = _GENDER.search(text) is not None
    if has_gender_forms:
        strange -= {"_"}
    return Patterns(
        harmless=found(_HARMLESS) + (() if has_gender_forms else found(_IDENTIFIER)),
        marks=found(_MARKS),
        tags=found(_TAGS),
        brackets=found(BRACKETS),
        breaks=found(_BREAKS),
        choices=found(messages.CHOICES),
        decoders=decoders,
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
