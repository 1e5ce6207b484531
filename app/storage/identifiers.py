"""Ids of what is stored. Standard library only, so that a server without a database pays nothing for it."""

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
