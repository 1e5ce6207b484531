"""A server in a thread of the test's process, for clients that need a socket but no model."""

import asyncio
import threading
from typing import Any

import uvicorn

from app.settings import Settings
from tests.support.fakes import FakeEngine, build

START_LIMIT_S = 60.0


class Server:
    """An application with a FakeEngine, in a thread of its own, so that tests can stop it and start it again.

    Args:
        settings: Of the application; it doesn't wait for requests under way when it ends.
    """

    def __init__(self, settings: Settings) -> None:
        self.engine = FakeEngine()
        self._settings = settings.model_copy(update={"drain_timeout_s": 0})
        self.port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Serve, on the same port as before if there was one."""
        self.engine.may_go_on = asyncio.Event()  # for the loop of now: the earlier one belongs to that of before
        app = build(self.engine, self._settings)
        config = uvicorn.Config(app, port=self.port, log_level="error", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        started = threading.Event()
        startup = self._server.startup

        async def startup_and_tell(*arguments: Any, **options: Any) -> None:
            await startup(*arguments, **options)
            self._loop = asyncio.get_running_loop()
            self.port = self._server.servers[0].sockets[0].getsockname()[1]
            started.set()

        self._server.startup = startup_and_tell  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        assert started.wait(START_LIMIT_S)

    def stop(self) -> None:
        """Close everything, requests under way too."""
        self._server.force_exit = self._server.should_exit = True
        self._thread.join()

    def go_on(self) -> None:
        """Let sentences with "WAIT" be translated."""
        self._loop.call_soon_threadsafe(self.engine.may_go_on.set)
