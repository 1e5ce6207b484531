"""Three real bundles in one server process: all pairs, pivots, reloads under load, a budget for two of them."""

import asyncio
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.engine.registry import Registry
from app.settings import Settings
from tests.support.tiny import relabel

ROOT = Path(__file__).parents[2]
WAIT_S = 120.0
TEXTS = {
    "de": "Der Hund trinkt Wasser. Wo ist der Bahnhof?",
    "en": "The dog drinks water. Where is the station?",
    "es": "El perro bebe agua. ¿Dónde está la estación?",
}
DIRECT = [("de", "en"), ("en", "de"), ("es", "en"), ("en", "fr")]
BY_WAY = [("de", "fr"), ("es", "de"), ("es", "fr")]


@pytest.fixture
def models(tiny_bundle, tmp_path: Path) -> Path:
    """A folder with the shipped bundle and two random ones of other pairs."""
    folder = tmp_path / "models"
    shutil.copytree(ROOT / "artifacts" / "de-en", folder / "de-en")
    for source, target in (("es", "en"), ("en", "fr")):
        relabel(tiny_bundle, folder / f"{source}-{target}", source, target)
    return folder


@contextmanager
def server(models: Path, log: Path, **settings: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server process and its URL."""
    environment = {f"DRAGOMAN_{name.upper()}": str(value) for name, value in settings.items()}
    command = [sys.executable, "-m", "app", "serve", "--port", "0", "--threads", "1", "--bundle", str(models)]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, cwd=ROOT, env={"PYTHONPATH": str(ROOT), **environment}, stdout=subprocess.PIPE, stderr=errors,
            text=True,
        ) as process,
    ):  # fmt: skip
        assert process.stdout is not None
        try:
            announced = next((line for line in process.stdout if "health check" in line), None)
            assert announced is not None, log.read_text()
            yield process, announced.split()[-1].removesuffix("/readyz")
        finally:
            process.terminate()


async def metrics_of(client: httpx.AsyncClient) -> dict[str, float]:
    text = (await client.get("/metrics")).text
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {sample.name.removeprefix("dragoman_engine_"): sample.value for sample in samples if not sample.labels}


async def translate(client: httpx.AsyncClient, source: str, target: str, **others: object) -> httpx.Response:
    body = {"q": TEXTS[source], "source": source, "target": target, "beam_size": 1, **others}
    return await client.post("/translate", json=body)


class Load:
    """Clients that translate all pairs, one after the other, until they are told to end."""

    def __init__(self, client: httpx.AsyncClient, count: int) -> None:
        self.statuses: Counter[int] = Counter()
        self.answers: dict[tuple[str, str], set[str]] = {}
        self._client = client
        self._ending = False
        self._turn = asyncio.Condition()
        self._tasks = [asyncio.create_task(self._run(number)) for number in range(count)]

    async def _run(self, number: int) -> None:
        pairs = DIRECT + BY_WAY
        pairs = pairs[number % len(pairs) :] + pairs[: number % len(pairs)]
        while not self._ending:
            for pair in pairs:
                html = {"format": "html"} if number % 2 else {}
                response = await translate(self._client, *pair, **html)
                self.statuses[response.status_code] += 1
                self.answers.setdefault(pair, set()).add(response.text)
            async with self._turn:
                self._turn.notify_all()

    async def next_turn(self) -> None:
        """Returns when one more client has been through all pairs."""
        async with asyncio.timeout(WAIT_S), self._turn:
            await self._turn.wait()

    async def end(self) -> None:
        self._ending = True
        await asyncio.gather(*self._tasks)


async def test_three_bundles_serve_all_pairs_and_reload_under_load_without_a_failed_request(
    models, tiny_bundle, tmp_path
):
    with server(models, tmp_path / "stderr") as (process, url):
        async with httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client:
            for pair in DIRECT + BY_WAY:
                response = await translate(client, *pair)
                assert response.status_code == 200, response.text
                assert response.json()["translatedText"]
                assert response.json().get("pivot") == ("en" if pair in BY_WAY else None)
                assert response.headers.get("X-Dragoman-Pivot") == ("en" if pair in BY_WAY else None)

            load = Load(client, 2)
            before = (await metrics_of(client))["model_loads_total"]
            for turn in range(2):
                # A new bundle comes and goes; a bundle in use is replaced.
                if turn % 2:
                    shutil.rmtree(models / "fi-en")
                else:
                    relabel(tiny_bundle, models / "fi-en", "fi", "en")
                relabel(tiny_bundle, tmp_path / f"next{turn}" / "es-en", "es", "en")
                manifest = tmp_path / f"next{turn}" / "es-en" / "manifest.json"
                manifest.write_text(manifest.read_text().replace('"updates": 1', f'"updates": {turn + 2}'))
                (models / "es-en").rename(tmp_path / f"last{turn}")
                (tmp_path / f"next{turn}" / "es-en").rename(models / "es-en")
                process.send_signal(signal.SIGHUP)
                async with asyncio.timeout(WAIT_S):
                    while ("fi" in (await client.get("/languages")).text) == bool(turn % 2):
                        await load.next_turn()
                await load.next_turn()
                found = await metrics_of(client)
                assert found["models_bytes"] <= found["models_max_bytes"]
            await load.end()
            found = await metrics_of(client)
            async with asyncio.timeout(WAIT_S):
                while (found := await metrics_of(client))["models_loaded"] != 3:
                    await asyncio.sleep(0)
        assert set(load.statuses) == {200}, (tmp_path / "stderr").read_text()
        assert load.statuses.total() >= 2 * len(DIRECT + BY_WAY)
        assert found["model_loads_total"] == before + 2 + 1
        # Every version of a model translates the same, whoever else was being served.
        assert {pair: len(answers) for pair, answers in load.answers.items()} == dict.fromkeys(DIRECT + BY_WAY, 1)


async def test_in_memory_for_two_of_three_all_are_served_and_the_budget_holds(models, tmp_path):
    cache_bytes = 2**20
    unloaded = Settings(bundle=[models], lazy_loading=True, feature_cache_bytes=cache_bytes)
    found = {model["name"]: model["bytes"] for model in Registry.from_settings(unloaded).info()["models"]}
    budget = found["de-en"] + found["es-en"]
    assert budget < sum(found.values())
    settings = {"feature_cache_bytes": cache_bytes, "max_models_bytes": budget}
    with server(models, tmp_path / "stderr", **settings) as (_, url):
        async with httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client:
            for pair in [*DIRECT, *BY_WAY]:
                response = await translate(client, *pair)
                assert response.status_code == 200, response.text
                now = await metrics_of(client)
                assert now["models_bytes"] <= now["models_max_bytes"] == budget
                assert now["models_loaded"] <= 2
    assert now["model_evictions_total"] >= 3
