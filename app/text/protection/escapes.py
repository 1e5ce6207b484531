r"""Backslash escapes in texts of resource files.

Sources: Android, "String resources"; Java, ``Properties.load``; PHP, "Strings"; ECMAScript, "String Literals"; Aegisub,
"ASS Tags" (``\N``, ``\n``, ``\h``).

``\n``, ``\N`` and ``\t`` part two texts. ``\'`` and ``\"`` are marks of the words beside them, and ``\u00fc`` is a
letter: the model reads them as such, and a translation is written the same way.
"""

import re

from app.fairness.windows import finditer
from app.text.inline.codec import Codec
from app.text.protection.decoding import Written
from app.text.protection.expressions import Expressions, Searched

# All commands of LaTeX that begin with n, r or t and may stand in a formula.
_LATEX = frozenset(
    "nabla natural ne nearrow neg neq newcommand newline newpage nexists ngeq ni nleq nmid node noindent normalsize "
    "not notin nparallel nsim nu num nwarrow "
    "rangle rbrace rceil ref rfloor rho right rightarrow rm root rule Rightarrow "
    "tag tan tanh tau tbinom text textbf textit textrm textsc textsf texttt tfrac therefore theta thinspace tilde "
    "times tiny title to top triangle".split()
)
_BREAKS = re.compile(r"(?<!\\)(?P<span>(?:\\{1,2}(?:[nNrt](?!\[\d|[_^])|h(?![a-z])))++)(?P<rest>[a-z]*+)")
_ESCAPE = re.compile(r"\\{1,2}(?:[nNrth'\"]|u[0-9a-fA-F]{4})")
# A path or a command has other letters behind its backslashes; codes of games have a bracket behind them.
_OTHER = re.compile(r"\\[A-Za-z](?!\[)|(?<![^\W_])[A-Za-z]:$")
_TOKEN_CHARS = 80
_QUOTED = frozenset("\"'`“”‘’„«»()[]/|")
_CHARACTER = re.compile(
    r"\\\\|\\(?:(['\"])|u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))"
)
_LATEX_UMLAUT = re.compile(r"[^\W\d_]\\\"[^\W\d_]")


def _is_break(match: re.Match[str]) -> bool:
    """Tells an escape from a path, a formula, or a text about escapes."""
    text, (begin, end) = match.string, match.span("span")
    if match["span"][-1] + match["rest"] in _LATEX:
        return False
    before, after = text[begin - 1 : begin], text[end : end + 1]
    if before and after and before in _QUOTED and after in _QUOTED:
        return False
    token_before = text[max(0, begin - _TOKEN_CHARS) : begin].rpartition(" ")[2]
    token_after = text[end : end + _TOKEN_CHARS].partition(" ")[0]
    return not any(_OTHER.search(_ESCAPE.sub("", token)) for token in (token_before, token_after))


def read_escapes(text: str) -> tuple[list[Written], Codec]:
    """Reads escaped quotation marks, apostrophes and letters: see ``app.text.protection.decoding.Decoder``."""
    found: list[Written] = []
    marks = set()
    is_ascii = text.isascii()
    for match in finditer(_CHARACTER, text):
        mark, high, low, unit = match.groups()
        if mark:
            marks.add(mark)
            found.append(Written(*match.span(), mark))
        elif is_ascii and high:
            found.append(Written(*match.span(), bytes.fromhex(high + low).decode("utf-16-be")))
        elif is_ascii and unit and int(unit, 16) > 0x7F and chr(int(unit, 16)).isprintable():
            found.append(Written(*match.span(), chr(int(unit, 16))))
    if '"' in marks and _LATEX_UMLAUT.search(text):
        return [], Codec()
    is_ascii = any(one.meaning not in marks for one in found)
    return found, Codec(escaped="".join(sorted(marks)), is_ascii=is_ascii)


BREAKS: Expressions = [("\\", Searched(_BREAKS, _is_break))]
