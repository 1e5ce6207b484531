"""Models are loaded and unloaded within a budget, for requests in any order."""

import asyncio
import random
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from app.engine.models.model_pool import ModelPool, ServedModel
from app.errors import BundleError, Overloaded

WAIT_S = 30.0


class Memory:
    """Opens engines, and adds up the sizes of the engines that still run."""

    def __init__(self) -> None:
        self.nbytes = self.most_bytes = 0
        self.opened: list[str] = []
        self.stopped: list[str] = []
        self.error: Exception | None = None
        self.start_error: Exception | None = None
        self.may_open = threading.Event()
        self.may_open.set()

    def open(self, model: ServedModel) -> "Resident":
        self.opened.append(model.path.name)
        assert self.may_open.wait(WAIT_S)
        if self.error:
            raise self.error
        self.nbytes += model.nbytes
        self.most_bytes = max(self.most_bytes, self.nbytes)
        return Resident(self, model)


class Resident:
    """An engine that only takes up memory."""

    state = "ready"

    def __init__(self, memory: Memory, model: ServedModel) -> None:
        self.memory, self.model = memory, model

    async def start(self) -> None:
        if self.memory.start_error:
            raise self.memory.start_error

    async def stop(self) -> None:
        await asyncio.sleep(0)
        self.memory.stopped.append(self.model.path.name)
        self.memory.nbytes -= self.model.nbytes

    def statistics(self) -> dict[str, float]:
        return {"finished": 10.0, "running_rows": 2.0, "feature_cache_hits": 1.0, "feature_cache_misses": 3.0}


def model(name: str, nbytes: int = 10) -> ServedModel:
    manifest: Any = None
    return ServedModel(path=Path(name), manifest=manifest, nbytes=nbytes)


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def loader(memory: Memory) -> ModelPool:
    return ModelPool(memory.open, max_bytes=25)


async def settle(loader: ModelPool) -> None:
    """Lets everything happen that was begun."""
    await asyncio.gather(*loader._tasks)


async def use(loader: ModelPool, *models: ServedModel) -> None:
    async with loader.using(*models):
        pass


class Holder:
    """A request that uses models until it is told to end."""

    def __init__(self, loader: ModelPool, *models: ServedModel) -> None:
        self._end, self._began = asyncio.Event(), asyncio.Event()
        self.task = asyncio.create_task(self._hold(loader, models))

    async def _hold(self, loader: ModelPool, models: tuple[ServedModel, ...]) -> None:
        async with loader.using(*models) as engines:
            assert [engine.model for engine in engines] == list(models)
            self._began.set()
            await self._end.wait()

    async def has_begun(self) -> "Holder":
        await asyncio.wait_for(self._began.wait(), WAIT_S)
        return self

    async def end(self) -> None:
        self._end.set()
        await self.task


async def test_a_model_is_loaded_once_for_all_who_ask_and_not_on_the_event_loop(loader, memory):
    memory.may_open.clear()  # a load on the event loop would wait for ever: what lets it go on comes after it
    wanted = model("a")
    users = [Holder(loader, wanted) for _ in range(5)]
    await asyncio.sleep(0)
    memory.may_open.set()
    for user in users:
        await user.has_begun()
    assert (memory.opened, wanted.users) == (["a"], 5)
    for user in users:
        await user.end()
    await use(loader, wanted)
    assert (memory.opened, wanted.users) == (["a"], 0)


async def test_the_longest_unused_model_makes_room(loader, memory):
    a, b, c = model("a"), model("b"), model("c")
    for wanted in (a, b, a, c):
        await use(loader, wanted)
    assert memory.stopped == ["b"]
    assert (a.engine is not None, b.engine, c.engine is not None) == (True, None, True)
    assert loader.statistics()["model_evictions"] == 1
    await use(loader, b)
    assert (memory.opened, memory.stopped) == (["a", "b", "c", "b"], ["b", "a"])


async def test_as_many_go_as_it_takes(loader, memory):
    for wanted in (model("a"), model("b"), model("large", 25)):
        await use(loader, wanted)
    assert memory.stopped == ["a", "b"]
    assert memory.nbytes == loader.nbytes == 25


async def test_a_model_in_use_stays_and_who_finds_no_room_is_told_at_once(loader, memory):
    first, second = [await Holder(loader, model(name)).has_begun() for name in "ab"]
    c = model("c")
    with pytest.raises(Overloaded) as caught:
        await use(loader, c)
    assert caught.value.retry_after_s > 0
    assert memory.opened == ["a", "b"]
    await first.end()
    await use(loader, c)
    assert memory.stopped == ["a"]
    await second.end()


async def test_who_is_patient_gets_the_room_of_who_ends(loader, memory):
    first, second = [await Holder(loader, model(name)).has_begun() for name in "ab"]

    async def wait() -> None:
        async with loader.using(model("c"), patience_s=WAIT_S):
            pass

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    assert memory.opened == ["a", "b"]
    await first.end()
    await waiting
    assert (memory.opened, memory.stopped) == (["a", "b", "c"], ["a"])
    await second.end()


async def test_patience_ends(loader):
    holders = [await Holder(loader, model(name)).has_begun() for name in "ab"]
    with pytest.raises(Overloaded):
        async with loader.using(model("c"), patience_s=0.01):
            pass
    for holder in holders:
        await holder.end()


async def test_two_models_of_one_request_are_there_together(loader, memory):
    await use(loader, model("old"))
    both = await Holder(loader, model("a"), model("b")).has_begun()
    assert memory.stopped == ["old"]
    await both.end()


async def test_a_retired_model_goes_with_its_last_user(loader, memory):
    old = model("old")
    users = [await Holder(loader, old).has_begun() for _ in range(2)]
    loader.retire(old)
    await users[0].end()
    assert memory.stopped == []
    await users[1].end()
    await settle(loader)
    assert (memory.stopped, loader.nbytes) == (["old"], 0)


async def test_an_idle_retired_model_goes_at_once(loader, memory):
    old = model("old")
    await use(loader, old)
    loader.retire(old)
    await settle(loader)
    assert (memory.stopped, old.engine) == (["old"], None)


async def test_a_model_retired_while_it_is_loaded_goes_too(loader, memory):
    memory.may_open.clear()
    old = model("old")
    user = Holder(loader, old)
    await asyncio.sleep(0)
    user.task.cancel()
    await asyncio.gather(user.task, return_exceptions=True)
    loader.retire(old)
    memory.may_open.set()
    await settle(loader)
    await settle(loader)
    assert (memory.opened, memory.stopped, loader.nbytes) == (["old"], ["old"], 0)


async def test_a_new_model_waits_for_the_retired_one_instead_of_being_refused(loader, memory):
    old, new = model("old", 20), model("new", 20)
    user = await Holder(loader, old).has_begun()
    loader.retire(old)
    successor = Holder(loader, new)
    await asyncio.sleep(0)
    assert not successor.task.done()
    await user.end()
    await successor.has_begun()
    assert (memory.opened, memory.stopped, memory.most_bytes) == (["old", "new"], ["old"], 20)
    await successor.end()


async def test_the_load_goes_on_when_the_first_who_asked_gives_up(loader, memory):
    memory.may_open.clear()
    wanted = model("a")
    first, second = Holder(loader, wanted), Holder(loader, wanted)
    await asyncio.sleep(0)
    first.task.cancel()
    await asyncio.gather(first.task, return_exceptions=True)
    memory.may_open.set()
    await second.has_begun()
    assert (memory.opened, wanted.users) == (["a"], 1)
    await second.end()


@pytest.mark.parametrize("place", ["error", "start_error"])
async def test_a_failed_load_is_told_to_all_and_may_be_tried_again(loader, memory, place):
    setattr(memory, place, BundleError("damaged"))
    wanted = model("a", 20)
    results = await asyncio.gather(*(use(loader, wanted) for _ in range(3)), return_exceptions=True)
    assert [str(result) for result in results] == ["damaged"] * 3
    assert (memory.opened, memory.nbytes, loader.nbytes, wanted.users) == (["a"], 0, 0, 0)
    setattr(memory, place, None)
    await use(loader, wanted)
    assert wanted.engine is not None


async def test_counts_of_models_that_have_gone_are_kept_and_gauges_are_not(loader):
    for wanted in (model("a"), model("b"), model("c")):
        await use(loader, wanted)
    found = loader.statistics()
    assert (found["finished"], found["running_rows"]) == (30, 4)
    assert (found["feature_cache_hits"], found["feature_cache_hit_ratio"]) == (3, 0.25)
    assert (found["models_loaded"], found["models_bytes"], found["models_max_bytes"]) == (2, 20, 25)
    assert (found["model_loads"], found["model_evictions"]) == (3, 1)


async def test_spared_models_are_not_unloaded(loader, memory):
    kept, other = model("kept"), model("other")
    await use(loader, kept)
    await use(loader, other)
    async with loader.sparing(kept), loader.sparing(None):
        await use(loader, model("new"))
    assert memory.stopped == ["other"]


async def test_a_stop_waits_for_the_users(loader, memory):
    user = await Holder(loader, model("a")).has_begun()
    stop = asyncio.create_task(loader.stop(WAIT_S))
    await asyncio.sleep(0)
    assert memory.stopped == []
    await user.end()
    await stop
    assert memory.stopped == ["a"]


async def test_a_stop_waits_no_longer_than_it_may(loader, memory):
    user = await Holder(loader, model("a")).has_begun()
    await loader.stop(0.0)
    assert memory.stopped == ["a"]
    await user.end()


@pytest.mark.parametrize("seed", range(5))
async def test_the_budget_holds_whatever_is_asked_for(memory, seed):
    """Many requests for many models, some given up, some models retired and replaced under them."""
    rng = random.Random(seed)
    loader = ModelPool(memory.open, max_bytes=60)
    models = [model(f"m{number}", rng.choice([10, 20, 30])) for number in range(6)]
    endings: Counter[str] = Counter()

    async def request() -> None:
        try:
            endings["begun"] += 1
            async with loader.using(*rng.sample(models, rng.choice([1, 1, 2]))) as engines:
                for _ in range(rng.randrange(5)):
                    await asyncio.sleep(0)
                    assert all(engine.model.engine is engine for engine in engines), "stopped while it was used"
            endings["done"] += 1
        except Overloaded:
            endings["refused"] += 1
        except asyncio.CancelledError:
            endings["given up"] += 1
            raise

    tasks = []
    for number in range(300):
        tasks.append(asyncio.create_task(request()))
        if number % 7 == 0:
            rng.choice(tasks).cancel()
        if number % 31 == 0:
            place = rng.randrange(len(models))
            loader.retire(models[place])
            models[place] = model(f"n{number}", models[place].nbytes)
        await asyncio.sleep(0)
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, WAIT_S)
    await loader.stop(WAIT_S)
    assert memory.most_bytes <= 60
    assert endings["done"] > 20
    assert endings["done"] + endings["refused"] + endings["given up"] == endings["begun"]
    assert memory.nbytes == 0
