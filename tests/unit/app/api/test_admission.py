"""Which requests count as being on their way to the queue."""

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
