"""An ingress's engine: its bundles, and its knowledge of their replicas."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest
import yaml

pytest.importorskip("ray")
from ray import serve
from ray.serve.schema import ServeDeploySchema

from app.cluster import cluster_engine
from app.cluster.cluster_engine import ClusterEngine
from app.cluster.deployments import bind_models, build, serving
from app.engine.interface import EngineState, TranslationCall, collect
from app.engine.options import SearchOptions
from app.errors import BundleError, EngineUnavailable
from app.settings import Settings
from tests.support.fakes import FakeEngine
from tests.unit.app.cluster.test_remote_engine import Handle

ROOT = Path(__file__).parents[4]
BUNDLE = ROOT / "artifacts/de-en"
SETTINGS = Settings(bundle=(BUNDLE,))
CALL = TranslationCall(texts=["Guten Morgen!"], source="de", target="en", options=SearchOptions(beam_size=1))


async def test_it_routes_to_replicas_and_knows_when_there_are_none(monkeypatch):
    running = {"fake": 1}
    monkeypatch.setattr(cluster_engine, "_running", lambda: running)
    monkeypatch.setattr(cluster_engine, "_LOOK_EVERY_S", 0.001)
    engine = ClusterEngine(SETTINGS, serving([([BUNDLE], Handle(FakeEngine()))]))
    await engine.start()
    async with engine.route("de", "en") as [hop]:
        [[draft]], _ = await collect(hop.stream(CALL), 1)
    assert draft.text == "Good morning!"
    assert (engine.state, engine.info()["models"][0]["loaded"]) == (EngineState.READY, True)
    running.clear()
    monkeypatch.setattr(cluster_engine, "_PATIENCE_S", 0.0)
    async with asyncio.timeout(10):
        while engine.state != EngineState.STARTING:
            await asyncio.sleep(0)
    async with engine.route("de", "en") as [hop]:
        with pytest.raises(EngineUnavailable, match="No replica"):
            await collect(hop.stream(CALL), 1)
    await engine.stop()


async def test_it_notices_that_a_bundle_that_came_later_lost_its_replicas(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster_engine, "_running", lambda: {"first": 1})
    monkeypatch.setattr(cluster_engine, "_LOOK_EVERY_S", 0.001)
    monkeypatch.setattr(cluster_engine, "_PATIENCE_S", 0.01)
    folder = tmp_path / "bundles"
    first, second = (shutil.copytree(BUNDLE, folder / name, copy_function=os.symlink) for name in ("first", "second"))
    served = serving([([path], Handle(FakeEngine(), path.name)) for path in (first, second)])
    elsewhere = second.rename(tmp_path / "elsewhere")
    engine = ClusterEngine(Settings(bundle=(folder,)), served)
    await engine.start()
    elsewhere.rename(second)
    assert (await engine.reload()).added == (str(second),)
    async with asyncio.timeout(10):
        while engine.state != EngineState.STARTING:
            await asyncio.sleep(0)
    await engine.stop()


async def test_a_bundle_that_no_replica_serves_is_refused():
    engine = ClusterEngine(SETTINGS, {})
    with pytest.raises(BundleError, match="deploy the cluster again"):
        await engine.start()


def test_the_configuration_file_is_one_of_ray_serve_and_names_settings():
    text = (ROOT / "deploy/ray/serve.yaml").read_text(encoding="utf-8")
    [application] = ServeDeploySchema.model_validate(yaml.safe_load(text)).applications
    assert application.import_path == "app.cluster:build"
    assert Settings.load(**application.args | {"bundle": str(BUNDLE)}).max_replicas == 8


def test_an_application_is_built_of_settings():
    assert isinstance(build({"bundle": str(BUNDLE), "replicas": "2", "max_replicas": "3"}), serve.Application)
    assert isinstance(build({"bundle": str(BUNDLE), "lazy_loading": "true"}), serve.Application)
    with pytest.raises(BundleError):
        build({"bundle": str(ROOT / "docs")})


@pytest.mark.parametrize(("provider", "reserved"), [("cpu", {"num_cpus": 6}), ("cuda", {"num_cpus": 6, "num_gpus": 1})])
def test_a_replica_reserves_its_cores_and_a_gpu(provider, reserved):
    [model] = bind_models(Settings(bundle=(BUNDLE,), provider=provider, workers=3, threads=2))
    assert model.application._bound_deployment.ray_actor_options == reserved
