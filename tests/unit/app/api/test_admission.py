"""Which requests count as being on their way to the queue, and how their bodies come."""

import asyncio

import anyio
import pytest

from app.api.contract import SCOPE_KEY
from app.api.libretranslate.contract import LIBRETRANSLATE
from app.api.middleware.admission import Admission, Refusals
from app.api.middleware.body_budget import BodyBudget
from app.fairness import arrivals
from tests.support.fakes import FakeEngine


@pytest.mark.parametrize("error", [None, ConnectionError("The client has gone.")])
@pytest.mark.parametrize("waits", [False, True])
def test_a_translation_is_on_its_way_from_the_last_byte_of_its_body_until_it_waits_or_ends(waits, error):
    messages = [
        {"type": "http.request", "body": b"q=", "more_body": True},
        {"type": "http.request", "body": b"Ja"},
        {"type": "http.disconnect"},
    ]
    before, counts, receivers = arrivals.Arrival.count, [], []

    async def application(scope, receive, send):
        receivers.append(receive)
        for _ in range(2):
            counts.append(arrivals.Arrival.count - before)
            await receive()
        counts.append(arrivals.Arrival.count - before)
        if waits:
            arrivals.end()
        if error:
            raise error

    async def receive():
        return messages.pop(0)

    async def run():
        scope = {"type": "http", "method": "POST", "path": "/translate", "headers": [], SCOPE_KEY: LIBRETRANSLATE}
        service = Admission(BodyBudget(application, 1), Refusals(FakeEngine(), lambda *_: None, ()))
        try:
            await service(scope, receive, None)
        except ConnectionError:
            assert error
        await receivers[0]()  # who waits for a hang-up may hear of it after the request

    anyio.run(run)
    assert counts == [0, 0, 1]
    assert arrivals.Arrival.count == before


@pytest.mark.parametrize("is_long", [True, False])
def test_one_long_body_goes_on_in_an_iteration_of_the_event_loop(is_long):
    piece_bytes = 1 << 16 if is_long else 100
    pieces_read, over = [0], False

    async def application(scope, receive, send):
        while (await receive())["more_body"]:
            pieces_read[-1] += 1

    def receiver():
        left = 10

        async def receive():
            nonlocal left
            left -= 1
            return {"type": "http.request", "body": bytes(piece_bytes), "more_body": left > 0}

        return receive

    async def run():
        nonlocal over
        loop, service = asyncio.get_running_loop(), BodyBudget(application, 1 << 30)

        def next_iteration():
            pieces_read.append(0)
            if not over:
                loop.call_soon(next_iteration)

        loop.call_soon(next_iteration)
        await asyncio.gather(*(service({"type": "http"}, receiver(), None) for _ in range(5)))
        over = True

    asyncio.run(run())
    assert sum(pieces_read) == 5 * 9
    assert (max(pieces_read[2:]) == 1) if is_long else (max(pieces_read) == 5 * 9)  # the first pieces are not counted
