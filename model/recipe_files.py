"""Recipe files: a recipe may be the difference to another one in its folder.

    extends = "de-en-eighth.toml"
    seed = 32
    [training]
    updates = 6800
    [[sources]]
    path = "../text/news.tsv.xz"
    weight = 3

Keys of the file and of its tables replace those of the other recipe. A source is changed if the other recipe has one
with this path, else it comes behind all others. ``without`` names paths of sources that are left out.

What every recipe of a folder says of a source, such as its licence, may be in the folder's ``sources.toml`` instead, in
a table with the source's path as its name. Keys of a recipe count more.
"""

import tomllib
from pathlib import Path
from typing import Any

EXTENDS, WITHOUT, SOURCES = "extends", "without", "sources"
KNOWN = "sources.toml"


def read_table(path: Path) -> dict[str, Any]:
    """Read a recipe file with all that it extends and what is known of its sources, as one table.

    Raises:
        OSError: A file can't be read.
        ValueError: One is no TOML, or doesn't fit what it extends.
    """
    chain, names = [_load(path)], [path.name]
    while (name := chain[-1].pop(EXTENDS, None)) is not None:
        if not isinstance(name, str) or "/" in name or "\\" in name:
            raise ValueError(f"{EXTENDS} must name a recipe in the same folder")
        names.append(name)
        if name in names[:-1]:
            raise ValueError(f"recipes extend each other: {', '.join(names)}")
        chain.append(_load(path.with_name(name)))
    table = chain.pop()
    for difference in reversed(chain):
        table = _extended(table, difference)
    if SOURCES in table and path.with_name(KNOWN).exists():
        known = _load(path.with_name(KNOWN))
        table[SOURCES] = [known.get(source.get("path"), {}) | source for source in table[SOURCES]]
    return table


def read_text(path: Path) -> str:
    """A recipe file as ``read_table`` reads it, as one TOML text; the file's own text if that says it all.

    Raises:
        OSError: A file can't be read.
        ValueError: One is no TOML, or doesn't fit what it extends.
    """
    import tomli_w

    text, table = path.read_text(encoding="utf-8"), read_table(path)
    return text if tomllib.loads(text) == table else tomli_w.dumps(table)


def _load(path: Path) -> dict[str, Any]:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    sources = table.get(SOURCES, [])
    if not isinstance(sources, list) or not all(
        isinstance(source, dict) and isinstance(source.get("path", ""), str) for source in sources
    ):
        raise ValueError(f"{SOURCES} must be tables, each with a path")
    return table


def _extended(base: dict[str, Any], difference: dict[str, Any]) -> dict[str, Any]:
    sources = {source.get("path"): source for source in base.get(SOURCES, ())}
    for path in difference.pop(WITHOUT, ()):
        if sources.pop(path, None) is None:
            raise ValueError(f"{WITHOUT}: there is no source {path}")
    for source in difference.pop(SOURCES, ()):
        sources[source.get("path")] = sources.get(source.get("path"), {}) | source
    changed = {
        key: base[key] | value if isinstance(value, dict) and isinstance(base.get(key), dict) else value
        for key, value in difference.items()
    }
    return base | changed | {SOURCES: list(sources.values())}
