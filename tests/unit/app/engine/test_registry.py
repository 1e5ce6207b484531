"""Routes, lazy loading and reloading, with real folders and engines without a model."""

import asyncio
import json
import logging
from types import SimpleNamespace

import pytest

from app.engine.interface import InspectionCall
from app.engine.options import SearchOptions
from app.errors import BundleError, EngineUnavailable, Overloaded, UnsupportedPair
from app.translation.pipeline import Translator
from app.translation.request import TranslationRequest
from tests.support.bundles import write_bundle
from tests.support.fakes import DETECTOR
from tests.support.shelf import registry_of, room_for, started, translate

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


@pytest.mark.parametrize(
    ("bundles", "setting", "eager"), [(8, None, 8), (9, None, 0), (9, False, 9), (8, True, 0), (1, None, 1)]
)
async def test_many_models_wait_for_their_first_requests_unless_told_otherwise(
    shelf, tmp_path, bundles, setting, eager
):
    for code in "abcdefghi"[:bundles]:
        write_bundle(tmp_path / code, f"x{code}-en")
    async with started(registry_of(shelf, tmp_path, lazy_loading=setting)) as registry:
        assert len(shelf.opened) == eager
        assert registry.state == "ready"
        assert (await translate(registry, "Hola.", "xa", "en")).text == "[en] Hola."


async def test_a_pair_whose_model_finds_no_room_is_refused_until_there_is_some(models, shelf, monkeypatch):
    monkeypatch.setattr("app.engine.registry.MODEL_PATIENCE_S", 0.0)
    async with started(registry_of(shelf, models, max_models_bytes=room_for(1, models / "es-en"))) as registry:
        german = shelf.engines["de-en"][0]
        waiting = asyncio.create_task(translate(registry, "WAIT.", "de", "en"))
        await german.was_asked.wait()
        with pytest.raises(Overloaded):
            await translate(registry, "Hola.", "es", "en")
        german.may_go_on.set()
        await waiting
        assert (await translate(registry, "Hola.", "es", "en")).text == "[en] Hola."


async def test_a_request_waits_for_room_while_others_use_the_memory(models, shelf):
    async with started(registry_of(shelf, models, max_models_bytes=room_for(1, models / "es-en"))) as registry:
        german = shelf.engines["de-en"][0]
        first = asyncio.create_task(translate(registry, "WAIT.", "de", "en"))
        await german.was_asked.wait()
        second = asyncio.create_task(translate(registry, "Hola.", "es", "en"))
        await asyncio.sleep(0)
        assert "es-en" not in shelf.opened
        german.may_go_on.set()
        await first
        assert (await second).text == "[en] Hola."


async def test_time_spent_loading_counts_as_waiting(models, shelf, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("app.translation.batch_translation.time", SimpleNamespace(monotonic=lambda: now[0]))
    opened = shelf.open

    def open_slowly(bundle):
        now[0] += 5
        return opened(bundle)

    shelf.open = open_slowly
    async with started(registry_of(shelf, models, lazy_loading=True)) as registry:
        request = TranslationRequest(texts=("Hola.",), source="es", target="en", options=SearchOptions())
        cold, warm = [(await Translator(registry, DETECTOR).translate(request)).timing for _ in range(2)]
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
