"""The spans that are protected in every text: addresses, variables, tags, emoji, characters unknown to the model."""

import re
import unicodedata
from functools import lru_cache
from string import ascii_lowercase

from app.text.protection import codes, emoticons, escapes, messages, mnemonics, printf, templates, terminal
from app.text.protection.addresses import ADDRESSES
from app.text.protection.brackets import BRACKETS
from app.text.protection.decoding import Decoder, decode
from app.text.protection.expressions import compiled
from app.text.protection.families import Families
from app.text.protection.footnotes import FOOTNOTES
from app.text.protection.formulas import FORMULAS
from app.text.protection.identifiers import IDENTIFIERS
from app.text.protection.patterns import NOTHING, Patterns
from app.text.protection.tags import TAGS
from languages.registry import gender_endings

_SIGNS = compiled(
    {
        r"[0-9#*]\x{FE0F}?\x{20E3}": "\u20e3",  # the emoji of keys
        rf"(?i:\b(?:{'|'.join(f'{letter}{{4,}}' for letter in ascii_lowercase)})\b)": "",  # "xxxx"
    }
)
_FAMILIES = Families(
    harmless=[
        *ADDRESSES,
        *printf.DIRECTIVES,
        *templates.VARIABLES,
        *messages.ARGUMENTS,
        *codes.VALUES,
        *FORMULAS,
        *terminal.LINES,
        *IDENTIFIERS,
        *_SIGNS,
    ],
    identifiers=compiled({r"[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+": "_"}),
    marks=[*templates.MARKS, *codes.MARKS, *FOOTNOTES],
    tags=[*TAGS, *templates.TAGS],
    brackets=BRACKETS,
    breaks=[*templates.BREAKS, *messages.BREAKS, *escapes.BREAKS, *emoticons.BREAKS, *terminal.BREAKS],
    choices=messages.CHOICES,
)
_DECODERS: list[tuple[str, Decoder]] = [
    ("\\", escapes.read_escapes),
    ("''", messages.read_quotes),
    *mnemonics.READERS.items(),
]
# Signs of code that the model may not know. Code letters belong to the word that they touch (@tom, #1, C#, x^2, \n).
# Other signs are protected on their own, because words are beside them: Ja|Nein, _sehr_. An asterisk is not code:
# Bürger*innen.
_CODE_LETTERS = frozenset("#@\\^`")
_CODE_SIGNS = frozenset("<=>_{|}~")
_GENERAL_PUNCTUATION = "\u2000"  # the signs before it are of Latin-1, and common: ° © ®


@lru_cache(maxsize=1)
def _gender_form() -> re.Pattern[str]:
    """The sign for all genders and what follows: "Bürger_innen"."""
    return re.compile(rf"_(?:{'|'.join(gender_endings())})\b")


def untranslatable(text: str, known: frozenset[str], *, has_markup: bool = False) -> Patterns:
    """Finds the spans of a text that a translation must keep unchanged.

    A model meets a character that it has no piece for as bytes, which it may well garble, or as an unknown one, which
    it can't write at all.

    Args:
        text: Any string, which may have markup.
        known: Characters that the model has pieces for; if there are none, all are taken to be known.
        has_markup: It is the source of several texts: what depends on where a text begins and ends may be in each.
    """
    decoders = tuple(decoder for needed, decoder in _DECODERS if needed in text and (has_markup or decoder(text)[0]))
    text = decode(text, decoders).text if decoders and not has_markup else text
    characters = frozenset(text)
    strange = characters - known if known else frozenset()
    found = _FAMILIES.of(text, characters, sure="breaks" if has_markup else "")
    identifiers = found.pop("identifiers", ())
    if "_" in text and _gender_form().search(text):
        strange -= {"_"}
    elif identifiers:
        found["harmless"] = found.get("harmless", ()) + identifiers
    if not (found or decoders or strange):
        return NOTHING
    return Patterns(
        decoders=decoders,
        letters=frozenset(one for one in strange if one in _CODE_LETTERS or _is_letter(one, known)),
        signs=frozenset(one for one in strange if one in _CODE_SIGNS or _is_sign(one)),
        **found,
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
