"""What stored things are found by. Standard library only, so that a server without a database pays nothing for it."""

import hashlib
import unicodedata
import uuid

from app.errors import InvalidRequest


def checked_id(value: object, name: str) -> str:
    """The id of something stored, as it is stored.

    Args:
        value: The id.
        name: What it is called.

    Raises:
        InvalidRequest: It is no UUID.
    """
    try:
        return str(uuid.UUID(value if isinstance(value, str) else ""))
    except ValueError:
        raise InvalidRequest(f"Value for '{name}' not supported; it is no UUID.") from None


def text_key(text: str) -> str:
    """What finds an entry with this text: a hash without differences in white space and in how accents are written."""
    normalized = unicodedata.normalize("NFC", " ".join(text.split()))
    return hashlib.blake2b(normalized.encode(), digest_size=16).hexdigest()
