"""Readers: processes that read one file each, within limits; whatever becomes of them, the server goes on."""

import asyncio
import json
import os
import signal

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.memory_files import MemoryFile
from app.documents.reading import child, frames
from app.documents.reading.forks import FORKS
from app.documents.reading.readers import ReaderLimits, Readers
from app.errors import DamagedDocument, DocumentTooLarge, InvalidMemory, TextTooLong
from tests.support.pdf_files import pdf

MEBIBYTE = 1 << 20


def template() -> psutil.Process:
    assert FORKS._process
    return psutil.Process(FORKS._process.pid)


async def texts(
    data: bytes, format_: str, limits: ReaderLimits | None = None, max_chars: int = 10**7
) -> tuple[str, ...]:
    async with Readers(limits).document(
        data, format_, "docx" if format_ == "pdf" else format_, max_chars, target="en"
    ) as document:
        return document.texts


async def test_a_document_goes_out_as_texts_and_comes_back_as_a_file():
    data = json.dumps({"a": "Hund", "b": ["", "Katze 🐈", 7]}).encode()
    async with Readers().document(data, "json", "json", 100, target="en") as document:
        assert document.texts == ("Hund", "Katze 🐈")
        assert document.characters == 11
        written = await document.write(["dog", "cat 🐈"], "en")
    assert json.loads(written) == {"a": "dog", "b": ["", "cat 🐈", 7]}


@pytest.mark.parametrize("size", [0, 1, frames.PIECE, 9 * frames.PIECE + 1])
async def test_a_text_of_any_length(size):
    text = "aü🐈"[: size % 3 + 1] * (size // 3 + 1)
    async with Readers().document(text.encode(), "txt", "txt", 10**7, target="en") as document:
        assert document.texts == (text,)
        assert await document.write([text[::-1]], "en") == text[::-1].encode()


@given(st.lists(st.text(max_size=20)), st.integers(1, 10))
def test_texts_in_frames_of_any_size(wanted, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "PIECE", piece)
        found = frames.Texts()
        *parts, end = frames.frames_of_texts(wanted)
        for part in parts:
            kind, size = frames.HEADER.unpack(part[: frames.HEADER.size])
            assert len(part) == frames.HEADER.size + size
            found.add((kind, part[frames.HEADER.size :]))
    assert end == frames.packed(frames.END)
    assert found.all() == wanted


async def test_the_file_of_a_memory():
    read = await Readers().memory_file(b"Hund\tdog\nKatze\nMaus\tmouse\n", "tsv", "de", "en")
    assert read == MemoryFile([("Hund", "dog"), ("Maus", "mouse")], 1)
    with pytest.raises(InvalidMemory):
        await Readers().memory_file(b"Hund\n", "tsv", "de", "en")


async def test_refusals_are_those_of_the_format():
    with pytest.raises(DamagedDocument, match="JSON"):
        await texts(b"{", "json")
    with pytest.raises(TextTooLong):
        await texts(b"Hund", "txt", max_chars=3)


async def test_a_document_that_takes_too_much_memory_is_refused():
    bomb = pdf(b" " * (150 * MEBIBYTE))
    assert len(bomb) < MEBIBYTE
    with pytest.raises(DocumentTooLarge, match="memory"):
        await texts(bomb, "pdf", ReaderLimits(memory_bytes=100 * MEBIBYTE))
    with pytest.raises(DocumentTooLarge, match="memory"):
        await texts(b"a" * (40 * MEBIBYTE), "txt", ReaderLimits(memory_bytes=64 * MEBIBYTE))


async def test_a_document_that_takes_too_much_time_is_refused():
    slow = pdf(b"BT /F 10 Tf 50 700 Td " + b"(Der Hund ) Tj " * 100_000 + b"ET")
    with pytest.raises(DocumentTooLarge, match="time"):
        await texts(slow, "pdf", ReaderLimits(processor_s=0))


async def test_a_reader_that_is_killed_takes_only_its_document_along():
    FORKS.stop()  # another test's reader may still be ending
    with pytest.raises(DocumentTooLarge, match="memory"):
        async with Readers().document(b"Hund", "txt", "txt", 100, target="en") as document:
            [reader] = template().children()
            reader.send_signal(signal.SIGKILL)
            await document.write(["dog"], "en")
    assert await texts(b"Hund", "txt") == ("Hund",)


async def test_a_template_that_is_killed_is_replaced():
    await texts(b"Hund", "txt")
    template().kill()
    template().wait(60)
    assert await texts(b"Hund", "txt") == ("Hund",)


async def test_a_reader_ends_when_nobody_waits_for_it():
    FORKS.stop()
    slow = pdf(b"BT /F 10 Tf 50 700 Td " + b"(Der Hund ) Tj " * 100_000 + b"ET")
    reading = asyncio.create_task(texts(slow, "pdf"))
    async with asyncio.timeout(60):
        while not FORKS._process or not template().children():
            assert not reading.done()
            await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert psutil.wait_procs(template().children(), timeout=60)[1] == []


async def test_all_processes_end_with_the_server():
    async with Readers().document(b"Hund", "txt", "txt", 100, target="en"):
        everything = [template(), *template().children()]
        FORKS.stop()
        assert psutil.wait_procs(everything, timeout=60)[1] == []


async def test_signals_to_a_group_of_processes_leave_the_end_to_the_server():
    async with Readers().document(b"Hund", "txt", "txt", 100, target="en") as document:
        for process in (template(), *template().children()):
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
        assert await document.write(["dog"], "en") == b"dog"


async def test_readers_know_no_secrets_and_make_no_files(monkeypatch):
    FORKS.stop()
    monkeypatch.setenv("DRAGOMAN_ADMIN_KEY", "0123456789abcdef")
    async with Readers().document(b"Hund", "txt", "txt", 100, target="en"):
        [reader] = template().children()
        assert "DRAGOMAN_ADMIN_KEY" not in reader.environ()
        assert reader.rlimit(psutil.RLIMIT_FSIZE)[1] == 0
        assert reader.rlimit(psutil.RLIMIT_NPROC)[1] == 0
        assert reader.nice() > os.nice(0) or reader.nice() == 19  # the lowest priority there is


def test_an_unforeseen_error_is_told_without_what_the_file_has():
    class Listener:
        def send(self, parts):
            [self.sent] = parts

    def fail():
        raise KeyError("a stranger's text")

    listener = Listener()
    assert child._answered(listener, fail) is None
    told = json.loads(listener.sent[frames.HEADER.size :])
    assert told["error"] == DamagedDocument.code
    assert told["place"].startswith("KeyError at test_readers.py:")
    assert b"stranger" not in listener.sent
