"""Traces: the spans of a request, below the caller's, without a word of the text."""

import asyncio
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from app import tracing
from app.engine.interface import TranslationCall, collect
from tests.support.fakes import FakeEngine, serving
from tests.support.tiny import VOCABULARY
from tests.support.toy import ToyModel, engine_of, greedy
from tests.unit.app.engine.test_single_model import started

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
BODY = {"q": "Geheimnis. Guten Morgen!", "source": "de", "target": "en"}


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.start(SimpleSpanProcessor(exporter))
    yield exporter
    tracing.stop()


def names(spans: tuple[ReadableSpan, ...]) -> list[str]:
    return [span.name for span in spans]


async def test_a_request_is_part_of_the_callers_trace(exporter):
    async with serving(FakeEngine()) as client:
        await client.post("/translate", json=BODY, headers={**TRACEPARENT, "X-Request-ID": "id-1"})
    *inner, request = exporter.get_finished_spans()
    assert request.name == "POST /translate"
    assert (f"{request.context.trace_id:032x}", f"{request.parent.span_id:016x}") == (TRACE, PARENT)
    assert request.attributes == {"http.response.status_code": 200, "dragoman.request_id": "id-1"}
    assert {"prepare", "render"} == set(names(inner))
    assert {span.parent.span_id for span in inner} == {request.context.span_id}


@pytest.mark.parametrize("headers", [{}, {"traceparent": "nonsense"}, {"traceparent": f"00-{'0' * 32}-{PARENT}-01"}])
async def test_a_request_without_a_trace_begins_one(exporter, headers):
    async with serving(FakeEngine()) as client:
        await client.get("/health", headers=headers)
    [request] = exporter.get_finished_spans()
    assert request.parent is None
    assert request.context.trace_id


async def test_nothing_of_the_user_is_in_a_span(exporter):
    engine = FakeEngine()
    async with serving(engine) as client:
        await client.post("/translate?api_key=Geheimnis", json=BODY)
        await client.get("/Geheimnis")
        engine.error = RuntimeError("Geheimnis")
        await client.post("/v2/translate", json={"text": ["Geheimnis"], "target_lang": "EN"})
    spans = exporter.get_finished_spans()
    assert "Geheimnis" not in "".join(span.to_json() for span in spans)
    assert [span.name for span in spans if span.parent is None] == [
        "POST /translate",
        "GET unknown",
        "POST /v2/translate",
    ]


async def test_requests_side_by_side_have_traces_of_their_own(exporter):
    async with serving(FakeEngine()) as client:
        await asyncio.gather(*(client.post("/translate", json=BODY) for _ in range(5)))
    spans = exporter.get_finished_spans()
    requests = {span.context.trace_id: span for span in spans if span.parent is None}
    assert len(requests) == 5
    assert all(span.parent.span_id == requests[span.context.trace_id].context.span_id for span in spans if span.parent)


async def test_a_sentence_waits_is_encoded_and_decoded(exporter, tiny_bundle):
    call = TranslationCall(texts=["Ich möchte ein Bier."], source="de", target="en", options=greedy(max_length=4))
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        assert exporter.get_finished_spans() == (), "the self-test is no request"
        with tracing.entered("replica", headers=TRACEPARENT) as parent:
            await collect(engine.stream(call), 1)
    *phases, replica = exporter.get_finished_spans()
    assert names(phases) == ["queue", "encode", "decode"]
    assert {span.parent.span_id for span in phases} == {parent.context.span_id}
    assert [span.end_time for span in phases[:2]] == [span.start_time for span in phases[1:]]
    assert replica.start_time - 1e6 < phases[0].start_time <= phases[2].end_time < replica.end_time + 1e6
    assert phases[1].attributes["source_tokens"] > 1
    assert 0 <= phases[2].attributes["target_tokens"] <= 4


async def test_a_long_text_leaves_few_spans(exporter, tiny_bundle):
    call = TranslationCall(texts=["Ja. " * 100], source="de", target="en", options=greedy(max_length=2))
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        with tracing.entered("replica"):
            await collect(engine.stream(call), 1)
    assert len(exporter.get_finished_spans()) == 3 * 16 + 1


async def test_the_trace_goes_on_in_another_process(exporter):
    with tracing.entered("ingress") as ingress:
        with tracing.span("call", deployment="0-de-en") as call:
            headers = tracing.headers_of(call)
        with pytest.raises(KeyError), tracing.span("lost"):
            raise KeyError("Geheimnis")
    with tracing.entered("replica", headers=headers) as replica:
        pass
    assert replica.context.trace_id == ingress.context.trace_id
    assert replica.parent.span_id == call.context.span_id
    [lost] = [span for span in exporter.get_finished_spans() if span.name == "lost"]
    assert not lost.status.is_ok and lost.attributes == {"error.type": "KeyError"}
    assert not lost.events and not lost.status.description


async def test_a_generator_may_be_closed_elsewhere(exporter, caplog):
    async def generator():
        with tracing.entered("replica"):
            yield 1
            yield 2

    events = generator()
    await asyncio.create_task(anext(events))
    await asyncio.create_task(events.aclose())
    assert names(exporter.get_finished_spans()) == ["replica"]
    assert not caplog.records


async def test_there_are_no_spans_when_it_is_off():
    with tracing.entered("request") as request, tracing.span("prepare") as span:
        tracing.record(tracing.Phase("queue", 0.0, 1.0, {}))
    assert request is span is None
    assert tracing.headers_of(span) == {}
