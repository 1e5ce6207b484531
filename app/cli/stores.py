"""Opens the database for a command, and finds in it what the command names."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import typer

from app.errors import ConfigurationError, DragomanError
from app.settings import Settings

if TYPE_CHECKING:
    from app.storage.database import Database

Value = TypeVar("Value")


@contextmanager
def open_database() -> Iterator["Database"]:
    """Opens the database that the settings name.

    Raises:
        ConfigurationError: They name none, or it can't be used.
    """
    settings = Settings.load()
    if settings.data is None and settings.database is None:
        raise ConfigurationError("set DRAGOMAN_DATA to the folder of the database, or DRAGOMAN_DATABASE to its address")
    # Imported here, because `dragoman serve` imports the commands, and most servers need no SQLAlchemy.
    from app.storage.database import Database

    database = Database.from_settings(settings)
    try:
        yield database
    finally:
        database.close()


@contextmanager
def opened(load: Callable[["Database"], Value]) -> Iterator[Value]:
    """Opens a store of the database.

    Args:
        load: Imports the store's class, and makes one.

    Raises:
        ConfigurationError: As ``open_database``.
        BadParameter: The store refuses what the command wants of it.
    """
    with open_database() as database:
        try:
            yield load(database)
        except DragomanError as error:
            raise typer.BadParameter(str(error)) from None


def only(found: Sequence[Value], thing: str, things: str) -> Value:
    """Returns the one thing that was found by its name.

    Raises:
        BadParameter: There is none, or there are several.
    """
    if len(found) != 1:
        problem = f"there are several {things} with this name; use the id" if found else f"there is no such {thing}"
        raise typer.BadParameter(f"{problem} (dragoman {thing} list)")
    return found[0]
