"""The simulation of a cluster, against queueing theory and against sums that can be done by hand."""

import json
import math
from itertools import cycle
from random import Random

import pytest
import typer

from benchmarks.capacity import Cluster, Costs, Processors, Replica, Station, StepCost, check, costs_of, plan, read_json
from benchmarks.cluster import ONE_CORE

STEP = StepCost([1, 8], [0.001, 0.0045])


def test_a_step_costs_what_was_measured_and_between_it_what_is_between():
    results = [
        {"set": "a", "precision": "int8-native", "beam": 4, "batch": batch, "tokens_per_s": [9.0, batch / seconds, 9e9]}
        for batch, seconds in ((8, 0.0045), (1, 0.001))
    ]
    more = [results[0] | {"beam": 1, "batch": 2}, results[0] | {"set": "b", "batch": 2}]
    step = StepCost.read([*results, *more])
    assert [step(size) for size in (1, 3, 8)] == pytest.approx([0.001, 0.002, 0.0045])


def test_work_shares_too_few_processors_equally():
    processors, ended = Processors(1), []
    for name, seconds in (("short", 1.0), ("long", 2.0)):
        Station(processors).do(seconds, lambda name=name: ended.append((name, processors.now)))
    processors.run()
    assert ended == [("short", 2.0), ("long", 3.0)]


def test_a_station_does_one_thing_at_a_time():
    processors, ended = Processors(math.inf), []
    station = Station(processors)
    for seconds in (1.0, 2.0):
        station.do(seconds, lambda: ended.append(processors.now))
    processors.run()
    assert ended == [1.0, 3.0] and station.busy_s == 3.0


def test_waiting_is_what_queueing_theory_says():
    """Poisson arrivals, constant service (M/D/1): the mean wait is busy * service / (2 * (1 - busy))."""
    processors, waits, random, time = Processors(math.inf), [], Random(1), 0.0
    station = Station(processors)

    def arrive(due):
        station.do(1.0, lambda: waits.append(processors.now - due - 1.0))

    for _ in range(8_000):
        time += random.expovariate(0.6)
        processors.at(time, lambda due=time: arrive(due))
    processors.run()
    assert sum(waits) / len(waits) == pytest.approx(0.6 / (2 * 0.4), rel=0.1)


def test_sentences_join_and_leave_a_batch_at_any_step():
    processors, ended = Processors(math.inf), {}
    replica = Replica(processors, step=STEP)
    replica.translate([3], 0.0, lambda: ended.update(first=processors.now))
    processors.at(0.0015, lambda: replica.translate([1], 0.0, lambda: ended.update(second=processors.now)))
    processors.run()
    # A step alone, a step alone, during which the second comes, and a step together.
    assert ended == pytest.approx({"first": 0.002 + STEP(2), "second": 0.002 + STEP(2)})


def test_one_client_waits_for_all_parts_and_many_for_the_slowest():
    costs = Costs(generator=0.001, ingress=0.004, ray=0.002, replica=0.003)
    alone = Cluster(costs, STEP, replicas=1).closed(cycle([[5]]), clients=1, number=100)
    assert alone.p50_ms == pytest.approx(1 + 4 + 2 + 3 + 5)
    many = Cluster(costs, STEP, replicas=2).closed(cycle([[1]]), clients=20, number=2000)
    assert many.per_s == pytest.approx(1 / 0.004, rel=0.02)
    on_one = Cluster(costs, STEP, replicas=2, processors=1).closed(cycle([[1]]), clients=1, number=100)
    assert on_one.per_s == pytest.approx(1 / 0.011, rel=0.02)


def test_predictions_stand_beside_measurements():
    figures = {f"{part}_cpu_ms": [2.0] for part in ("generator", "ingress", "Ray", "replicas")}
    costs = costs_of(figures, "cpu_ms", 0.0015)
    assert costs == pytest.approx((0.002, 0.002, 0.002, 0.0005))
    server = {"p50_ms": [10.0], "per_s": [100.0]}
    names = ("1 replica", "2 replicas", ONE_CORE)
    measured = {"cores": [0, 1], "clients": 4, "results": dict.fromkeys(names, server)}
    rows = check(measured, costs, costs, STEP, [[1]], 200)
    assert [row["server"] for row in rows if row["figure"] == "per_s"] == list(names)
    assert all(row["ratio"] == row["predicted"] / row["measured"] for row in rows)


def test_a_plan_has_ingresses_enough():
    costs = Costs(generator=0.0, ingress=0.004, ray=0.001, replica=0.001)
    made = plan(costs, STEP, [[4]], 10, 3000)
    assert made["ingresses"] == math.ceil(made["offered_per_s"] * 0.004 / 0.7)
    assert made["per_s"] == pytest.approx(made["offered_per_s"], rel=0.1)
    assert 0.5 < made["replica"] < 0.9 and 0.5 < made["ingress"] <= 0.75


def test_a_file_without_figures_is_named(tmp_path):
    (tmp_path / "out").write_text("nothing\n" + json.dumps({"a": 1}) + "\n")
    assert read_json(tmp_path / "out") == {"a": 1}
    (tmp_path / "out").write_text("nothing\n")
    with pytest.raises(typer.BadParameter, match="out has no line of JSON"):
        read_json(tmp_path / "out")
