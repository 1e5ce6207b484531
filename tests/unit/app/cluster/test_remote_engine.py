"""A remote engine behaves as a local one: the same events, errors and quotas, also when replicas die."""

import pickle
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from types import SimpleNamespace

import pytest

pytest.importorskip("ray")
from ray.exceptions import ActorDiedError
from ray.serve.exceptions import BackPressureError, RequestCancelledError
from ray.serve.handle import DeploymentResponseGenerator

from app.cluster.messages import Message, gathered
from app.cluster.remote_engine import RemoteEngine
from app.cluster.replica import Replica
from app.engine.interface import (
    EngineState,
    Event,
    Inspection,
    InspectionCall,
    RequestQuota,
    TranslationCall,
    collect,
)
from app.engine.options import SearchOptions
from app.errors import DragomanError, EngineUnavailable, ModelFailure, Overloaded
from app.logs import request_id
from app.priority import Priority
from tests.support.fakes import FakeEngine

TEXT = "Guten Morgen! Ich möchte ein Bier. Wo ist der Bahnhof?"


class Responses(DeploymentResponseGenerator[Message]):
    """The responses of a handle, without Ray: messages that were pickled on their way."""

    def __init__(self, messages: AsyncIterator[Message]) -> None:
        self._messages, self.was_cancelled = messages, False

    def __aiter__(self) -> AsyncIterator[Message]:
        return self

    async def __anext__(self) -> Message:
        if self.was_cancelled:
            raise RequestCancelledError
        return pickle.loads(pickle.dumps(await anext(self._messages)))

    def cancel(self) -> None:
        self.was_cancelled = True


class Inspecting:
    """A method of the replicas; an answer that is an error of Ray's is raised."""

    answers: Iterator[object] = iter(())

    async def remote(self, call: InspectionCall, request_name: str | None) -> object:
        answer = next(self.answers)
        if isinstance(answer, Exception) and not isinstance(answer, DragomanError):
            raise answer
        return answer


class Handle:
    """A deployment's handle. Each call takes the next of ``ends``: an error after that many events, or no error."""

    def __init__(self, engine: FakeEngine, deployment_name: str = "fake") -> None:
        self.engine, self.deployment_name, self.calls = engine, deployment_name, list[Responses]()
        self.ends: Iterator[tuple[int, Exception] | None] = iter(())
        self.stream = self.models = self
        self.inspect = Inspecting()

    def options(self, **options: object) -> "Handle":
        return self

    def remote(self, *arguments: object) -> object:
        if not arguments:
            return self._models()
        call = pickle.loads(pickle.dumps(arguments[0]))
        self.calls.append(Responses(self._messages(call, next(self.ends, None))))
        return self.calls[-1]

    async def _models(self) -> list[dict[str, object]]:
        return [{"name": "fake"}]

    async def _messages(self, call: TranslationCall, end: tuple[int, Exception] | None) -> AsyncIterator[Message]:
        sent = 0
        quota = call.quota or RequestQuota()
        try:
            async with aclosing(self.engine.stream(call)) as events:
                async for event in events:
                    if end and sent == end[0]:
                        raise end[1]
                    sent += 1
                    yield Message((event,), True, quota.source_tokens + sent)
        except DragomanError as error:
            yield Message((), True, 0, error)


@pytest.fixture
def handle() -> Handle:
    return Handle(FakeEngine())


@pytest.fixture
async def engine(handle: Handle) -> RemoteEngine:
    manifest = SimpleNamespace(pairs=[SimpleNamespace(source="de", target="en")], alphabet=None)
    engine = RemoteEngine(SimpleNamespace(manifest=manifest), handle, 0)
    await engine.start()
    return engine


def call(text: str = TEXT, **more: object) -> TranslationCall:
    return TranslationCall(texts=[text], source="de", target="en", options=SearchOptions(beam_size=1), **more)


async def events_of(engine: RemoteEngine | FakeEngine, wanted: TranslationCall) -> list[Event]:
    return [event async for event in engine.stream(wanted)]


async def test_it_gives_the_events_of_the_engine(engine, handle):
    assert await events_of(engine, call(tokens=True)) == await events_of(handle.engine, call(tokens=True))
    assert (engine.state, engine.pairs, engine.info()) == (EngineState.READY, {("de", "en")}, {"name": "fake"})


async def test_a_sentence_can_be_looked_into(engine, handle):
    found = Inspection(source=("a",), nodes=(), attention=None)
    wanted = InspectionCall(text="a", source="de", target="en", options=SearchOptions(beam_size=1))
    handle.inspect.answers = iter([found, Overloaded("others do"), BackPressureError(1, 1), ActorDiedError()])
    assert await engine.inspect(wanted) == found
    for error in (Overloaded, Overloaded, EngineUnavailable):
        with pytest.raises(error):
            await engine.inspect(wanted)


async def test_the_quota_of_a_request_comes_back(engine):
    quota = RequestQuota(source_tokens=100)
    await collect(engine.stream(call(quota=quota)), 1)
    assert quota.admitted and quota.source_tokens > 100


@pytest.mark.parametrize("after", range(4))
async def test_another_replica_goes_on_where_one_was_lost(engine, handle, after):
    handle.ends = iter([(after, ActorDiedError()), (0, ActorDiedError()), None])
    assert await events_of(engine, call()) == await events_of(handle.engine, call())
    assert len(handle.calls) == 3


async def test_tokens_that_were_sent_are_not_sent_again(engine, handle):
    handle.ends = iter([(1, ActorDiedError()), None])
    with pytest.raises(EngineUnavailable, match="No replica"):
        await events_of(engine, call(tokens=True))


async def test_it_gives_up_when_replica_after_replica_is_lost(engine, handle):
    handle.ends = iter([(0, ActorDiedError())] * 9)
    with pytest.raises(EngineUnavailable, match="No replica"):
        await events_of(engine, call())
    assert len(handle.calls) == 3


async def test_errors_keep_their_class_and_attributes(engine, handle):
    handle.engine.failure = Overloaded("full", retry_after_s=7.0)
    with pytest.raises(Overloaded, match="full") as refused:
        await events_of(engine, call("Guten Morgen! FAIL."))
    assert refused.value.retry_after_s == 7.0
    handle.engine.failure = ModelFailure("secret")
    with pytest.raises(ModelFailure):
        await events_of(engine, call("Guten Morgen! FAIL."))


async def test_a_full_queue_refuses_this_request_and_the_next_ones_unread(engine, handle, monkeypatch):
    handle.ends = iter([(0, BackPressureError(1, 1))])
    engine.reject_if_overloaded()
    with pytest.raises(Overloaded, match="busy"):
        await events_of(engine, call())
    with pytest.raises(Overloaded, match="busy"):
        engine.reject_if_overloaded()
    assert engine.statistics() == {"rejected": 2.0}
    monkeypatch.setattr("app.cluster.remote_engine._FULL_S", 0.0)
    handle.ends = iter([(0, BackPressureError(1, 1))])
    with pytest.raises(Overloaded):
        await events_of(engine, call())
    engine.reject_if_overloaded()


async def test_closing_cancels_the_call_at_the_replica(engine, handle):
    async with aclosing(engine.stream(call())) as events:
        await anext(events)
        assert not handle.calls[0].was_cancelled
    assert handle.calls[0].was_cancelled


async def test_calls_end_when_no_replica_runs_and_new_ones_are_refused(engine, handle):
    async with aclosing(engine.stream(call())) as events:
        await anext(events)
        engine.note_replicas(False)
        with pytest.raises(EngineUnavailable, match="No replica"):
            await anext(events)
    with pytest.raises(EngineUnavailable, match="No replica"):
        engine.stream(call())
    assert engine.state == EngineState.STARTING
    engine.note_replicas(True)
    assert await events_of(engine, call())
    await engine.stop()
    engine.note_replicas(True)
    assert engine.state == EngineState.STOPPING


async def test_messages_hold_what_has_come():
    engine = FakeEngine()
    parts = [part async for part in gathered(engine.stream(call()))]
    assert [event for part in parts for event in part] == await events_of(engine, call())
    assert len(parts) == 1  # nothing had to be waited for
    parts = []
    with pytest.raises(ModelFailure):
        async for part in gathered(engine.stream(call("Guten Morgen! FAIL."))):
            parts.append(part)
    assert [event.text for part in parts for event in part] == ["Good morning!"]


async def test_messages_that_nobody_wants_end_the_engines_work():
    engine = FakeEngine()
    parts = gathered(engine.stream(call("Guten Morgen! WAIT.")))
    await anext(parts)
    await parts.aclose()
    assert engine.was_cancelled.is_set()


async def test_the_log_of_a_replica_has_the_id_of_the_request(caplog):
    engine, seen = FakeEngine(), []
    engine.failure = RuntimeError("secret")
    caplog.handler.addFilter(lambda record: seen.append(request_id.get()) or True)
    stream = Replica.stream(SimpleNamespace(_engine=engine), call("FAIL."), "id-1", {}, Priority.NORMAL)
    assert [type(message.error) async for message in stream] == [ModelFailure]
    assert seen == ["id-1"]
    request_id.set(None)
