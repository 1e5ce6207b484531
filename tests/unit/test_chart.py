"""The Helm chart: every variant renders to objects that Kubernetes accepts, hardened, with names that exist."""

import json
import re
from typing import Any

import helm_python
import kubernetes_validate
import pytest

from app.settings import ENV_PREFIX, Settings
from tests.support.chart import CHART, EVERYTHING, known_metrics, rendered

KUBERNETES = "1.37"
CLAIMS = {
    "models": {"existingClaim": "models"},
    "documents": {"existingClaim": "documents"},
    "autoscaling": {"enabled": True, "cpu": None},
    "data": {"enabled": False},
}
VARIANTS = [{}, EVERYTHING, CLAIMS]


@pytest.mark.parametrize("values", VARIANTS, ids=["default", "everything", "claims"])
def test_kubernetes_accepts_every_object(values: dict[str, Any]) -> None:
    objects = rendered(values)
    for custom in ("ServiceMonitor", "PrometheusRule", "HTTPRoute"):  # their schemas aren't Kubernetes's
        objects.pop(custom, None)
    assert {"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"} <= objects.keys()
    for document in objects.values():
        kubernetes_validate.validate(document, KUBERNETES, strict=True)


def test_helm_finds_nothing_wrong() -> None:
    assert helm_python.lint(str(CHART))["errors"] == []


@pytest.mark.parametrize("values", VARIANTS[:2], ids=["default", "everything"])
def test_every_container_is_hardened(values: dict[str, Any]) -> None:
    pod = rendered(values)["Deployment"]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
    for container in [*pod["containers"], *pod.get("initContainers", [])]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_objects_find_each_other() -> None:
    objects = rendered(EVERYTHING)
    pod = objects["Deployment"]["spec"]["template"]
    selectors = [
        objects["Deployment"]["spec"]["selector"]["matchLabels"],
        objects["Service"]["spec"]["selector"],
        objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ]
    assert all(selector == pod["metadata"]["labels"] for selector in selectors)
    monitored = objects["ServiceMonitor"]["spec"]["selector"]["matchLabels"]
    assert monitored.items() <= objects["Service"]["metadata"]["labels"].items()
    target = objects["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    assert target["name"] == objects["Deployment"]["metadata"]["name"]
    assert "replicas" not in objects["Deployment"]["spec"]  # or each upgrade would undo the autoscaler's work


def test_one_pod_keeps_its_data_on_a_volume_unless_a_database_is_shared() -> None:
    objects = rendered({})
    deployment, claim = objects["Deployment"]["spec"], objects["PersistentVolumeClaim"]
    pod = deployment["template"]["spec"]
    [volume] = [volume for volume in pod["volumes"] if volume["name"] == "data"]
    [mount] = [mount for mount in pod["containers"][0]["volumeMounts"] if mount["name"] == "data"]
    assert (deployment["replicas"], deployment["strategy"]) == (1, {"type": "Recreate"})
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert {"name": "DRAGOMAN_DATA", "value": mount["mountPath"]} in pod["containers"][0]["env"]
    for values in ({"sharedDatabase": True}, {"data": {"enabled": False}}):
        objects = rendered(values)
        assert "PersistentVolumeClaim" not in objects and objects["Deployment"]["spec"]["replicas"] == 2
        assert "DRAGOMAN_DATA" not in str(objects["Deployment"])
    assert "PersistentVolumeClaim" not in rendered({"data": {"existingClaim": "mine"}})


def test_routes_lead_to_the_service() -> None:
    objects = rendered(EVERYTHING)
    service = objects["Service"]
    [path] = objects["Ingress"]["spec"]["rules"][0]["http"]["paths"]
    assert path["backend"]["service"]["name"] == service["metadata"]["name"]
    assert path["backend"]["service"]["port"]["name"] in {port["name"] for port in service["spec"]["ports"]}
    [reference] = objects["HTTPRoute"]["spec"]["rules"][0]["backendRefs"]
    assert reference == {"name": service["metadata"]["name"], "port": service["spec"]["ports"][0]["port"]}


def test_files_of_documents_may_be_on_a_volume() -> None:
    pod = rendered(CLAIMS)["Deployment"]["spec"]["template"]["spec"]
    variables = {entry["name"]: entry["value"] for entry in pod["containers"][0]["env"]}
    [folder] = [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"] if mount["name"] == "documents"]
    assert variables["DRAGOMAN_DOCUMENT_FILES"].startswith(f"file://{folder}/")


def test_the_settings_of_the_pods_are_settings() -> None:
    [container] = rendered(EVERYTHING)["Deployment"]["spec"]["template"]["spec"]["containers"]
    variables = {entry["name"]: entry["value"] for entry in container["env"]}
    values = {
        name.removeprefix(ENV_PREFIX).lower(): value for name, value in variables.items() if name.startswith(ENV_PREFIX)
    }
    settings = Settings.load(**values, data="/data")
    assert settings.tracing and settings.document_files == "s3://bucket/documents"
    assert variables.keys() - {ENV_PREFIX + name.upper() for name in values} == {
        "AWS_ENDPOINT_URL",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
    }
    assert (settings.port, settings.beam_size, settings.pivot, str(settings.bundle[0])) == (8000, 1, "", "/models")
    drain = rendered(EVERYTHING)["Deployment"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert drain > settings.drain_timeout_s + 5 + 5  # the wait before, and the time that the process takes to end


@pytest.mark.parametrize(
    "values",
    [
        {"replicaCount": 3},
        {"settings": {"DRAGOMAN_PORT": 80}},
        {"settings": {"BEAM_SIZE": 1}},
        {"models": {"image": "a", "existingClaim": "b"}},
        {"documents": {"s3": "s3://a/b", "existingClaim": "b"}},
        {"documents": {"s3": "bucket"}},
        {"autoscaling": {"enabled": True}},
        {"httpRoute": {"enabled": True}},
    ],
)
def test_values_that_would_do_nothing_or_harm_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(helm_python.HelmError):
        rendered(values)


def test_the_dashboard_and_the_autoscaler_use_metrics_that_exist() -> None:
    objects = rendered(EVERYTHING)
    dashboard = json.loads(objects["ConfigMap"]["data"]["dragoman.json"])
    expressions = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    scaled_by = objects["HorizontalPodAutoscaler"]["spec"]["metrics"][0]["pods"]["metric"]["name"]
    used = set(re.findall(r"\b(?:dragoman|process)_\w+", expressions)) | {scaled_by}
    assert used <= known_metrics()
