"""The cases of the robustness benchmark: there are some of each kind, and only what is wrong fails."""

import pytest

from benchmarks.robustness_cases import PUTTABLE, Case, Material, make_cases

PLACEHOLDERS = ("\ue000", "\ue001", "\ue002")
SENTENCES = [
    ("Tom hat drei Hunde in Boston gesehen.", "Tom saw three dogs in Boston."),
    ("Das kostet 3,5 Millionen Euro!", "That costs 3.5 million euros!"),
    ("Im Jahr 2019 war alles anders.", "In 2018 everything was different."),
    ("Wir gingen gestern nach Hause?", "We went home yesterday?"),
]
WORDS = [f"wort{number}" for number in range(1500)]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    pairs = [(f"{a[:-1]} {number * 7 % 5}x{a[-1]}", b) for number, (a, b) in enumerate(SENTENCES * 2)]
    return make_cases(Material([*SENTENCES, *pairs], WORDS), ("de", "en"), PLACEHOLDERS, seed=0)


def test_there_are_cases_of_each_kind(cases: list[Case]) -> None:
    assert {case.check for case in cases} == {
        "digits, real",
        "digits, made",
        "placeholders",
        "single words",
        "odd inputs",
        "final punctuation",
        "ALL CAPITALS",
        *PUTTABLE,
    }
    assert sum(case.check in ("single words", "odd inputs") for case in cases) == 2500


def test_a_text_is_a_faithful_translation_of_itself(cases: list[Case]) -> None:
    assert [case for case in cases if case.text.strip() and not case.keeps(case.text, case.text)] == []


def test_a_sentence_whose_reference_changes_its_digits_is_no_case(cases: list[Case]) -> None:
    assert not any("2019" in case.text for case in cases if case.check == "digits, real")


@pytest.mark.parametrize("wrong", ["", "one two three four five one two three four five " * 3, "Nothing of it 5 5,"])
def test_what_is_wrong_fails(cases: list[Case], wrong: str) -> None:
    failed = {case.check for case in cases if not case.keeps(case.text, wrong)}
    assert failed >= {"digits, made", "placeholders", "names", "URLs", "e-mail"}
    assert ("single words" in failed) == (not wrong.startswith("Nothing"))
