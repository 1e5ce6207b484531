"""The checker of numbers accepts what a translator would write, and nothing else."""

from random import Random

import pytest

from benchmarks.numbers_cases import KINDS, Case, is_right, make_cases


def case(*accepted: str) -> Case:
    return Case("amounts", "", [list(accepted)])


@pytest.mark.parametrize(
    ("translation", "is_so"),
    [
        ("Sie zahlten 4.763,13\u00a0$ dafür.", True),
        ("Sie zahlten 4.763,13 $ dafür.", True),
        ("Sie zahlten $4.763.13 dafür.", False),
        ("Sie zahlten 14.763,13 $ dafür.", False),
        ("Sie zahlten 4.763,13 $ für 2 Dinge.", False),
        ("Sie zahlten dafür.", False),
    ],
)
def test_one_accepted_spelling_and_no_other_digit(translation: str, is_so: bool) -> None:
    assert is_right(case(r"4\.763,13 \$"), translation) == is_so


@pytest.mark.parametrize("languages", [("de", "en"), ("en", "de")])
def test_every_kind_has_cases_whose_own_spelling_is_accepted(languages: tuple[str, str]) -> None:
    cases = make_cases(*languages, 400, Random(1))
    assert {each.kind for each in cases} == set(KINDS)
    assert all(is_right(each, each.text) for each in cases)
