"""Traces for OpenTelemetry, once ``start`` was called; before, a span costs a look at a variable.

Spans hold ids, counts, times and classes of errors: never a text, a key, an address, or the message of an error, which
can quote a text. They are made only below a request or a document.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from app.errors import ConfigurationError
from app.installation import how_to_install
from app.logs import request_id

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.trace import Span

_OFF = nullcontext()
_provider: "TracerProvider | None" = None
_current: ContextVar["Span | None"] = ContextVar("span", default=None)


def start(processor: "SpanProcessor | None" = None) -> None:
    """Traces from now on; the variables ``OTEL_*`` choose collector, sampler and names, as in the SDK.

    Args:
        processor: Gets the spans; None sends them to the collector of ``OTEL_EXPORTER_OTLP_ENDPOINT``, by HTTP.

    Raises:
        ConfigurationError: The extra ``tracing`` is missing.
    """
    global _provider
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigurationError(f"tracing needs an extra ({error}): {how_to_install('tracing')}") from None
    os.environ.setdefault("OTEL_SERVICE_NAME", "dragoman")
    provider = TracerProvider()
    provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
    _provider = provider


def stop() -> None:
    """Sends what is left, and traces no more."""
    global _provider
    provider, _provider = _provider, None
    if provider:
        provider.shutdown()


def entered(
    name: str, *, headers: Mapping[str, str] | None = None, **attributes: str | int
) -> AbstractContextManager["Span | None"]:
    """A span with the id of the request. Later spans of this task, and of the tasks it starts, go below it.

    Args:
        name: Its name.
        headers: Of the request, or of ``headers_of``: with ``traceparent`` (W3C Trace Context) it is a part of that
            trace. Without, it begins one.
        attributes: Its attributes.
    """
    return _entered(_provider, name, headers or {}, attributes) if _provider else _OFF


def span(name: str, **attributes: str | int) -> AbstractContextManager["Span | None"]:
    """A span below the one that was entered; nothing without one."""
    parent = _current.get() if _provider else None
    return _ended(_provider, name, _below(parent), attributes) if _provider and parent else _OFF


def is_entered() -> bool:
    """Tells whether spans are recorded below one that was entered."""
    return _provider is not None and _current.get() is not None


class Phase(NamedTuple):
    """A span that is over; times are those of ``time.monotonic``."""

    name: str
    began: float
    ended: float
    attributes: Mapping[str, int]


def record(*phases: Phase) -> None:
    """Adds spans below the one that was entered."""
    if _provider and (parent := _current.get()):
        offset = time.time_ns() - time.monotonic_ns()  # read once, so that one phase ends when the next begins
        for name, began, ended, attributes in phases:
            made = _provider.get_tracer(__name__).start_span(
                name, _below(parent), attributes=attributes, start_time=offset + int(began * 1e9)
            )
            made.end(offset + int(ended * 1e9))


def headers_of(made: "Span | None") -> dict[str, str]:
    """Headers that make a request to another process a part of this trace; none for no span."""
    headers: dict[str, str] = {}
    if made:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers, _below(made))
    return headers


def _below(parent: "Span | None") -> "Context":
    from opentelemetry.context import Context
    from opentelemetry.trace import set_span_in_context

    # Not OpenTelemetry's own context, in which other libraries, such as Ray, may have spans of theirs.
    return set_span_in_context(parent, Context()) if parent else Context()


@contextmanager
def _entered(
    provider: "TracerProvider", name: str, headers: Mapping[str, str], attributes: Mapping[str, str | int]
) -> Iterator["Span"]:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent = TraceContextTextMapPropagator().extract(headers, _below(None))
    named = {**attributes, "dragoman.request_id": request_id.get() or ""}
    with _ended(provider, name, parent, named) as made:
        token = _current.set(made)
        try:
            yield made
        finally:
            with suppress(ValueError):  # a generator may be closed in another context than it ran in
                _current.reset(token)


@contextmanager
def _ended(
    provider: "TracerProvider", name: str, parent: "Context", attributes: Mapping[str, str | int]
) -> Iterator["Span"]:
    from opentelemetry.trace import StatusCode

    made = provider.get_tracer(__name__).start_span(name, parent, attributes=attributes)
    try:
        yield made
    except BaseException as error:
        made.set_attribute("error.type", type(error).__name__)
        made.set_status(StatusCode.ERROR)
        raise
    finally:
        made.end()
