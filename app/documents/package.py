"""Untrusted zip archives, the containers of office formats and EPUB; checked before anything is unpacked."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from app.documents.safe_xml import parse
from app.errors import DamagedDocument, DocumentTooLarge, EncryptedDocument, UnsupportedDocument
from app.fairness.budget import checkpoint

MAX_ENTRIES = 10_000
MAX_TOTAL_BYTES = 256 << 20
MAX_XML_BYTES = 32 << 20
"""Of all parts that are read as XML or HTML; their trees take about ten times as much memory."""
_MAX_READ_BYTES = 2 * MAX_TOTAL_BYTES  # a part may be read twice: to find out what it has, and to copy it
# What the formats allow (ISO/IEC 21320-1). Python unpacks all that a piece holds of the other methods, however much.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Office files shrink to a fifth or a twentieth; a bomb of zeros to a thousandth.
_MAX_RATIO, _RATIO_FROM_BYTES = 100, 16 << 20
_DIRECTORY_ENTRY = b"PK\1\2"
_COMPOUND_FILE = bytes.fromhex("d0cf11e0a1b11ae1")  # [MS-CFB]: encrypted OOXML, and Office before 2007
_PIECE_BYTES = 1 << 20
_ENCRYPTED_FLAG = 1
_MACROS = ("vbaProject.bin", "Basic/", "Scripts/")


class Package:
    """The parts of a file.

    Args:
        data: The file.

    Raises:
        EncryptedDocument: It has a password.
        UnsupportedDocument: It has macros.
        DocumentTooLarge: Unpacked, it would be too large.
        DamagedDocument: It is no zip archive.
    """

    def __init__(self, data: bytes) -> None:
        if data.startswith(_COMPOUND_FILE):
            raise EncryptedDocument(
                "The file has a password or a format older than Office 2007; save it without one, in a current format."
            )
        # Files inside may be archives, too. Each entry takes memory as soon as the archive is opened.
        if data.count(_DIRECTORY_ENTRY) > 10 * MAX_ENTRIES:
            raise _too_large()
        # zipfile raises NotImplementedError for what it doesn't support, such as a later version of the format.
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise DamagedDocument("The file is damaged, or not what its name says: it is not a zip archive.") from error
        self._entries = {entry.filename: entry for entry in self._archive.infolist()}
        self._check()
        self._texts_bytes = self._read_bytes = 0

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    @property
    def names(self) -> list[str]:
        """Returns the names of all parts, in the order of the file."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """Returns the content of a part.

        Raises:
            DamagedDocument: There is no such part, or it is damaged.
            DocumentTooLarge: With what was read before, it is larger than a package may be.
        """
        if name not in self._entries:
            raise DamagedDocument("The file is damaged: a part is missing.")
        pieces = []
        try:
            with self._archive.open(self._entries[name]) as part:
                while piece := part.read(_PIECE_BYTES):
                    checkpoint()
                    self._read_bytes += len(piece)
                    if self._read_bytes > _MAX_READ_BYTES:
                        raise _too_large()
                    pieces.append(piece)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError) as error:
            raise DamagedDocument("The file is damaged: a part can't be unpacked.") from error
        return b"".join(pieces)

    def text(self, name: str) -> bytes:
        """Returns the content of a part that will be parsed.

        Raises:
            DamagedDocument: There is no such part, or it is damaged.
            DocumentTooLarge: With what was read before, it is larger than ``MAX_XML_BYTES``.
        """
        if name in self._entries and self._texts_bytes + self._entries[name].file_size > MAX_XML_BYTES:
            raise _too_large()
        content = self.read(name)
        self._texts_bytes += len(content)
        if self._texts_bytes > MAX_XML_BYTES:
            raise _too_large()
        return content

    def tree(self, name: str, *, may_have_doctype: bool = False) -> Any:
        """Returns the root element of an XML part.

        Raises:
            DamagedDocument: As ``text``, and if it isn't XML, or has a document type where none is expected.
            DocumentTooLarge: As ``text``.
        """
        return parse(self.text(name), may_have_doctype=may_have_doctype)

    def rewritten(self, parts: Mapping[str, bytes]) -> bytes:
        """Returns the file with new content in some of its parts, and with new parts at the end."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, entry in self._entries.items():
                content = parts[name] if name in parts else self.read(name)
                new = zipfile.ZipInfo(name, entry.date_time)
                new.compress_type, new.external_attr = entry.compress_type, entry.external_attr
                archive.writestr(new, content)
            for name in parts:
                if name not in self._entries:
                    archive.writestr(name, parts[name], zipfile.ZIP_DEFLATED)
        return file.getvalue()

    def _check(self) -> None:
        entries = self._archive.infolist()
        if len(entries) != len(self._entries):
            raise DamagedDocument("The file is damaged: two parts have the same name.")
        unpacked = sum(entry.file_size for entry in entries)
        packed = sum(entry.compress_size for entry in entries)
        if (
            len(entries) > MAX_ENTRIES
            or unpacked > MAX_TOTAL_BYTES
            or (unpacked > _RATIO_FROM_BYTES and unpacked > _MAX_RATIO * packed)
        ):
            raise _too_large()
        if any(entry.flag_bits & _ENCRYPTED_FLAG for entry in entries):
            raise EncryptedDocument("The file has a password; save it without one.")
        if any(entry.compress_type not in _METHODS for entry in entries):
            raise DamagedDocument("The file is damaged: a part is packed in a way that its format doesn't allow.")
        if any(name.endswith(_MACROS[0]) or name.startswith(_MACROS[1:]) for name in self._entries):
            raise UnsupportedDocument("The file has macros; save it without them.")


def _too_large() -> DocumentTooLarge:
    return DocumentTooLarge("The file is too large when it is unpacked.")
