"""Directives of format strings: where a program puts values into a text.

Sources:

* C: ISO/IEC 9899, ``fprintf`` and ``strftime``; glibc's manual, "Output Conversion Syntax";
* Python: "printf-style String Formatting", "Format String Syntax"; Ruby: ``Kernel#format``; PHP: ``sprintf``;
  Go: ``fmt``;
* Java: ``java.util.Formatter``; Objective-C: "String Format Specifiers"; .NET: "Composite formatting";
* Qt: ``QString::arg`` (%1, %L1) and ``QObject::tr`` (%n, %Ln); Boost.Format (%1%).

A percent sign is also one of prose: "100 % fertig", "5% discount", "100%ige". So no directive stands right behind a
number, and a space is a flag only where no word follows.
"""

import re

from app.text.protection.expressions import Expressions, Searched

_DIRECTIVE = r"""
    %(?:
        (?:\d{1,2}\$)?\#@\w{1,60}@                             # variables of a stringsdict
      | (?:\d{1,3}\$|\([\w.\ -]{1,60}\)|<\w{1,60}>|<)?         # which value
        (?:[-+\#0,(]|'[^\w\s]?)*                               # flags
        (?:\d{1,4}|\*(?:\d{1,2}\$)?)?                          # width
        (?:\.(?:\d{1,4}|\*(?:\d{1,2}\$)?)?)?                   # precision
        (?:hh?|ll?|[qjzZtL]|w\d{1,2}|I64|I32)?                 # length
        (?:[dsuf@]|[diouxXeEfFgGaAcCsSpnbBhHvqTUwrm](?![^\W_]))
      | (?:\d{1,2}\$|<)?[-\#^]?[tT][a-zA-Z](?![^\W_])          # dates of Java
      | [-_0^\#]?[EO]?[a-zA-Z](?![^\W_])                       # strftime
      | L?\d{1,2}(?!\d)%?                                      # %1, %L1, %1%
      | Ln(?![^\W_])
      | \{\w{1,60}\}                                           # %{name} of Ruby
    )
"""
# Directives side by side are one span, and so is a number with its sign: "%d%%", "100%%".
_DIRECTIVES = re.compile(
    rf"""(?<![\d%])(?:{_DIRECTIVE}|%%)++
    | (?:(?<![\w.,])\d{{1,4}})?(?:%%)++
    | (?<!\d)(?<!\d\s)%[ ][-+0]*\d{{0,4}}(?:\.\d{{1,4}})?[dieEfFgGxX](?![^\W_]|%)
    """,
    re.VERBOSE,
)
# %41, %C3%A4 in a word: characters of an address.
_ENCODED = re.compile(r"(?<![\w.~-])[\w.~-]++(?:%[0-9A-Fa-f]{2})++[\w.~-]*+")
# {}, {0}, {user.name!r:>10}, {0:N2}, {0,10:F1}, {when:%d %B}
_FIELD = re.compile(
    r"\{\w{0,60}+(?:\.\w{1,60}|\[[^\[\]{}\s]{1,60}\]){0,9}+(?:,\s?-?\d{1,4})?(?:![rsa])?(?::[^\s{}][^{}\n]{0,200})?\}"
)

DIRECTIVES: Expressions = [
    ("%", Searched(_DIRECTIVES)),
    ("%", Searched(_ENCODED)),
    ("}", Searched(_FIELD)),
]
