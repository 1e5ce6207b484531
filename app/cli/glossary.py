"""``dragoman glossary``: the glossaries of a server, which may be running."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.glossary_files import EXTENSIONS, is_glossary, read_glossary, write_glossary
from app.cli.memory import check_languages
from app.cli.stores import only, opened
from app.cli.tables import JsonOption, print_rows

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.glossaries import GlossaryStore, StoredDictionary, StoredGlossary

glossary = typer.Typer(
    no_args_is_help=True,
    help="Add, list, show and remove glossaries. DRAGOMAN_DATA or DRAGOMAN_DATABASE names the database.",
)

Name = Annotated[str, typer.Argument(help="The glossary's name or id.")]
File = Annotated[Path, typer.Argument(help="A file whose name ends in .tsv, .csv (source term, target term) or .tbx.")]
Source = Annotated[str | None, typer.Option("--from", "-f", help="Language of the terms, if there are several.")]
Target = Annotated[str | None, typer.Option("--to", "-t", help="Language of their translations, if there are several.")]
_THINGS = ("glossary", "glossaries")


def _store(database: "Database") -> "GlossaryStore":
    from app.storage.glossaries import GlossaryStore

    return GlossaryStore(database)


@glossary.command()
def add(
    name: Annotated[str, typer.Argument(help="What to call the glossary, or the name or id of one that gets more.")],
    source: Annotated[str, typer.Argument(help="Code of the language of the terms.")],
    target: Annotated[str, typer.Argument(help="Code of the language of their translations.")],
    file: File,
    key: Annotated[int | None, typer.Option(help="Number of the API key that owns it; no key by default.")] = None,
) -> None:
    """Add the terms of a file, and print the glossary's id. Terms that it has already get the new translation."""
    source, target = check_languages(source, target)
    _check_form(file)
    entries = read_glossary(file, source, target)
    with opened(_store) as store:
        found = [one for one in store.list_all() if name in (one.id, one.name)]
        if not found:
            typer.echo(store.add(key, name, [(source, target, entries)]).id)
            return
        one = only(found, *_THINGS)
        typer.echo(store.change(one.key_id, one.id, None, (source, target, entries)).id)


@glossary.command("list")
def list_glossaries(as_json: JsonOption = False) -> None:
    """List the glossaries of all owners, with a row for each pair of languages."""
    with opened(_store) as store:
        found = store.list_all()
    print_rows(
        ("id", "name", "source", "target", "terms", "key", "created"),
        (
            (one.id, one.name, each.source, each.target, each.entry_count, one.key_id, one.created_at)
            for one in found
            for each in one.dictionaries
        ),
        as_json=as_json,
    )


@glossary.command()
def show(name: Name, source: Source = None, target: Target = None, as_json: JsonOption = False) -> None:
    """List the terms of a pair of languages."""
    with opened(_store) as store:
        _, entries = _entries(store, name, source, target)
    print_rows(("term", "translation"), entries.items(), as_json=as_json)


@glossary.command()
def export(name: Name, file: File, source: Source = None, target: Target = None) -> None:
    """Write the terms of a pair of languages to a file."""
    _check_form(file)
    with opened(_store) as store:
        pair, entries = _entries(store, name, source, target)
    file.write_bytes(write_glossary(file, entries, pair.source, pair.target))


@glossary.command()
def remove(name: Name, source: Source = None, target: Target = None) -> None:
    """Remove a glossary, or only its terms of one pair of languages."""
    with opened(_store) as store:
        found = _find(store, name)
        pair = None if source is None and target is None else _dictionary(found, source, target)
        store.remove(found.key_id, found.id, (pair.source, pair.target) if pair else None)


def _check_form(file: Path) -> None:
    if not is_glossary(file):
        raise typer.BadParameter(f"{file.name} doesn't end in {' or '.join(f'.{each}' for each in EXTENSIONS)}")


def _find(store: "GlossaryStore", name: str) -> "StoredGlossary":
    return only([one for one in store.list_all() if name in (one.id, one.name)], *_THINGS)


def _entries(
    store: "GlossaryStore", name: str, source: str | None, target: str | None
) -> "tuple[StoredDictionary, dict[str, str]]":
    found = _find(store, name)
    pair = _dictionary(found, source, target)
    return pair, store.entries(found.key_id, found.id, pair.source, pair.target)


def _dictionary(found: "StoredGlossary", source: str | None, target: str | None) -> "StoredDictionary":
    fitting = [one for one in found.dictionaries if source in (None, one.source) and target in (None, one.target)]
    if len(fitting) != 1:
        pairs = ", ".join(f"{one.source} to {one.target}" for one in found.dictionaries) or "none"
        raise typer.BadParameter(f"choose one of the glossary's pairs of languages with --from and --to: {pairs}")
    return fitting[0]
