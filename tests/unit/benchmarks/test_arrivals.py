"""The arrivals of real services: their mean, their spread, and the curve of the day."""

import math
from random import Random
from statistics import mean, pvariance

import pytest

from benchmarks.arrivals import BUSIEST, QUIETEST, arrivals, cores, share_of_day, simulate


@pytest.mark.parametrize("variation", [0.0, 0.5])
def test_a_second_has_the_mean_and_the_variance_of_a_cox_process(variation):
    """Variance is the mean plus the square of mean times variation."""
    times = list(arrivals(Random(1), 40.0, 1_000, variation))
    assert times == sorted(times) and times[-1] < 1_000
    counts = [0] * 1_000
    for time in times:
        counts[int(time)] += 1
    assert mean(counts) == pytest.approx(40, rel=0.05)
    assert pvariance(counts) == pytest.approx(40 + (40 * variation) ** 2, rel=0.2)


def test_the_day_has_its_mean_and_its_hours():
    assert mean(share_of_day(hour) for hour in range(24)) == pytest.approx(1)
    assert max(range(24), key=share_of_day) == BUSIEST and min(range(24), key=share_of_day) == QUIETEST
    assert share_of_day(QUIETEST) > 0


def test_bursts_make_requests_wait_that_chance_alone_does_not():
    calm, bursty = (simulate(False, 5, arrivals(Random(2), 1_100.0, 20, spread)) for spread in (0.0, 0.5))
    assert bursty.p99_ms > 3 * calm.p99_ms
    assert calm.replica == pytest.approx(1_100 * 0.003 / 5, rel=0.05)


def test_ray_takes_more_cores_and_the_same_load():
    assert cores(True, 10) > 2 * cores(False, 10) == 20
    found = simulate(True, 5, arrivals(Random(3), 500.0, 10, 0.0))
    assert found.per_s == pytest.approx(500, rel=0.1) and not math.isnan(found.p99_ms)
