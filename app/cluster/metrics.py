"""The engines' gauges and counters, replica by replica, for Ray's own Prometheus exporter."""

from ray.serve import metrics

from app.engine.interface import TranslationEngine
from app.engine.metric_names import COUNTERS, GAUGES


class ReplicaMetrics:
    """Publishes the statistics of one replica; Ray adds labels with the names of deployment and replica.

    Args:
        engine: Its ``statistics`` are published.
    """

    def __init__(self, engine: TranslationEngine) -> None:
        self._engine = engine
        self._gauges = {name: metrics.Gauge(f"dragoman_engine_{name}", text) for name, text in GAUGES.items()}
        self._counters = {name: metrics.Counter(f"dragoman_engine_{name}", text) for name, text in COUNTERS.items()}
        self._counted = dict.fromkeys(COUNTERS, 0.0)

    def publish(self) -> None:
        """Publishes the current values."""
        values = self._engine.statistics()
        for name, gauge in self._gauges.items():
            gauge.set(values.get(name, 0.0))
        for name, counter in self._counters.items():
            more = values.get(name, 0.0) - self._counted[name]
            if more > 0:
                counter.inc(more)
                self._counted[name] += more
