"""The marks of footnotes behind amounts and numbers in plain text: 19 €¹, 50 %²⁾, 19 €1); in 10⁶ it is an exponent."""

import re

from app.text.protection.expressions import Expressions, Searched
from languages.signs import CURRENCIES

FOOTNOTE = re.compile(
    rf"(?<=[\d%‰{CURRENCIES}])[⁻⁺]?[¹²³⁰⁴-⁹]++(?:[,⁻][¹²³⁰⁴-⁹]++)*+⁾?|(?<=\d[€%])\d{{1,2}}\)|(?<=\d [€%])\d{{1,2}}\)"
)
FOOTNOTES: Expressions = [(frozenset("¹²³⁴⁵⁶⁷⁸⁹€%"), Searched(FOOTNOTE))]
