"""Prints tables of stored objects and of a bundle's manifest. New manifest fields appear by themselves."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WITHOUT_END = 1_000_000  # columns
UNSHOWN = ("sha256", "_signature")  # as long as a line each, of interest to programs only; the JSON output has them


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_NUMBERED = frozenset({"number", "key"})  # columns whose numbers are names


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, as_json: bool = False) -> None:
    """Prints a table with these headings, or a JSON list of objects with these names.

    In the table, None is a dash. No value is cut: the first column, which names a row, stays in one line; in other
    columns of a table wider than the terminal, values go on in the next line. A pipe or file has no width.
    """
    if as_json:
        names = [column.replace(" ", "_") for column in columns]
        objects = [dict(zip(names, row, strict=True)) for row in rows]
        typer.echo(json.dumps(objects, ensure_ascii=False, indent=2))
        return
    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column == columns[0])
    for row in rows:
        table.add_row(*(Text(_shown(column, cell)) for column, cell in zip(columns, row, strict=True)))
    Console(width=None if _is_terminal() else _WITHOUT_END).print(table)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _shown(column: str, cell: object) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, int) and column not in _NUMBERED:
        return f"{cell:,}"
    return _printable(", ".join(cell) if isinstance(cell, list | tuple) else str(cell))


def describe(facts: Mapping[str, Any], *, title: str) -> Iterator[Table]:
    """Makes the tables of a manifest: short values first, then one table for each group and each list.

    Args:
        facts: As JSON has them: dicts, lists, strings, numbers.
        title: Heading of the first table.
    """
    plain = {name: value for name, value in facts.items() if not _has_parts(value)}
    if plain:
        yield rows_table(title, plain)
    for name, value in facts.items():
        if not _has_parts(value):
            continue
        if isinstance(value, list):
            yield _things_table(name, value)
        elif all(isinstance(part, Mapping) for part in value.values()):
            yield _things_table(name, [{"name": key, **part} for key, part in value.items()])
        else:
            yield from describe(value, title=name)


def rows_table(title: str, rows: Mapping[str, Any]) -> Table:
    """Makes a table of names and values."""
    table = _empty_table(title)
    for name, value in rows.items():
        table.add_row(_label(name), _cell(value))
    return table


def _things_table(title: str, things: list[Mapping[str, Any]]) -> Table:
    """Makes a table with a row for each item and a column for each field."""
    names = [name for name in dict.fromkeys(name for thing in things for name in thing) if not name.endswith(UNSHOWN)]
    table = _empty_table(title, *names)
    for thing in things:
        table.add_row(*(_cell(thing.get(name)) for name in names))
    return table


def _empty_table(title: str, *columns: str) -> Table:
    table = Table(title=_label(title), title_justify="left", show_header=bool(columns))
    for name in columns:
        table.add_column(_label(name), overflow="fold")
    if not columns:
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
    return table


def _has_parts(value: Any) -> bool:
    """Tells whether a value needs a table of its own: a filled dict or list of dicts."""
    return bool(value) and (
        isinstance(value, Mapping) or (isinstance(value, list) and all(isinstance(part, Mapping) for part in value))
    )


def _label(name: str) -> Text:
    # Text, not str: in a str, rich would take text in brackets for markup.
    return Text(name.replace("_", " "))


def _cell(value: Any) -> Text:
    if value is None or value == [] or value == {}:
        return Text("")
    if isinstance(value, Mapping):
        return Text("\n".join(f"{name.replace('_', ' ')}: {_cell(part)}" for name, part in value.items()))
    if isinstance(value, list):
        return Text("\n".join(str(_cell(part)) for part in value))
    if isinstance(value, float):
        return Text(f"{value:.6g}")
    return Text(_printable(value) if isinstance(value, str) else json.dumps(value))


def _printable(text: str) -> str:
    """Makes unprintable characters visible, such as a private-use character as U+E000."""
    return "".join(one if one.isprintable() or one == "\n" else f"U+{ord(one):04X} " for one in text).rstrip(" ")
