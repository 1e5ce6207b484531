"""``dragoman keys``: the API keys of a server, which may be running."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.stores import open_database
from app.cli.tables import JsonOption, print_rows
from app.priority import Priority

if TYPE_CHECKING:
    from app.storage.keys import KeyStore

keys = typer.Typer(
    no_args_is_help=True, help="Add, list and remove API keys. DRAGOMAN_DATA or DRAGOMAN_DATABASE names the database."
)


@contextmanager
def _store() -> Iterator["KeyStore"]:
    with open_database() as database:
        from app.storage.keys import KeyStore

        yield KeyStore(database)


@keys.command()
def add(
    name: Annotated[str, typer.Argument(help="What to call the key.")],
    characters: Annotated[int | None, typer.Option(min=1, help="Maximum characters in a month.")] = None,
    requests: Annotated[int | None, typer.Option(min=1, help="Maximum requests in a minute.")] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="A feature that the key may use, translate or detect; repeatable; all by default."),
    ] = None,
    priority: Annotated[
        Priority, typer.Option(help="How urgent its requests may be; the header X-Dragoman-Priority asks for less.")
    ] = Priority.NORMAL,
    key: Annotated[str | None, typer.Option(help="The key itself; random by default.")] = None,
) -> None:
    """Add a key and print it. It can't be printed again, since only its hash is kept."""
    with _store() as store:
        made = store.add(
            name,
            key=key,
            monthly_characters=characters,
            requests_per_minute=requests,
            features=allow or None,
            priority=priority,
        )
    typer.echo(made)


@keys.command("list")
def list_keys(as_json: JsonOption = False) -> None:
    """List the keys with their limits and their usage this month."""
    with _store() as store:
        found = store.list()
    print_rows(
        ("number", "name", "key", "created", "characters a month", "used", "requests a minute", "may use", "priority"),
        (
            (
                key.id,
                key.name,
                f"...{key.hint}",
                key.created_at,
                key.monthly_characters,
                used,
                key.requests_per_minute,
                key.features,
                key.priority.value,
            )
            for key, used in found
        ),
        as_json=as_json,
    )


@keys.command()
def remove(number: Annotated[int, typer.Argument(help="The key's number in dragoman keys list.")]) -> None:
    """Remove a key and its usage. A running server refuses it from its next request on."""
    with _store() as store:
        if not store.remove(number):
            raise typer.BadParameter(f"there is no key {number}", param_hint="NUMBER")
