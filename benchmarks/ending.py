"""Sends SIGTERM to a server while requests of every age up to half a second are under way, and counts what they get.

    python -m benchmarks.ending artifacts/de-en

A request is sent every ``500 / --requests`` milliseconds, then the signal. A line for each round tells how many
requests got which status. Requests without an answer are a fault: the ages of some follow, in milliseconds.
"""

import asyncio
import json
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from urllib.parse import urlsplit

import typer

from benchmarks.servers import Cores, running_dragoman

_SPAN_S = 0.5
_NOTHING = "no answer"
_TEXT = "Das ist der Satz Nummer {}, und er ist nicht sehr kurz, aber auch nicht lang."


async def _status(port: int, number: int, after_s: float) -> tuple[str, float]:
    """What a request gets that is sent after some seconds, and when it was sent."""
    await asyncio.sleep(after_s)
    body = json.dumps({"q": _TEXT.format(number), "source": "de", "target": "en"}).encode()
    head = f"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    sent_s, answer = time.monotonic(), b""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + b"Connection: close\r\n\r\n" + body)
        answer = await reader.read()
        writer.close()
    except OSError:
        pass
    return answer[9:12].decode() or _NOTHING, sent_s


def main(
    bundle: Path,
    rounds: Annotated[int, typer.Option(help="Servers that are started and stopped.")] = 4,
    requests: Annotated[int, typer.Option(help="Requests of each round.")] = 500,
) -> None:
    """Count the requests that a server which is stopped leaves without an answer."""
    found, cores = 0, Cores.parse("", "").server
    for _ in range(rounds):
        with TemporaryDirectory() as folder, running_dragoman(bundle, cores, Path(folder) / "log") as server:
            port = urlsplit(server.url).port
            assert port

            async def stop_under_load(port: int = port) -> tuple[list[tuple[str, float]], float]:
                async with asyncio.TaskGroup() as group:
                    tasks = [
                        group.create_task(_status(port, number, _SPAN_S * number / requests))
                        for number in range(requests)
                    ]
                    await asyncio.sleep(_SPAN_S)
                    stopped_s = time.monotonic()
                    server.process.terminate()
                return [task.result() for task in tasks], stopped_s

            results, stopped_s = asyncio.run(stop_under_load())
        ages = sorted(round(1000 * (stopped_s - sent_s)) for status, sent_s in results if status == _NOTHING)
        found += len(ages)
        print(dict(Counter(status for status, _ in results)), *ages[:: -max(1, len(ages) // 10)])
    raise typer.Exit(bool(found))


if __name__ == "__main__":
    typer.run(main)
