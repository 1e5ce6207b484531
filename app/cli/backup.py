"""``dragoman backup`` and ``dragoman downgrade``: the database as a whole."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.stores import open_database
from app.errors import ConfigurationError
from app.settings import Settings


def backup(file: Annotated[Path, typer.Argument(help="File to write; it must not exist.")]) -> None:
    """Copy the SQLite database in DRAGOMAN_DATA to a file, as it is at one moment, while servers go on."""
    settings = Settings.load()
    if settings.database is not None:
        raise ConfigurationError("DRAGOMAN_DATABASE is a PostgreSQL database: copy it with pg_dump")
    if settings.data is None:
        raise ConfigurationError("set DRAGOMAN_DATA to the folder of the database")
    from app.storage.backup import back_up

    back_up(settings.data, file)


def downgrade(
    version: Annotated[int, typer.Argument(help="Schema of the older program; docs/versions.md lists them.")],
) -> None:
    """Bring the database to the schema of an older version, after the servers have stopped; make a backup first."""
    with open_database() as database:
        database.downgrade(version)
