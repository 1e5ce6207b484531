"""Values of JSON and XML that programs read and people don't: identifiers, paths, versions, dates, class names.

A value with prose is never one of them. What decides is how the value is written, and for lower-case words also the
name under which it stands: ``"type": "submit"`` is for a program, ``"title": "save"`` is not.
"""

import re
from itertools import pairwise

# Names are compared without case and without marks: className, class-name and class_name are one.
_NOT_IN_NAME = re.compile(r"[^a-z0-9]")
# Their values are lists of names, or addresses. "icon": "Symbol" is a text all the same: it is a noun.
_LISTS = """class classname classes classlist cls css href icon id ids key margin padding route selector slug src
    style styles uri url"""
# Their values are single words of a program, if they are in lower-case.
_WORDS = """align alignment autocomplete changefreq charset code color colour component currency datatype
    direction display domain encoding engine enum env environment event explicit extends filename format
    framework from guid handler host img ip kind lang layout level locale main method mime mode module namespace
    operator package packaging path platform position property protocol ref rel repository required role schema
    scope selector slot svg tag target template testid theme timezone type username uuid variant version
    visibility width"""
_NAMES_OF_LISTS, _NAMES_OF_WORDS = frozenset(_LISTS.split()), frozenset(_WORDS.split())
# A word of a list or of a program: in lower-case, or without letters, or with a digit or mark inside.
_CODE_WORD = re.compile(r"[^\s\w]*+[a-z0-9_][^\sA-Z]*+|[^\s\w]*+\w*+[\d_/.:#-]\S*+|[^\w\s]++")
# An element has a list of classes: of "tabClass", one has a mark inside; of "travelClass", seldom.
_ENDS_OF_LISTS = ("class", "classes", "classname", "classnames", "cls", "css")
_MARK_INSIDE = re.compile(r"\w[-_:]\w")
_CLASS = re.compile(r"[a-z][a-z0-9-]*+")

_FILE_EXTENSION = re.compile(
    r"\.(?:avif|bmp|cfg|conf|cpp|css|csv|docx?|epub|exe|gif|go|gz|html?|ico|ini|java|jpe?g|js|json|jsx|kt|lock|log|md|mdx"
    r"|mjs|mov|mp[34]|mustache|odt|ogg|otf|pdf|php|png|po|pptx?|py|rb|rs|rst|s?css|sh|sql|svg|swift|tar|tex|tiff?|toml"
    r"|tsx?|ttf|txt|vue|wasm|wav|webm|webp|woff2?|xlf|xlsx?|xml|xsd|xslt?|ya?ml|zip)\Z",
    re.IGNORECASE,
)
_COLOUR = r"#[0-9a-fA-F]{3,8}|(?:rgb|hsl|oklch|lab)a?\([^()]*\)|var\(--[\w-]+\)"
_NUMBER = r"[-+]?(?:\d[\d.,' _]*|\.\d+)(?:[eE][-+]?\d+)?"
_LENGTH = r"[-+]?(?:\d[\d.,'_]*|\.\d+)(?:[eE][-+]?\d+)?"  # without a space, which stands between two of them
_UNIT = r"(?:%|px|r?em|ex|ch|fr|deg|m?s|vh|vw|pt|cm|mm|kb|mb|gb|hz|dpi)"
_DATE = (
    r"\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?\s?(?:Z|[-+]\d\d:?\d\d)?)?|\d{1,2}:\d\d(?::\d\d)?"
    r"|P[T\d][\dYMWDTHS.]+"
)
_VERSION = r"[vV^~<>=]{0,3}\d+(?:\.[\dxX*]+)+(?:[-+.][0-9A-Za-z.+-]+)?"
_URL = r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://\S+|(?:mailto|tel|data|urn|javascript|node|npm|file):\S+|www\.\S+"
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_MIME = r"(?:application|audio|font|image|message|model|multipart|text|video)/[\w.+*-]+(?:\s*;\s*\w+=[\w.-]+)*"
_ASSEMBLY = r"[A-Za-z_][\w.`]*(?:,\s*[\w.]+)?(?:,\s*(?:Version|Culture|PublicKeyToken)=[\w.]+)+"  # a class of .NET
_HASH = r"(?=[^\s]*\d)[0-9a-f]{7,}|(?=[^\s]*\d)[0-9A-F]{8,}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_BASE64 = r"(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)[A-Za-z0-9+/_-]{16,}={0,2}"
_SCHEDULE = r"(?:[\d*/,-]++\s++){4}[\d*/,-]++"  # of cron
_LENGTHS = rf"{_LENGTH}{_UNIT}(?:\s+{_LENGTH}{_UNIT}?)*"
_DATA = re.compile(
    "|".join((_COLOUR, _NUMBER, _LENGTHS, _DATE, _VERSION, _SCHEDULE, _URL, _EMAIL, _MIME, _ASSEMBLY, _HASH, _BASE64))
)
_PATH = re.compile(r"(?:[A-Za-z]:)?[\\/.~@$*]\S*|\S*/|\S*[\\/]\S*[\\/]\S*")
# An inner capital, an underscore, or parts in lower-case with marks between them.
_IDENTIFIER = re.compile(
    r"[\w$]*[a-z][A-Z][\w$]*|_*+[^\W_]++(?:_++[^\W_]++)+_*+"
    r"|--?[a-z][\w-]*|[@#:]?[a-z0-9_$*{}]++(?:[-./:@#\\|+]++[a-z0-9_$*{}]++)+"
    r"|[a-zA-Z_]\w*+(?:(?:\.|::|->)[a-zA-Z_]\w*+){2,}(?:\(\))?|[a-z]{2,3}-(?:[A-Z][a-z]{3}-)?[A-Z]{2}"
)
# RFC 822, as in feeds and mails: Sun, 19 Jul 2015 10:18:45 +0000
_FEED_DATE = re.compile(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,\s)?\d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4}\s\d\d:\d\d(?::\d\d)?"
    r"(?:\s(?:[-+]\d{4}|[A-Z]{1,4}))?"
)
_MOST = 256  # characters of an identifier, path or date


def is_data(value: str, name: str = "") -> bool:
    """Tells whether a value is for programs, and so is the same in every language.

    Args:
        value: A string of JSON, or the text of an element.
        name: The key or element that it belongs to; "" if unknown.
    """
    text, words = value.strip(), value.split()
    if len(text) > _MOST:
        return len(words) == 1 and text.isascii()  # such as the content of a picture
    if not words or _DATA.fullmatch(text) or _FEED_DATE.fullmatch(text):
        return bool(words)
    plain = _NOT_IN_NAME.sub("", name.lower().rpartition(":")[2])
    if plain in _NAMES_OF_LISTS and all(map(_CODE_WORD.fullmatch, words)):
        return True
    if plain.endswith(_ENDS_OF_LISTS) and all(map(_CODE_WORD.fullmatch, words)) and _MARK_INSIDE.search(text):
        return True
    if len(words) > 1:  # a class and its variant, under any name: "btn btn-primary"
        return all(map(_CLASS.fullmatch, words)) and any(
            after.startswith(f"{word}-") for word, after in pairwise(words)
        )
    if plain == "key" or (plain in _NAMES_OF_WORDS and text.islower() and text.isascii()):
        return True
    return bool(_PATH.fullmatch(text) or _IDENTIFIER.fullmatch(text) or _FILE_EXTENSION.search(text))
