"""Times as the database keeps them and clients get them."""

from datetime import UTC, datetime


def timestamp() -> str:
    """Now: ISO 8601 in UTC, with milliseconds, as in 2026-11-29T05:55:00.000Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
