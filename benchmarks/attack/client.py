"""The attacker's tools: sockets, requests with a time limit, many requests at once. Standard library only."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

HOST = "127.0.0.1"
JSON = {"Content-Type": "application/json"}
MEBIBYTE = 1024 * 1024
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass
class Target:
    """The server under attack.

    Attributes:
        port: Port that it listens on.
        limit_s: Seconds that the attack may take.
        over: Set when the attack's time is over.
    """

    port: int
    limit_s: float
    over: threading.Event = field(default_factory=threading.Event)
    began_s: float = field(default_factory=time.monotonic)

    def timeout_s(self) -> float:
        """Seconds that may be waited for one answer: never beyond the attack's limit."""
        return max(0.1, self.began_s + self.limit_s - time.monotonic())

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection((HOST, self.port), timeout=self.timeout_s())

    def request(
        self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None, address: str = HOST
    ) -> tuple[str, bytes]:
        """Status and body of an answer; the status is ``none`` if nothing came, ``closed`` if the server closed.

        Args:
            path: The path.
            body: The body; None to get.
            headers: The headers.
            address: The client's address.
        """
        connection = http.client.HTTPConnection(HOST, self.port, timeout=self.timeout_s(), source_address=(address, 0))
        try:
            connection.request("GET" if body is None else "POST", path, body, headers or {})
            response = connection.getresponse()
            return str(response.status), response.read()
        except TimeoutError:
            return "none", b""
        except (OSError, http.client.HTTPException):
            return "closed", b""
        finally:
            connection.close()

    def translate(self, **parameters: Any) -> str:
        """The status of a translation from German into English."""
        body = json.dumps({"source": "de", "target": "en", **parameters}).encode()
        return self.request("/translate", body, JSON)[0]

    def send(self, *parts: bytes) -> str:
        """The status of the answer to raw bytes, read as soon as the server stops taking them."""
        try:
            with self.connect() as connection:
                with suppress(ConnectionError):
                    for part in parts:
                        connection.sendall(part)
                connection.settimeout(self.timeout_s())
                answer = connection.recv(64)
                return answer[9:12].decode() if answer else "closed"
        except TimeoutError:
            return "none"
        except OSError:
            return "closed"

    def metric(self, name: str) -> float:
        """A metric of the server."""
        _, body = self.request("/metrics")
        for line in body.decode().splitlines():
            if line.startswith(name + " "):
                return float(line.rpartition(" ")[2])
        raise KeyError(name)

    def wait(self, seconds: float) -> None:
        """Wait until the attack's time is over, but at most this long."""
        self.over.wait(seconds)


class Attack(NamedTuple):
    """An attack.

    Attributes:
        name: Name in the table.
        run: Does it; returns its outcome.
        is_good: Judges the outcome.
    """

    name: str
    run: Callable[[Target], str]
    is_good: Callable[[str], bool]


def at_once(*calls: Callable[[], str]) -> str:
    """How often each outcome came of calls made at the same time."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return counted([call.result() for call in [pool.submit(call) for call in calls]])


def again_and_again(target: Target, call: Callable[[], str], seconds: float, clients: int = 1) -> str:
    """How often each outcome came of calls made one after the other, by several clients."""
    end = time.monotonic() + seconds

    def client() -> list[str]:
        outcomes = []
        while time.monotonic() < end and not target.over.is_set():
            outcomes.append(call())
        return outcomes

    with ThreadPoolExecutor(clients) as pool:
        return counted([one for each in [pool.submit(client) for _ in range(clients)] for one in each.result()])


def counted(outcomes: Sequence[str]) -> str:
    """``3x 200, 1x 503``."""
    return ", ".join(f"{outcomes.count(one)}x {one}" for one in sorted(set(outcomes)))
