"""What a server and a reader process write to each other: frames, each with its kind and its length.

Nothing of it is code: whatever a stranger's file makes of a reader, the server only gets texts, bytes and numbers.
"""

import json
import socket
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

HEADER = struct.Struct(">cI")
MESSAGE, DATA, TEXTS, CONTINUED, END = b"J", b"D", b"T", b"C", b"E"
"""Kinds: a message in JSON; a part of a file; a list of texts in JSON, and one whose first text continues the last text
of the list before; the end of the parts or lists."""
PIECE = 256 * 1024
"""Bytes of a part of a file, and characters of a list of texts: no more is decoded without a break."""
MAX_FRAME_BYTES = 13 * PIECE
"""A character takes at most twelve bytes in JSON."""
TOO_MUCH_MEMORY = "memory"
"""Code of the error that a document takes more memory than it may."""
OUT_OF_MEMORY = 3
"""Exit code of a reader that had no memory to say so."""
ENDED = struct.Struct(">iQd")
"""What a lease tells when its reader has ended: the status as ``os.wait`` has it, or -1 if no process could be made;
peak memory in bytes; processor time in seconds."""

Frame = tuple[bytes, bytes]

_MOST_TEXTS = 4_096  # of a frame: texts may be empty


def packed(kind: bytes, content: bytes = b"") -> bytes:
    """Returns a frame as it is sent."""
    return HEADER.pack(kind, len(content)) + content


def message(**values: Any) -> bytes:
    """Returns the frame of a message; sets become lists."""
    return packed(MESSAGE, json.dumps(values, default=sorted).encode())


def frames_of_file(content: bytes) -> Iterator[bytes]:
    """Yields the frames of a file."""
    for begin in range(0, len(content), PIECE):
        yield packed(DATA, content[begin : begin + PIECE])
    yield packed(END)


def frames_of_texts(texts: Iterable[str]) -> Iterator[bytes]:
    """Yields the frames of a list of texts."""
    kind, part, room = TEXTS, [], PIECE
    for text in texts:
        begin = 0
        while len(text) - begin > room:
            part.append(text[begin : begin + room])
            begin += room
            yield packed(kind, json.dumps(part).encode())
            kind, part, room = CONTINUED, [], PIECE
        part.append(text[begin:])
        room -= len(text) - begin
        if len(part) == _MOST_TEXTS:
            yield packed(kind, json.dumps(part).encode())
            kind, part, room = TEXTS, [], PIECE
    yield packed(kind, json.dumps(part).encode())
    yield packed(END)


class Texts:
    """A list of texts that comes in frames.

    Attributes:
        size: Bytes so far.
    """

    def __init__(self) -> None:
        self._pieces: list[list[str]] = []
        self.size = 0

    def add(self, frame: Frame) -> None:
        """Adds a frame.

        Raises:
            ValueError: It has something else.
        """
        kind, content = frame
        texts = json.loads(content) if kind in (TEXTS, CONTINUED) else None
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError("a frame without texts")
        self.size += len(content)
        if kind == CONTINUED:
            self._pieces[-1].append(texts.pop(0))
        self._pieces += [[text] for text in texts]

    def all(self) -> list[str]:
        """Returns the texts."""
        return ["".join(pieces) for pieces in self._pieces]


class Connection:
    """The reader's end of a connection, which waits for what it reads and writes."""

    def __init__(self, connection: socket.socket) -> None:
        self._stream = connection.makefile("rwb", buffering=PIECE)

    def send(self, frames: Iterable[bytes]) -> None:
        """Sends frames."""
        for frame in frames:
            self._stream.write(frame)
        self._stream.flush()

    def message(self) -> dict[str, Any]:
        """Returns the next message.

        Raises:
            EOFError: The server has hung up.
        """
        values: dict[str, Any] = json.loads(self._frame()[1])
        return values

    def file(self) -> bytes:
        """Returns the file that follows."""
        return b"".join(content for _, content in self._until_end())

    def texts(self) -> Sequence[str]:
        """Returns the texts that follow."""
        texts = Texts()
        for frame in self._until_end():
            texts.add(frame)
        return texts.all()

    def _until_end(self) -> Iterator[Frame]:
        while (frame := self._frame())[0] != END:
            yield frame

    def _frame(self) -> Frame:
        kind, size = HEADER.unpack(self._exactly(HEADER.size))
        return kind, self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        content: bytes = self._stream.read(size)
        if len(content) < size:
            raise EOFError
        return content
