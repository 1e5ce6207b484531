"""Twice the document takes at most twice the work and twice the memory; what takes more is refused.

The work of libraries isn't counted: ``python -m benchmarks.growth`` compares their processor time on documents of both
sizes, and ``make fuzz`` bounds it.
"""

from functools import partial
from importlib import import_module

import pytest

from app.documents.registry import FORMATS
from app.errors import InvalidRequest
from tests.support.charged import charged_copies
from tests.support.hostile_documents import HOSTILE, REFUSED
from tests.support.work import check_growth, peak_bytes

with charged_copies():
    READERS = {each.name: import_module(f"app.documents.formats.{each.name}").read for each in FORMATS}

NUMBER = 300
REFUSED_NUMBER = 5_000


def format_of(name: str) -> str:
    return name.partition(":")[0]


def read_and_write(name: str, data: bytes) -> None:
    document = READERS[format_of(name)](data)
    document.write([text.replace("Wort", "word") for text in document.texts], "en")


def test_every_format_that_is_read_in_python_has_hostile_documents():
    assert {format_of(name) for name in (*HOSTILE, *REFUSED)} == READERS.keys()


@pytest.mark.parametrize("name", HOSTILE)
def test_work_and_memory_grow_no_faster_than_the_document(name):
    check_growth(lambda number: partial(read_and_write, name, HOSTILE[name](number)), NUMBER, NUMBER // 2)


@pytest.mark.parametrize("name", [name for name in REFUSED if format_of(name) != "pdf"])
def test_what_would_take_more_is_refused_before_it_does(name):
    data = REFUSED[name](REFUSED_NUMBER)

    def refused() -> None:
        with pytest.raises(InvalidRequest):
            READERS[format_of(name)](data)

    assert peak_bytes(refused) < 32 << 20
