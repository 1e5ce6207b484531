"""``dragoman models``: what is installed, what can be, and how."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from app.cli.commands import CommandFailed
from app.cli.tables import print_rows
from app.engine.models.discovery import find_bundles
from app.engine.models.folders import user_models
from app.engine.models.manifest import Manifest

models = typer.Typer(no_args_is_help=True, help="Install, list and remove models.")

FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        help="Folder of the models; `dragoman serve` looks there, too.",
        show_default="$DRAGOMAN_MODELS, or dragoman/models in your folder for data",
    ),
]
IndexOption = Annotated[
    str | None,
    typer.Option(
        "--index",
        help="Address or file of the list of models.",
        show_default="$DRAGOMAN_MODEL_INDEX, or Mozilla's list",
    ),
]
ArchitectureOption = Annotated[
    str | None,
    typer.Option(help="tiny, base-memory or base: larger models are better and slower.", show_default="the best"),
]


@models.command("list")
def list_models(folder: FolderOption = None) -> None:
    """List the installed models."""
    rows = []
    place = folder or user_models()
    for path in find_bundles([place]):
        manifest = Manifest.read(path)
        pairs = ", ".join(f"{pair.source}-{pair.target}" for pair in manifest.pairs[:10])
        size = sum(file.stat().st_size for file in path.iterdir())
        rows.append((path.name, pairs, f"{size / 1e6:.0f} MB", manifest.provenance.licence))
    if rows:
        print_rows(("name", "pairs", "size", "licence"), rows)
    else:
        typer.echo(f"no models in {place}; `dragoman models search` shows what can be installed", err=True)


@models.command()
def search(
    text: Annotated[str | None, typer.Argument(help="A language, e.g. de, or a pair, e.g. de-en.")] = None,
    index: IndexOption = None,
    folder: FolderOption = None,
) -> None:
    """Show the models that can be installed."""
    from export.registry.index import licence_of
    from export.registry.installing import bundle_name, index_address, open_index

    address = index_address(index)
    wanted = (text or "").replace("_", "-").lower()
    there = {path.name for path in _installed(folder or user_models())}
    rows = [
        (
            entry.pair,
            entry.architecture,
            f"{entry.nbytes / 1e6:.0f} MB" if entry.nbytes else None,
            licence_of(entry, address),
            "yes" if bundle_name(entry) in there else "" if entry.is_release else entry.status,
        )
        for entry in open_index(address).entries()
        if not wanted or wanted == entry.pair or wanted in (entry.source.lower(), entry.target.lower())
    ]
    if not rows:
        raise CommandFailed(f"the list {address} has no model for {text}")
    print_rows(("pair", "architecture", "size", "licence", "installed"), rows)


@models.command()
def install(
    pairs: Annotated[list[str], typer.Argument(help="Pairs of languages, e.g. de-fr fr-de.")],
    architecture: ArchitectureOption = None,
    index: IndexOption = None,
    folder: FolderOption = None,
) -> None:
    """Download models, check them, and make bundles of them.

    A download that was interrupted goes on where it stopped. A model that is installed is replaced when the new one is
    complete.
    """
    from export.progress import downloading
    from export.registry.installing import index_address
    from export.registry.installing import install as install_model

    place = folder or user_models()
    place.mkdir(parents=True, exist_ok=True)
    for pair in pairs:
        with downloading(f"installing {pair}") as (report, progress):
            out = install_model(index_address(index), pair, architecture, place, report, progress)
        typer.echo(f"{out} is ready")
    typer.echo("serve it: dragoman serve" + ("" if folder is None else f" --bundle {place}"))


@models.command()
def remove(
    names: Annotated[list[str], typer.Argument(help="Names, as `dragoman models list` shows them.")],
    folder: FolderOption = None,
) -> None:
    """Remove installed models."""
    there = {path.name: path for path in _installed(folder or user_models())}
    for name in names:
        if name not in there:
            known = ", ".join(sorted(there)) or "nothing"
            raise CommandFailed(f"no model {name} is installed; there is {known}")
    for name in names:
        shutil.rmtree(there[name])
        typer.echo(f"{name} is removed")


def _installed(folder: Path) -> list[Path]:
    return find_bundles([folder]) if folder.is_dir() else []
