"""What the tools ask of a Dragoman server: its HTTP contract, of a server elsewhere or of one in this process."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import httpx2
from mcp.server.mcpserver.exceptions import ToolError

from app.settings import Settings

_CONNECT_S = 10.0
_OWN_ADDRESS = "http://dragoman"  # of the server in this process; nothing is looked up or sent


@asynccontextmanager
async def server_elsewhere(url: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A connection to the server with the address ``url``, which may have a path."""
    # The server has time limits of its own; a document may take an hour.
    limits = httpx2.Timeout(None, connect=_CONNECT_S)
    async with httpx2.AsyncClient(base_url=url, timeout=limits) as http:
        yield http


@asynccontextmanager
async def server_here(settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    """A connection to a server in this process, which has its models loaded inside the ``with`` block."""
    from app.main import create_app  # takes a second

    app = create_app(settings)
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport, base_url=_OWN_ADDRESS) as http:
        yield http


class Client:
    """Calls a server; its errors become errors of the tool, which the agent reads.

    Args:
        http: The connection.
        key: The API key; None for none.
    """

    def __init__(self, http: httpx2.AsyncClient, key: str | None = None) -> None:
        self._http, self._key = http, key

    async def get(self, path: str, *, key: str | None = None) -> Any:
        """Returns the JSON at a path; ``key`` takes the place of the client's own.

        Raises:
            ToolError: The server refuses, or can't be reached.
        """
        return _json(await self._send("GET", path, key))

    async def post(self, path: str, body: Mapping[str, Any], *, key: str | None = None) -> Any:
        """Posts a JSON body; returns the JSON of the answer. See ``get``."""
        return _json(await self._send("POST", path, key, json=body))

    async def translate_file(
        self, name: str, content: bytes, fields: Mapping[str, str], *, key: str | None = None
    ) -> tuple[str, bytes, Mapping[str, Any]]:
        """Translates a file; returns the translation's name and bytes, and what the server reports. See ``get``."""
        answer = await self._send("POST", "translate_file", key, data=fields, files={"file": (name, content)})
        report = _json(answer)
        # Behind a proxy, the beginning of the address may be another than ours.
        path = f"download_file/{report.pop('translatedFileUrl').rpartition('/download_file/')[2]}"
        _, _, found = unquote(PurePosixPath(path).name).partition(".")
        return found, (await self._send("GET", path, key)).content, report

    async def _send(self, method: str, path: str, key: str | None, **body: Any) -> httpx2.Response:
        key = key or self._key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            answer = await self._http.request(method, path, headers=headers, **body)
        except httpx2.HTTPError as error:
            raise ToolError(f"The Dragoman server can't be reached: {type(error).__name__}.") from error
        if answer.is_success:
            return answer
        try:
            told = answer.json()
            # A path of DeepL's contract, or of LibreTranslate's.
            message, code = told.get("error") or told["message"], told.get("code") or told.get("detail")
        except (ValueError, KeyError, AttributeError):
            raise _another(answer) from None
        raise ToolError(f"{message} ({code})" if code else message)


def _json(answer: httpx2.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        raise _another(answer) from None


def _another(answer: httpx2.Response) -> ToolError:
    return ToolError(f"The server answers with status {answer.status_code}; is it Dragoman?")
