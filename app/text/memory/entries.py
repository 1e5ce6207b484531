"""The rules for texts and translations in a translation memory."""

import unicodedata

from app.errors import InvalidMemory

MAX_ENTRY_CHARS = 5_000
"""Of a text, and of its translation."""

_ALLOWED = frozenset("\t\n\r")


def check_entry_text(value: object, name: str) -> str:
    """Checks a text or a translation; returns it without white space around it.

    Args:
        value: The text.
        name: What the message calls it.

    Raises:
        InvalidMemory: It is not a string, empty, too long, or has a character that can't be kept.
    """
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        raise InvalidMemory(f"Value for '{name}' not supported; it must be a text that is not empty.")
    if len(text) > MAX_ENTRY_CHARS:
        raise InvalidMemory(f"Value for '{name}' not supported; it has more than {MAX_ENTRY_CHARS:,} characters.")
    if any(unicodedata.category(each) in ("Cc", "Cs") and each not in _ALLOWED for each in text):
        raise InvalidMemory(f"Value for '{name}' not supported; it has a control character.")
    return text
