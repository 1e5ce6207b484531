"""An engine on the other side of the cluster's code, without Ray: for `pytest --across-cluster` and benchmarks.hops.

Calls and answers pass ``RemoteEngine`` and ``Replica``, and are pickled on their way, as between two processes. A
replica has a stack and a context of its own.
"""

import asyncio
import pickle
from collections.abc import AsyncGenerator, Mapping
from contextvars import copy_context
from types import SimpleNamespace
from typing import Any

from ray.serve.handle import DeploymentResponseGenerator

from app.cluster.messages import Message
from app.cluster.remote_engine import RemoteEngine
from app.cluster.replica import Replica
from app.engine.interface import Event, Inspection, InspectionCall, TranslationCall
from app.priority import Priority
from tests.support.fakes import OneModel


def sent(value: Any) -> Any:
    """What arrives."""
    return pickle.loads(pickle.dumps(value))


class _Responses(DeploymentResponseGenerator[Message]):
    def __init__(self, messages: AsyncGenerator[Message, None]) -> None:
        self._messages, self._context = messages, copy_context()

    def __aiter__(self) -> "_Responses":
        return self

    async def __anext__(self) -> Message:
        return sent(await asyncio.create_task(self._next(), context=self._context))

    async def _next(self) -> Message:
        return await anext(self._messages)

    def cancel(self) -> None:
        self._closing = asyncio.ensure_future(self._messages.aclose())


class LocalReplica(Replica):
    """A replica that Ray does not end.

    Args:
        engine: What translates.
    """

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __del__(self) -> None:
        pass


class LocalHandle:
    """Calls one replica, as a handle of Ray Serve does.

    Args:
        replica: In this process.
    """

    deployment_name = "local"

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self.stream, self.inspect = SimpleNamespace(remote=self._stream), SimpleNamespace(remote=self._inspect)
        self.models = SimpleNamespace(remote=self._models)

    def options(self, **_: object) -> "LocalHandle":
        return self

    def _stream(
        self, call: TranslationCall, request_name: str | None, headers: Mapping[str, str], urgency: Priority
    ) -> _Responses:
        return _Responses(self._replica.stream(*sent((call, request_name, headers, urgency))))

    async def _inspect(self, call: InspectionCall, request_name: str | None) -> object:
        return sent(await self._replica.inspect(*sent((call, request_name))))

    async def _models(self) -> object:
        await self._replica._engine.start()
        return sent(self._replica.models())


class AcrossCluster(OneModel):
    """The engine of an ingress; all but translations and inspections it has from the fake engine itself.

    Args:
        engine: The fake engine.
    """

    def __init__(self, engine: Any) -> None:
        self._engine, self._remote = engine, RemoteEngine(None, LocalHandle(LocalReplica(engine)), 0)  # type: ignore[arg-type]
        self._remote.note_replicas(True)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        return self._remote.stream(call)

    async def inspect(self, call: InspectionCall) -> Inspection:
        return await self._remote.inspect(call)
