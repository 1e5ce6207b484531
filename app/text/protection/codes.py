r"""Codes of terminals, chats, games and subtitles, which change how the text behind them looks.

Sources: ECMA-48 (ESC [ … m); Minecraft Wiki, "Formatting codes" (§a); RPG Maker, "Control characters" (\C[2], \V[3]);
World of Warcraft, "UI escape sequences" (|cffff0000…|r); Paradox, "Localisation" (§Y…§!, £gold£); Quake (^1); Aegisub,
"ASS Tags" ({\an8}).
"""

import re

from app.text.protection.expressions import Expressions, Searched

# In German and English, "§ 5", "§5a" and "§§ 3" are sections of a law.
_MINECRAFT = re.compile(
    r"(?:§(?:[a-fk-orxA-FK-ORX](?=[^\W\d_]{2}|[\s§/{%<&\[(!.,:;?-]|$)|\d(?=[^\W\d_]{2,}|[§/{%<])))++"
)
_BUKKIT = r"&(?!\w{1,31};)[0-9a-fk-or](?=[^\W_]{2}|[\s&]|$)"
_LEGACY = re.compile(rf"(?:{_BUKKIT})++")
_RPG = re.compile(r"\\(?:[A-Z]{1,3}|[a-z]{1,2})\[[^\[\]\n]{0,60}\]|\\[.|!><^{}$](?![\\\w]*\$)|\\G(?![A-Za-z])")
_VALUES = re.compile(
    r"(?<!\S)\\[Ii]\[\d{1,5}\](?=[\s.,!?]|$)|\\(?:[VNPnvpG](?:\[\d{1,5}\]))|£[A-Za-z_]{2,40}£"
    r"|\[(?:[A-Z]\w{0,40}\.)+Get\w{1,60}\]|(?<=§[0-9A-Za-z])/[A-Za-z]\w{0,40}"  # §e/help: a command
)
_WARCRAFT = re.compile(r"\|c[0-9a-fA-F]{8}|\|[rh](?![a-z])|\|H[^|\n]{1,200}\|h|\|T[^|\n]{1,200}\|t")
_PARADOX = re.compile(r"§[A-Z](?=[^\W_])|§!")
_QUAKE = re.compile(r"(?<![\w)\]])\^[0-9](?=[^\W\d_]{2}|\s|$)|(?<=[a-z])\^7(?=\s|$)")
_ANSI = re.compile(r"(?:\x1b|\\(?:033|e|x1[bB]|u001[bB]))\[[0-9;]{0,40}[A-Za-z]")
_ASS = re.compile(r"\{\\[^{}]*+\}")
_IRC = re.compile(r"[\x02\x0f\x16\x1d\x1f]|\x03(?:\d{1,2}(?:,\d{1,2})?)?")
_DIRECTION = re.compile(r"[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]++")  # Unicode Standard Annex 9
_SEVERAL = re.compile(rf"{_BUKKIT}[^&]{{0,900}}{_BUKKIT}|^&[0-9](?=[A-Z])")  # one alone may be a menu's key


def _is_legacy(match: re.Match[str]) -> bool:
    return _SEVERAL.search(match.string[:1_000]) is not None


def _is_mark(match: re.Match[str]) -> bool:
    return not _VALUES.match(match.string, match.start())


VALUES: Expressions = [(("\\", "£", "Get", "§"), Searched(_VALUES))]
MARKS: Expressions = [
    ("§", Searched(_MINECRAFT)),
    ("§", Searched(_PARADOX)),
    ("&", Searched(_LEGACY, _is_legacy)),
    ("\\", Searched(_RPG, _is_mark)),
    ("|", Searched(_WARCRAFT)),
    ("^", Searched(_QUAKE)),
    ("[", Searched(_ANSI)),
    ("{\\", Searched(_ASS)),
    (frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"), Searched(_DIRECTION)),
    (frozenset("\x02\x03\x0f\x16\x1d\x1f"), Searched(_IRC)),
]
