"""Counts the functions of the service that a plain request passes through, from its first byte to its answer.

    python -m benchmarks.hops artifacts/de-en

The path is made of the project's functions that are on a call stack while the request passes a boundary: a part of it
is received or sent, a text is tokenized or detokenized, a sentence joins the queue, a graph runs, or a future gets its
result. Helpers that return before the next boundary are counted apart. Nested generators are the asynchronous ones on
one stack at once, which every event of a translation climbs through; those of context managers carry no events.

``--worst`` asks for events (SSE) of a text with a sentence from a translation memory, through two models that are both
behind the cluster's code, and counts the same. Heartbeats and replicas have stacks of their own; ``--names``
names the generators on them.
"""

import asyncio
import contextlib
import hashlib
import inspect
import json
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Annotated, Any

import typer

from app.engine.interface import ModelEngine
from app.engine.models.bundle import Bundle
from app.engine.registry import Registry
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
        generators: Most asynchronous generators on one stack, the innermost first.
        streams: All asynchronous generators.
    """

    def __init__(self) -> None:
        self.called: set[CodeType] = set()
        self.path: set[CodeType] = set()
        self.generators: list[CodeType] = []
        self.streams: set[CodeType] = set()
        self.on = False

    def profile(self, frame: FrameType, event: str, argument: Any) -> None:
        """For ``sys.setprofile``."""
        if not self.on or event not in ("call", "c_call"):
            return
        name = argument.__name__ if event == "c_call" else frame.f_code.co_name
        if event == "call" and is_ours(frame.f_code):
            self.called.add(frame.f_code)
            nested = [*generators(frame)]
            self.generators = max(self.generators, nested, key=len)
            self.streams.update(nested)
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


def generators(frame: FrameType | None) -> Iterator[CodeType]:
    while frame:
        is_manager = frame.f_back and frame.f_back.f_code.co_filename == contextlib.__file__
        if is_ours(frame.f_code) and frame.f_code.co_flags & inspect.CO_ASYNC_GENERATOR and not is_manager:
            yield frame.f_code
        frame = frame.f_back


received: list[dict[str, Any]] = []


async def receive() -> dict[str, Any]:
    if received:
        return received.pop()
    await asyncio.Event().wait()
    raise AssertionError


async def send(message: dict[str, Any]) -> None:
    assert message["type"] != "http.response.start" or message["status"] in (200, 201), message
    answered.append(message.get("body", b""))


answered: list[bytes] = []


async def ask(app: Any, path: str = "/translate", **body: object) -> bytes:
    """The body of the answer."""
    sent = json.dumps(body).encode()
    answered.clear()
    received.append({"type": "http.request", "body": sent, "more_body": False})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(sent)).encode())]
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    await app({**scope, "headers": headers, "root_path": "", "http_version": "1.1", "scheme": "http"}, receive, send)
    return b"".join(answered)


async def measure(bundle: Path, recorder: Recorder) -> None:
    app = create_app(Settings(bundle=(bundle,), workers=1, threads=1))
    async with app.router.lifespan_context(app):
        await ask(app, q="Wo ist der Bahnhof?", source="de", target="en")
        recorder.on = True
        await ask(app, q="Der Zug nach Hamburg fährt heute leider nicht.", source="de", target="en")
        recorder.on = False


async def measure_worst(bundle: Path, recorder: Recorder) -> None:
    """German to English by the bundle, then to German again, which is called French in a copy of it."""
    with tempfile.TemporaryDirectory() as folder:
        manifest = json.loads((bundle / "manifest.json").read_text())
        for pair in manifest["pairs"]:
            pair |= {side: "fr" for side in ("source", "target") if pair[side] == "de"}
        copy = shutil.copytree(bundle, Path(folder, "en-fr"))
        (copy / "golden.json").write_text("[]")
        manifest["files"]["golden.json"] = hashlib.sha256(b"[]").hexdigest()
        (copy / "manifest.json").write_text(json.dumps(manifest))
        settings = Settings(bundle=(bundle, copy), data=Path(folder, "data"), workers=1, threads=1)
        app = create_app(settings, Registry(settings, behind_cluster))
        async with app.router.lifespan_context(app):
            memories = "/v3/translation_memories"
            made = json.loads(await ask(app, memories, name="a", source_lang="de", target_lang="fr"))
            memory = made["translation_memory_id"]
            entry = {"source_text": "Guten Tag!", "target_text": "Bonjour !"}
            await ask(app, f"{memories}/{memory}/segments", **entry)
            body = {"source": "de", "target": "fr", "stream": True, "translation_memory_id": memory}
            await ask(app, q="Wo ist der Bahnhof?", **body)
            recorder.on = True
            events = await ask(app, q="Guten Tag! Der Zug nach Hamburg fährt heute leider nicht.", **body)
            recorder.on = False
            assert b"Bonjour" in events and b'"pivot": "en"' in events.replace(b'":"', b'": "'), events


def behind_cluster(bundle: Bundle) -> ModelEngine:
    """The engine of a bundle, with the cluster's code around it on both sides, but without Ray between them."""
    from app.cluster.remote_engine import RemoteEngine
    from tests.support.across import LocalHandle, LocalReplica

    engine = Registry.from_settings(Settings(bundle=(bundle.path,), workers=1, threads=1))
    return RemoteEngine(bundle, LocalHandle(LocalReplica(engine)), 0)  # type: ignore[arg-type]


def main(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle.")],
    names: Annotated[bool, typer.Option("--names", help="Print the functions, too.")] = False,
    worst: Annotated[bool, typer.Option("--worst", help="Events over cluster, pivot and memory.")] = False,
) -> None:
    """Count what a request passes through."""
    recorder = Recorder()
    threading.setprofile(recorder.profile)
    sys.setprofile(recorder.profile)
    asyncio.run((measure_worst if worst else measure)(bundle, recorder))
    sys.setprofile(None)
    threading.setprofile(None)
    if names:
        for code in sorted(recorder.path, key=lambda code: (code.co_filename, code.co_firstlineno)):
            print(f"{Path(code.co_filename).relative_to(SOURCES)}:{code.co_firstlineno} {code.co_qualname}")
        print("nested:", *(code.co_qualname for code in reversed(recorder.generators)))
        print("others:", *(code.co_qualname for code in recorder.streams - set(recorder.generators)))
    helpers = len(recorder.called - recorder.path)
    nested = len(recorder.generators)
    print(f"{len(recorder.path)} functions, {nested} nested generators; {helpers} helpers besides")


if __name__ == "__main__":
    typer.run(main)
