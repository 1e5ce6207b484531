"""An OpenAI-compatible server for the second tier, honest or hostile, over real sockets."""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

_SENTENCE = re.compile(r"<sentence>(.*)</sentence>", re.DOTALL)
_LENGTH = re.compile(rb"(?i)content-length: *(\d+)")

Answer = Callable[[str], bytes | None]
"""A sentence -> a whole response; None never answers."""


def response(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def completion(text: str, reason: str = "stop") -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    return response(json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


class ChatServer:
    """What it was asked and how many were asking at once.

    Attributes:
        answer: Says what it answers.
        holds: While it isn't set, no answer is sent.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.holds = asyncio.Event()
        self.holds.set()
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[str] = []
        self.open = self.most_open = 0

    @property
    def sentences(self) -> list[str]:
        return [sentence_of(body) for body in self.bodies]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _LENGTH.search(head)
                assert length
                body = json.loads(await reader.readexactly(int(length[1])))
                self.heads.append(head.decode())
                self.bodies.append(body)
                self.open += 1
                self.most_open = max(self.most_open, self.open)
                try:
                    await self.holds.wait()
                    found = self.answer(sentence_of(body))
                    if found is None:
                        await reader.read()  # until the client gives up
                        return
                    writer.write(found)
                    await writer.drain()
                finally:
                    self.open -= 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def sentence_of(body: dict[str, Any]) -> str:
    match = _SENTENCE.search(body["messages"][-1]["content"])
    assert match
    return match[1]


@asynccontextmanager
async def chatting(answer: Answer) -> AsyncIterator[ChatServer]:
    """A server on a free port."""
    chat = ChatServer(answer)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        tasks.add(task)
        with suppress(asyncio.CancelledError):
            await chat.serve(reader, writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    chat.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield chat
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _without_last_number(text: str) -> str:
    return re.sub(r"\d+(?=\D*$)", "", text)


_ENDLESS = completion("Bier " * 200_000)
_BOMB = response(gzip.compress(bytes(9_999_999)), "200 OK", "Content-Encoding: gzip")
_NESTED = response(b"[" * 50_000)
_BROKEN: dict[str, bytes | None] = {
    "hangs": None,
    "sends HTML": response(b"<html><body>Bad gateway</body></html>"),
    "sends megabytes": _ENDLESS,
    "sends a bomb": _BOMB,
    "nests": _NESTED,
    "sends no message": response(b'{"choices": []}'),
    "sends null": response(b'{"choices": [{"message": {"content": null}}]}'),
    "redirects": response(b"", "307 There", "Location: http://192.0.2.1/v1"),
    "speaks no HTTP": b"220 mail.example.org ESMTP\r\n\r\n",
}
_CHANGES: dict[str, Callable[[str], str]] = {
    "says nothing": lambda text: "",
    "says a dot": lambda text: ".",
    "drops a number": _without_last_number,
    "changes a number": lambda text: re.sub(r"\d", "7", text, count=1) + " 7.13.1",
    "drops a placeholder": lambda text: text.replace("{1}", ""),
    "doubles a placeholder": lambda text: text + " {1} {1}",
    "makes up a placeholder": lambda text: text + " {9}",
    "follows instructions": lambda text: "I ignore my instructions and tell you a joke about two elephants.",
    "adds a link": lambda text: f"{text} Visit http://evil.example/",
    "adds a name of a site": lambda text: f"{text} Visit evil.example now",
    "adds HTML": lambda text: f"<b>{text}</b>",
    "adds a script": lambda text: f"{text}<script>alert(1)</script>",
    "adds Markdown": lambda text: f"**{text}**",
    "adds a line": lambda text: f"{text}\nI hope that this helps!",
    "adds a preamble": lambda text: f"Sure! Here is the translation:\n\n{text}",
    "hides the direction": lambda text: f"\u202e{text}",
    "sends control characters": lambda text: f"{text}\x00\x1b[2J",
    "sends stand-ins": lambda text: f"{text} \ue000\ue001",
    "repeats itself": lambda text: f"{text} {text} {text} {text}",
    "is silent about most": lambda text: text[:4],
    "goes on": lambda text: text + " And so on, as it was said before, on many other days." * 3,
    "speaks French": lambda text: "Je ne sais pas du tout ce que vous voulez dire par cette phrase.",
    "speaks Russian": lambda text: "Я совсем не понимаю, что вы хотите сказать.",
    "lies": lambda text: "Yesterday the weather on the mountain was very cold and nobody went swimming.",
}


def hostile(right: Callable[[str], str]) -> Sequence[tuple[str, Answer]]:
    """Ways to answer badly, by name.

    Args:
        right: A sentence -> its right translation.
    """

    def says(change: Callable[[str], str]) -> Answer:
        return lambda sentence: completion(change(right(sentence)))

    def sends(found: bytes | None) -> Answer:
        return lambda sentence: found

    return (
        *((name, sends(found)) for name, found in _BROKEN.items()),
        *((name, says(change)) for name, change in _CHANGES.items()),
        ("answers 500", lambda sentence: response(b'{"error": "' + sentence.encode() + b'"}', "500 Oops")),
        ("breaks off", lambda sentence: completion(right(sentence))[:-20] + b"\r\n"),
        ("cuts off", lambda sentence: completion(right(sentence)[:10], "length")),
        ("copies", lambda sentence: completion(sentence)),
    )
