"""How many requests a cluster of any size takes, and how long they take: a simulation of queues and processors.

    make bench-capacity

A request passes the load generator, an ingress, Ray, a replica, and the ingress again. Each of them does one thing at a
time, first come, first served; where there are more of them at work than processors, they share the processors equally.
A replica decodes as the server does: a step for all sentences of its batch, which sentences join and leave at any step.
The less busy of two random replicas takes a request. Lengths are those of real sentences, in pieces.

The cost of a step comes from the JSON line of ``benchmarks.engine``, and what a request takes of each process from that
of ``benchmarks.cluster`` with one replica, with one client and with many. The first table compares predictions with
what that run has measured, with one replica and with two, which the simulation does not know. The second has clusters
in which each process has a processor of its own, with Poisson arrivals; the last line is JSON.
"""

import heapq
import json
import math
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, cycle
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from benchmarks.cluster import ONE_CORE
from benchmarks.figures import json_line, read_sentences
from benchmarks.load import percentile

_BATCH = 8  # sentences: 32 rows, four for each
_BUSY = 0.7  # of the time; beyond it, waiting grows quickly
_REQUESTS_PER_REPLICA = 500
_WARM_UP = 0.2  # share of the requests that don't count

Request = Sequence[int]
"""Target tokens of each of its sentences."""


class Costs(NamedTuple):
    """Processor time of a request, in seconds, beside its steps."""

    generator: float
    ingress: float
    ray: float
    replica: float


@dataclass(frozen=True)
class StepCost:
    """Seconds of a decoder step, by the sentences in the batch; between measured sizes, on the line between them.

    Attributes:
        sizes: Sentences, ascending.
        seconds: Of a step with so many.
    """

    sizes: Sequence[int]
    seconds: Sequence[float]

    @classmethod
    def read(cls, results: Sequence[Mapping[str, Any]]) -> "StepCost":
        """From the results of ``benchmarks.engine``: the first set, int8-native, beam 4."""
        chosen = [row for row in results if (row["set"], row["precision"], row["beam"]) ==
                  (results[0]["set"], "int8-native", 4)]  # fmt: skip
        found = sorted((row["batch"], row["batch"] / median(row["tokens_per_s"])) for row in chosen)
        return cls([size for size, _ in found], [seconds for _, seconds in found])

    def __call__(self, sentences: int) -> float:
        """Seconds of a step."""
        place = min(max(1, bisect_left(self.sizes, sentences)), len(self.sizes) - 1)
        (x0, x1), (y0, y1) = self.sizes[place - 1 : place + 1], self.seconds[place - 1 : place + 1]
        return y0 + (y1 - y0) * (sentences - x0) / (x1 - x0)


class Processors:
    """Runs pieces of work: each on a processor of its own, or all at the same lower speed if there are too few.

    Args:
        number: Processors.
    """

    def __init__(self, number: float) -> None:
        self._number, self.now, self._done = number, 0.0, 0.0
        # Work that runs ends in the order of what is to do, whatever the speed; what waits for a time does not.
        self._running: list[tuple[float, int, Callable[[], None]]] = []
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0

    def work(self, seconds: float, then: Callable[[], None]) -> None:
        """Does something that takes so long on a processor of its own."""
        self._count += 1
        heapq.heappush(self._running, (self._done + seconds, self._count, then))

    def at(self, time: float, then: Callable[[], None]) -> None:
        """Calls a function at a time."""
        self._count += 1
        heapq.heappush(self._timers, (time, self._count, then))

    def run(self) -> None:
        """Goes on until nothing is left."""
        while self._running or self._timers:
            speed = min(1.0, self._number / max(1, len(self._running)))
            ends = self.now + (self._running[0][0] - self._done) / speed if self._running else math.inf
            if self._timers and self._timers[0][0] < ends:
                time, _, then = heapq.heappop(self._timers)
                self._done += (time - self.now) * speed if self._running else 0.0
            else:
                time = ends
                self._done, _, then = heapq.heappop(self._running)
            self.now = time
            then()


@dataclass
class Station:
    """A process that does one thing at a time."""

    processors: Processors
    busy_s: float = 0.0
    _queue: deque[tuple[float, Callable[[], None]]] = field(default_factory=deque)
    _is_working: bool = False

    def do(self, seconds: float, then: Callable[[], None]) -> None:
        """Does something after all that came before."""
        self._queue.append((seconds, then))
        self._next()

    def _next(self) -> None:
        if self._is_working or not (work := self._take()):
            return
        seconds, then = work
        self._is_working = True
        self.busy_s += seconds

        def done() -> None:
            self._is_working = False
            then()
            self._next()

        self.processors.work(seconds, done)

    def _take(self) -> tuple[float, Callable[[], None]] | None:
        return self._queue.popleft() if self._queue else None


@dataclass
class _Sentence:
    left: int
    done: Callable[[], None]


@dataclass
class Replica(Station):
    """Decodes; between two steps it takes calls."""

    step: StepCost = field(kw_only=True)
    calls: int = 0
    _waiting: deque[_Sentence] = field(default_factory=deque)
    _batch: list[_Sentence] = field(default_factory=list)

    def translate(self, request: Request, seconds: float, then: Callable[[], None]) -> None:
        """Takes a call, which costs ``seconds`` beside its steps."""
        self.calls += 1
        left = len(request)

        def done() -> None:
            nonlocal left
            left -= 1
            if not left:
                self.calls -= 1
                then()

        self.do(seconds, lambda: self._waiting.extend(_Sentence(tokens, done) for tokens in request))

    def _take(self) -> tuple[float, Callable[[], None]] | None:
        if self._queue:
            return self._queue.popleft()
        while self._waiting and len(self._batch) < _BATCH:
            self._batch.append(self._waiting.popleft())
        return (self.step(len(self._batch)), self._stepped) if self._batch else None

    def _stepped(self) -> None:
        for sentence in self._batch:
            sentence.left -= 1
        ended = [sentence for sentence in self._batch if not sentence.left]
        self._batch = [sentence for sentence in self._batch if sentence.left]
        for sentence in ended:
            sentence.done()


class Outcome(NamedTuple):
    """What a load met.

    Attributes:
        per_s: Requests answered in a second.
        p50_ms: Median latency.
        p99_ms: Its 99th percentile.
        ingress: Share of the time in which an ingress works, the mean over all.
        replica: The same of a replica.
    """

    per_s: float
    p50_ms: float
    p99_ms: float
    ingress: float
    replica: float


class Cluster:
    """A load generator, ingresses, and replicas.

    Args:
        costs: What a request takes of each.
        step: What a step takes.
        replicas: How many.
        ingresses: How many.
        processors: How many; infinity for one for each process.
    """

    def __init__(
        self, costs: Costs, step: StepCost, *, replicas: int, ingresses: int = 1, processors: float = math.inf
    ) -> None:
        self._processors, self._costs, self._random = Processors(processors), costs, Random(0)
        self._generator = Station(self._processors)
        self._ingresses = [Station(self._processors) for _ in range(ingresses)]
        self._rays = [Station(self._processors) for _ in range(ingresses)]  # Ray works on every node
        self._replicas = [Replica(self._processors, step=step) for _ in range(replicas)]
        self._latencies: list[tuple[float, float]] = []

    def closed(self, requests: Iterator[Request], *, clients: int, number: int) -> Outcome:
        """So many clients, each of which sends its next request when it has an answer."""
        left = number

        def send() -> None:
            nonlocal left
            if left:
                left -= 1
                began = self._processors.now
                self._generator.do(self._costs.generator, lambda: self._pass(next(requests), began, send))

        for _ in range(clients):
            self._processors.at(0.0, send)
        return self._outcome()

    def open(self, requests: Iterator[Request], *, per_s: float, number: int) -> Outcome:
        """Poisson arrivals, whatever is answered."""
        gaps = (self._random.expovariate(per_s) for _ in range(number))
        return self.at_times(requests, accumulate(gaps))

    def at_times(self, requests: Iterator[Request], times: Iterable[float]) -> Outcome:
        """Arrivals at these times, ascending, whatever is answered."""
        for time in times:
            self._processors.at(time, lambda due=time: self._pass(next(requests), due, lambda: None))  # type: ignore[misc]
        return self._outcome()

    def _pass(self, request: Request, began: float, then: Callable[[], None]) -> None:
        place = self._random.randrange(len(self._ingresses))
        ingress, ray, costs = self._ingresses[place], self._rays[place], self._costs
        two = self._random.sample(self._replicas, min(2, len(self._replicas)))

        def answered() -> None:
            self._latencies.append((self._processors.now, self._processors.now - began))
            then()

        def call() -> None:
            replica = min(two, key=lambda replica: replica.calls)
            replica.translate(request, costs.replica, lambda: ingress.do(costs.ingress / 2, answered))

        ingress.do(costs.ingress / 2, lambda: ray.do(costs.ray, call))

    def _outcome(self) -> Outcome:
        self._processors.run()
        counted = self._latencies[int(_WARM_UP * len(self._latencies)) :]
        times_ms = [1000 * seconds for _, seconds in counted]
        whole = self._processors.now
        return Outcome(
            per_s=(len(counted) - 1) / (counted[-1][0] - counted[0][0]),
            p50_ms=percentile(times_ms, 50),
            p99_ms=percentile(times_ms, 99),
            ingress=mean(station.busy_s for station in self._ingresses) / whole,
            replica=mean(station.busy_s for station in self._replicas) / whole,
        )


def read_json(path: Path) -> Any:
    """The JSON line of a benchmark's output.

    Raises:
        typer.BadParameter: There is none.
    """
    lines = [line for line in path.read_text().splitlines() if line.startswith("{")]
    if not lines:
        raise typer.BadParameter(f"{path} has no line of JSON; it is the output of a benchmark")
    return json.loads(lines[-1])


def read_requests(path: Path, pairs: Sequence[Path], sentences: int) -> list[Request]:
    """The target lengths of real sentences, so many in a request."""
    tokenizer = Tokenizer(*Bundle.open(path).tokenizer_files)
    lengths = [len(tokenizer.encode(target)) + 1 for _, target in read_sentences(pairs, seed=0)]
    return [lengths[place : place + sentences] for place in range(0, len(lengths), sentences)]


def costs_of(measured: Mapping[str, Sequence[float]], name: str, steps_s: float) -> Costs:
    """What a request takes of each process, from the run with one replica.

    Args:
        measured: Its figures.
        name: Of the load: ``cpu_ms`` for one client, ``busy_cpu_ms`` for many.
        steps_s: What the steps of a request take of the replica, which are not to be counted twice.
    """
    parts = [median(measured[f"{part}_{name}"]) / 1000 for part in ("generator", "ingress", "Ray", "replicas")]
    return Costs(*parts[:3], max(0.0, parts[3] - steps_s))


def check(measured: Mapping[str, Any], light: Costs, busy: Costs, step: StepCost, requests: Sequence[Request],
          number: int) -> list[dict[str, Any]]:  # fmt: skip
    """Predictions beside what was measured."""
    rows = []
    for name, replicas, processors in (("1 replica", 1, None), ("2 replicas", 2, None), (ONE_CORE, 1, 1)):
        of = {"replicas": replicas, "processors": float(processors or len(measured["cores"]))}
        alone = Cluster(light, step, **of).closed(cycle(requests), clients=1, number=number // 10)  # type: ignore[arg-type]
        full = Cluster(busy, step, **of).closed(cycle(requests), clients=measured["clients"], number=number)  # type: ignore[arg-type]
        for figure, predicted in (("p50_ms", alone.p50_ms), ("per_s", full.per_s)):
            found = median(measured["results"][name][figure])
            rows.append({"server": name, "figure": figure, "predicted": predicted, "measured": found,
                         "ratio": predicted / found})  # fmt: skip
    return rows


def plan(costs: Costs, step: StepCost, requests: Sequence[Request], replicas: int, number: int) -> dict[str, Any]:
    """A cluster whose replicas are busy for most of the time, with as many ingresses as that takes."""
    steps_s = mean(map(sum, requests)) * step(_BATCH) / _BATCH
    per_s = _BUSY * replicas / (costs.replica + steps_s)
    ingresses = math.ceil(per_s * max(costs.ingress, costs.ray) / _BUSY)
    cluster = Cluster(costs, step, replicas=replicas, ingresses=ingresses)
    outcome = cluster.open(cycle(requests), per_s=per_s, number=max(number, _REQUESTS_PER_REPLICA * replicas))
    cores = replicas + ingresses * (1 + costs.ray / costs.ingress)
    return {"replicas": replicas, "ingresses": ingresses, "cores": cores, "offered_per_s": per_s,
            "core_s_a_1000": 1000 * cores / per_s, **outcome._asdict()}  # fmt: skip


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files; the lengths of their second column are used.")],
    engine: Annotated[Path, typer.Option(help="Output of benchmarks.engine.")],
    cluster: Annotated[Path, typer.Option(help="Output of benchmarks.cluster.")],
    sizes: Annotated[str, typer.Option(help="Replicas of the clusters to predict.")] = "1,10,100",
    requests: Annotated[int, typer.Option(min=100, help="Requests of one simulation.")] = 20_000,
) -> None:
    """Predict throughput and latency of clusters; compare predictions with measurements."""
    measured, step = read_json(cluster), StepCost.read(read_json(engine)["results"])
    texts = read_requests(path, pairs, measured["sentences"])
    one, tokens = measured["results"]["1 replica"], mean(map(sum, texts))
    light = costs_of(one, "cpu_ms", tokens * step(1))
    busy = costs_of(one, "busy_cpu_ms", tokens * step(_BATCH) / _BATCH)
    checked = check(measured, light, busy, step, texts, requests)
    table = Table("cluster", "figure", "predicted", "measured", "ratio", title="Predicted and measured")
    for row in checked:
        table.add_row(
            row["server"], row["figure"], *(f"{row[name]:.2f}" for name in ("predicted", "measured", "ratio"))
        )
    Console(width=100).print(table)
    plans = [plan(busy, step, texts, int(size), requests) for size in sizes.split(",")]
    columns = {"replicas": "d", "ingresses": "d", "cores": ".1f", "per_s": ",.0f", "core_s_a_1000": ".1f",
               "p50_ms": ".0f", "p99_ms": ".0f", "ingress": ".0%", "replica": ".0%"}  # fmt: skip
    table = Table(*columns, title=f"Clusters whose replicas are busy for {_BUSY:.0%} of the time")
    for row in plans:
        table.add_row(*(f"{row[name]:{spec}}" for name, spec in columns.items()))
    Console(width=120).print(table)
    print("ms a request: " + ", ".join(f"{name} {1000 * seconds:.2f}" for name, seconds in busy._asdict().items()))
    print(json_line(benchmark="capacity", check=checked, plans=plans, costs=busy._asdict()))


if __name__ == "__main__":
    typer.run(main)
