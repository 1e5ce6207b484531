from itertools import pairwise

import pytest

from model.recipe import Training
from model.training.schedule import TimedTrapezoid, learning_rate


def training(schedule: str, *, updates: int = 1000, warmup: int = 100, cooldown: int = 0) -> Training:
    return Training(
        updates=updates,
        warmup=warmup,
        cooldown=cooldown,
        peak_rate=2e-3,
        schedule=schedule,  # type: ignore[arg-type]
    )


def test_inverse_square_root_is_the_papers_formula() -> None:
    width, warmup = 512, 100
    recipe = training("inverse-sqrt", warmup=warmup).model_copy(update={"peak_rate": width**-0.5 * warmup**-0.5})
    for update in (1, 2, 50, 99, 100, 101, 400, 100_000):
        paper = width**-0.5 * min(update**-0.5, update * warmup**-1.5)
        assert learning_rate(update, recipe) == pytest.approx(paper, rel=1e-12)


@pytest.mark.parametrize("schedule", ["inverse-sqrt", "cosine"])
def test_the_rate_rises_to_its_peak_and_then_falls(schedule: str) -> None:
    rates = [learning_rate(update, training(schedule)) for update in range(1, 1001)]
    assert rates[0] == pytest.approx(2e-5)
    assert rates[:100] == sorted(rates[:100])
    assert max(rates) == rates[99] == 2e-3
    assert rates[99:] == sorted(rates[99:], reverse=True)


def test_cosine_passes_the_middle_and_ends_at_a_hundredth_and_stays_there() -> None:
    assert learning_rate(550, training("cosine")) == pytest.approx(2e-3 * (0.01 + 0.99 / 2))
    assert learning_rate(1000, training("cosine")) == pytest.approx(2e-5)
    assert learning_rate(1500, training("cosine")) == pytest.approx(2e-5)


def test_a_run_may_end_within_its_warm_up() -> None:
    short = training("cosine", updates=10, warmup=100)
    assert learning_rate(10, short) == pytest.approx(2e-4)


def test_a_trapezoid_stays_at_its_peak_until_the_cooldown() -> None:
    rates = [learning_rate(update, training("trapezoid", cooldown=200)) for update in range(1, 1001)]
    assert rates[49] == pytest.approx(1e-3)
    assert set(rates[99:800]) == {2e-3}
    falls = [a - b for a, b in pairwise(rates[799:])]
    assert falls == pytest.approx([2e-3 / 201] * 200)
    assert 0 < rates[-1] < 1.1e-5


def test_more_updates_change_no_rate_before_the_cooldown() -> None:
    short, long = (training("trapezoid", updates=updates, cooldown=200) for updates in (1000, 3000))
    assert [learning_rate(update, short) for update in range(1, 801)] == [
        learning_rate(update, long) for update in range(1, 801)
    ]


def test_a_timed_trapezoid_goes_down_in_the_second_half_of_its_time() -> None:
    recipe, timed = training("trapezoid", warmup=4), TimedTrapezoid(20.0)
    rates = []
    for update in range(1, 21):
        timed.elapsed = update - 1.0
        assert not timed.over
        rates.append(timed.rate(update, recipe))
    assert rates[:4] == pytest.approx([5e-4, 1e-3, 1.5e-3, 2e-3])
    assert set(rates[3:11]) == {2e-3}
    assert rates[10:] == pytest.approx([2e-3 * (1 - done / 10) for done in range(10)])
    timed.elapsed = 20.0
    assert timed.over and timed.rate(21, recipe) == 0.0


def test_a_timed_trapezoid_expects_updates_as_quick_as_before() -> None:
    timed = TimedTrapezoid(60.0)
    assert timed.expected(1) == 1
    timed.elapsed = 15.0
    assert timed.expected(30) == 120
    timed.elapsed = 61.0
    assert timed.expected(130) == 130


def test_the_recipe_of_a_timed_run_is_one_that_can_be_read() -> None:
    assert TimedTrapezoid.untimed(1000, training("trapezoid")) == "updates = 1000, cooldown = 500"
    assert TimedTrapezoid.untimed(150, training("trapezoid")) == "updates = 150, cooldown = 50"
    assert TimedTrapezoid.untimed(50, training("trapezoid")) == "updates = 50, cooldown = 0"
