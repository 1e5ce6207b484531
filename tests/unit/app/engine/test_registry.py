"""Routes, lazy loading and reloading, with real folders and engines without a model."""

import asyncio
import json
import logging
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.engine.interface import InspectionCall, TranslationCall, collect
from app.engine.models.bundle import Bundle, Manifest
from app.engine.models.discovery import loaded_bytes
from app.engine.options import SearchOptions
from app.engine.registry import Registry
from app.errors import BundleError, EngineUnavailable, Overloaded, UnsupportedPair
from app.settings import Settings
from tests.support.bundles import open_fake, write_bundle
from tests.support.fakes import FakeEngine

pytestmark = pytest.mark.anyio

WAIT_S = 30.0


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with German-English, Spanish to English and English to French."""
    folder = tmp_path / "models"
    for pairs in (("de-en", "en-de"), ("es-en",), ("en-fr",)):
        write_bundle(folder / pairs[0], *pairs)
    return folder


def room_for(count: int, bundle: Path) -> int:
    """A budget for that many bundles of this size."""
    return count * loaded_bytes(bundle, Manifest.read(bundle), "int8")


class Shelf:
    """Opens fake engines, and keeps them by the name of their bundle."""

    def __init__(self) -> None:
        self.engines: dict[str, list[FakeEngine]] = {}
        self.broken: set[str] = set()

    def open(self, bundle: Bundle) -> FakeEngine:
        if bundle.path.name in self.broken:
            raise BundleError(f"{bundle.path}: its graphs don't load")
        engine = open_fake(bundle)
        self.engines.setdefault(bundle.path.name, []).append(engine)
        return engine

    @property
    def opened(self) -> list[str]:
        return list(self.engines)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def registry_of(shelf: Shelf, *folders: Path, **settings) -> Registry:
    values = {"bundle": folders, "feature_cache_bytes": 0, "max_models_bytes": 10**9, "drain_timeout_s": WAIT_S}
    return Registry(Settings(**(values | settings)), shelf.open)


@asynccontextmanager
async def started(registry: Registry) -> AsyncIterator[Registry]:
    await registry.start()
    try:
        yield registry
    finally:
        await registry.stop()


async def translate(registry: Registry, text: str, source: str, target: str, **options):
    events = registry.stream(
        TranslationCall(texts=[text], source=source, target=target, options=SearchOptions(**options))
    )
    [translation], _ = await collect(events)
    return translation


async def settle(registry: Registry) -> None:
    await asyncio.gather(*registry._pool._tasks)


# --- routes ----------------------------------------------------------------------------------------------------------


async def test_each_pair_goes_to_its_bundle(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        assert (await translate(registry, "Hola.", "es", "en")).text == "[en] Hola."
        assert (await translate(registry, "Hello.", "en", "fr")).text == "[fr] Hello."
    [spanish] = shelf.engines["es-en"]
    assert spanish.calls == [(["Hola."], "es", "en")]


async def test_a_missing_pair_goes_by_way_of_english_and_says_so(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        through = {"de-en", "en-de", "es-en", "en-fr"}
        assert {f"{source}-{target}" for source, target in registry.pairs} == through | {"de-fr", "es-de", "es-fr"}
        found = await translate(registry, "Hola. Adiós.", "es", "fr")
        assert (found.text, found.pivot) == ("[fr] [en] Hola. [fr] [en] Adiós.", "en")
        assert (await translate(registry, "Hola.", "es", "en")).pivot is None
        assert registry.info()["pivot"] == {"language": "en", "pairs": ["de-fr", "es-de", "es-fr"]}


async def test_one_model_is_looked_into_but_not_two(models, shelf):
    def call_for(source: str, target: str) -> InspectionCall:
        return InspectionCall(text="Hola.", source=source, target=target, options=SearchOptions())

    async with started(registry_of(shelf, models)) as registry:
        assert (await registry.inspect(call_for("es", "en"))).nodes
        with pytest.raises(UnsupportedPair, match="Two models translate from es to fr, through en"):
            await registry.inspect(call_for("es", "fr"))
    with pytest.raises(EngineUnavailable):
        await registry.inspect(call_for("es", "en"))


async def test_options_reach_the_half_that_they_are_meant_for(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        await translate(registry, "Hola.", "es", "fr", beam_size=6, n_best=3, max_length=50)
    [[first], [second]] = [shelf.engines[name][0].options for name in ("es-en", "en-fr")]
    assert (first.beam_size, first.n_best, first.max_length) == (6, 1, None)
    assert (second.beam_size, second.n_best, second.max_length) == (6, 3, 50)


@pytest.mark.parametrize(("pivot", "pair"), [("", ("es", "fr")), ("de", ("es", "fr")), ("en", ("fr", "es"))])
async def test_without_a_way_the_pair_is_refused(models, shelf, pivot, pair):
    async with started(registry_of(shelf, models, pivot=pivot)) as registry:
        assert pair not in registry.pairs
        with pytest.raises(UnsupportedPair):
            await translate(registry, "x", *pair)


async def test_the_second_half_of_a_way_is_taken_in_with_the_first(models, shelf):
    async with started(registry_of(shelf, models)) as registry:
        await translate(registry, "Hola. Adiós.", "es", "fr")
    assert all(quota.admitted for quota in shelf.engines["en-fr"][0].quotas)


async def test_on_a_way_the_placeholders_are_those_of_both_models_and_the_letters_those_of_the_first(shelf, tmp_path):
    for pair, placeholders, characters in (("es-en", "\ue000\ue001", "aeño"), ("en-fr", "\ue001\ue002", "aecç")):
        folder = write_bundle(tmp_path / pair, pair)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest |= {"placeholders": list(placeholders), "characters": characters}
        (folder / "manifest.json").write_text(json.dumps(manifest))
    alphabet = registry_of(shelf, tmp_path).alphabet("es", "fr")
    assert alphabet.placeholders == ("\ue001",)
    assert alphabet.characters == frozenset("aeño")


async def test_a_full_queue_turns_away_only_where_there_is_one_model(models, shelf):
    async with started(registry_of(shelf, models / "es-en")) as registry:
        registry.reject_if_overloaded()
        shelf.engines["es-en"][0].full = True
        with pytest.raises(Overloaded):
            registry.reject_if_overloaded()
    async with started(registry_of(shelf, models)) as registry:
        for engines in shelf.engines.values():
            engines[-1].full = True
        registry.reject_if_overloaded()


async def test_two_models_too_large_to_be_loaded_together_are_no_way(models, shelf):
    registry = registry_of(shelf, models, max_models_bytes=room_for(1, models / "es-en"))
    assert registry.pairs == {("de", "en"), ("en", "de"), ("es", "en"), ("en", "fr")}


async def test_of_two_bundles_for_a_pair_the_first_named_is_used_and_the_log_says_so(models, shelf, tmp_path, caplog):
    other = write_bundle(tmp_path / "other", "de-en", "de-nl")
    async with started(registry_of(shelf, other, models)) as registry:
        await translate(registry, "Hallo.", "de", "en")
        assert len(shelf.engines["other"][0].calls) == 1
        assert ("de", "nl") in registry.pairs
    [record] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert "de-en" in record.getMessage()
    assert (record.used, record.not_used) == (str(other), str(models / "de-en"))


async def test_codes_are_in_lower_case_whatever_the_manifest_says(shelf, tmp_path):
    folder = write_bundle(tmp_path / "pt", "en-pt_BR")
    async with started(registry_of(shelf, folder)) as registry:
        assert registry.pairs == {("en", "pt_br")}
        await translate(registry, "Hello.", "en", "pt_br")
    assert shelf.engines["pt"][0].calls == [(["Hello."], "en", "pt_BR")]


# --- start and memory ------------------------------------------------------------------------------------------------


async def test_models_are_loaded_at_the_start_as_far_as_there_is_room(models, shelf):
    async with started(registry_of(shelf, models, max_models_bytes=room_for(2, models / "es-en"))) as registry:
        assert shelf.opened == ["de-en", "en-fr"]
        await translate(registry, "Hola.", "es", "en")
        assert shelf.opened == ["de-en", "en-fr", "es-en"]
        found = registry.statistics()
        assert (found["models_served"], found["models_loaded"], found["model_evictions"]) == (3, 2, 1)
        assert found["models_bytes"] <= found["models_max_bytes"]
        assert [model["loaded"] for model in registry.info()["models"]] == [False, True, True]


async def test_a_model_that_another_one_leaves_nothing_to_do_is_not_loaded(models, shelf, tmp_path):
    other = write_bundle(tmp_path / "other", "es-en", "en-es")
    async with started(registry_of(shelf, other, models)):
        assert shelf.opened == ["other", "de-en", "en-fr"]


async def test_lazy_models_are_loaded_when_they_are_asked_for(models, shelf):
    async with started(registry_of(shelf, models, lazy_loading=True)) as registry:
        assert shelf.opened == []
        await translate(registry, "Hola.", "es", "en")
        assert shelf.opened == ["es-en"]


async def test_a_pair_whose_model_finds_no_room_is_refused_until_there_is_some(models, shelf):
    async with started(registry_of(shelf, models, max_models_bytes=room_for(1, models / "es-en"))) as registry:
        german = shelf.engines["de-en"][0]
        waiting = asyncio.create_task(translate(registry, "WAIT.", "de", "en"))
        await german.was_asked.wait()
        with pytest.raises(Overloaded):
            await translate(registry, "Hola.", "es", "en")
        german.may_go_on.set()
        await waiting
        assert (await translate(registry, "Hola.", "es", "en")).text == "[en] Hola."


async def test_time_spent_loading_counts_as_waiting(models, shelf, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("app.engine.registry.time", SimpleNamespace(monotonic=lambda: now[0]))
    opened = shelf.open

    def open_slowly(bundle):
        now[0] += 5
        return opened(bundle)

    shelf.open = open_slowly
    async with started(registry_of(shelf, models, lazy_loading=True)) as registry:
        options = SearchOptions()
        _, cold = await collect(
            registry.stream(TranslationCall(texts=["Hola."], source="es", target="en", options=options))
        )
        _, warm = await collect(
            registry.stream(TranslationCall(texts=["Hola."], source="es", target="en", options=options))
        )
        assert (cold.queue_s, warm.queue_s) == (5.001, 0.001)  # the fake says 1 ms


async def test_a_bundle_larger_than_the_budget_is_refused_at_the_start(models, shelf):
    with pytest.raises(BundleError, match="MAX_MODELS_BYTES"):
        registry_of(shelf, models, max_models_bytes=room_for(1, models / "es-en") - 1)


async def test_a_folder_without_a_bundle_is_refused_at_the_start(models, shelf, tmp_path):
    with pytest.raises(BundleError, match="nowhere"):
        registry_of(shelf, models, tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BundleError, match="empty"):
        registry_of(shelf, tmp_path / "empty")
    # Bundles may come later, as long as there is something to serve.
    assert registry_of(shelf, tmp_path / "empty", models).pairs


async def test_a_damaged_bundle_ends_the_start_and_what_was_loaded(models, shelf):
    (models / "es-en" / "tokenizer.spm").write_text("damaged")
    registry = registry_of(shelf, models)
    with pytest.raises(BundleError, match=r"tokenizer\.spm"):
        await registry.start()
    assert registry.state == "failed"
    assert {engine.state for engines in shelf.engines.values() for engine in engines} == {"stopping"}


async def test_states(models, shelf):
    registry = registry_of(shelf, models)
    assert registry.state == "starting"
    with pytest.raises(EngineUnavailable):
        await translate(registry, "Hola.", "es", "en")
    await registry.start()
    assert registry.state == "ready"
    shelf.engines["en-fr"][0].state = "failed"
    assert registry.state == "failed"
    await registry.stop()
    assert registry.state == "stopping"
    with pytest.raises(EngineUnavailable):
        await translate(registry, "Hola.", "es", "en")
    with pytest.raises(EngineUnavailable):
        await registry.reload()


async def test_a_stop_lets_a_translation_by_way_of_english_finish(models, shelf):
    registry = registry_of(shelf, models)
    await registry.start()
    french = shelf.engines["en-fr"][0]
    work = asyncio.create_task(translate(registry, "WAIT.", "es", "fr"))
    await shelf.engines["es-en"][0].was_asked.wait()
    stop = asyncio.create_task(registry.stop())
    await asyncio.sleep(0)
    shelf.engines["es-en"][0].may_go_on.set()
    await french.was_asked.wait()
    french.may_go_on.set()
    assert (await work).text == "[fr] [en] WAIT."
    await stop


# --- reload ----------------------------------------------------------------------------------------------------------


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
            text = (path / "manifest.json").read_text().replace('"int8"', '"float32"')
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
