"""The letter that opens an entry of a menu: ``&File`` of Qt, Windows, KDE and wxWidgets, ``_File`` of GTK, ``~Datei``.

Sources: Qt, "QShortcut" (mnemonics); Microsoft, "Menus" (access keys); GTK, ``gtk_label_new_with_mnemonic``;
LibreOffice's catalogs (``~``).

The model translates the text without the sign, and the translation has it before the same letter, or its first one.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from app.text.inline.codec import Codec
from app.text.protection.decoding import Decoder, Written
from languages.registry import ampersand_words, gender_endings

# The letters of Latin-1.
_UPPER, _LOWER = r"A-Z\u00c0-\u00d6\u00d8-\u00de", r"a-z\u00df-\u00f6\u00f8-\u00ff"
# Labels are short, and in one line.
_MAX_CHARS = 120
_LETTER = r"[^\W_]"
_AMPERSAND = re.compile(rf"(?<!&)&(?={_LETTER})(?!#?\w{{1,31}};)")
_UNDERSCORE = re.compile(r"(?<!_)_(?=[^\W\d_])")
_TILDE = re.compile(r"(?<!~)~(?=[^\W\d_])")
_DOUBLED = re.compile(r"(?<=\s)&&(?=\s)")
# R&D, AT&T, Q&A; a=1&b=2 of an address.
_ABBREVIATION = re.compile(rf"[{_UPPER}]&[{_UPPER}](?![{_LOWER}])|[\w?]=[^\s&]*&|&\w+=")
_NAMES = re.compile(rf"[{_LOWER}]&[{_UPPER}]")  # Johnson&Johnson
_JOINED_WORD = re.compile(r"(?<=[^\W\d_])&([^\W\d_]+)")
_FIRST_LETTER = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=1)
def _underscored() -> re.Pattern[str]:
    """E_xit, Prefere_nces; not user_name, MAX_SIZE, Anna_Meier, Leser_innen."""
    gender = "|".join(rf"{ending}\b" for ending in gender_endings())
    return re.compile(rf"(?<!\w)(?:_[^\W\d_]\w*|[^\W\d_{_LOWER}][{_LOWER}]*_(?!{gender})[{_LOWER}]+)(?!\w)")


def _is_ampersand(text: str, place: int) -> bool:
    around = text[max(0, place - 1) : place + 3]
    if _ABBREVIATION.search(text) or _NAMES.match(around):
        return False
    joined = _JOINED_WORD.match(text, place)  # drag&drop
    if joined and joined[1] in ampersand_words():
        return False
    before = text[place - 1 : place]
    return not before or not before.isalnum() or text[place + 1].islower() or text[place + 1].isdigit()


def _is_underscore(text: str, place: int) -> bool:
    letter = _FIRST_LETTER.search(text)
    return _underscored().search(text) is not None and letter is not None and letter[0].isupper()


def _is_tilde(text: str, place: int) -> bool:
    letter = _FIRST_LETTER.search(text)
    return letter is not None and letter[0].isupper() and "/" not in text


_SIGNS: dict[str, tuple[re.Pattern[str], Callable[[str, int], bool]]] = {
    "&": (_AMPERSAND, _is_ampersand),
    "_": (_UNDERSCORE, _is_underscore),
    "~": (_TILDE, _is_tilde),
}


def reader(sign: str) -> Decoder:
    """Returns the decoder of a sign: see ``app.text.protection.decoding.Decoder``."""
    expression, is_mnemonic = _SIGNS[sign]

    def read(text: str) -> tuple[list[Written], Codec]:
        if len(text) > _MAX_CHARS or "\n" in text or text.count(sign) > 3:
            return [], Codec()
        places = [match.start() for match in expression.finditer(text)]
        others = text.count(sign) - len(places)
        doubled = [match.span() for match in _DOUBLED.finditer(text)] if sign == "&" else []
        if len(places) != 1 or others != 2 * len(doubled) or not is_mnemonic(text, places[0]):
            return [], Codec()
        [place] = places
        found = [Written(place, place + 1, ""), *(Written(*span, sign) for span in doubled)]
        return sorted(found), Codec(doubled=sign if doubled else "", mnemonic=sign, letter=text[place + 1])

    return read


READERS = {sign: reader(sign) for sign in _SIGNS}
