"""Which requests count as being on their way to the queue."""

import anyio
import pytest

from app.api.contract import SCOPE_KEY
from app.api.libretranslate.contract import LIBRETRANSLATE
from app.api.middleware.admission import Admission
from app.arrivals import Arrival
from tests.support.fakes import FakeEngine


@pytest.mark.parametrize("error", [None, ConnectionError("The client has gone.")])
def test_a_translation_is_on_its_way_from_the_last_byte_of_its_body_to_its_end(error):
    parts = [{"type": "http.request", "body": b"q=", "more_body": True}, {"type": "http.request", "body": b"Ja"}]
    counts = []

    async def application(scope, receive, send):
        for _ in parts:
            counts.append(Arrival.count)
            await receive()
        counts.append(Arrival.count)
        if error:
            raise error

    async def receive():
        return parts[len(counts) - 1]

    async def run():
        scope = {"type": "http", "method": "POST", "path": "/translate", SCOPE_KEY: LIBRETRANSLATE}
        await Admission(application, FakeEngine(), lambda *_: None, ())(scope, receive, None)

    before = Arrival.count
    if error:
        with pytest.raises(ConnectionError):
            anyio.run(run)
    else:
        anyio.run(run)
    assert [count - before for count in counts] == [0, 0, 1]
    assert Arrival.count == before
