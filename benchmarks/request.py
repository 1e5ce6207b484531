"""What a plain request of one sentence costs outside of the model.

    python -m benchmarks.request artifacts/de-en data/de-en/eval/tatoeba.test.tsv

The application is called in this process, without HTTP, one request after the other. Processor time is that of the
event loop's thread, of the worker's, and of the time inside ONNX Runtime, which is told apart. It varies with the
machine's other guests.

The number of bytecodes varies by one in a hundred, in one version of Python. The first table shows where they are, for
a sentence that every model translates in few pieces. Without a file of pairs, that is all. Their number is a lower
bound of what changes: a function in C counts as one call. `tests/unit/benchmarks/test_request.py` has the limit.

The floor is FastAPI with an endpoint that reads the body and answers a constant.
"""

import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer
import uvloop
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from app.engine.onnx import native
from app.main import create_app
from app.settings import Settings
from benchmarks.figures import json_line, read_sentences, spread
from benchmarks.hops import SOURCES, ask

_WARM = 30  # requests that nobody counts: the first ones import modules and compile expressions
_COUNTED = 10
_SENTENCE = "Guten Morgen!"
_LIBRARIES = {"fastapi", "starlette", "asyncio", "onnxruntime", "prometheus_client", "json"}


class Bytecodes:
    """Counts the bytecodes that threads run which start while the context lasts."""

    def __init__(self) -> None:
        self._counts: Counter[str] | None = None

    def __enter__(self) -> "Bytecodes":
        threading.settrace(self._trace)
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    async def of(self, work: Callable[[], Awaitable[object]]) -> Counter[str]:
        """Returns the bytecodes that some work takes, by part of the program."""
        self._counts = counts = Counter[str]()
        await work()
        self._counts = None
        parts = Counter[str]()
        for file, number in counts.items():
            parts[part_of(file)] += number
        return parts

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        counts = self._counts
        if counts is None:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            counts[frame.f_code.co_filename] += 1
        return self._trace


def part_of(file: str) -> str:
    """Names the part of the program that a source file belongs to."""
    if file.startswith(SOURCES):
        folders = Path(file).relative_to(SOURCES).parts[:-1]
        return "/".join(("app", *folders[:2]))
    found = _LIBRARIES.intersection(Path(file).parts)
    return min(found) if found else "languages" if "languages" in file else "other libraries"


class Watched:
    """A session whose time is measured.

    Attributes:
        inside_s: Processor time inside all such sessions, in seconds.
    """

    inside_s = 0.0

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def run(self, *arguments: Any) -> Any:
        """As of the session."""
        return self._timed(self._session.run, *arguments)

    def run_with_iobinding(self, *arguments: Any) -> Any:
        """As of the session."""
        return self._timed(self._session.run_with_iobinding, *arguments)

    def _timed(self, function: Callable[..., Any], *arguments: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*arguments)
        finally:
            Watched.inside_s += time.thread_time() - began


async def time_requests(app: FastAPI, sentences: Iterable[str]) -> dict[str, float]:
    """Milliseconds of processor time a request, by where they are spent."""
    texts = list(sentences)
    Watched.inside_s, whole, loop = 0.0, time.process_time(), time.thread_time()
    for text in texts:
        await ask(app, q=text, source="de", target="en")
    loop, whole = time.thread_time() - loop, time.process_time() - whole
    seconds = {"model": Watched.inside_s, "event loop": loop, "worker": whole - loop - Watched.inside_s}
    seconds["outside of the model"] = whole - Watched.inside_s
    return {name: 1000 * value / len(texts) for name, value in seconds.items()}


async def time_all(bundle: Path, pairs: Path, requests: int, rounds: int) -> None:
    opened = native._open
    native._open = lambda path: Watched(opened(path))  # type: ignore[assignment,return-value]
    app = create_app(Settings(bundle=(bundle,), workers=1, threads=1, feature_cache_bytes=0))
    sentences = [source for source, _ in read_sentences([pairs], seed=0)]
    async with app.router.lifespan_context(app):
        await time_requests(app, sentences[-_WARM:])
        found = [await time_requests(app, sentences[:requests]) for _ in range(rounds)]
    floors = [await time_requests(_floor(), sentences[:requests]) for _ in range(rounds)]
    results = {name: [each[name] for each in found] for name in found[0]}
    results["floor"] = [each["event loop"] for each in floors]
    for name, values in results.items():
        print(f"{name:22} {spread(values, '.2f')} ms")
    print(json_line(benchmark="request", requests=requests, results=results))


async def count_bytecodes(bundle: Path) -> tuple[Counter[str], Counter[str]]:
    """Bytecodes of a request and of the floor, by part; the fewest of some requests."""
    with Bytecodes() as bytecodes:
        app = create_app(Settings(bundle=(bundle,), workers=1, threads=1))
        async with app.router.lifespan_context(app):
            return await _fewest(bytecodes, app), await _fewest(bytecodes, _floor())


async def _fewest(bytecodes: Bytecodes, app: FastAPI) -> Counter[str]:
    body = {"q": _SENTENCE, "source": "de", "target": "en"}
    for _ in range(_WARM):
        await ask(app, **body)
    return min([await bytecodes.of(lambda: ask(app, **body)) for _ in range(_COUNTED)], key=Counter.total)


def _floor() -> FastAPI:
    app = FastAPI()

    @app.post("/translate")
    async def answer(request: Request) -> JSONResponse:
        await request.body()
        return JSONResponse({"translatedText": "Good morning!"})

    return app


def main(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle, German to English.")],
    pairs: Annotated[Path | None, typer.Argument(help="Pair file; its first column is translated.")] = None,
    requests: Annotated[int, typer.Option(min=1, help="Requests in a round.")] = 500,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds.")] = 4,
) -> None:
    """Print processor time and bytecodes of a request."""
    counts, floor = uvloop.run(count_bytecodes(bundle))
    print(f"{'floor':22} {floor.total():7,}")
    for name, number in counts.most_common():
        print(f"{name:22} {number:7,}")
    print(f"{'bytecodes':22} {counts.total():7,}")
    if pairs:
        uvloop.run(time_all(bundle, pairs, requests, rounds))


if __name__ == "__main__":
    typer.run(main)
