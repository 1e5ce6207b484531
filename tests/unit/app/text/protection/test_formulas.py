"""Formulas of chemistry and mathematics, and identifiers with dots, come back as they were."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.protection.formulas import FORMULAS
from tests.support.notation import GARBLES, check_kept, texts_with, translation

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_GROUP = st.builds(
    lambda symbol, count: symbol + str(count).translate(_SUBSCRIPTS),
    st.sampled_from(["H", "C", "O", "Na", "Cl", "SO", "(NH₄)", "Fe"]),
    st.integers(2, 12),
)
CHEMISTRY = st.builds(
    "{}{}".format, st.lists(_GROUP, min_size=1, max_size=4).map("".join), st.sampled_from(["", "²⁺", "⁻", "·5H₂O"])
)
MATHS = st.sampled_from(
    [
        "$x$",
        "$a_1$",
        "$\\alpha + 1$",
        "$$E = mc^2$$",
        "\\(x^2\\)",
        "\\[\\frac{1}{2}\\]",
        "\\begin{equation}x=1\\end{equation}",
    ]
)
PUBLICATIONS = st.one_of(
    st.builds(
        "10.{}/{}".format, st.integers(1000, 99999), st.from_regex(r"[a-z][a-z0-9.-]{0,8}[a-z0-9]", fullmatch=True)
    ),
    st.builds("arXiv:{:04}.{:05}{}".format, st.integers(0, 9999), st.integers(0, 99999), st.sampled_from(["", "v2"])),
    st.sampled_from(["doi:10.29322/IJSRP.8.10.2018.p8233", "10.29322/IJSRP.X.X.2018.pXXXX", "urn:isbn:0451450523"]),
    st.sampled_from(["10.5432/AB", "10.5432/A1b", "1.2:AB", "arXiv:hep-th/9901001", "2101.00001v3"]),
)


@given(GARBLES, texts_with(st.one_of(CHEMISTRY, MATHS, PUBLICATIONS)))
def test_formulas_come_back_once(garble, text_and_pieces: tuple[str, list[str]]) -> None:
    text, pieces = text_and_pieces
    translated = translation(text, garble)
    if not any(one != other and one in other for one in pieces for other in pieces):
        check_kept(text, pieces, translated)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("DOI: 10.1038/s41586-020-2649-2.", "10.1038/s41586-020-2649-2"),
        ("See doi:10.29322/IJSRP.8.10.2018.p8233 for", "doi:10.29322/IJSRP.8.10.2018.p8233"),
        ("The part 10.5432/AB is new", "10.5432/AB"),
        ("Bei CO₂-Werten", "CO₂"),
        ("Das Isotop ¹⁴C und x² hier", "¹⁴C"),
        ("Aus C6H12O6 wird", "C6H12O6"),
        ("Use the option --force here", "--force"),
        ("Use git commit --amend here", "git commit --amend"),
        ("Start docker compose up -d, sudo apt install -y", "docker compose up -d"),
        ("Run sudo apt install -y here", "sudo apt install -y"),
        ("Use grep -v here", "grep -v"),
        ("Change git with --force", "--force"),
        ("usage: tool [--dry-run] file", "--dry-run"),
        ("Try -v, or --color=auto.", "--color=auto"),
        ("Try -v, or --color=auto.", " -v"),
    ],
)
def test_identifiers(text: str, kept: str) -> None:
    assert translation(text, str.upper, source="en", target="de").count(kept) == 1


@pytest.mark.parametrize(
    "text",
    [
        "The country --one of the smallest-- is old.",
        "He said -a lot- of things.",
        "It is cold -I know.",
        "slow--but steady",
        "gut -- aber teuer",
    ],
)
def test_dashes_begin_no_options(text: str) -> None:
    translated = translation(text, str.swapcase, source="en", target="de")
    assert re.findall(r"\w+", translated) == re.findall(r"\w+", text.swapcase())


@pytest.mark.parametrize(
    "formula",
    [
        "3x + 2y = 7", "x² + 3x − 4 = 0", "f(x) = 2x + 1", "E = mc²", "A = πr²", "y = mx + b",
        "(a + b)² = a² + 2ab + b²",
        "sin(x) + cos(x) = 1", "3x + 2y", "x = 1", "5x < 20", "U = R · I",
    ],
)  # fmt: skip
def test_an_equation_in_plain_text_stays(formula: str) -> None:
    for source, target in (("en", "de"), ("de", "en")):
        assert formula in translation(f"so {formula}, dann", str.swapcase, source=source, target=target)


@pytest.mark.parametrize(
    "text",
    [
        "so = x, ja = 1", "1 m² = 10.000 cm²", "1 h = 60 min", "x oder a/b, km/h", "Datei x > 5 u", "2x täglich + 1",
        "<b>x</b>", "Preis = 5 Dollar", "i <3 u",
    ],
)  # fmt: skip
def test_words_and_amounts_with_signs_are_no_equations(text: str) -> None:
    assert not any(expression.search(text) for _, expression in FORMULAS)


@pytest.mark.parametrize(
    "text",
    [
        "Das kostet $5 und $10, von $5 bis 10$",
        "12.5/kWh, 5.99/GB, 1.5/Tag",
        "Preis¹ je 5 m² und 3 km²",
        "Am 1.2.2020 um 3:2",
    ],
)
def test_amounts_are_no_formulas(text: str) -> None:
    assert translation(text, str.upper).casefold() == translation(text).casefold()
