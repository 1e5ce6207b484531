"""What tests of a cluster share: requests that go on while something dies."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import httpx
import pytest

THREADS = 6
_PAUSE_S = 0.2  # after a refusal. Without it, the refused take the processors that what died needs to start again.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows what Ray complained about beside a test that failed."""
    report = yield
    if report.failed and "ray_cluster" in item.funcargs:
        report.sections.append(("Ray", item.funcargs["ray_cluster"].complaints()))
    return report


class Answer(NamedTuple):
    status: int  # 0 for none
    retry_after: str | None
    seconds: float


class Load:
    """Threads that ask for translations, one after the other.

    Args:
        url: The server.
        text: What to translate beside a sentence that nobody has asked for.
        headers: Headers of all requests.
    """

    def __init__(self, url: str, text: str = "", **headers: str) -> None:
        self._text = text
        self.answers: list[Answer] = []
        self._client = httpx.Client(base_url=url, timeout=60, headers=headers)
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(THREADS)]

    def _ask(self, thread: int) -> None:
        number = 0
        while not self._ended.is_set():
            number += 1
            began = time.monotonic()
            body = {"q": f"Ich möchte {number} Bier und {thread} Brote. {self._text}", "source": "de", "target": "en"}
            try:
                response = self._client.post("/translate", json=body)
                status, retry_after = response.status_code, response.headers.get("Retry-After")
            except httpx.HTTPError:
                status, retry_after = 0, None
            self.answers.append(Answer(status, retry_after, time.monotonic() - began))
            if status != 200:
                self._ended.wait(_PAUSE_S)

    def wait_for(self, number: int, status: int = 200) -> None:
        """Waits for this many more answers with a status."""
        before = self.count(status)
        wait_until(lambda: self.count(status) >= before + number, f"{number} answers with {status}")

    def count(self, status: int) -> int:
        return sum(answer.status == status for answer in self.answers)

    @contextmanager
    def running(self) -> Iterator["Load"]:
        for thread in self._threads:
            thread.start()
        try:
            yield self
        finally:
            self._ended.set()
            for thread in self._threads:
                thread.join(60)
            self._client.close()

    def assert_answered(self, within_s: float) -> None:
        """Every request was translated, or refused with a time to try again, and none took too long."""
        assert {answer.status for answer in self.answers} <= {200, 503}
        assert all(answer.retry_after for answer in self.answers if answer.status == 503)
        assert max(answer.seconds for answer in self.answers) < within_s


def wait_until(condition: Callable[[], bool], what: str, within_s: float = 120) -> None:
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        time.sleep(0.2)  # looking for processes takes a tenth of that
