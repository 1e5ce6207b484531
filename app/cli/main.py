"""The ``dragoman`` command: ``serve``, ``translate``, ``info``, the stores' commands; training's join by entry points.

Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 an extra is missing, 130 interrupted, 141 nobody reads on.
"""

import gc
import json
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.filesize import decimal

from app.cli.backup import backup, downgrade
from app.cli.commands import CommandGroup
from app.cli.glossary import glossary
from app.cli.keys import keys
from app.cli.mcp import mcp
from app.cli.memory import memory
from app.cli.options import (
    BundleOption,
    PrecisionOption,
    ProviderOption,
    ThreadsOption,
    WorkersOption,
    load_settings,
    setting,
)
from app.cli.suggestions import suggestions
from app.cli.tables import describe, rows_table
from app.cli.translate import translate
from app.errors import ConfigurationError
from app.installation import how_to_install
from app.settings import Settings

if TYPE_CHECKING:
    from app.cluster.cluster_engine import ClusterEngine

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


app.add_typer(keys, name="keys")
app.add_typer(memory, name="memory")
app.add_typer(glossary, name="glossary")
app.add_typer(suggestions, name="suggestions")


def main() -> None:
    """The console script."""
    # What is imported stays. Looking for garbage there takes 0.1 s until the server is ready.
    gc.freeze()
    app(prog_name="dragoman")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("dragoman"))
        raise typer.Exit


@app.callback()
def dragoman(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Dragoman: a self-hosted machine-translation server."""


@app.command()
def serve(
    bundle: BundleOption = None,
    host: Annotated[str | None, setting("host")] = None,
    port: Annotated[int | None, setting("port")] = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    provider: ProviderOption = None,
    precision: PrecisionOption = None,
    log_level: Annotated[str | None, setting("log_level")] = None,
    cluster: Annotated[
        bool,
        typer.Option(
            "--cluster",
            help="Run the models in replicas on Ray Serve: in the cluster of RAY_ADDRESS, or in a new one on this "
            "machine.",
        ),
    ] = False,
    replicas: Annotated[int | None, setting("replicas")] = None,
) -> None:
    """Serve bundles over HTTP until Ctrl-C or SIGTERM; SIGHUP reloads them.

    Repeat --bundle for several bundles. Every option except --cluster is also an environment variable with the prefix
    DRAGOMAN_. docs/configuration.md lists all settings.
    """
    settings = load_settings(
        bundle=bundle,
        host=host,
        port=port,
        workers=workers,
        threads=threads,
        provider=provider,
        precision=precision,
        log_level=log_level,
        replicas=replicas,
    )
    # Imported here, because the other commands need no web framework, and it takes most of the import time.
    from app import tracing
    from app.cli import server
    from app.logs import configure_logging
    from app.main import create_app

    configure_logging(settings.log_level)
    if settings.tracing:
        tracing.start()
    with _cluster_engine(settings) if cluster else nullcontext() as engine:
        application = create_app(settings, engine)
        state = application.state
        server.run(application, settings, announce=_announce, on_hangup=state.service.reload, refuse=state.refuse)


def _cluster_engine(settings: Settings) -> AbstractContextManager["ClusterEngine"]:
    try:
        from app.cluster.local import cluster_engine
    except ImportError as error:
        raise ConfigurationError(f"--cluster needs an extra ({error}): {how_to_install('cluster')}") from None
    return cluster_engine(settings)


def _announce(url: str) -> None:
    typer.echo(
        f"Dragoman is ready; Ctrl-C ends it.\n"
        f"  page          {url}/\n"
        f"  API docs      {url}/docs\n"
        f"  health check  {url}/readyz"
    )
    sys.stdout.flush()


app.command()(translate)
app.command()(mcp)
app.command()(backup)
app.command()(downgrade)


@app.command()
def info(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a model bundle, e.g. artifacts/de-en.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    as_card: Annotated[bool, typer.Option("--card", help="Print the model card in Markdown.")] = False,
) -> None:
    """Show a bundle's languages, sizes, precisions, measured quality, licence and training data."""
    from app.engine.models.bundle import Bundle

    opened = Bundle.open(bundle).manifest
    if as_card:
        from app.cli.card import card

        typer.echo(card(opened), nl=False)
        return
    manifest = opened.model_dump(mode="json")
    if as_json:
        typer.echo(json.dumps(manifest, ensure_ascii=False, indent=2))
        return
    console = Console()
    sizes = {name: decimal((bundle / name).stat().st_size) for name in manifest.pop("files")}
    pairs = manifest["pairs"]
    own = {f"{pair['source']}-{pair['target']}": pair["model"] for pair in pairs if pair.get("model")}
    manifest["pairs"] = [{name: value for name, value in pair.items() if name != "model"} for pair in pairs]
    for model in (manifest, *own.values()):
        # Their recipes and sources would fill a hundred screens; --json has them.
        for run in model["provenance"].get("earlier", ()):
            del run["recipe"], run["sources"]
    for table in (*describe(manifest, title=str(bundle)), rows_table("files", sizes)):
        console.print(table)
    for pair, model in own.items():
        for table in describe({"direction": pair, **model}, title=f"model of {pair}"):
            console.print(table)
