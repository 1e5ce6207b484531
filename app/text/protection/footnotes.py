"""The marks of footnotes behind amounts and numbers in plain text: 19 €¹, 50 %²⁾, 19 €1); in 10⁶ it is an exponent."""

from app.text.protection.expressions import Checked, Expressions

FOOTNOTES: Expressions = [
    (frozenset("¹²³⁴⁵⁶⁷⁸⁹"), Checked(r"[0-9\p{Sc}%‰]([⁻⁺]?[¹²³⁰⁴-⁹]+(?:[,⁻][¹²³⁰⁴-⁹]+)*⁾?)")),
    *((sign, Checked(rf"[0-9] ?{sign}([0-9]{{1,2}}\))")) for sign in "€%"),
]
