"""`dragoman mcp` as agents start it: over stdio with models of its own, and over HTTP in front of a running server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

ROOT = Path(__file__).parents[2]
COMMAND = ("-m", "app", "mcp")


async def test_over_stdio_with_its_own_models(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Ich möchte ein Bier.\n")
    arguments = [*COMMAND, "--bundle", str(ROOT / "artifacts" / "de-en"), "--threads", "1"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=tmp_path)
    async with Client(server, read_timeout_seconds=60) as client:
        text = await client.call_tool("translate", {"text": "Ich möchte ein Bier.", "target": "en"})
        file = await client.call_tool("translate_file", {"path": "a.md", "source": "de", "target": "en"})
    assert text.structured_content and "beer" in text.structured_content["text"]
    assert not file.is_error
    assert "beer" in (tmp_path / "a_en.md").read_text()


@pytest.fixture
def address(kept_url: str, tmp_path: Path) -> Iterator[str]:
    """The address of an MCP server in front of the server at ``kept_url``."""
    command, log = [sys.executable, *COMMAND, "--server", kept_url, "--http", "127.0.0.1:0"], tmp_path / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            announced = server.stdout.readline()
            assert announced.endswith("/mcp\n"), log.read_text()
            yield announced.split()[-1]
        finally:
            server.terminate()


async def test_over_http_with_the_agents_key(address: str, kept_key: str) -> None:
    answers = []
    for key in (kept_key, "wrong"):
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60)
        async with http, Client(streamable_http_client(address, http_client=http)) as client:
            arguments = {"text": "Ich möchte ein Bier.", "source": "de", "target": "en"}
            answers.append(await client.call_tool("translate", arguments))
    right, wrong = answers
    assert right.structured_content and "beer" in right.structured_content["text"]
    assert wrong.is_error and "invalid_key" in wrong.content[0].text  # type: ignore[union-attr]
