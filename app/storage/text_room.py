"""The room for texts that clients store: translation memories, glossaries and suggestions, in bytes of UTF-8."""

from typing import NamedTuple

from sqlalchemy import Connection, Function, Integer, column, func, select, table, union_all
from sqlalchemy.sql.elements import ColumnElement

from app.errors import RoomExceeded

_MEMORIES = table("memories", column("size", Integer), column("key_id", Integer))
_SUGGESTIONS = table("suggestions", column("size", Integer), column("key_id", Integer))
_DICTIONARIES = table("dictionaries", column("size", Integer), column("glossary_id"))
_GLOSSARIES = table("glossaries", column("id"), column("key_id", Integer))
_STORED = union_all(
    select(_MEMORIES.c.size, _MEMORIES.c.key_id),
    select(_SUGGESTIONS.c.size, _SUGGESTIONS.c.key_id),
    select(_DICTIONARIES.c.size, _GLOSSARIES.c.key_id).join_from(
        _DICTIONARIES, _GLOSSARIES, _DICTIONARIES.c.glossary_id == _GLOSSARIES.c.id
    ),
).subquery()


class TextLimits(NamedTuple):
    """Maximum bytes.

    Attributes:
        of_owner: Of the texts of one API key, or of all texts that were stored without one.
        of_all: Of all texts.
    """

    of_owner: int
    of_all: int


def octets(text: ColumnElement[str]) -> Function[int]:
    """The bytes of a text in UTF-8."""
    return func.octet_length(text, type_=Integer)


def check_room(connection: Connection, owner: int | None, limits: TextLimits | None) -> None:
    """Checks the limits within a transaction that has stored texts; its error undoes the transaction.

    Args:
        connection: Of the transaction.
        owner: Number of an API key; None without one.
        limits: The limits; None for none.

    Raises:
        RoomExceeded: There are more bytes than that.
    """
    if limits is None:
        return
    size = select(func.coalesce(func.sum(_STORED.c.size), 0))
    if connection.execute(size.where(_STORED.c.key_id.is_not_distinct_from(owner))).scalar_one() > limits.of_owner:
        raise RoomExceeded(
            f"Translation memories, glossaries and suggestions would exceed {limits.of_owner:,} bytes; delete some."
        )
    if connection.execute(size).scalar_one() > limits.of_all:
        raise RoomExceeded("The server has no room for more translation memories, glossaries and suggestions.")
