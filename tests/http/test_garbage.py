import gc
from types import TracebackType

import httpx
import pytest

from app.errors import Overloaded
from tests.support.fakes import FakeEngine

GERMAN = {"source": "de", "target": "en"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/translate", {**GERMAN, "q": ["Guten Morgen. Wer sind Sie?", "{{ name }} <b>hier</b>"], "alternatives": 2}),
        ("/translate", {**GERMAN, "q": "Guten Morgen. Wer sind Sie?", "stream": True}),
        ("/translate", {**GERMAN, "q": "<p>Guten <b>Morgen</b><br>an <i>alle</i></p>", "format": "html"}),
        ("/translate", {**GERMAN, "q": "# Guten *Morgen*\n\n- a [b](c)\n\n| d | e |\n|--|--|\n", "format": "markdown"}),
        ("/translate", {**GERMAN, "q": "Frau Ohm", "protect": ["Ohm"]}),
        ("/translate", {**GERMAN, "q": "Guten Morgen", "beam_size": 99}),
        ("/translate", {**GERMAN, "q": "Guten Morgen. FAIL"}),
        ("/translate", {**GERMAN, "q": "Guten Morgen. FAIL", "stream": True}),
        ("/v2/translate", {"text": ["<a>Guten <b>Morgen</b></a>"], "target_lang": "EN", "tag_handling": "xml"}),
        ("/detect", {"q": "Guten Morgen"}),
    ],
    ids=["plain", "stream", "html", "markdown", "protect", "refused", "failed", "failed stream", "xml", "detect"],
)
async def test_requests_leave_no_cycles(
    client: httpx.AsyncClient, engine: FakeEngine, path: str, body: dict[str, object]
) -> None:
    # The server collects old garbage only when nobody waits, so reference cycles would pile up under load.
    engine.failure = Overloaded("once")  # one that isn't logged, for pytest keeps what is
    await client.post(path, json=body)
    gc.freeze()  # a search of all that the process has takes a second
    gc.disable()
    try:
        await client.post(path, json=body)
        engine.failure = Overloaded("another")
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        ours = [
            found
            for found in gc.garbage
            if isinstance(found, TracebackType) or type(found).__module__.startswith("app.")
        ]
        assert not ours
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
