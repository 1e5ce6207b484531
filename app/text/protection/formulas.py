r"""Formulas of chemistry and of mathematics.

Sources: IUPAC, "Nomenclature of Inorganic Chemistry" IR-4 (formulas); LaTeX, "Math mode"; Pandoc, ``tex_math_dollars``:
the opening dollar has a character behind it, the closing one before it and no digit behind it.
"""

import re

from app.text.protection.expressions import Checked, Expressions, Searched
from languages.registry import small_words

_SUB, _SUPER = "₀-₉₊₋ₓₙ", "⁰¹²³⁴-⁹⁺⁻ⁿ"
_ELEMENT = r"(?:[A-Z][a-z]?)"
# H₂SO₄, (NH₄)₂SO₄, Ca²⁺, CuSO₄·5H₂O, ¹⁴C, x₁, log₂
_DIGIT = f"[{_SUB}{_SUPER}]"
_WITH_DIGITS = re.compile(
    rf"(?<![\w{_SUB}{_SUPER})])(?=\S{{0,60}}{_DIGIT})"
    rf"(?:\([\w{_SUB}{_SUPER}]{{1,40}}\)|\[[\w(){_SUB}{_SUPER}]{{1,60}}\]|[^\W_]|{_DIGIT}|[·⋅•](?=\w))++"
)
_HAS_DIGIT = re.compile(_DIGIT)
# A word with the mark of a footnote, and what is measured: "Preis¹", "m²".
_OTHER = re.compile(r"[^\W\d_]{2,}[⁰¹²³⁴-⁹]{1,2}|[kcdmµ]?m[²³]")
_UNIT = re.compile(r"(?<![a-zA-Z])[kcdmµ]?m[²³]")
# H2SO4, C6H12O6; CO2 and H2O are words that models know.
_PLAIN = rf"\b((?:{_ELEMENT}[0-9]{{0,2}}){{2,12}})\b"
_ELEMENTS = frozenset(
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr "
    "Nb Mo Ag Cd In Sn Sb Te I Xe Cs Ba La Ce W Pt Au Hg Tl Pb Bi U".split()
)

_DOLLARS = re.compile(r"\$\$[^$]{1,4000}?\$\$|(?<![\\$\w])\$(?![\s$])(?P<inner>[^$\n]{1,400}?)(?<![\s\\])\$(?![\w$])")
_DELIMITED = re.compile(
    r"\\\((?:(?!\\\)).){1,800}?\\\)|\\\[(?:(?!\\\]).){1,800}?\\\]"
    r"|\\begin\{(?P<name>(?:equation|align|gather|multline|eqnarray|displaymath|math)\*?)\}(?s:.{1,4000}?)\\end\{(?P=name)\}"
)
# 3x + 2y = 7, f(x) = 2x + 1, A = πr²: terms of figures, single letters and brackets, with signs between them.
_LETTER = "a-zA-Zα-ωΑ-Ω"
_EXPONENT = r"(?:[²³⁰¹⁴-⁹ⁿ₀-₉]{1,3}|\^\(?-?\w{1,3}\)?)"
_FIGURES = r"\d{1,6}(?:[.,]\d{1,4})?"
_NAMED = "sin|cos|tan|log|ln|exp|sqrt"
_ARGUMENTS = r"\(\w{1,3}(?:, ?\w{1,3})?\)"
_VARIABLES = rf"(?:(?:[{_LETTER}]{{1,2}}{_EXPONENT}|[{_LETTER}]){{1,3}}|{_NAMED})(?:{_ARGUMENTS})?'?"
_TERM = rf"[−-]?√?(?:(?:{_FIGURES})?(?:{_VARIABLES}|\([^()]{{1,30}}\){_EXPONENT}?)|{_FIGURES})(?![\w(])"
_RELATIONS, _SUMS = frozenset("=≠≈≤≥<>"), frozenset("+−–-")
_EQUATION = re.compile(
    rf"(?<![\w.,/?&-])(?<!\d ){_TERM}(?:(?: ?[=≠≈≤≥+−–*/·×±-] ?| [<>] ){_TERM}){{1,12}}+(?!&|[.,]\d)"
)
_CALCULATES = re.compile(rf"{_EXPONENT}|[+−–*/·×±-]|\d[{_LETTER}]|\w\(")
_COEFFICIENT = re.compile(rf"\d[{_LETTER}]")
_WORD = re.compile(rf"(?<![{_LETTER}])(?!(?:{_NAMED})\()[{_LETTER}]{{2,}}")
_STEP = re.compile("[<>]")  # of a menu
_DECIMAL = re.compile(r"\d[.,]\d")
_THOUSANDS = re.compile(r"\d[.,]\d{3}(?!\d)")
_REFERENCE = re.compile(
    r"\\(?:ref|eqref|cite|citep|citet|autoref|label|url|includegraphics)\*?(?:\[[^\[\]]{0,99}\])?\{[^{}]{1,200}\}"
)
_PLAIN_WORD = re.compile(r"(?<![\\\w{])[^\W\d_]{3,}(?![\w(])")
_SIGN = re.compile(r"[\\^_=+<>{}]|^[A-Za-z](?:\(\w\))?$|[a-zA-Z]\s?[*/-]|[*/-]\s?[a-zA-Z]")


def _is_formula(match: re.Match[str]) -> bool:
    """Tells a word with subscripts from one with the mark of a footnote."""
    has_letter = any(map(str.isalpha, match[0]))
    return has_letter and _HAS_DIGIT.search(match[0]) is not None and not _OTHER.fullmatch(match[0])


def _is_plain_formula(word: str) -> bool:
    return _ELEMENTS.issuperset(re.findall(_ELEMENT, word)) and len(re.findall(r"\d+", word)) >= 2


def _is_maths(match: re.Match[str]) -> bool:
    """Tells maths between dollars from two amounts or variables."""
    inner = match["inner"]
    if inner is None:
        return True
    shown = re.sub(r"\\(?:text|mathrm|operatorname)\{[^{}]*\}", "", inner)
    return bool(_SIGN.search(inner)) and not _PLAIN_WORD.search(shown)


def _is_equation(match: re.Match[str]) -> bool:
    """Tells an equation from words and amounts with signs between them: "so = x", "1 m² = 10.000 cm²", "p = 0.05"."""
    text = match[0]
    words = _WORD.findall(text)
    if any(len(word) > 2 or word.lower() in small_words() for word in words) or not any(map(str.isalpha, text)):
        return False
    if _THOUSANDS.search(text) or _UNIT.search(text):
        return False
    if not _RELATIONS.isdisjoint(text):
        return _CALCULATES.search(text) is not None or not (words or _DECIMAL.search(text) or _STEP.search(text))
    return len(_COEFFICIENT.findall(text)) > 1 and not _SUMS.isdisjoint(text)


FORMULAS: Expressions = [
    (frozenset("₀₁₂₃₄₅₆₇₈₉₊₋ₙₓ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ"), Searched(_WITH_DIGITS, _is_formula)),
    (frozenset("23456789"), Checked(_PLAIN, _is_plain_formula)),
    ("$", Searched(_DOLLARS, _is_maths)),
    (frozenset("=≠≈<>≤≥+"), Searched(_EQUATION, _is_equation)),
    ("\\", Searched(_DELIMITED)),
    ("\\", Searched(_REFERENCE)),
]
