"""Reads and writes strangers' files in processes of their own, whose memory and processor time are limited.

A process reads one document, keeps it while its texts are translated, writes the translation, and ends. It is forked
from a template (``app.documents.reading.template``), which takes some milliseconds. The server never unpacks or parses
a file, and no thread of it waits for one.
"""

import asyncio
import json
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.documents.marks import Marks, packed
from app.documents.memory_files import MemoryFile
from app.documents.reading import frames
from app.documents.reading.forks import BUSY, FORKS
from app.engine.interface import Splitting
from app.errors import DocumentTooLarge, DragomanError, Overloaded, error_with_code
from app.settings import Settings
from app.text.markup.scope import Rules
from app.text.untranslated import Reason

_MEBIBYTE = 1 << 20
_FILE_BYTES = 64 * _MEBIBYTE  # of a translation: this much, or twice the original if that is more
_TEXTS_BYTES = 16  # of texts in JSON, for each character that a document may have; and for each text
_PATIENCE = 5  # a reader may wait so many times its processor time: other processes go first
_END_S = 5.0
_TOO_MUCH_MEMORY = "The document takes more memory than is allowed to read and write it; divide it."
_TOO_MUCH_TIME = "The document takes more time than is allowed to read and write it; divide it."
_UNREADABLE = "The document can't be read within the limits of memory and time."

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReaderLimits:
    """What a document may take.

    Attributes:
        memory_bytes: Memory of its process.
        processor_s: Processor time to read it, and again to write it, in seconds.
    """

    memory_bytes: int = 1024 * _MEBIBYTE
    processor_s: int = 60

    @classmethod
    def from_settings(cls, settings: Settings) -> "ReaderLimits":
        """Returns the limits that the operator has set."""
        return cls(settings.document_memory_bytes, settings.document_processor_s)


class End(NamedTuple):
    """How a reader has ended.

    Attributes:
        status: As ``os.wait`` has it; -1 if no process could be made.
        peak_bytes: The most memory that it had.
        processor_s: Processor time that it has used, in seconds.
    """

    status: int
    peak_bytes: int
    processor_s: float


class Readers:
    """The reader processes of a server.

    Args:
        limits: What a document may take.
    """

    def __init__(self, limits: ReaderLimits | None = None) -> None:
        self._limits = limits or ReaderLimits()

    @asynccontextmanager
    async def document(
        self, data: bytes, format_name: str, output: str, max_chars: int, *, target: str
    ) -> "AsyncIterator[OpenDocument]":
        """Reads a document, and keeps its process until the end of the ``with`` block.

        Args:
            data: The file.
            format_name: Name of its format.
            output: Name of the format of its translation.
            max_chars: Maximum number of its characters.
            target: The target as a locale, whose translations a file of several languages may have already.

        Raises:
            InvalidRequest: The file can't be read as its format, or not within the limits.
            TextTooLong: It has more characters than there may be.
            Overloaded: There can't be another process now.
        """
        wanted = {"format": format_name, "output": output, "max_chars": max_chars, "target": target}
        async with self._reader(data, "document", **wanted) as reader:
            described = await reader.message()
            texts = await reader.texts(_TEXTS_BYTES * max_chars)
            yield OpenDocument(reader, described, tuple(texts), output, max(_FILE_BYTES, 2 * len(data)))

    async def memory_file(self, data: bytes, form: str, source: str, target: str) -> MemoryFile:
        """Reads the file of a translation memory; the arguments are those of ``app.documents.memory_files``.

        Raises:
            InvalidRequest: As ``read_file``, and if it can't be read within the limits.
            Overloaded: There can't be another process now.
        """
        async with self._reader(data, "memory", format=form, source=source, target=target) as reader:
            skipped = (await reader.message())["skipped"]
            texts = await reader.texts(_TEXTS_BYTES * len(data) + _MEBIBYTE)
            return MemoryFile(list(zip(texts[::2], texts[1::2], strict=True)), skipped)

    async def memory_pair(self, data: bytes, served: Collection[tuple[str, str]]) -> tuple[str, str]:
        """Tells the languages of a TMX file; the arguments are those of ``app.documents.memory_files.find_pair``.

        Raises:
            InvalidRequest: As ``find_pair``, and if it can't be read within the limits.
            Overloaded: There can't be another process now.
        """
        async with self._reader(data, "pair", served=sorted(served)) as reader:
            source, target = (await reader.message())["pair"]
            return source, target

    async def term_file(self, data: bytes, source: str, target: str) -> list[tuple[str, str]]:
        """Reads a TBX file; the arguments are those of ``app.documents.term_files.read``.

        Raises:
            InvalidRequest: As ``term_files.read``, and if it can't be read within the limits.
            Overloaded: There can't be another process now.
        """
        async with self._reader(data, "terms", source=source, target=target) as reader:
            await reader.message()
            texts = await reader.texts(_TEXTS_BYTES * len(data) + _MEBIBYTE)
            return list(zip(texts[::2], texts[1::2], strict=True))

    @asynccontextmanager
    async def _reader(self, data: bytes, task: str, **values: Any) -> "AsyncIterator[Reader]":
        """Starts a process, and gives it a task with a file."""
        connection, lease = FORKS.fork()
        stream, writer = await asyncio.open_unix_connection(sock=connection, limit=_MEBIBYTE)
        reader = Reader(stream, writer, lease, _PATIENCE * self._limits.processor_s)
        try:
            await reader.send(frames.message(task=task, **vars(self._limits), **values))
            await reader.send_all(frames.frames_of_file(data))
            yield reader
        finally:
            lease.close()
            writer.transport.abort()


class OpenDocument:
    """A document whose process waits for its translations.

    Attributes:
        reader: The process.
        texts: As in ``app.documents.document.Document``, and so are ``markup``, ``splitting`` and ``kept``.
        output: Name of the format of its translation.
        characters: Number of characters (code points) of all texts, without the marks of formatting in office files.
    """

    def __init__(
        self, reader: "Reader", described: dict[str, Any], texts: tuple[str, ...], output: str, max_bytes: int
    ) -> None:
        self.reader, self._max_bytes = reader, max_bytes
        self.texts, self.output = texts, output
        rules: dict[str, Any] = described["markup"] or {}
        rules = {name: frozenset(value) if isinstance(value, list) else value for name, value in rules.items()}
        self.markup = Rules(**rules) if rules else None
        self.splitting: Splitting = described["splitting"]
        self.kept = {Reason(reason): count for reason, count in described["kept"].items()}
        self.characters: int = described["characters"]
        self._takes_marks: bool = described["takes_marks"]

    async def write(self, translations: Sequence[str], language: str, marks: Marks = None) -> bytes:
        """Returns the translated file; may be called once.

        Args:
            translations: The translated texts, in order.
            language: The target as a locale.
            marks: One for each text, if they are wanted; formats without a place for them leave them out.

        Raises:
            DocumentTooLarge: It can't be written within the limits.
        """
        has_marks = marks is not None and self._takes_marks
        await self.reader.send(frames.message(language=language, has_marks=has_marks))
        await self.reader.send_all(frames.frames_of_texts(translations))
        if marks is not None and has_marks:
            await self.reader.send_all(frames.frames_of_texts(map(packed, marks)))
        size = (await self.reader.message())["size"]
        if size > self._max_bytes:
            raise DocumentTooLarge("The translated document is too large.")
        return await self.reader.file(size)


class Reader:
    """The server's end of the connection with a reader.

    Args:
        stream: What the reader sends.
        writer: What it gets.
        lease: Tells how it ends.
        patience_s: How long it may work on an answer.
    """

    def __init__(
        self, stream: asyncio.StreamReader, writer: asyncio.StreamWriter, lease: socket.socket, patience_s: float
    ) -> None:
        self._stream, self._writer, self._lease, self._patience_s = stream, writer, lease, patience_s

    async def send(self, frame: bytes) -> None:
        """Sends a frame."""
        await self.send_all([frame])

    async def send_all(self, parts: Iterable[bytes]) -> None:
        """Sends frames, one after the other, so that no other copy of them is in memory."""
        with suppress(ConnectionError):  # how the reader has ended is told where its answer is awaited
            for frame in parts:
                self._writer.write(frame)
                await self._writer.drain()
                await asyncio.sleep(0)  # there may have been room, and other requests are due

    async def message(self) -> dict[str, Any]:
        """Waits for a message.

        Raises:
            DragomanError: It is an error, or the reader has ended.
        """
        try:
            async with asyncio.timeout(self._patience_s):
                values: dict[str, Any] = json.loads((await self._frame())[1])
        except TimeoutError:
            raise DocumentTooLarge(_TOO_MUCH_TIME) from None
        if code := values.get("error"):
            if values["place"]:
                logger.warning("a reader of documents could not go on: %s", values["place"])
            if code == frames.TOO_MUCH_MEMORY:
                raise DocumentTooLarge(_TOO_MUCH_MEMORY)
            raise error_with_code(code, values["text"])
        return values

    async def texts(self, most_bytes: int) -> list[str]:
        """Returns the texts that come.

        Raises:
            DragomanError: They are longer than they may be, or the reader has ended.
        """
        texts = frames.Texts()
        while (frame := await self._frame())[0] != frames.END:
            texts.add(frame)
            if texts.size > most_bytes:
                raise DocumentTooLarge("The document has too much text; divide it.")
        return texts.all()

    async def file(self, size: int) -> bytes:
        """Returns the file of this size that comes.

        Raises:
            DragomanError: The reader has ended.
        """
        content = bytearray()
        while (frame := await self._frame())[0] == frames.DATA and len(content) + len(frame[1]) <= size:
            content += frame[1]
        if len(content) != size or frame[0] != frames.END:
            raise DragomanError("A reader of documents has sent another file than it said.")
        return bytes(content)

    async def _frame(self) -> frames.Frame:
        try:
            kind, size = frames.HEADER.unpack(await self._stream.readexactly(frames.HEADER.size))
            if size > frames.MAX_FRAME_BYTES:
                raise DragomanError("A reader of documents has sent too much.")
            return kind, await self._stream.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise await self._fault() from None

    async def end(self) -> End | None:
        """Waits for the end of the reader; None if nobody tells it soon."""
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_END_S):
                told = await asyncio.get_running_loop().sock_recv(self._lease, frames.ENDED.size)
                if len(told) == frames.ENDED.size:
                    return End(*frames.ENDED.unpack(told))
        return None

    async def _fault(self) -> DragomanError:
        """Returns the error of a reader that has ended without an answer."""
        end = await self.end()
        if end is None:
            return DocumentTooLarge(_UNREADABLE)
        if end.status < 0:
            return Overloaded(BUSY)
        logger.warning(
            "a reader of documents ended with status %d, after %.1f s of processor time, with %d MB",
            end.status,
            end.processor_s,
            end.peak_bytes // 1_000_000,
        )
        ended_by = os.waitstatus_to_exitcode(end.status)
        if ended_by == -signal.SIGXCPU:
            return DocumentTooLarge(_TOO_MUCH_TIME)
        is_memory = ended_by in (-signal.SIGKILL, frames.OUT_OF_MEMORY)
        return DocumentTooLarge(_TOO_MUCH_MEMORY if is_memory else _UNREADABLE)
