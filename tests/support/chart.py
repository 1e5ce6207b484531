"""The Helm chart as Helm renders it, and the metrics that its files may use."""

from pathlib import Path
from typing import Any

import helm_python
import yaml
from prometheus_client.parser import text_string_to_metric_families

from app.api.metrics import Metrics
from app.engine.metric_names import COUNTERS, GAUGES
from tests.support.fakes import FakeEngine

CHART = Path(__file__).parents[2] / "deploy" / "helm"
EVERYTHING = {
    "sharedDatabase": True,
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "certificate", "annotations": {"a": "b"}},
    "httpRoute": {"enabled": True, "parentRefs": [{"name": "public"}]},
    "autoscaling": {"enabled": True},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "dashboard": {"enabled": True},
    "alerts": {"enabled": True, "labels": {"release": "prometheus"}},
    "settings": {"DRAGOMAN_BEAM_SIZE": 1, "DRAGOMAN_KEYS": "required", "DRAGOMAN_PIVOT": ""},
    "secrets": ["dragoman"],
    "documents": {"s3": "s3://bucket/documents", "s3Endpoint": "https://minio.example.org"},
    "tracing": {"endpoint": "http://collector.tracing:4318"},
    "networkPolicy": {
        "from": [{"namespaceSelector": {}}],
        "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}], "ports": [{"port": 5432}, {"port": 6379}]}],
    },
    "models": {"image": "registry.example.org/models:1"},
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "cpu", "operator": "Exists"}],
    "affinity": {"podAntiAffinity": {}},
    "imagePullSecrets": [{"name": "registry"}],
}


def rendered(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The objects by kind."""
    with helm_python.Chart.load(str(CHART)) as chart:
        chart.validate_schema(chart.merge_values(values))
        texts = chart.render(values, name="demo", namespace="prod")
    documents = [yaml.safe_load(text) for name, text in texts.items() if name.endswith(".yaml")]
    return {document["kind"]: document for document in documents if document}


def known_metrics() -> set[str]:
    """The names of all series."""
    known = {f"dragoman_engine_{name}" for name in GAUGES} | {f"dragoman_engine_{name}_total" for name in COUNTERS}
    for family in text_string_to_metric_families(Metrics(FakeEngine()).write().decode()):
        known |= {f"{family.name}{suffix}" for suffix in ("", "_total", "_bucket", "_count")}
    return known
