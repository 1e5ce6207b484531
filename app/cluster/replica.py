"""One process of the cluster with engines in it; Ray Serve starts, watches and replaces it."""

import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from app import tracing
from app.cluster.messages import Message, gathered
from app.cluster.metrics import ReplicaMetrics
from app.cluster.scaling import LOAD, load_of
from app.engine.interface import EngineState, Inspection, InspectionCall, RequestQuota, TranslationCall
from app.engine.registry import Registry
from app.errors import DragomanError, EngineUnavailable, ModelFailure
from app.logs import configure_logging, request_id
from app.settings import Settings
from app.work_pool import Account, account

logger = logging.getLogger(__name__)


class Replica:
    """Serves the bundles of its settings.

    Args:
        settings: Its bundles; how to load and run them.
    """

    async def __init__(self, settings: Settings) -> None:  # type: ignore[misc]  # Ray Serve waits for it
        configure_logging(settings.log_level)
        if settings.tracing:
            tracing.start()
        self._settings = settings
        self._engine = Registry.from_settings(settings)
        await self._engine.start()
        self._metrics = ReplicaMetrics(self._engine)

    async def stream(
        self, call: TranslationCall, request_name: str | None, headers: Mapping[str, str]
    ) -> AsyncGenerator[Message, None]:
        """Translates; see ``app.engine.interface.TranslationEngine``. Errors come as messages.

        Args:
            call: What to translate.
            request_name: The id of the request, for the log.
            headers: Of the span that this call belongs to, as ``app.tracing.headers_of`` made them.
        """
        request_id.set(request_name)
        account.set(Account())
        quota = call.quota or RequestQuota()
        try:
            with tracing.entered("replica", headers=headers):
                async with aclosing(gathered(self._engine.stream(call))) as parts:
                    async for events in parts:
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

    def check_health(self) -> None:
        """Ray Serve asks every second, and replaces a replica that raises.

        Raises:
            EngineUnavailable: A worker of an engine died.
        """
        self._metrics.publish()
        if self._engine.state == EngineState.FAILED:
            raise EngineUnavailable("The engine has failed.")

    def record_autoscaling_stats(self) -> dict[str, float]:
        """What ``app.cluster.scaling`` decides by."""
        return {LOAD: load_of(self._engine.statistics(), self._settings)}

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
