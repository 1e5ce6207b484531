"""The first of two hours gets the half of the day that stands behind the last one, where that is certain."""

import pytest

from tests.support.rules import written


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("From 2 to 5 pm, from 3 or 4 p.m. on", "From 14 to 17 Uhr, from 15 or 16 Uhr on"),
        ("Between 9 and 9:15 pm", "Between 21 and 21:15 Uhr"),
        ("Monday 2:30 to 5 pm. Open Sat, 2 to 4 pm", "Monday 14:30 to 17 Uhr. Open Sat, 14 to 16 Uhr"),
        ("From 9 to 5 pm, from 11 to 12 pm, from 12 to 5 pm", "From 9 to 17 Uhr, from 11 to 12 Uhr, from 12 to 17 Uhr"),
    ],
)
def test_an_hour_of_an_afternoon_is_written(english: str, german: str) -> None:
    assert written(english, "en", "de") == german


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("On June 3 to 5 pm", "On June 3 to 17 Uhr"),
        ("We meet on May 5 and 6 pm is fine.", "We meet on May 5 and 18 Uhr is fine."),
        ("Drinks are $5 to 6 pm.", "Drinks are 5\u00a0$ to 18 Uhr."),
        ("Beer costs $3 and 5 pm is late.", "Beer costs 3\u00a0$ and 17 Uhr is late."),
        ("Pages 5 and 6 pm, rooms 5 and 6 pm", "Pages 5 and 18 Uhr, rooms 5 and 18 Uhr"),
        ("It's 10 to 6 pm.", "It's 10 to 18 Uhr."),
        ("I ate 5 to 6 pm snacks.", "I ate 5 to 18 Uhr snacks."),
        ("Monday 5 and 6 pm", "Monday 5 and 18 Uhr"),
        ("from 5:30 to 5 pm", "from 5:30 to 17 Uhr"),
    ],
)
def test_what_may_be_no_hour_stays(english: str, german: str) -> None:
    assert written(english, "en", "de") == german


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("I slept from 11 to 5 am.", "I slept from 11 to 5 Uhr."),
        ("from 8 to 1 am, from 6 to 2 am", "from 8 to 1 Uhr, from 6 to 2 Uhr"),
        ("from 10 to 12 am, 10 to 12 am", "from 10 to 0 Uhr, 10 to 0 Uhr"),
    ],
)
def test_an_hour_before_one_of_a_morning_stays(english: str, german: str) -> None:
    assert written(english, "en", "de") == german
