"""Counts the functions of the service that a plain request passes through, from its first byte to its answer.

    python -m benchmarks.hops artifacts/de-en

The path is made of the project's functions that are on a call stack while the request passes a boundary: a part of it
is received or sent, a text is tokenized or detokenized, a sentence joins the queue, a graph runs, or a future gets its
result. Helpers that return before the next boundary are counted apart. Nested generators are the asynchronous ones on
one stack at once, which every event of a translation climbs through.
"""

import asyncio
import inspect
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Annotated, Any

import typer

from app.main import create_app
from app.settings import Settings

SOURCES = str(Path(__file__).parents[1] / "app")
# Boundaries outside the project: functions of threading, asyncio and ONNX Runtime by name, and all of SentencePiece's.
BOUNDARIES = {"notify_all", "set_result", "run", "run_with_iobinding"}
PACKAGE = "/sentencepiece/"


class Recorder:
    """Watches every call of all threads.

    Attributes:
        called: The project's functions that were called.
        path: Functions that were on a stack at a boundary.
        generators: Most asynchronous generators on one stack.
    """

    def __init__(self) -> None:
        self.called: set[CodeType] = set()
        self.path: set[CodeType] = set()
        self.generators = 0
        self.on = False

    def profile(self, frame: FrameType, event: str, argument: Any) -> None:
        """For ``sys.setprofile``."""
        if not self.on or event not in ("call", "c_call"):
            return
        name = argument.__name__ if event == "c_call" else frame.f_code.co_name
        if event == "call" and is_ours(frame.f_code):
            self.called.add(frame.f_code)
            nested = sum(bool(code.co_flags & inspect.CO_ASYNC_GENERATOR) for code in stack(frame))
            self.generators = max(self.generators, nested)
        elif name in BOUNDARIES or is_boundary(frame.f_code):
            self.path |= set(stack(frame))


def is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(SOURCES) and not code.co_name.startswith("<")


def is_boundary(code: CodeType) -> bool:
    return code in (receive.__code__, send.__code__) or PACKAGE in code.co_filename


def stack(frame: FrameType | None) -> Iterator[CodeType]:
    while frame:
        if is_ours(frame.f_code):
            yield frame.f_code
        frame = frame.f_back


received: list[dict[str, Any]] = []


async def receive() -> dict[str, Any]:
    if received:
        return received.pop()
    await asyncio.Event().wait()
    raise AssertionError


async def send(message: dict[str, Any]) -> None:
    assert message["type"] != "http.response.start" or message["status"] == 200, message


async def ask(app: Any, text: str) -> None:
    body = json.dumps({"q": text, "source": "de", "target": "en"}).encode()
    received.append({"type": "http.request", "body": body, "more_body": False})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    scope = {"type": "http", "method": "POST", "path": "/translate", "raw_path": b"/translate", "query_string": b""}
    await app({**scope, "headers": headers, "root_path": "", "http_version": "1.1", "scheme": "http"}, receive, send)


async def measure(bundle: Path, recorder: Recorder) -> None:
    app = create_app(Settings(bundle=(bundle,), workers=1, threads=1))
    async with app.router.lifespan_context(app):
        await ask(app, "Wo ist der Bahnhof?")
        recorder.on = True
        await ask(app, "Der Zug nach Hamburg fährt heute leider nicht.")
        recorder.on = False


def main(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle.")],
    names: Annotated[bool, typer.Option("--names", help="Print the functions, too.")] = False,
) -> None:
    """Count what a plain request passes through."""
    recorder = Recorder()
    threading.setprofile(recorder.profile)
    sys.setprofile(recorder.profile)
    asyncio.run(measure(bundle, recorder))
    sys.setprofile(None)
    threading.setprofile(None)
    if names:
        for code in sorted(recorder.path, key=lambda code: (code.co_filename, code.co_firstlineno)):
            print(f"{Path(code.co_filename).relative_to(SOURCES)}:{code.co_firstlineno} {code.co_qualname}")
    helpers = len(recorder.called - recorder.path)
    print(f"{len(recorder.path)} functions, {recorder.generators} nested generators; {helpers} helpers besides")


if __name__ == "__main__":
    typer.run(main)
