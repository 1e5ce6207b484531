"""One process of the cluster with engines in it; Ray Serve starts, watches and replaces it."""

import logging
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from app import tracing
from app.cluster.engine_host import EngineHost
from app.cluster.messages import Message, gathered
from app.engine.interface import Inspection, InspectionCall, RequestQuota, Timing, TranslationCall
from app.errors import DragomanError, ModelFailure
from app.fairness.pool import Account, account
from app.logs import request_id
from app.priority import Priority, priority
from app.settings import Settings

logger = logging.getLogger(__name__)


class Replica(EngineHost):
    """Serves the bundles of its settings.

    Args:
        settings: Its bundles; how to load and run them.
    """

    async def __init__(self, settings: Settings) -> None:  # type: ignore[misc]  # Ray Serve waits for it
        super().__init__(settings)
        await self._engine.start()

    async def stream(
        self, call: TranslationCall, request_name: str | None, headers: Mapping[str, str], urgency: Priority
    ) -> AsyncGenerator[Message, None]:
        """Translates; see ``app.engine.interface.ModelEngine``. Errors come as messages.

        Args:
            call: What to translate.
            request_name: The id of the request, for the log.
            headers: Of the span that this call belongs to, as ``app.tracing.headers_of`` made them.
            urgency: The request's priority.
        """
        request_id.set(request_name)
        priority.set(urgency)
        account.set(Account())
        quota = call.quota or RequestQuota()
        try:
            with tracing.entered("replica", headers=headers):
                began = time.monotonic()
                async with self._engine.route(call.source, call.target) as [hop]:
                    loading = Timing(queue_s=time.monotonic() - began)
                    async with aclosing(gathered(hop.stream(call))) as parts:
                        async for part in parts:
                            events = tuple(loading + each if isinstance(each, Timing) else each for each in part)
                            yield Message(events, quota.admitted, quota.source_tokens)
            return
        except Exception as raised:
            error = _expected(raised)
        yield Message((), quota.admitted, quota.source_tokens, error)

    async def inspect(self, call: InspectionCall, request_name: str | None) -> Inspection | DragomanError:
        """Looks into a sentence; see ``app.engine.interface.TranslationEngine``. Errors are returned."""
        request_id.set(request_name)
        try:
            return await self._engine.inspect(call)
        except Exception as error:
            return _expected(error)

    def models(self) -> list[dict[str, object]]:
        """Describes its models, in the order of the settings; see ``app.engine.registry.Registry.info``."""
        found = self._engine.info()["models"]
        assert isinstance(found, list)
        return found

    async def __del__(self) -> None:
        """Ray Serve waits for it when it stops a replica, after the calls in progress."""
        await self._engine.stop()
        tracing.stop()


def _expected(error: Exception) -> DragomanError:
    """An error of our own. Ray would log the message of another one, which can quote the text."""
    if isinstance(error, DragomanError):
        return error
    logger.error("a call failed", exc_info=error)
    return ModelFailure("The engine failed.")
