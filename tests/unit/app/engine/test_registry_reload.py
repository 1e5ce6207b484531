"""Reloading: new, changed, removed and broken bundles."""

import asyncio
import logging
import shutil

import pytest

from app.errors import BundleError, UnsupportedPair
from tests.support.bundles import write_bundle
from tests.support.shelf import registry_of, room_for, settle, started, translate


async def test_what_is_new_gone_or_changed_is_taken_up(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        write_bundle(models / "fi-en", "fi-en")
        shutil.rmtree(models / "en-fr")
        write_bundle(models / "es-en", "es-en", version="2")
        report = await registry.reload()
        assert report.added == (str(models / "fi-en"),)
        assert report.replaced == (str(models / "es-en"),)
        assert report.removed == (str(models / "en-fr"),)
        assert report.unchanged == (str(models / "de-en"),)
        assert report.failed == {}
        assert ("fi", "de") in registry.pairs and ("en", "fr") not in registry.pairs
        old, new = shelf.engines["es-en"]
        await translate(registry, "Hola.", "es", "en")
        await settle(registry)
        assert (len(old.calls), len(new.calls), old.state, new.state) == (0, 1, "stopping", "ready")
        assert shelf.engines["en-fr"][0].state == "stopping"
        assert [engine.state for engine in shelf.engines["de-en"]] == ["ready"]


async def test_nothing_changed(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        report = await registry.reload()
        assert len(report.unchanged) == 3
        assert {len(engines) for engines in shelf.engines.values()} == {1}


async def test_requests_in_flight_end_on_the_old_model_and_new_ones_go_to_the_new(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        [old] = shelf.engines["es-en"]
        waiting = asyncio.create_task(translate(registry, "WAIT.", "es", "en"))
        await old.was_asked.wait()
        write_bundle(models / "es-en", "es-en", version="2")
        await registry.reload()
        await translate(registry, "Hola.", "es", "en")
        new = shelf.engines["es-en"][1]
        assert (len(old.calls), len(new.calls), old.state) == (1, 1, "ready")
        old.may_go_on.set()
        assert (await waiting).text == "[en] WAIT."
        await settle(registry)
        assert old.state == "stopping"


async def test_a_request_in_flight_may_ask_again_when_its_pair_is_gone(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        [old] = shelf.engines["es-en"]
        waiting = asyncio.create_task(translate(registry, "WAIT.", "es", "en"))
        await old.was_asked.wait()
        shutil.rmtree(models / "es-en")
        await registry.reload()
        assert ("es", "en") not in registry.pairs
        assert (await translate(registry, "Otra.", "es", "en")).text == "[en] Otra."
        old.may_go_on.set()
        await waiting
        with pytest.raises(UnsupportedPair):
            await translate(registry, "Otra.", "es", "en")


@pytest.mark.parametrize("fault", ["manifest", "file", "graphs", "missing precision"])
async def test_a_broken_bundle_is_reported_and_the_old_one_stays(models, shelf, caplog, fault):
    async with started(registry_of(shelf, models)) as registry:
        path = models / "es-en"
        if fault == "manifest":
            (path / "manifest.json").write_text("{}")
        else:
            write_bundle(path, "es-en", version="2")
        if fault == "file":
            (path / "encoder.onnx").write_bytes(b"cut off")
        elif fault == "graphs":
            shelf.broken.add("es-en")
        elif fault == "missing precision":
            text = (path / "manifest.json").read_text().replace('"float32"', '"float16"')
            (path / "manifest.json").write_text(text)
        write_bundle(models / "fi-en", "fi-en")
        report = await registry.reload()
        assert list(report.failed) == [str(path)]
        assert report.added == (str(models / "fi-en"),)
        assert (await translate(registry, "Hola.", "es", "en")).text == "[en] Hola."
        assert [engine.state for engine in shelf.engines["es-en"]] == ["ready"]
        [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
        assert (record.bundle, record.reason) == (str(path), report.failed[str(path)])


async def test_a_broken_new_bundle_is_reported_and_not_served(models, shelf):
    shelf.broken.add("fi-en")
    async with started(registry_of(shelf, models)) as registry:
        write_bundle(models / "fi-en", "fi-en")
        report = await registry.reload()
        assert list(report.failed) == [str(models / "fi-en")]
        assert ("fi", "en") not in registry.pairs


async def test_a_damaged_bundle_is_found_out_though_loading_is_lazy(models, shelf):
    async with started(registry_of(shelf, models, lazy_loading=True)) as registry:
        write_bundle(models / "fi-en", "fi-en")
        (models / "fi-en" / "encoder.onnx").write_bytes(b"cut off")
        assert list((await registry.reload()).failed) == [str(models / "fi-en")]
        assert shelf.opened == []


async def test_the_last_bundle_stays(models, shelf):
    async with started(registry_of(shelf, models / "es-en")) as registry:
        shutil.rmtree(models)
        report = await registry.reload()
        assert list(report.failed) == [str(models / "es-en")]
        assert (await translate(registry, "Hola.", "es", "en")).text == "[en] Hola."


async def test_a_changed_bundle_waits_for_the_room_that_the_old_one_has(models, shelf):
    """In a budget for one: who comes after the reload waits for the old model's last request, and is not refused."""
    path = models / "es-en"
    async with started(registry_of(shelf, path, max_models_bytes=room_for(1, path))) as registry:
        [old] = shelf.engines["es-en"]
        first = asyncio.create_task(translate(registry, "WAIT.", "es", "en"))
        await old.was_asked.wait()
        write_bundle(path, "es-en", version="2")
        assert (await registry.reload()).replaced == (str(path),)
        second = asyncio.create_task(translate(registry, "Hola.", "es", "en"))
        await asyncio.sleep(0)
        assert len(shelf.engines["es-en"]) == 1
        old.may_go_on.set()
        await first
        assert (await second).text == "[en] Hola."
        assert len(shelf.engines["es-en"][1].calls) == 1


async def test_a_bundle_that_changed_without_a_reload_is_not_loaded(models, shelf):
    async with started(registry_of(shelf, models, lazy_loading=True)) as registry:
        write_bundle(models / "es-en", "es-en", version="2")
        with pytest.raises(BundleError, match="reload"):
            await translate(registry, "Hola.", "es", "en")
        await registry.reload()
        assert (await translate(registry, "Hola.", "es", "en")).text == "[en] Hola."
