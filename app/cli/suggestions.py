"""``dragoman suggestions``: the translations that people have suggested to a server, which may be running."""

from typing import Annotated

import typer

from app.cli.memory import find_memory
from app.cli.stores import open_database
from app.cli.tables import JsonOption, print_rows
from app.errors import DragomanError

suggestions = typer.Typer(
    no_args_is_help=True,
    help="List, accept and reject suggestions. DRAGOMAN_DATA or DRAGOMAN_DATABASE names the database.",
)

Number = Annotated[int, typer.Argument(help="The suggestion's number in dragoman suggestions list.")]


@suggestions.command("list")
def list_suggestions(
    after: Annotated[int, typer.Option(help="List only suggestions with a higher number.")] = 0,
    most: Annotated[int, typer.Option(min=1, help="Maximum number of suggestions.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """List the suggestions that wait for a decision."""
    with open_database() as database:
        from app.storage.suggestions import SuggestionStore

        found = SuggestionStore(database).list("pending", after=after, most=most)
    print_rows(
        ("number", "source", "target", "text", "suggestion", "key", "created"),
        ((one.id, one.source, one.target, one.text, one.translation, one.key_id, one.created_at) for one in found),
        as_json=as_json,
    )


@suggestions.command()
def accept(
    number: Number, memory: Annotated[str, typer.Option(help="Name or id of the translation memory that gets it.")]
) -> None:
    """Put a suggestion into a translation memory."""
    with open_database() as database:
        from app.storage.memories import MemoryStore
        from app.storage.suggestions import SuggestionStore

        found = find_memory(MemoryStore(database), memory)
        try:
            done = SuggestionStore(database).accept(number, found.id)
        except DragomanError as error:
            raise typer.BadParameter(str(error)) from None
    _check(done, number)


@suggestions.command()
def reject(number: Number) -> None:
    """Reject a suggestion."""
    with open_database() as database:
        from app.storage.suggestions import SuggestionStore

        done = SuggestionStore(database).reject(number)
    _check(done, number)


def _check(done: bool, number: int) -> None:
    if not done:
        raise typer.BadParameter(f"no waiting suggestion has the number {number}", param_hint="NUMBER")
