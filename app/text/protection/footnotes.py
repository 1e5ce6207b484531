"""The marks of footnotes behind amounts and numbers in plain text: 19 €¹, 50 %²⁾, 19 €1); in 10⁶ it is an exponent."""

import re

from app.text.protection.expressions import Expressions, Searched

_CURRENCIES = (
    "$\xa2-\xa5\u058f\u060b\u07fe\u07ff\u09f2\u09f3\u09fb\u0af1\u0bf9\u0e3f\u17db\u20a0-\u20cf\ua838\ufdfc\ufe69"
    "\uff04\uffe0\uffe1\uffe5\uffe6\U00011fdd-\U00011fe0\U0001e2ff\U0001ecb0"
)
"""All signs of currencies (Unicode's category Sc), which ``re`` has no name for."""

FOOTNOTE = re.compile(
    rf"(?<=[\d%‰{_CURRENCIES}])[⁻⁺]?[¹²³⁰⁴-⁹]++(?:[,⁻][¹²³⁰⁴-⁹]++)*+⁾?|(?<=\d[€%])\d{{1,2}}\)|(?<=\d [€%])\d{{1,2}}\)"
)
FOOTNOTES: Expressions = [(frozenset("¹²³⁴⁵⁶⁷⁸⁹€%"), Searched(FOOTNOTE))]
