"""uvicorn's HTTP protocol, with bounds on the size of a request and on the time that a client may take.

uvicorn's protocol for the parser httptools has no limit for heads, no time limit except keep-alive, and drops the body
of a request that offers an upgrade. This module adds all three. uvicorn's protocol for the parser h11 limits heads and
reads such bodies, but needs three times the processor time for a request.
"""

import asyncio
import json
import re
import socket
from collections.abc import MutableMapping
from typing import Any, cast

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from app.edge.connections import Connections, Refusal, Window, has_hung_up, has_unread

_UPGRADE_HEADERS = frozenset({b"upgrade", b"http2-settings"})
_HOST = re.compile(rb"[-\w.~!$&'()*+,;=%:\[\]]*")  # RFC 3986, section 3.2.2; may be empty
# Text and code of errors that are answered before a request reaches an endpoint.
_REFUSALS = {
    400: ("This is not valid HTTP/1.1.", "invalid_http"),
    405: ("This server is not a proxy.", "method_not_allowed"),
    408: ("The request did not come completely in time.", "request_timeout"),
    431: ("Request line and headers are longer than 64 KiB together.", "head_too_large"),
}


class BoundedProtocol(HttpToolsProtocol):
    """One connection.

    Args:
        connections: The server's connections and their limits.
        config: uvicorn's configuration.
        server_state: uvicorn's state, shared by all connections.
        app_state: The lifespan's state.
    """

    def __init__(
        self,
        connections: Connections,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._shared, self._limits = connections, connections.limits
        self._running: RequestResponseCycle | None = None  # the request in progress, or the last one
        self._is_refused = self._is_ending = False
        self._in_head = self._in_body = self._has_body = False
        self._head_bytes = 0  # received of the current head, or since the last piece with a part of a body: trailers
        self._received_bytes = 0
        self._began_s = 0.0  # when the first byte of the request came
        self._arriving: Window | None = None
        self._leaving: Window | None = None

    # Called by uvicorn and the event loop

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        if not self._shared.make_room(len(self.connections)):
            self.give_way()
            return
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed: none of its requests, pipelined ones included, needs an answer any more."""
        self._shared.forget(self)
        self._shared.pipelined -= len(self.pipeline)
        for cycle in (self._running, *(cycle for cycle, _ in self.pipeline)):
            if cycle and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes have come; they are parsed in pieces, so that no head exceeds its limit unseen."""
        self._unset_keepalive_if_required()
        self._shared.idle.pop(self, None)
        self._received_bytes += len(data)
        while data and not self._is_refused:
            size = self._limits.head_bytes - (0 if self._in_body else self._head_bytes)
            piece, data = (data, b"") if len(data) <= size else (data[:size], data[size:])
            self._has_body = False
            self._feed(piece)
            if (self._in_head or self._in_body) and not self._has_body:
                self._head_bytes += len(piece)
                if self._head_bytes >= self._limits.head_bytes:
                    self._refuse(431)
        self._note_whether_complete()

    def timeout_keep_alive_handler(self) -> None:
        """No request has come within the keep-alive time."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # the last answer was not read, and close() would wait for that
        super().timeout_keep_alive_handler()

    def check(self, now: float) -> None:
        """Ends the connection if its client takes too long or has closed it unnoticed."""
        if self.transport.is_closing() and not self.transport.get_write_buffer_size():
            return
        if self._is_slow_reader(now):
            self.transport.abort()
        elif self in self._shared.unfinished:
            self._check_arrival(now)
        # While reading is paused, the event loop doesn't notice that a client closes the connection.
        if self.flow.read_paused and self._is_at_work and has_hung_up(self._descriptor):
            self.transport.abort()

    def shutdown(self) -> None:
        """The server ends: what has come, or is on its way on a new connection, is answered before it closes.

        uvicorn closes every connection whose request it hasn't begun to read. A busy event loop reads late: 400 of 500
        requests that were up to half a second old got no answer.
        """
        self._is_ending = True
        if self._is_at_work or not self._may_have_request():
            super().shutdown()
        else:
            self.loop.call_later(self._limits.ending_s, self._end_unless_at_work)

    def give_way(self) -> None:
        """Ends the connection at once to make room for another."""
        self._is_refused = True
        self.transport.abort()

    # Called by the parser

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._began_s = self.loop.time()

    def on_headers_complete(self) -> None:
        """A head is complete."""
        self._in_head = False
        self._head_bytes = 0
        if self._is_refused or self.parser.should_upgrade():
            return  # a request that offers an upgrade is parsed again without the offer
        if not self._has_valid_host():
            self._refuse(400, "A request needs one header Host, the name of this server.")
            return
        self._in_body = True
        waiting = len(self.pipeline)
        super().on_headers_complete()
        if self._is_ending:
            self.cycle.keep_alive = False
        self._shared.pipelined += len(self.pipeline) - waiting
        if self._shared.pipelined > self._limits.pipelined:
            self.give_way()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A line of a head, or of the trailers behind a body, which nobody needs."""
        if not self._in_body:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        self._has_body, self._head_bytes = True, 0
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is complete."""
        if not self._is_refused and not self.parser.should_upgrade():
            self._in_body = False
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request is answered."""
        waiting = len(self.pipeline)
        super().on_response_complete()
        self._shared.pipelined += len(self.pipeline) - waiting
        if not self.transport.is_closing() and not self._in_body and not self._in_head and not self.pipeline:
            self._shared.idle[self] = None
        elif self._in_body:
            # The remaining bytes are read and discarded, so that the client gets to read its answer.
            self._began_s = self.loop.time()

    # Our own

    @property
    def _is_at_work(self) -> bool:
        return self._running is not None and not self._running.response_complete

    @property
    def _descriptor(self) -> int:
        connection: socket.socket = self.transport.get_extra_info("socket")
        return connection.fileno()

    def _may_have_request(self) -> bool:
        """Tells whether a request may come that the client sent, or is sending, before it could know of the end."""
        return self._in_head or not self._received_bytes or has_unread(self._descriptor)

    def _end_unless_at_work(self) -> None:
        if self.transport.is_closing() or self._is_at_work:
            return
        if has_unread(self._descriptor):  # the event loop is late
            self.loop.call_later(self._limits.ending_s, self._end_unless_at_work)
        elif self._in_head:
            self._refuse(408)
        else:
            self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        refusal = self._shared.refuse(cast(MutableMapping[str, Any], cycle.scope))
        if refusal is None:
            super()._start_asgi_task(cycle, app)
        else:  # as a task would: not before the parser has seen what came with the head
            self.loop.call_soon(self._send_refusal, cycle, refusal)

    def _send_refusal(self, cycle: RequestResponseCycle, refusal: Refusal) -> None:
        if cycle.disconnected:
            return
        lines = [b"%b: %b\r\n" % header for header in refusal.headers]
        lines += [] if cycle.keep_alive else [b"connection: close\r\n"]
        self.transport.write(b"".join([STATUS_LINE[refusal.status], *lines, b"\r\n", refusal.body]))
        cycle.response_started = cycle.response_complete = True
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()

    def _has_valid_host(self) -> bool:
        """Tells whether there is one Host, which HTTP/1.0 does not need (RFC 9112, section 3.2)."""
        hosts = [value for name, value in self.headers if name == b"host"]
        if not hosts:
            return self.parser.get_http_version() == "1.0"
        return len(hosts) == 1 and _HOST.fullmatch(hosts[0]) is not None

    def _wait_for_request(self) -> None:
        self._shared.idle[self] = None
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._decline_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            if not self._is_refused:
                self._refuse(400)

    def _decline_upgrade(self, rest: bytes) -> None:
        """Ignores the offer of another protocol, which is how a server declines it (RFC 9110, section 7.8).

        Some clients (Java's, ``curl --http2``) offer h2c with every request. After such a head the parser expects the
        other protocol, so it gets the head again without the offer.
        """
        method = self.parser.get_method()
        if method == b"CONNECT":
            self._refuse(405)
            return
        head = [method, b" ", self.url, b" HTTP/", self.parser.get_http_version().encode(), b"\r\n"]
        for name, value in self.headers:
            if name == b"connection":
                tokens = [token.strip() for token in value.split(b",")]
                value = b", ".join(token for token in tokens if token.lower() not in _UPGRADE_HEADERS)
            if name not in _UPGRADE_HEADERS and (value or name != b"connection"):
                head += [name, b": ", value, b"\r\n"]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # like uvicorn
        self._feed(b"".join([*head, b"\r\n"]))
        if rest and not self._is_refused:
            self._feed(rest)

    def _refuse(self, status: int, text: str = "") -> None:
        """Answers a request that can't be served, after the answer in progress, and closes the connection."""
        self._is_refused = True
        running = self._running if self._is_at_work else None
        if running and not running.more_body:
            running.keep_alive = False  # it is the last
            return
        if not (running and running.response_started):
            usual_text, code = _REFUSALS[status]
            body = json.dumps({"error": text or usual_text, "code": code}).encode()
            self.transport.write(
                STATUS_LINE[status]
                + b"content-type: application/json\r\nconnection: close\r\n"
                + b"content-length: %d\r\n\r\n" % len(body)
                + body
            )
        self.transport.close()

    def _note_whether_complete(self) -> None:
        if self._is_refused or not (self._in_head or self._in_body):
            self._shared.unfinished.pop(self, None)
            self._arriving = None
            if not self._is_at_work and not self.timeout_keep_alive_task and not self.transport.is_closing():
                self._wait_for_request()  # the remaining body of an answered request has come
        else:
            self._shared.begin(self)

    def _check_arrival(self, now: float) -> None:
        taken_s = now - self._began_s
        if self._in_head:
            if taken_s > self._limits.head_s:
                self._refuse(408)
        elif not self._is_at_work:
            if taken_s > self._limits.discard_s:
                self.transport.abort()
        elif self.flow.read_paused:
            self._arriving = None  # we read slowly, not the client
        else:
            self._arriving = self._arriving or Window(now, self._received_bytes)
            if self._arriving.is_too_slow(now, self._received_bytes, self._limits):
                self._refuse(408)

    def _is_slow_reader(self, now: float) -> bool:
        waiting = self.transport.get_write_buffer_size()
        if not waiting:
            self._leaving = None
            return False
        # Bytes leave as the buffer shrinks. If a new answer makes it grow, the next window begins.
        self._leaving = self._leaving or Window(now, -waiting)
        if -waiting < self._leaving.nbytes:
            self._leaving = Window(now, -waiting)
        return self._leaving.is_too_slow(now, -waiting, self._limits)
