"""Valkey, or Redis: data that several servers share and can do without for a while."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.errors import ConfigurationError
from app.installation import how_to_install

try:
    from valkey.asyncio import BlockingConnectionPool
    from valkey.asyncio import Valkey as Client
    from valkey.exceptions import ValkeyError
except ImportError:
    raise ConfigurationError(f"DRAGOMAN_VALKEY needs its client: {how_to_install('valkey')}") from None

_CONNECTIONS = 8
_PAUSE_S = 1.0

logger = logging.getLogger(__name__)
Result = TypeVar("Result")


class ValkeyUnavailable(Exception):
    """Valkey failed, or did not answer in time."""


class Valkey:
    """A client with short timeouts. It connects on first use.

    Args:
        address: As in ``valkey://user:password@host:6379/0``; ``valkeys://`` is with TLS.
        timeout_s: Time for a command, the connection included. After a failure nothing is asked for a second, so that a
            host that has vanished costs one request a second this time, and the others nothing.

    Raises:
        ConfigurationError: The address is malformed, or the client library is not installed.
    """

    def __init__(self, address: str, timeout_s: float) -> None:
        address = address.replace("redis", "valkey", 1) if address.startswith("redis") else address
        try:
            # One more command waits for a connection; the time for a command bounds that, too.
            pool = BlockingConnectionPool.from_url(address, max_connections=_CONNECTIONS, timeout=None)
        except ValueError as error:
            raise ConfigurationError(f"DRAGOMAN_VALKEY: {error}") from None
        self.client = Client.from_pool(pool)
        self._timeout_s = timeout_s
        self._paused_until = 0.0
        self._is_away = False

    async def run(self, command: Callable[[], Awaitable[Result]]) -> Result:
        """Returns the result of the command.

        Args:
            command: Uses ``client``.

        Raises:
            ValkeyUnavailable: Valkey is out of reach, too slow or full, or was a moment ago.
        """
        if time.monotonic() < self._paused_until:
            raise ValkeyUnavailable
        try:
            async with asyncio.timeout(self._timeout_s):
                result = await command()
        except (TimeoutError, OSError, ValkeyError) as error:
            self._paused_until = time.monotonic() + _PAUSE_S
            if not self._is_away:
                # Not its words: those of a server may quote the command.
                logger.warning("Valkey can't be used", extra={"reason": type(error).__name__})
            self._is_away = True
            raise ValkeyUnavailable from error
        if self._is_away:
            logger.info("Valkey is back")
        self._is_away = False
        return result

    async def close(self) -> None:
        """Closes the connections."""
        await self.client.aclose()
