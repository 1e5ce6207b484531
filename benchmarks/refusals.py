"""What it costs a server to refuse a translation while its queue is full.

    python -m benchmarks.refusals artifacts/de-en

A server process whose queue is always full gets requests over some kept connections, one after the other on each. The
figures are processor time of the server, system calls included: less sensitive to the machine's other guests than
times are, but not insensitive. Rounds alternate between a server that refuses before there is a task for the request,
as ``dragoman serve`` does, and one whose application refuses, as it does behind Ray's proxy.
"""

import asyncio
import json
import multiprocessing
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import psutil
import typer

from app.cli import server
from app.edge.connections import let_in
from app.engine.registry import Registry
from app.errors import Overloaded
from app.main import create_app
from app.settings import Settings
from benchmarks.figures import json_line, spread

_BODY = json.dumps({"q": "Der Zug nach Hamburg fährt heute leider nicht.", "source": "de", "target": "en"}).encode()
_REQUEST = (
    b"POST /translate HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: benchmark\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
)


class FullRegistry(Registry):
    """Has no room for anything."""

    def reject_if_overloaded(self) -> None:
        """Refuses.

        Raises:
            Overloaded: Always.
        """
        raise Overloaded("The server is busy; try again in a moment.")


def serve(bundle: Path, early: bool, addresses: Connection) -> None:
    """The server process."""
    settings = Settings(bundle=(bundle,), workers=1, threads=1, lazy_loading=True, port=0)
    app = create_app(settings, FullRegistry.from_settings(settings))
    server.run(app, settings, addresses.send, app.state.refuse if early else let_in)


@contextmanager
def running(bundle: Path, early: bool) -> Iterator[tuple[str, psutil.Process]]:
    """A server's address and process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(bundle, early, theirs))
    process.start()
    theirs.close()  # so that a process that fails is noticed
    try:
        yield ours.recv(), psutil.Process(process.pid)
    finally:
        process.terminate()
        process.join()


async def ask(url: str, requests: int, connections: int) -> None:
    """Sends requests, each after the answer to the one before on its connection."""

    async def one(number: int) -> None:
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        for _ in range(number):
            writer.write(_REQUEST)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503"), head
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
        writer.close()

    await asyncio.gather(*(one(requests // connections) for _ in range(connections)))


def main(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle.")],
    requests: Annotated[int, typer.Option(min=100, help="Requests in a round.")] = 4_000,
    connections: Annotated[int, typer.Option(min=1, help="Connections at a time.")] = 8,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds.")] = 5,
) -> None:
    """Print the processor time of a refusal, in microseconds."""
    results: dict[str, list[float]] = defaultdict(list)
    with running(bundle, True) as early, running(bundle, False) as late:
        for url, _ in (early, late):
            asyncio.run(ask(url, requests, connections))
        for _ in range(rounds):
            for name, (url, process) in (("before a task", early), ("by the application", late)):
                before = sum(process.cpu_times()[:2])
                asyncio.run(ask(url, requests, connections))
                results[name].append((sum(process.cpu_times()[:2]) - before) / requests * 1e6)
    for name, values in results.items():
        print(f"{name:20} {spread(values, '.0f')} microseconds")
    print(json_line(benchmark="refusals", python=sys.version.split()[0], requests=requests, results=results))


if __name__ == "__main__":
    typer.run(main)
