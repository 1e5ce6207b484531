"""``dragoman memory``: the translation memories of a server, which may be running."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.stores import only, opened
from app.cli.tables import JsonOption, print_rows

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.memories import MemoryStore
    from app.storage.memory_rows import StoredMemory

memory = typer.Typer(
    no_args_is_help=True,
    help="Add, list, fill and remove translation memories. DRAGOMAN_DATA or DRAGOMAN_DATABASE names the database.",
)

Name = Annotated[str, typer.Argument(help="The memory's name or id.")]
File = Annotated[Path, typer.Argument(help="A file whose name ends in .tmx or .tsv.")]
_READ_AT_ONCE = 10_000
_CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")


def _store(database: "Database") -> "MemoryStore":
    from app.storage.memories import MemoryStore

    return MemoryStore(database)


def check_languages(source: str, target: str) -> tuple[str, str]:
    """Returns the codes of two languages in small letters.

    Raises:
        BadParameter: They aren't two codes.
    """
    source, target = source.lower(), target.lower()
    if not all(map(_CODE.fullmatch, (source, target))) or source == target:
        raise typer.BadParameter(f"'{source}' and '{target}' are not two language codes, such as de and en")
    return source, target


def find_memory(store: "MemoryStore", name: str) -> "StoredMemory":
    """Finds the memory with a name or id.

    Raises:
        BadParameter: There is none, or there are several.
    """
    return only([one for one in store.list_all() if name in (one.id, one.name)], "memory", "memories")


@memory.command()
def add(
    name: Annotated[str, typer.Argument(help="What to call the memory.")],
    source: Annotated[str, typer.Argument(help="Code of the language of the texts.")],
    target: Annotated[str, typer.Argument(help="Code of the language of their translations.")],
    key: Annotated[int | None, typer.Option(help="Number of the API key that owns it; no key by default.")] = None,
    adapt: Annotated[bool, typer.Option("--adapt", help="Translations learn from its entries.")] = False,
) -> None:
    """Add a memory without entries, and print its id."""
    source, target = check_languages(source, target)
    if not name.strip():
        raise typer.BadParameter("it must not be empty", param_hint="NAME")
    with opened(_store) as store:
        typer.echo(store.add(key, name.strip(), source, target, adapts=adapt).id)


@memory.command("list")
def list_memories(as_json: JsonOption = False) -> None:
    """List the memories of all owners."""
    with opened(_store) as store:
        found = store.list_all()
    print_rows(
        ("id", "name", "source", "target", "entries", "adapts", "key", "changed"),
        (
            (one.id, one.name, one.source, one.target, one.entry_count, one.adapts, one.key_id, one.updated_at)
            for one in found
        ),
        as_json=as_json,
    )


@memory.command()
def adapt(
    name: Name,
    on: Annotated[bool, typer.Option("--on/--off", help="Whether translations learn from its entries.")] = True,
) -> None:
    """Let the translations of sentences without a match learn from a memory's entries."""
    with opened(_store) as store:
        found = find_memory(store, name)
        store.set(found.key_id, found.id, adapts=on)


@memory.command()
def remove(name: Name) -> None:
    """Remove a memory with its entries."""
    with opened(_store) as store:
        found = find_memory(store, name)
        store.remove(found.key_id, found.id)


@memory.command("import")
def import_file(name: Name, file: File) -> None:
    """Add the entries of a file; replace entries with the same texts."""
    from app.documents.memory_files import find_form, read_file

    with opened(_store) as store:
        found = find_memory(store, name)
        read = read_file(file.read_bytes(), find_form(file.name), found.source, found.target)
        added = store.put(found.key_id, found.id, read.pairs, "import")
    typer.echo(f"{added:,} added, {len(read.pairs) - added:,} replaced, {read.skipped:,} skipped")


@memory.command("export")
def export_file(name: Name, file: File) -> None:
    """Write all entries to a file."""
    from app.documents.memory_files import find_form

    with opened(_store) as store:
        found = find_memory(store, name)
        form = find_form(file.name)
        pairs = ((entry.source, entry.target) for entry in store.all(found.key_id, found.id))
        file = file.resolve()  # a link stays
        partial = file.with_name(f".{file.name}.partial")  # a failure must not leave a part of the memory
        try:
            with partial.open("wb") as written:
                written.writelines(form.write(pairs, found.source, found.target))
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)


@memory.command()
def entries(
    name: Name,
    text: Annotated[str | None, typer.Option(help="Only entries that have this in either text.")] = None,
    most: Annotated[int, typer.Option(min=1, max=_READ_AT_ONCE, help="Maximum number of entries.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """List entries."""
    with opened(_store) as store:
        found = find_memory(store, name)
        page = store.page(found.key_id, found.id, most=most, text=text)
    print_rows(
        ("number", "text", "translation", "from", "changed"),
        ((entry.id, entry.source, entry.target, entry.origin, entry.updated_at) for entry in page),
        as_json=as_json,
    )
