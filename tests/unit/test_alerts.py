"""The alerts: Prometheus accepts and tests them, their metrics exist, and each is explained."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.chart import EVERYTHING, known_metrics, rendered

ROOT = Path(__file__).parents[2]
ALERTS = ROOT / "deploy" / "helm" / "alerts.yaml"
TESTS = ROOT / "deploy" / "alerts" / "tests.yaml"


def rules() -> list[dict[str, Any]]:
    [group] = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return list(group["rules"])


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool, of Debian's package prometheus")
@pytest.mark.parametrize("command", [["check", "rules", ALERTS], ["test", "rules", TESTS]], ids=["check", "test"])
def test_prometheus_accepts_them(command: list[str | Path]) -> None:
    done = subprocess.run(["promtool", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_tested() -> None:
    tests = yaml.safe_load(TESTS.read_text(encoding="utf-8"))["tests"]
    raised = {case["alertname"] for test in tests for case in test["alert_rule_test"] if case["exp_alerts"]}
    slow = {"DragomanErrorsSlowly"}  # the same expression as DragomanErrors, over longer times
    assert raised | slow == {rule["alert"] for rule in rules() if "alert" in rule}


def test_every_alert_has_a_paragraph_in_the_docs() -> None:
    headings = re.findall(r"^### (\w+)$", (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"), re.MULTILINE)
    anchors = {f"docs/operations.md#{heading.lower()}" for heading in headings}
    assert {rule["annotations"]["runbook"] for rule in rules() if "alert" in rule} <= anchors


def test_the_metrics_exist() -> None:
    used = {name for rule in rules() for name in re.findall(r"\b(?:dragoman|process)_\w+", rule["expr"])}
    assert used <= known_metrics()


def test_the_chart_has_the_same_rules() -> None:
    assert rendered(EVERYTHING)["PrometheusRule"]["spec"] == yaml.safe_load(ALERTS.read_text(encoding="utf-8"))
