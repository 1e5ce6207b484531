"""The tools of `dragoman mcp`, called by the SDK's own client; the server is in this process, without a model."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client as Agent

from app.mcp.client import Client
from app.mcp.tools import build
from app.settings import Settings
from tests.support.fakes import FakeEngine
from tests.support.fakes import build as application


@asynccontextmanager
async def agent(
    engine: FakeEngine | None = None, settings: Settings | None = None, *, folder: Path | None = None, key: str = ""
) -> AsyncIterator[Agent]:
    app = application(engine or FakeEngine(), settings)
    connection = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://dragoman/")
    tools = build(Client(connection, key or None), folder)
    async with app.router.lifespan_context(app), connection, Agent(tools) as found:
        yield found


async def call(agent: Agent, tool: str, **arguments: Any) -> Any:
    answer = await agent.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    content = answer.structured_content
    assert content is not None
    return content["result"] if set(content) == {"result"} else content


async def error(agent: Agent, tool: str, **arguments: Any) -> str:
    answer = await agent.call_tool(tool, arguments)
    assert answer.is_error
    return str(answer.content[0].text).removeprefix(f"Error executing tool {tool}: ")  # type: ignore[union-attr]


async def test_the_tools_describe_themselves() -> None:
    async with agent() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"translate", "translate_file", "detect", "languages", "glossaries"}
    for tool in tools.values():
        assert tool.description and tool.output_schema
        assert all(each.get("description") for each in tool.input_schema["properties"].values()), tool.name
        assert "context" not in tool.input_schema["properties"]
        assert tool.annotations and tool.annotations.read_only_hint is (tool.name != "translate_file")


async def test_a_text_is_translated() -> None:
    async with agent() as client:
        found = await call(client, "translate", text="Wo ist der Bahnhof?\n\nGuten Morgen!", target="en")
    assert found == {"text": "Where is the station?\n\nGood morning!", "source": "de", "doubtful": [], "terms": []}


async def test_doubtful_sentences_are_named() -> None:
    engine = FakeEngine()
    async with agent(engine) as client:
        found = await call(client, "translate", text="Ein LOOP ist hier.", source="de", target="en")
        engine.confidence = 0.2
        unsure = await call(client, "translate", text="Guten Morgen!", source="de", target="en")
    assert [each["verdicts"] for each in found["doubtful"]] == [["truncated"]]
    [only] = unsure["doubtful"]
    assert only == {"source": "Guten Morgen!", "translation": "Good morning!", "confidence": 0.2, "verdicts": []}


async def test_markup_terms_and_formality_are_passed_on() -> None:
    async with agent() as client:
        arguments = {"source": "en", "target": "de", "formality": "more", "glossary": {"street": "Allee"}}
        found = await call(client, "translate", text="<p>The street is big.</p>", format="html", **arguments)
    assert found["text"].startswith("<p>") and found["text"].endswith("</p>")
    assert found["terms"][0]["source"] == "street"


async def test_languages_are_listed_and_detected() -> None:
    async with agent() as client:
        languages = await call(client, "languages")
        detected = await call(client, "detect", text="Ich möchte bitte ein Bier.")
    assert {each["code"]: each["targets"] for each in languages} == {"de": ["de", "en"], "en": ["de", "en"]}
    assert detected[0]["language"] == "de" and detected[0]["confidence"] > 90


async def test_stored_glossaries_are_listed_and_used(tmp_path: Path) -> None:
    app = application(FakeEngine(), Settings(data=tmp_path))
    connection = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://dragoman/")
    async with app.router.lifespan_context(app), connection as http:
        dictionary = {"source_lang": "de", "target_lang": "en", "entries": "Bahnhof\tdepot", "entries_format": "tsv"}
        made = await http.post("/v3/glossaries", json={"name": "trains", "dictionaries": [dictionary]})
        async with Agent(build(Client(http), None)) as client:
            [listed] = await call(client, "glossaries")
            arguments = {"text": "Der Bahnhof.", "source": "de", "target": "en"}
            found = await call(client, "translate", glossary_id=listed["glossary_id"], **arguments)
    assert listed["glossary_id"] == made.json()["glossary_id"] and listed["name"] == "trains"
    assert found["terms"][0]["target"] == "depot"


async def test_a_file_is_translated_beside_itself(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Guten Morgen!\n")
    async with agent(folder=tmp_path) as client:
        found = await call(client, "translate_file", path="a.md", source="de", target="en")
        again = await error(client, "translate_file", path="a.md", source="de", target="en")
    assert found["path"] == str(tmp_path / "a_en.md")
    assert (tmp_path / "a_en.md").read_text() == "# Good morning!\n"
    assert again == "a_en.md can't be written: File exists."


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link.txt"])
async def test_no_file_outside_the_folder_is_read(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("Guten Morgen!")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    engine = FakeEngine()
    async with agent(engine, folder=folder) as client:
        told = await error(client, "translate_file", path=path, source="de", target="en")
    assert told.startswith("Only files in")
    assert not engine.calls


async def test_a_file_comes_as_content() -> None:
    content = base64.b64encode(b"Guten Morgen!\n").decode()
    async with agent() as client:
        found = await call(client, "translate_file", content=content, name="a.txt", source="de", target="en")
        by_path = await error(client, "translate_file", path="a.txt", target="en")
        neither = await error(client, "translate_file", target="en")
        broken = await error(client, "translate_file", content="?", name="a.txt", target="en")
        unknown = await error(client, "translate_file", content=content, name="a.zip", source="de", target="en")
    assert base64.b64decode(found["content"]) == b"Good morning!\n" and found["path"] is None
    assert by_path == "This server reads no files; send `content`."
    assert neither == "Give either `path` or `content`."
    assert broken == "`content` is not base64."
    assert "(document_unsupported)" in unknown


async def test_a_refusal_is_what_the_agent_reads() -> None:
    async with agent() as client:
        assert "(unsupported_pair)" in await error(client, "translate", text="a", source="de", target="xx")


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("translate", {"target": "en"}, "text is missing"),
        ("translate", {}, "text is missing; target is missing"),
        ("translate", {"text": "", "target": "en"}, "text: String should have at least 1 character"),
        ("detect", {"text": ""}, "text: String should have at least 1 character"),
        (
            "translate",
            {"text": "a", "target": "en", "format": "pdf"},
            "format: Input should be 'text', 'html' or 'markdown'",
        ),
        ("detect", {"q": "a", "text": "a"}, "Unknown arguments: q; known: text."),
        ("languages", {"target": "en"}, "Unknown arguments: target; known: none."),
    ],
)
async def test_wrong_arguments_are_named(tool: str, arguments: dict[str, str], told: str) -> None:
    engine = FakeEngine()
    async with agent(engine) as client:
        assert await error(client, tool, **arguments) == told
    assert not engine.calls


async def test_a_key_is_sent(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, keys="required")
    async with agent(settings=settings) as client:
        assert "(key_required)" in await error(client, "translate", text="a", source="de", target="en")
    async with agent(settings=settings, key="wrong") as client:
        assert "(invalid_key)" in await error(client, "translate", text="a", source="de", target="en")


async def test_a_server_that_is_away_or_another_is_named() -> None:
    def away(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("secret")

    def other(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(502, text="<html>")

    def site(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, text="<html>")

    told = []
    for handler in (away, other, site):
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(handler), base_url="http://x")
        async with http, Agent(build(Client(http), None)) as client:
            told.append(await error(client, "languages"))
    assert told == [
        "The Dragoman server can't be reached: ConnectError.",
        "The server answers with status 502; is it Dragoman?",
        "The server answers with status 200; is it Dragoman?",
    ]
