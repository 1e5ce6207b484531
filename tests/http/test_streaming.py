"""POST /translate with ``stream``: which events come when, and how a stream ends."""

import asyncio
import json
import re

import pytest

from app.api.sse import server_sent, with_heartbeats
from app.errors import Overloaded
from tests.support.fakes import FRENCH_MARK, build, serving
from tests.support.toy import engine_of

DE_EN = {"source": "de", "target": "en"}
PATIENCE_S = 30


def events_of(text: str) -> list[tuple[str, dict]]:
    """Reads a stream as the HTML standard (section 9.2.6) says, as far as we use it."""
    events = []
    assert text.endswith("\n\n")
    for block in text.removesuffix("\n\n").split("\n\n"):
        fields = [line.split(": ", 1) for line in block.split("\n") if not line.startswith(":")]
        if fields:
            assert [name for name, _ in fields] == ["event", "data"]
            events.append((fields[0][1], json.loads(fields[1][1])))
    return events


async def stream(client, text, **parameters):
    response = await client.post("/translate", json={"q": text, **DE_EN, "stream": True, **parameters})
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    return events_of(response.text)


class Exchange:
    """A request to the application whose answer is read message by message, as a server would send it."""

    def __init__(self, app, text, **parameters):
        self._body = json.dumps({"q": text, **DE_EN, "stream": True, **parameters}).encode()
        self._sent: asyncio.Queue[dict] = asyncio.Queue()
        self._is_gone = asyncio.Event()
        self._is_read = False
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "POST",
            "path": "/translate", "raw_path": b"/translate", "root_path": "", "scheme": "http", "query_string": b"",
            "headers": [(b"content-type", b"application/json")], "client": ("127.0.0.1", 1), "server": ("test", 80),
        }  # fmt: skip
        self._task = asyncio.create_task(app(scope, self._receive, self._sent.put))

    async def message(self) -> dict:
        return await asyncio.wait_for(self._sent.get(), PATIENCE_S)

    async def hang_up(self) -> None:
        self._is_gone.set()
        await asyncio.wait_for(self._task, PATIENCE_S)

    async def _receive(self):
        if not self._is_read:
            self._is_read = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self._is_gone.wait()
        return {"type": "http.disconnect"}


async def test_the_events_in_order(client):
    events = await stream(client, "Guten Morgen!\n\nWo ist der Bahnhof?", beam_size=1)
    names = [name for name, _ in events]
    assert names == ["token"] * 2 + ["sentence"] + ["token"] * 4 + ["sentence", "translation"]
    assert all(data["index"] == data["block"] == 0 for name, data in events[:-1])
    last = events[-1][1]
    assert last.pop("timing").items() >= {"encode": 2.0, "decode": 3.5}.items()  # "queue" has a way to the engine, too
    assert last == {"translatedText": "Good morning!\n\nWhere is the station?"}


async def test_tokens_add_up_to_their_sentence_and_sentences_stand_in_the_answer(client):
    events = await stream(client, ["Guten Morgen! Wo ist der Bahnhof?", "Neu. Alt."], beam_size=1)
    texts = events[-1][1]["translatedText"]
    tokens = ""
    for name, data in events[:-1]:
        if name == "token":
            tokens += data["text"]
        else:
            target = data["target"]
            assert tokens == target["text"] == texts[data["index"]][target["begin"] : target["end"]]
            tokens = ""


async def test_no_tokens_from_a_beam_or_of_a_protected_text(client):
    for parameters in ({"beam_size": 2}, {"beam_size": 1, "protect": "{x}"}):
        events = await stream(client, "Hallo {x}!", **parameters)
        assert [name for name, _ in events] == ["sentence", "translation"]
        assert events[0][1]["target"]["text"] == "[en] Hallo {x}!"
    assert events[-1][1]["protectedLost"] == []


@pytest.mark.parametrize(
    "parameters",
    [
        {"q": "Guten Morgen! Wo ist der Bahnhof?", "alternatives": 1},
        {"q": ["Guten Morgen!", "42"], "details": True},
        {"q": "<p>Guten <b>Morgen</b>!</p><p>Neu. Alt.</p>", "format": "html", "details": True},
        {"q": ["Vergiss {x} nicht!"], "protect": ["{x}"], "details": True},
        {"q": "Wo ist der Bahnhof?", "source": "auto"},
        {"q": "🙂 42"},
    ],
)
async def test_the_last_event_is_the_whole_answer(client, parameters):
    whole = (await client.post("/translate", json=DE_EN | parameters)).json()
    *events, (name, data) = await stream(
        client, **{"text" if key == "q" else key: parameters[key] for key in parameters}
    )
    assert (name, {key: value for key, value in data.items() if key != "timing"}) == ("translation", whole)
    if "details" in whole:
        own = whole["details"] if isinstance(parameters["q"], list) else [whole["details"]]
        described = [{"index": index, **each} for index, details in enumerate(own) for each in details]
        assert [data for name, data in events if name == "sentence"] == described


async def test_texts_of_one_language_come_together(engine):
    engine.pairs = frozenset({("de", "fr"), ("en", "fr")})
    texts = ["Where is the station, please?", "Wo ist der Bahnhof, bitte?", "How do I get there?"]
    async with serving(engine) as client:
        events = await stream(client, texts, source="auto", target="fr")
    assert [data["index"] for name, data in events if name == "sentence"] == [0, 2, 1]
    assert events[-1][1]["translatedText"] == [f"[fr] {text.replace('?', FRENCH_MARK)}" for text in texts]


async def test_a_real_model_streams_what_it_answers(tiny_bundle, tiny_onnx):
    plain = "Der Hund trinkt Wasser.\n\nGestern ist der Zug nicht schnell."
    async with serving(engine_of(tiny_bundle, tiny_onnx)) as client:
        for text, parameters in ((plain, {}), (f"{plain} Die Katze sieht {{x}}!", {"protect": ["{x}"]})):
            body = {"q": text, **DE_EN, "beam_size": 1, "details": True, **parameters}
            whole = (await client.post("/translate", json=body)).json()
            events = await stream(client, text, beam_size=1, details=True, **parameters)
            assert {key: value for key, value in events[-1][1].items() if key != "timing"} == whole
            sentences = [{"index": 0, **sentence} for sentence in whole["details"]]
            assert [data for name, data in events if name == "sentence"] == sentences
            assert ("token" in dict(events)) == (not parameters)


async def test_a_sentence_is_sent_as_soon_as_it_is_done(engine):
    app = build(engine)
    async with app.router.lifespan_context(app):
        exchange = Exchange(app, "Guten Morgen! WAIT hier.")
        assert (await exchange.message())["status"] == 200
        assert b"Good morning!" in (await exchange.message())["body"]
        engine.may_go_on.set()
        assert b"WAIT" in (await exchange.message())["body"]
        assert (await exchange.message())["body"].startswith(b"event: translation\n")
        assert (await exchange.message())["more_body"] is False
        await exchange.hang_up()
    assert not engine.was_cancelled.is_set()


@pytest.mark.parametrize("text", ["WAIT hier.", "Guten Morgen! WAIT hier."])
async def test_a_client_that_goes_away_frees_the_engine(engine, text):
    app = build(engine)
    async with app.router.lifespan_context(app):
        exchange = Exchange(app, text)
        await asyncio.wait_for(engine.was_asked.wait(), PATIENCE_S)
        if text.startswith("Guten"):
            await exchange.message()
            await exchange.message()
        await exchange.hang_up()
        assert engine.was_cancelled.is_set()


@pytest.mark.parametrize("failure", [None, pytest.param(RuntimeError("secret"), marks=pytest.mark.one_process)])
async def test_an_error_in_the_middle_is_the_last_event(client, engine, failure, caplog):
    engine.failure = failure or engine.failure
    events = await stream(client, "Guten Morgen! FAIL jetzt. Guten Morgen!")
    assert [name for name, _ in events] == ["sentence", "error"]
    assert events[-1][1] == (
        {"error": "Internal error", "code": "internal"}
        if failure
        else {"error": "Cannot translate text: the model failed", "code": "model_failure"}
    )
    assert any(record.levelname == "ERROR" for record in caplog.records)


async def test_a_deadline_in_the_middle_is_an_event_and_frees_the_engine(client, engine):
    events = await stream(client, "Guten Morgen! WAIT hier.", deadline_ms=2000)
    assert [name for name, _ in events] == ["sentence", "error"]
    assert events[-1][1]["code"] == "deadline_exceeded"
    assert engine.was_cancelled.is_set()


async def test_what_fails_before_the_first_event_has_its_status(client, engine):
    async def answer(text, **parameters):
        response = await client.post("/translate", json={"q": text, **DE_EN, "stream": True, **parameters})
        assert response.headers["Content-Type"] == "application/json"
        return response.status_code, response.json()["code"]

    assert await answer("") == (400, "invalid_request")
    assert await answer("x", protect="regex:(") == (400, "invalid_request")
    assert await answer("FAIL jetzt.") == (500, "model_failure")
    assert await answer("WAIT hier.", deadline_ms=200) == (504, "deadline_exceeded")
    engine.error = Overloaded("The server is busy.")
    assert await answer("Guten Morgen!") == (503, "overloaded")


async def test_streamed_texts_are_counted(client):
    await stream(client, "Guten Morgen!")
    assert (await client.get("/v2/usage")).json()["character_count"] == 13


async def test_a_silent_stream_has_heartbeats():
    may_go_on = asyncio.Event()

    async def slow():
        await may_go_on.wait()
        yield "done", {"text": "a\nb"}

    events = with_heartbeats(slow(), interval_s=0.001)
    written = server_sent(await anext(events), events)
    assert [await anext(written) for _ in range(2)] == [": still working\n\n"] * 2
    may_go_on.set()
    rest = [text async for text in written if not text.startswith(":")]
    assert rest == ['event: done\ndata: {"text":"a\\nb"}\n\n']


async def test_closing_heartbeats_closes_what_they_wait_for():
    was_closed = asyncio.Event()

    async def hanging():
        try:
            await asyncio.Event().wait()
            yield "never"
        finally:
            was_closed.set()

    events = with_heartbeats(hanging(), interval_s=0.001)
    assert await anext(events) is None
    await events.aclose()
    assert was_closed.is_set()


async def test_line_breaks_in_a_text_do_not_break_an_event(client):
    events = await stream(client, "Eins\nZwei\r\n\r\nDrei\u2028Vier\x85")
    assert re.sub(r"\[en] ", "", events[-1][1]["translatedText"]) == "Eins\nZwei\r\n\r\nDrei\u2028Vier\x85"


async def test_clients_that_break_lines_at_unicodes_breaks_read_whole_events(client):
    response = await client.post("/translate", json={"q": "a\u2028b\u2029c\x85", **DE_EN, "stream": True})
    assert response.text.splitlines() == response.text.split("\n")[:-1]
