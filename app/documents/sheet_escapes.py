"""SpreadsheetML's escapes: ``_x000D_`` is a carriage return (ST_Xstring in ISO/IEC 29500-1, 22.9.2.19)."""

import re

from app.documents.safe_xml import writable

_ESCAPED = re.compile("_x([0-9a-fA-F]{4})_")
_NOT_PLAIN_IN_NAME = re.compile("[\0-\x1f\ud800-\udfff\ufffe\uffff]")
# XML has the other control characters not at all, and reads a carriage return as a line break.
_NOT_PLAIN = re.compile("[\x01-\x08\x0b-\x1f]")


def unescaped_name(written: str) -> str:
    """Returns the name of a column, or a text to compare with one."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), written)


def escaped_name(text: str) -> str:
    """Writes the name of a column, an attribute: a line break in it has to be escaped, too."""
    return _escaped(text, _NOT_PLAIN_IN_NAME, "04x")


def unescaped(written: str) -> str:
    """Returns the text of a cell. What is no text, such as NUL or half of a character, is left out."""
    text = unescaped_name(written).replace("\0", "")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def escaped(text: str) -> str:
    """Writes the text of a cell."""
    return writable(_escaped(text, _NOT_PLAIN, "04X"))


def _escaped(text: str, not_plain: re.Pattern[str], form: str) -> str:
    """Escapes characters, and an underscore that would begin an escape. Excel's digits are small in names only."""
    text = re.sub("_(?=x[0-9a-fA-F]{4}_)", "_x005F_", text)
    return not_plain.sub(lambda match: f"_x{ord(match[0]):{form}}_", text)
