"""Opens the database for a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.errors import ConfigurationError
from app.settings import Settings

if TYPE_CHECKING:
    from app.storage.database import Database


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
