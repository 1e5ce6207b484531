"""Short forms of the attacks that `make attack` makes: bounds on memory, on threads and on the end of the process.

The bounds of a connection have tests of their own, in tests/unit/app/edge.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from app.api.middleware.body_budget import BodyBudget
from app.api.request_body import _parse_urlencoded
from app.errors import InvalidRequest, Overloaded
from app.fairness.budget import checkpoint
from app.fairness.pool import TEXT_POOL
from app.settings import Settings
from tests.support.fakes import FakeEngine, build, client_of, serving

ROOT = Path(__file__).parents[2]
LIMIT = 64 * 1024  # of what is not counted of a body


def translation(text: str, **more: object) -> dict[str, object]:
    return {"q": text, "source": "de", "target": "en", **more}


async def test_long_bodies_share_a_budget_until_they_are_answered_and_short_ones_need_none() -> None:
    engine = FakeEngine()
    settings = Settings(
        max_body_bytes=200_000, max_text_chars=150_000, max_bodies_bytes=200_000, max_document_bytes=200_000
    )
    long = translation("WAIT " + " " * 140_000 + "Ende.")  # two of them need 2 * (140,000 - 65,536) bytes and a few
    longer = translation(" " * 149_000)
    async with serving(engine, settings) as client:
        waiting = [asyncio.create_task(client.post("/translate", json=long)) for _ in range(2)]
        while len(engine.calls) < 2:
            await asyncio.sleep(0)
        refused = await client.post("/translate", json=longer)
        assert (refused.status_code, refused.json()["code"]) == (503, "overloaded") and refused.headers["Retry-After"]
        assert (await client.post("/translate", json=translation("Guten Morgen!"))).status_code == 200
        engine.may_go_on.set()
        assert [answer.status_code for answer in await asyncio.gather(*waiting)] == [200, 200]
        assert (await client.post("/translate", json=longer)).status_code == 200


async def test_an_answer_that_is_not_read_keeps_its_body_counted() -> None:
    may_read, sent = asyncio.Event(), []

    async def application(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 200_000})

    async def receive():
        return {"type": "http.request", "body": b"x" * (LIMIT + 1_000), "more_body": False}

    async def send(message):
        assert type(message.get("body", b"")) is bytes  # Ray's proxies pickle it
        sent.append(len(message.get("body", b"")))
        if len(sent) == 3:
            await may_read.wait()

    budget = BodyBudget(application, 2_000)
    request = asyncio.create_task(budget({"type": "http"}, receive, send))
    while len(sent) < 3:
        await asyncio.sleep(0)
    assert budget.held_bytes == 1_000
    with pytest.raises(Overloaded):
        for _ in range(2):
            await BodyBudget(application, 999)({"type": "http"}, receive, send)
    may_read.set()
    await request
    assert budget.held_bytes == 0 and sum(sent) == 200_000


async def test_a_body_that_says_it_is_too_long_is_refused_before_it_is_read() -> None:
    engine = FakeEngine()
    async with serving(engine, Settings(max_body_bytes=2_000, max_text_chars=1_000)) as client:

        async def never():
            yield b"{"
            raise AssertionError("the body was read")

        headers = {"Content-Type": "application/json", "Content-Length": "2001"}
        answer = await client.post("/translate", content=never(), headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("name", ["escapes", "fields"])
def test_a_form_costs_a_small_multiple_of_its_size(name: str) -> None:
    body = {"escapes": b"q=" + b"%41" * 400_000, "fields": b"a=&" * 9_000 + b"q=" + b"b" * 1_000_000}[name]
    tracemalloc.start()
    _parse_urlencoded(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * len(body)


async def test_a_text_over_the_limit_is_refused_before_it_is_decoded_to_its_end() -> None:
    async with serving(FakeEngine()) as client:
        for media_type, begin, unit in (("x-www-form-urlencoded", b"q=", b"%41"), ("json", b'{"q":"', b"\\n")):
            body = begin + unit * 4_100_000 + b"%FF\xff"  # neither is UTF-8, but nobody reads that far
            headers = {"Content-Type": f"application/{media_type}"}
            answer = await client.post("/translate", content=body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (400, "text_too_long")


@pytest.mark.parametrize("unit", [b"[],", b'{"a":[]},', b'"",', b"1,"])
async def test_json_that_is_mostly_structure_is_refused(unit: bytes) -> None:
    body = b'{"source":"de","target":"en","q":[' + unit * 250_000 + b"1]}"
    async with serving(FakeEngine()) as client:
        answer = await client.post("/translate", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "text_too_long")


def spin_until(over: threading.Event) -> None:
    while not over.is_set():
        checkpoint()


async def test_eight_long_jobs_keep_nobody_from_html_detection_and_long_texts() -> None:
    over = threading.Event()
    jobs = [asyncio.create_task(TEXT_POOL.run(spin_until, over)) for _ in range(8)]
    async with serving(FakeEngine()) as client:
        html = await client.post("/translate", json=translation("<b>Guten Morgen!</b>", format="html"))
        protected = await client.post("/translate", json=translation("Guten Morgen!", protect=["x"]))
        long = await client.post("/translate", json=translation("Guten Morgen! " * 300))
        detected = await client.post("/detect", json={"q": "Guten Morgen!"})
        ready = await client.get("/readyz")
    assert [answer.status_code for answer in (html, protected, long, detected, ready)] == [200] * 5
    assert not any(job.done() for job in jobs)
    over.set()
    await asyncio.gather(*jobs)


@pytest.mark.parametrize("end", ["deadline", "hang-up"])
async def test_work_on_a_text_ends_with_its_request(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object, **__: object) -> None:
        spin_until(threading.Event())

    monkeypatch.setattr("app.translation.passages.extract_parts", endless)
    app = build(FakeEngine())
    async with app.router.lifespan_context(app), client_of(app) as client:
        wanted = translation("<b>Hallo</b>", format="html", **({"deadline_ms": 1} if end == "deadline" else {}))
        request = asyncio.create_task(client.post("/translate", json=wanted))
        if end == "deadline":
            assert (await request).status_code == 504
        else:
            while not TEXT_POOL.statistics()["text_jobs_running"]:
                await asyncio.sleep(0)
            request.cancel()
            await asyncio.gather(request, return_exceptions=True)
        while any(TEXT_POOL.statistics().values()):
            await asyncio.sleep(0)


PROGRAM = """
import asyncio, threading
from app.cli import server
from app.main import create_app
from app.settings import Settings
from app.fairness.pool import TEXT_POOL
from tests.support.fakes import FakeEngine

never = threading.Event()

async def occupy():
    {occupy}

settings = Settings(port=0, drain_timeout_s=2)
server.run(create_app(settings, FakeEngine()), settings, announce=lambda url: print(url, flush=True), on_hangup=occupy)
"""


@pytest.mark.parametrize(
    ("occupy", "code"),
    [
        ("print('busy', flush=True); await TEXT_POOL.run(never.wait)", 0),
        ("print('busy', flush=True); await asyncio.to_thread(never.wait)", 1),
    ],
)
def test_sigterm_ends_the_process_within_the_time_to_drain_whatever_runs(occupy: str, code: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(occupy=occupy)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline().startswith("http")
        process.send_signal(signal.SIGHUP)
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == code


async def test_a_misspelt_form_is_an_error_that_says_so() -> None:
    with pytest.raises(InvalidRequest, match="not UTF-8"):
        _parse_urlencoded(b"q=%ff")
    assert json.dumps(_parse_urlencoded(b"q=%C3%A4+b&x")) == json.dumps([("q", "ä b"), ("x", "")])
