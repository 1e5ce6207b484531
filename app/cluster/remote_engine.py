"""An engine that runs in the replicas of a deployment, behind the same interface as one in this process."""

import logging
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

from ray.exceptions import RayActorError
from ray.serve.exceptions import BackPressureError, RequestCancelledError
from ray.serve.handle import DeploymentHandle, DeploymentResponseGenerator

from app import tracing
from app.cluster.messages import Message
from app.engine.interface import (
    Alphabet,
    EngineState,
    Event,
    Inspection,
    InspectionCall,
    RequestQuota,
    TranslationCall,
)
from app.engine.models.bundle import Bundle
from app.errors import DragomanError, EngineUnavailable, Overloaded
from app.logs import request_id
from app.priority import priority

# From process to process by gRPC. By default Ray passes references to objects in a store: then a short request takes
# 12.6 ms of processor time instead of 9.5 with one client, and 7.5 instead of 5.5 with 16.
_DIRECTLY: Any = {"_by_reference": False, "request_serialization": "pickle", "response_serialization": "pickle"}
_ATTEMPTS = 3
_FULL_S = 0.1  # how long new requests are refused unread after one was refused
_BUSY = "The servers are busy; try again in a moment."
_LOST = "No replica of the model answers; one is being started."

logger = logging.getLogger(__name__)


class RemoteEngine:
    """The engine of one bundle.

    Args:
        bundle: The bundle, which the replicas serve, too.
        handle: Calls the replicas.
        place: Place of the bundle among those of the replicas.
    """

    def __init__(self, bundle: Bundle, handle: DeploymentHandle[Any], place: int) -> None:
        self._bundle, self._handle, self._place = bundle, handle, place
        self._stream = handle.options(stream=True, **_DIRECTLY).stream
        self._state = EngineState.STARTING
        self._info: dict[str, object] = {}
        self._under_way: set[DeploymentResponseGenerator[Message]] = set()
        self._rejected, self._full_until = 0, 0.0

    @property
    def deployment(self) -> str:
        """The name of the deployment."""
        return self._handle.deployment_name

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated."""
        return frozenset((pair.source, pair.target) for pair in self._bundle.manifest.pairs)

    @property
    def state(self) -> EngineState:
        """READY while a replica of the bundle runs, as Ray said last."""
        return self._state

    def alphabet(self, source: str, target: str) -> Alphabet:
        """See ``app.engine.interface.ModelEngine``."""
        return self._bundle.manifest.alphabet

    def reject_if_overloaded(self) -> None:
        """See ``app.engine.interface.ModelEngine``."""
        if time.monotonic() < self._full_until:
            self._rejected += 1
            raise Overloaded(_BUSY)

    async def start(self) -> None:
        """Waits for a replica."""
        models = await self._handle.models.remote()
        self._info = models[self._place]
        self._state = EngineState.READY

    async def stop(self) -> None:
        """Refuses further calls."""
        self._state = EngineState.STOPPING

    def note_replicas(self, running: bool) -> None:
        """Learns whether a replica runs; without one, the calls that wait get an error instead of waiting on."""
        if self._state == EngineState.STOPPING:
            return
        self._state = EngineState.READY if running else EngineState.STARTING
        if not running:
            for responses in list(self._under_way):
                responses.cancel()  # type: ignore[no-untyped-call]

    def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        """Translates in one of the replicas; see ``app.engine.interface.ModelEngine``."""
        self._check_ready()
        return self._events(call)

    async def _events(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        """Translations don't depend on where they are made, so another replica goes on where one was lost."""
        quota, sent = call.quota or RequestQuota(), 0
        for attempt in range(1, _ATTEMPTS + 1):
            skipped = 0
            try:
                with self._called(call) as messages:
                    async for message in messages:
                        self._note(message, quota)
                        for event in message.events:
                            skipped += 1
                            if skipped > sent:
                                sent += 1
                                yield event
                        if message.error:
                            raise message.error
                return
            except RayActorError:
                logger.warning("a replica was lost", extra={"deployment": self.deployment, "attempt": attempt})
                if sent and call.tokens:  # how tokens fall into events is a matter of timing
                    break
        raise EngineUnavailable(_LOST)

    @contextmanager
    def _called(self, call: TranslationCall) -> Iterator["DeploymentResponseGenerator[Message]"]:
        """The messages of one replica; leaving the ``with`` block cancels the call there."""
        with tracing.span("call", deployment=self.deployment) as span:
            responses = self._stream.remote(call, request_id.get(), tracing.headers_of(span), priority.get())
            assert isinstance(responses, DeploymentResponseGenerator)
            self._under_way.add(responses)
            try:
                yield responses
            except BackPressureError:
                self._refuse_for_a_moment()
                raise Overloaded(_BUSY) from None
            except RequestCancelledError:
                raise EngineUnavailable(_LOST) from None
            finally:
                self._under_way.discard(responses)
                responses.cancel()  # type: ignore[no-untyped-call]

    def _note(self, message: Message, quota: RequestQuota) -> None:
        quota.admitted |= message.admitted
        quota.source_tokens = max(quota.source_tokens, message.source_tokens)
        if isinstance(message.error, Overloaded):
            self._refuse_for_a_moment()

    async def inspect(self, call: InspectionCall) -> Inspection:
        """See ``app.engine.interface.ModelEngine``."""
        self._check_ready()
        try:
            found = await self._handle.inspect.remote(call, request_id.get())
        except BackPressureError:
            self._refuse_for_a_moment()
            raise Overloaded(_BUSY) from None
        except RayActorError:
            raise EngineUnavailable(_LOST) from None
        if isinstance(found, DragomanError):
            raise found
        assert isinstance(found, Inspection)
        return found

    def _check_ready(self) -> None:
        if self._state != EngineState.READY:
            raise EngineUnavailable(_LOST)

    def _refuse_for_a_moment(self) -> None:
        self._rejected += 1
        self._full_until = time.monotonic() + _FULL_S

    def info(self) -> dict[str, object]:
        """Returns a replica's description of its model."""
        return self._info

    def statistics(self) -> dict[str, float]:
        """Returns the statistics of this process; the replicas publish their own with Ray."""
        return {"rejected": float(self._rejected)}
