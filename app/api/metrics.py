"""Counters and timings of the service for Prometheus: one registry for each application.

The only labels are the endpoint (the route's template), the status, the language pair, how a document ended, and tags
that clients send for that: never an address, a key or a text, which would leak data and grow without bound.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.api.readiness import obstacle_of
from app.documents.upload import Outcome
from app.engine.interface import TranslationEngine
from app.engine.metric_names import COUNTERS, GAUGES
from app.machine import available_memory_bytes
from app.translation.request import Answer, TranslationRequest
from app.translation.second_tier.interface import Outcome as SecondTierOutcome

MAX_TAGS = 100
"""Different reporting tags; all further ones count as one."""

_OTHER_TAGS = "other"
_MAX_TAG_CHARS = 64
# A cached word takes about 1 ms, a book minutes.
_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """All instruments of one application.

    Args:
        engine: Its ``statistics`` are read whenever the metrics are.
    """

    def __init__(self, engine: TranslationEngine) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests_in_flight = Gauge(
            "dragoman_http_requests_in_flight", "Requests being answered.", registry=registry
        )
        self._request_seconds = Histogram(
            "dragoman_http_request_duration_seconds",
            "Time until a request was answered completely.",
            ["endpoint", "status"],
            buckets=_BUCKETS_S,
            registry=registry,
        )
        self._source_characters = Counter(
            "dragoman_source_characters", "Characters of the texts translated.", ["pair"], registry=registry
        )
        self._target_characters = Counter(
            "dragoman_target_characters", "Characters of their translations.", ["pair"], registry=registry
        )
        self._tagged_characters = Counter(
            "dragoman_tagged_characters",
            "Characters of texts translated with DeepL's contract, by the header X-DeepL-Reporting-Tag.",
            ["tag"],
            registry=registry,
        )
        self._tags: set[str] = set()
        self._documents = self._counter(
            "dragoman_documents", "Documents that ended in the background.", outcome=get_args(Outcome)
        )
        self._sentences = self._counter(
            "dragoman_sentences", "Sentences translated, by the tier that did it.", tier=("1", "2")
        )
        self._second_tier = self._counter(
            "dragoman_second_tier_sentences",
            "Sentences that the models were unsure of, by what became of them at the second tier.",
            outcome=tuple(SecondTierOutcome),
        )
        # Prometheus's ``labels`` takes a lock and makes strings. Its series are few, and stay.
        self._request_seconds_of = cache(self._request_seconds.labels)
        self._source_characters_of = cache(self._source_characters.labels)
        self._target_characters_of = cache(self._target_characters.labels)
        self._sentences_of = cache(self._sentences.labels)
        ready = Gauge("dragoman_ready", "1 if texts can be translated now, as /readyz tells.", registry=registry)
        ready.set_function(lambda: obstacle_of(engine) is None)
        limit = Gauge("dragoman_memory_limit_bytes", "Memory that the process may use.", registry=registry)
        limit.set(available_memory_bytes())
        self._queue_seconds = self._phase("queue", "waited")
        self._encode_seconds = self._phase("encode", "was encoded")
        self._decode_seconds = self._phase("decode", "was decoded")
        registry.register(_EngineCollector(engine))
        ProcessCollector(registry=registry)

    @property
    def source_characters(self) -> int:
        """Counts the characters of all texts translated since the start."""
        samples = (sample for metric in self._source_characters.collect() for sample in metric.samples)
        return int(sum(sample.value for sample in samples if sample.name.endswith("_total")))

    def observe_request(self, endpoint: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self._request_seconds_of(endpoint, status).observe(seconds)

    def observe_tag(self, tag: str, characters: int) -> None:
        """Counts the characters of a request with a reporting tag."""
        if tag not in self._tags:
            if len(self._tags) >= MAX_TAGS or len(tag) > _MAX_TAG_CHARS or not tag.isprintable():
                tag = _OTHER_TAGS
            self._tags.add(tag)
        self._tagged_characters.labels(tag).inc(characters)

    def observe_document(self, outcome: Outcome) -> None:
        """Counts a document that ended in the background."""
        self._documents.labels(outcome).inc()

    def observe_second_tier(self, outcome: SecondTierOutcome) -> None:
        """Counts a sentence that the models were unsure of."""
        self._second_tier.labels(outcome).inc()

    def observe_translation(self, wanted: TranslationRequest, answer: Answer) -> None:
        """Counts the characters of a translation and the time of each phase."""
        # Labels are looked up once a language. Once a text, 9,000 texts would keep all others waiting for 130 ms.
        sources, targets, tiers = defaultdict[str, int](int), defaultdict[str, int](int), defaultdict[int, int](int)
        for text, item in zip(wanted.texts, answer.items, strict=True):
            source = item.detection.language if item.detection else wanted.source
            sources[source] += len(text)
            targets[source] += len(item.text)
            for tier, count in item.tiers.items():
                tiers[tier] += count
        for source, characters in sources.items():
            self._source_characters_of(f"{source}-{wanted.target}").inc(characters)
            self._target_characters_of(f"{source}-{wanted.target}").inc(targets[source])
        for tier, count in tiers.items():
            self._sentences_of(tier).inc(count)
        self._queue_seconds.observe(answer.timing.queue_s)
        self._encode_seconds.observe(answer.timing.encode_s)
        self._decode_seconds.observe(answer.timing.decode_s)

    def write(self) -> bytes:
        """Writes all metrics in Prometheus's text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, text: str, **series: Iterable[str]) -> Counter:
        """Makes a counter with one label and its series: a rate needs them from the start."""
        [(label, values)] = series.items()
        counter = Counter(name, text, [label], registry=self.registry)
        for value in values:
            counter.labels(value)
        return counter

    def _phase(self, name: str, verb: str) -> Histogram:
        return Histogram(
            f"dragoman_{name}_duration_seconds",
            f"Time that a translation request {verb}.",
            buckets=_BUCKETS_S,
            registry=self.registry,
        )


class _EngineCollector(Collector):
    """Reads the engine's statistics when Prometheus asks; an unknown one is taken for a gauge."""

    def __init__(self, engine: TranslationEngine) -> None:
        self._engine = engine

    def collect(self) -> Iterator[Metric]:
        """Yields one metric for each statistic."""
        for name, value in self._engine.statistics().items():
            if name in COUNTERS:
                yield CounterMetricFamily(f"dragoman_engine_{name}", COUNTERS[name], value=value)
            else:
                yield GaugeMetricFamily(f"dragoman_engine_{name}", GAUGES.get(name, name), value=value)
