"""Keys of stored objects. Standard library only, so that a server without a database loads nothing else."""

import hashlib
import unicodedata
import uuid

from app.errors import InvalidRequest


def checked_id(value: object, name: str) -> str:
    """Returns an id in the form in which it is stored.

    Args:
        value: The id.
        name: What it is called.

    Raises:
        InvalidRequest: It is not a UUID.
    """
    try:
        return str(uuid.UUID(value if isinstance(value, str) else ""))
    except ValueError:
        raise InvalidRequest(f"Value for '{name}' not supported; it is not a UUID.") from None


def text_key(text: str) -> str:
    """Returns the lookup key of a text: a hash that ignores white space and how accents are encoded."""
    normalized = unicodedata.normalize("NFC", " ".join(text.split()))
    return hashlib.blake2b(normalized.encode(), digest_size=16).hexdigest()
