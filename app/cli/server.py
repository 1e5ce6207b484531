"""Runs the app under uvicorn: binds the port, prints the addresses, ends cleanly. Knows nothing of translation."""

import asyncio
import ctypes
import gc
import logging
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, cast

import uvicorn

from app.edge.connections import Connection, Connections, Limits, Refuse, accept_waiting, check_all, let_in
from app.edge.protocol import BoundedProtocol
from app.errors import ConfigurationError
from app.settings import Settings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Hangup = Callable[[], Awaitable[object]]
AsgiApp = Callable[[Message, Receive, Send], Awaitable[None]]


logger = logging.getLogger(__name__)

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # in malloc.h
_LOOK_EVERY_S = 10
_LONGEST_BUSY_S = 600
_NEVER = 1_000_000
# Longer than proxies keep idle connections, mostly a minute: a request must not meet one that is being closed.
_KEEP_ALIVE_S = 75
# Of the time to drain, the end is there to cancel what still runs, answer it, and stop the model.
_LAST_S = 2.0
_LAST_SHARE = 1 / 4
_LEAST_S = 1.0  # that an end may take, even without time to drain
_CHECK_EVERY_TICKS = 10  # of uvicorn's, a tenth of a second each
_SWITCH_S = 0.0005
_LISTENERS = 16
_OTHER_FILES = 256  # models, logs, what libraries open: not for connections


def run(
    app: AsgiApp,
    settings: Settings,
    announce: Callable[[str], None],
    refuse: Refuse = let_in,
    on_hangup: Hangup | None = None,
) -> None:
    """Serves ``app`` until SIGTERM or SIGINT; requests already accepted are finished first.

    Args:
        app: The ASGI application; its lifespan is run.
        settings: Host, port, URL prefix and the time to drain at shutdown.
        announce: Called once, with the base URL, when connections are accepted.
        refuse: As of ``Connections``.
        on_hangup: Called at each SIGHUP; None lets the signal end the process, as is its habit.

    Raises:
        ConfigurationError: The address can't be listened on.
        Exception: The error that made the application's start-up fail.
    """
    _tune_allocator()
    # A thread that works on texts lets others run after this time, of which the event loop waits several for a request.
    sys.setswitchinterval(_SWITCH_S)
    # Before the model is loaded: a port that is taken should be known at once.
    listeners = _bind(settings.host, settings.port)
    guarded = _KeepStartupError(app)
    config = uvicorn.Config(
        guarded,
        http=_protocol(refuse),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the application reads them
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=cast(int, _requests_may_take_s(settings.drain_timeout_s)),
        timeout_notify=_LOOK_EVERY_S,
    )
    server = _Server(config, lambda: announce(_base_url(settings, listeners[0])), on_hangup, settings.drain_timeout_s)
    # After its own clean end uvicorn raises the signal once more, which would turn the exit code into 143.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    try:
        server.run(sockets=listeners)
    except SystemExit:
        if guarded.error is None:
            raise
        raise guarded.error from None
    finally:
        for listener in listeners:
            listener.close()


def _protocol(refuse: Refuse) -> Any:
    limits = Limits(connections=_most_connections(Limits.connections))
    return partial(BoundedProtocol, Connections(limits, refuse))


def _requests_may_take_s(drain_s: float) -> float:
    """Returns the seconds that requests get after SIGTERM, a part of the drain timeout."""
    return drain_s - min(_LAST_S, drain_s * _LAST_SHARE)


def _tune_allocator() -> None:
    """Make glibc return freed memory: blocks of 1 MiB or more at once, and smaller blocks beyond 4 MiB.

    By default, glibc raises the first threshold with the blocks that it sees, up to 32 MiB, and keeps smaller blocks.
    Arrays of all sizes are freed here, and the free memory between live arrays took a third of the process. If only the
    first threshold is set, glibc takes 128 KiB for the second. Then every decoder step gets new memory: 400 page faults
    a sentence, 5 % of its time.
    """
    with suppress(AttributeError, OSError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, 1 << 20)
        mallopt(_M_TRIM_THRESHOLD, 4 << 20)


def _most_connections(most: int) -> int:
    """Returns how many connections may be open: ``most``, or fewer if the process may open fewer files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(soft // 2, soft - _OTHER_FILES)
    return most


class _Server(uvicorn.Server):
    """Says when it is ready, listens to SIGHUP, ends slow clients, and looks for garbage when nobody waits."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], None], on_hangup: Hangup | None, drain_s: float
    ) -> None:
        super().__init__(config)
        self._announce, self._on_hangup, self._drain_s = announce, on_hangup, drain_s
        config.callback_notify, self._busy_s = self._collect_garbage, 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._on_hangup:
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._hang_up, self._on_hangup)
        await super().startup(sockets)
        # Loaded objects stay: exclude them from garbage collection, which would take 20 ms for them each time.
        gc.collect()
        gc.freeze()
        # A full collection stops the process: for 50 ms while 400 requests wait, and longer and more often with more
        # requests. So it only runs when no request waits; young generations are collected as usual.
        gc.set_threshold(*gc.get_threshold()[:2], _NEVER)
        self._announce()

    async def on_tick(self, counter: int) -> bool:
        """Called by uvicorn ten times a second."""
        if counter % _CHECK_EVERY_TICKS == 0:
            connections = cast(set[Connection], self.server_state.connections)
            check_all(connections, asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handles SIGTERM and SIGINT: the process ends within the drain timeout, even if a call doesn't return."""
        if not self.should_exit:
            timer = threading.Timer(max(self._drain_s, _LEAST_S), _leave)
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Called by uvicorn after SIGTERM or SIGINT.

        The system queues connections for a busy process, and their clients may have sent requests already. Closing the
        listening sockets would reset the queued connections. So this accepts them first.
        """
        listeners = [listener.dup() for listener in sockets or ()]
        for server in self.servers:
            server.close()
        clients = []
        for listener in listeners:
            clients += accept_waiting(listener)
            listener.close()
        protocol = partial(
            cast(Any, self.config.http_protocol_class), self.config, self.server_state, self.lifespan.state
        )
        for client in clients:
            await asyncio.get_running_loop().connect_accepted_socket(protocol, client)
        await super().shutdown(sockets)

    async def _collect_garbage(self) -> None:
        """Called every ``_LOOK_EVERY_S``."""
        self._busy_s = self._busy_s + _LOOK_EVERY_S if self.server_state.tasks else 0
        if self._busy_s % _LONGEST_BUSY_S == 0:
            gc.collect()

    def _hang_up(self, on_hangup: Hangup) -> None:
        task = asyncio.create_task(_logging_errors(on_hangup))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _leave() -> None:
    """Ends the process even if a call that can't be stopped is still running."""
    logger.error("the drain timeout passed; requests in progress are aborted")
    logging.shutdown()
    os._exit(1)


async def _logging_errors(action: Hangup) -> None:
    try:
        await action()
    except Exception:
        logger.exception("reload failed")


class _KeepStartupError:
    """Keeps the exception of a failed start-up, which uvicorn would only log, as a traceback."""

    def __init__(self, app: AsgiApp) -> None:
        self.error: Exception | None = None
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_without_traceback(message: Message) -> None:
            await send({**message, "message": ""} if message["type"] == "lifespan.startup.failed" else message)

        try:
            await self._app(scope, receive, send_without_traceback)
        except Exception as error:
            self.error = error
            raise


def _bind(host: str, port: int) -> list[socket.socket]:
    """Returns sockets of one address, among which the system distributes new connections.

    Since 1.45, libuv accepts one connection of a socket in each round of the event loop, and a busy loop makes few
    rounds: with one socket and 1,000 requests a second, new connections waited for up to 17 seconds.

    Raises:
        ConfigurationError: The address can't be listened on.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise ConfigurationError(f"can't listen on {host}: {error.strerror}") from None
    try:
        first = _bound(family, address)
        if not hasattr(socket, "SO_REUSEPORT"):
            return [first]
        # It has shown that no other process has the port, which sockets that share it would not.
        address = first.getsockname()
        first.close()
        return [_bound(family, address, shared=True) for _ in range(_LISTENERS)]
    except OSError as error:
        raise ConfigurationError(f"can't listen on {host} port {port}: {error.strerror}") from None


def _bound(family: int, address: Any, *, shared: bool = False) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    # A server that is started again at once must not wait for the last one's closed connections to time out.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def _base_url(settings: Settings, listener: socket.socket) -> str:
    """A URL that a browser on this machine can open; the port is the real one where 0 was asked for."""
    host = {"0.0.0.0": "localhost", "::": "localhost"}.get(settings.host, settings.host)
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{listener.getsockname()[1]}{settings.root_path}"
