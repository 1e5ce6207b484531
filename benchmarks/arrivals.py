"""What a day of 10,000 requests a second does to a deployment: the arrivals of real services, simulated.

    python -m benchmarks.arrivals

Real arrivals are no Poisson process. They follow the day, and their rate changes from second to second more than chance
explains: the number of requests in a second has a larger variance than mean (Wang et al. 2024, BurstGPT,
https://arxiv.org/abs/2401.17644). Here, a second's rate is the day's curve times a random factor with a mean of 1, and
within the second arrivals are Poisson: a Cox process.

Both deployments of docs/choosing.md are simulated with the queues of ``benchmarks.capacity``: whole processes behind a
balancer, and Ray Serve. What a request takes of a process comes from docs/operations.md, where it was measured; a core
each. Deployments are sized for the mean and for the busiest hour, at 70 % of their time.
"""

import math
from collections.abc import Iterator
from itertools import cycle
from random import Random
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.capacity import Cluster, Costs, Outcome, StepCost
from benchmarks.figures import json_line

BUSY = 0.7
SWING = 0.7  # of the day's curve about its mean
BUSIEST, QUIETEST = 14.0, 2.0
"""Hours of the day."""
WHOLE_MS, INGRESS_MS, RAY_MS, REPLICA_MS = 3.0, 4.3, 3.0, 3.9
_NO_STEPS = StepCost([1, 8], [0.0, 0.0])  # they are in the costs of a request


def share_of_day(hour: float) -> float:
    """The rate at an hour of the day, as a share of the day's mean."""
    return 1 + SWING * math.cos(2 * math.pi * (hour - BUSIEST) / 24)


def arrivals(random: Random, per_s: float, seconds: int, variation: float) -> Iterator[float]:
    """Times of arrivals, ascending.

    Args:
        random: Of the factors and of the arrivals.
        per_s: The mean rate.
        seconds: How long.
        variation: Standard deviation of a second's factor, gamma-distributed; 0 for Poisson arrivals.
    """
    shape = 1 / variation**2 if variation else math.inf
    factors = [random.gammavariate(shape, 1 / shape) if variation else 1.0 for _ in range(seconds)]
    for second, factor in enumerate(factors):
        rate = per_s * factor * seconds / sum(factors)  # so that the whole has the mean rate, however short it is
        time = second + random.expovariate(rate)
        while time < second + 1:
            yield time
            time += random.expovariate(rate)


def simulate(ray: bool, servers: int, times: Iterator[float]) -> Outcome:
    """Whole processes, or replicas with as many ingresses as keep up with them."""
    if ray:
        costs = Costs(0.0, INGRESS_MS / 1000, RAY_MS / 1000, REPLICA_MS / 1000)
        ingresses = math.ceil(servers * INGRESS_MS / REPLICA_MS)
    else:
        costs, ingresses = Costs(0.0, 0.0, 0.0, WHOLE_MS / 1000), 1
    cluster = Cluster(costs, _NO_STEPS, replicas=servers, ingresses=ingresses)
    return cluster.at_times(cycle([[1]]), times)


def cores(ray: bool, servers: int) -> int:
    """Processor cores of so many processes or replicas, with what they need beside them."""
    return math.ceil(servers * (1 + (INGRESS_MS + RAY_MS) / REPLICA_MS)) if ray else servers


def main(
    per_s: Annotated[float, typer.Option(help="Requests a second, the mean of the day.")] = 10_000.0,
    seconds: Annotated[int, typer.Option(help="Of each simulation.")] = 10,
    variation: Annotated[float, typer.Option(help="Standard deviation of a second's rate, as a share.")] = 0.3,
) -> None:
    """Simulate both deployments in the mean and in the busiest hour."""
    table = Table("deployment", "sized for", "cores", "arrivals", "p50, ms", "p99, ms", "busy")
    rows, peak = [], share_of_day(BUSIEST)
    hours = [("mean, Poisson", 1.0, 0.0), ("mean", 1.0, variation), ("busiest hour", peak, variation)]
    for ray in (False, True):
        for name, share, loads in (("the mean", 1.0, hours), ("the busiest hour", peak, hours[2:])):
            servers = math.ceil(per_s * share * (REPLICA_MS if ray else WHOLE_MS) / 1000 / BUSY)
            for hour, rate, spread in loads:
                found = simulate(ray, servers, arrivals(Random(0), per_s * rate, seconds, spread))
                row = {"deployment": "Ray Serve" if ray else "processes", "sized_for": name, "arrivals": hour,
                       "cores": cores(ray, servers), **found._asdict()}  # fmt: skip
                rows.append(row)
                shown = (f"{found.p50_ms:,.0f}", f"{found.p99_ms:,.0f}", f"{found.replica:.0%}")
                table.add_row(str(row["deployment"]), name, str(row["cores"]), hour, *shown)
    Console(width=120).print(table)
    print(json_line(benchmark="arrivals", per_s=per_s, variation=variation, rows=rows))


if __name__ == "__main__":
    typer.run(main)
