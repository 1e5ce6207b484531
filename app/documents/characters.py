"""Files of text: which characters their bytes are, and back to the same encoding."""

import codecs
import re
from collections.abc import Callable

from app.errors import DamagedDocument

# Longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings of documents. Python also knows some that are none, and one that takes quadratic time (punycode).
_KNOWN = re.compile(
    r"(?:us-)?ascii|utf-?(?:8|16|32)(?:-?[lb]e)?|(?:iso|windows|cp|latin|koi8|mac|euc|gb|big5|shift)\w*(?:-\w+)*", re.I
)


class Encoded:
    """A file of text.

    Args:
        data: The file.
        declared: The encoding that it names itself, if any; UTF-8 otherwise. A byte order mark wins over it.

    Attributes:
        text: The text, without the mark.

    Raises:
        DamagedDocument: The bytes are not in this encoding.
    """

    def __init__(self, data: bytes, declared: str | None = None) -> None:
        self._mark, self._encoding = next(
            ((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", declared or "utf-8")
        )
        if not _KNOWN.fullmatch(self._encoding):
            raise DamagedDocument("The file names an unknown encoding; save it as UTF-8.")
        try:
            self.text = data[len(self._mark) :].decode(self._encoding)
        except (LookupError, ValueError):
            raise DamagedDocument(f"The file is not {self._encoding.upper()} text; save it as UTF-8.") from None
        if "\0" in self.text:
            raise DamagedDocument("The file is not text.")

    def has_all(self, text: str) -> bool:
        """Tells whether the file's encoding has all characters of a text."""
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError:
            return False
        return True

    def encoded(self, text: str, escape: Callable[[str, str], bytes] | None = None) -> bytes:
        """Returns the text as bytes in the file's encoding.

        Args:
            text: The text.
            escape: Writes a text with characters that the encoding doesn't have, given both; without it, such a file
                becomes UTF-8.
        """
        try:
            return self._mark + text.encode(self._encoding)
        except UnicodeEncodeError:
            return escape(text, self._encoding) if escape else text.encode()


def char_references(text: str, encoding: str) -> bytes:
    """Replaces the characters that an encoding lacks by character references."""
    return text.encode(encoding, "xmlcharrefreplace")
