"""Finished sentences that all servers of a model share, in Valkey.

A translation depends on nothing but the model, the sentence and the options, so what another server found is exact. No
request fails or waits because of the cache: what isn't there at once is translated.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Timing
from app.engine.scheduling.policy import Job, Outcome

if TYPE_CHECKING:
    from app.settings import Settings
    from app.storage.valkey import Valkey

_TIMEOUT_S = 0.02  # one look-up takes half a millisecond on the same machine
_MAX_WAITING = 10_000


def open_result_cache(settings: "Settings", *model: object) -> "ResultCache | None":
    """Opens the cache of a model; None if the settings name none.

    Args:
        settings: Valkey's address, and for how long results are kept.
        model: Everything that the model's results depend on.

    Raises:
        ConfigurationError: Valkey's address is malformed, or its client is not installed.
    """
    if not (settings.valkey and settings.result_cache_s):
        return None
    from app.storage.valkey import Valkey

    return ResultCache(Valkey(settings.valkey.get_secret_value(), _TIMEOUT_S), model, settings.result_cache_s)


class ResultCache:
    """Finds and keeps the results of jobs without terms. For one event loop.

    Args:
        valkey: The client. Valkey's own limit of memory bounds what is kept.
        model: As in ``open_result_cache``.
        lifetime_s: How long a result is kept, in seconds.

    Attributes:
        hits: Sentences found.
        misses: Sentences not found.
    """

    def __init__(self, valkey: "Valkey", model: Sequence[object], lifetime_s: float) -> None:
        self.hits = self.misses = 0
        self._valkey, self._lifetime_ms = valkey, max(1, int(1000 * lifetime_s))
        # The search is a part of the program.
        self._model = hashlib.blake2b(repr((version("dragoman"), *model)).encode(), digest_size=16).digest()
        self._waiting: dict[str, str] = {}
        self._writer: asyncio.Task[None] | None = None

    async def find(self, jobs: Sequence[Job]) -> list[Outcome | None]:
        """Finds the results of jobs in one look-up; None for jobs without a result."""
        from app.storage.valkey import ValkeyUnavailable

        keys = [self._key(job) for job in jobs if not job.terms]
        values: Sequence[bytes | None] = [None] * len(keys)
        if keys:
            with suppress(ValkeyUnavailable):
                values = await self._valkey.run(lambda: self._valkey.client.mget(keys))
        found = iter([_read(value) for value in values])
        outcomes = [None if job.terms else next(found) for job in jobs]
        self.hits += sum(outcome is not None for outcome in outcomes)
        self.misses += sum(outcome is None for outcome in outcomes)
        return outcomes

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Stores a result in the background; drops it if too many results wait for Valkey."""
        if job.terms or len(self._waiting) >= _MAX_WAITING:
            return
        self._waiting[self._key(job)] = _written(outcome)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Closes the connections."""
        if self._writer:
            await self._writer
        await self._valkey.close()

    async def _write(self) -> None:
        from app.storage.valkey import ValkeyUnavailable

        while self._waiting:
            values, self._waiting = self._waiting, {}
            with suppress(ValkeyUnavailable):
                async with self._valkey.client.pipeline(transaction=False) as pipeline:
                    for key, value in values.items():
                        pipeline.set(key, value, px=self._lifetime_ms)
                    await self._valkey.run(pipeline.execute)

    def _key(self, job: Job) -> str:
        """Returns a digest, so that Valkey sees no text and keys are short."""
        asked = (*job.identity, job.options, job.rare_words, job.examples, job.known)
        digest = hashlib.blake2b(repr(asked).encode(), key=self._model, digest_size=16)
        return f"dragoman:result:{digest.hexdigest()}"


def _written(outcome: Outcome) -> str:
    fields = [(one.tokens, one.log_probability, one.score, one.truncated, one.attended) for one in outcome.hypotheses]
    return json.dumps(fields, separators=(",", ":"))


def _read(value: bytes | None) -> Outcome | None:
    """Reads a result; None if it is missing or was not written by this program."""
    if value is None:
        return None
    try:
        return Outcome([_hypothesis(*fields) for fields in json.loads(value)], Timing())
    except (ValueError, TypeError):
        return None


def _hypothesis(tokens: Any, log_probability: Any, score: Any, truncated: Any, attended: Any) -> Hypothesis:
    return Hypothesis(tuple(tokens), log_probability, score, truncated, tuple(attended))
