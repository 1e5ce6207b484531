"""Asks an OpenAI-compatible server (llama.cpp, vLLM, Ollama) for the translation of a sentence.

https://platform.openai.com/docs/api-reference/chat. The server may be slow, broken or hostile: the time, the bytes and
the calls at a time are bounded, and what it says is a string to check, nothing more.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.errors import ConfigurationError
from app.installation import how_to_install
from app.translation.second_tier.circuit import Circuit
from app.translation.second_tier.interface import Outcome
from app.translation.second_tier.prompt import Brief

try:
    import httpx
except ImportError:
    raise ConfigurationError(f"DRAGOMAN_SECOND_TIER needs its client: {how_to_install('second-tier')}") from None

MOST_BYTES = 256 * 1024
"""Of an answer; one with a page of reasoning has 20 KiB."""

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}

logger = logging.getLogger(__name__)


class Unusable(Exception):
    """The server gave no answer that could be read."""


class ChatServer:
    """The server, for all requests of an application.

    Args:
        url: Its base address, such as ``http://127.0.0.1:8080/v1``.
        key: Sent as a bearer token; None for none. It is in no log and no error.
        model: Name of the model; may be empty.
        below: Sentences with a confidence below this, from 0 to 1, are sent to it, and those with a verdict.
        at_once: Sentences that may be under way.
        timeout_s: Seconds for a sentence, with the time until its turn.
        observe: Told what became of each sentence.

    Attributes:
        below: As above.

    Raises:
        ConfigurationError: The HTTP client is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        model: str = "",
        below: float = 0.5,
        at_once: int = 4,
        timeout_s: float = 10.0,
        observe: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self.below, self._model, self._timeout_s = below, model, timeout_s
        self._observe = observe
        self._circuit = Circuit()
        self._turns = asyncio.Semaphore(at_once)
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._client = httpx.AsyncClient(
            headers=_HEADERS | ({"Authorization": f"Bearer {key}"} if key else {}),
            timeout=timeout_s,
            limits=httpx.Limits(max_connections=at_once),
            trust_env=False,  # a proxy or .netrc of the environment is not where an operator expects texts to go
        )

    def observe(self, outcome: Outcome) -> None:
        """See ``SecondTier``."""
        self._observe(outcome)

    async def translate(self, brief: Brief, end: float) -> str | None:
        """See ``SecondTier``. All errors are the server's, and end here."""
        end = min(end, asyncio.get_running_loop().time() + self._timeout_s)
        try:
            async with asyncio.timeout_at(end):
                await self._turns.acquire()
        except TimeoutError:
            self.observe(Outcome.SKIPPED)
            return None
        try:
            if not self._circuit.lets_through():
                self.observe(Outcome.SKIPPED)
                return None
            return await self._asked(brief, end)
        finally:
            self._turns.release()

    async def _asked(self, brief: Brief, end: float) -> str | None:
        was_open = self._circuit.is_open
        try:
            async with asyncio.timeout_at(end):
                answer = read_answer(await self._post(brief.body(self._model)))
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, Unusable) as error:
            self._circuit.failed()
            self.observe(Outcome.FAILED)
            if self._circuit.is_open and not was_open:
                # Not its words: those of a server may quote the text.
                logger.warning("the second tier can't be used", extra={"reason": type(error).__name__})
            return None
        self._circuit.succeeded()
        if was_open:
            logger.info("the second tier is back")
        return answer

    async def _post(self, body: dict[str, Any]) -> bytes:
        """Reads an answer as it comes, up to its limit.

        Raises:
            HTTPError: The connection failed.
            Unusable: It is an error, too long, or encoded though nobody asked for that.
        """
        async with self._client.stream("POST", self._url, json=body) as response:
            if response.status_code != httpx.codes.OK:
                raise Unusable
            found = bytearray()
            async for part in response.aiter_raw():
                found += part
                if len(found) > MOST_BYTES:
                    raise Unusable
            return bytes(found)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()


def read_key(path: Path | None) -> str | None:
    """Returns the key in a file, without white space around it; None without a file.

    Raises:
        ConfigurationError: It can't be read, or is no header's value.
    """
    if path is None:
        return None
    try:
        key = path.read_text("ascii").strip()
    except (OSError, ValueError):
        key = ""
    if not (key and key.isprintable()):
        raise ConfigurationError("DRAGOMAN_SECOND_TIER_KEY_FILE names no file with a key")
    return key


def read_answer(body: bytes) -> str:
    """Returns the text of a chat completion, without what a model wrote while it was thinking.

    Raises:
        Unusable: It is none, or was cut off.
    """
    try:
        [choice, *_] = json.loads(body)["choices"]
        text, reason = choice["message"]["content"], choice.get("finish_reason")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise Unusable from None
    if not isinstance(text, str) or reason not in ("stop", None):
        raise Unusable
    if text.lstrip().startswith("<think>"):
        text = text.partition("</think>")[2]
    return text.strip()
