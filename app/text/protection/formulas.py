r"""Formulas of chemistry and of mathematics.

Sources: IUPAC, "Nomenclature of Inorganic Chemistry" IR-4 (formulas); LaTeX, "Math mode"; Pandoc, ``tex_math_dollars``:
the opening dollar has a character behind it, the closing one before it and no digit behind it.
"""

import re

from app.text.protection.expressions import Checked, Expressions, Searched

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


FORMULAS: Expressions = [
    (frozenset("₀₁₂₃₄₅₆₇₈₉₊₋ₙₓ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ"), Searched(_WITH_DIGITS, _is_formula)),
    (frozenset("23456789"), Checked(_PLAIN, _is_plain_formula)),
    ("$", Searched(_DOLLARS, _is_maths)),
    ("\\", Searched(_DELIMITED)),
    ("\\", Searched(_REFERENCE)),
]
