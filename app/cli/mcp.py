"""``dragoman mcp``: a server of the Model Context Protocol, with which agents translate."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import (
    BundleOption,
    PrecisionOption,
    ProviderOption,
    ThreadsOption,
    WorkersOption,
    load_settings,
    setting,
)
from app.errors import ExtraMissing

_Server = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", help="Use this Dragoman server instead of loading models here."),
]
_Key = Annotated[
    str | None,
    typer.Option(envvar="DRAGOMAN_KEY", help="The server's API key, for agents that send none of their own."),
]
_Http = Annotated[
    str | None,
    typer.Option("--http", metavar="HOST:PORT", help="Serve streamable HTTP at /mcp of this address instead of stdio."),
]
_Files = Annotated[
    Path | None,
    typer.Option(
        "--files",
        metavar="FOLDER",
        file_okay=False,
        exists=True,
        help="Folder in which agents may name files to translate. With stdio the current one; with --http none.",
    ),
]


def mcp(
    server: _Server = None,
    key: _Key = None,
    http: _Http = None,
    files: _Files = None,
    bundle: BundleOption = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    provider: ProviderOption = None,
    precision: PrecisionOption = None,
    log_level: Annotated[str | None, setting("log_level")] = None,
) -> None:
    """Serve translation as tools for agents, with the Model Context Protocol: over stdio, or over HTTP with --http.

    The tools are translate, translate_file, detect, languages and glossaries. Over HTTP, the key in an agent's header
    `Authorization: Bearer ...` is passed on.
    """
    address = _address(http) if http else None
    settings = load_settings(
        bundle=bundle, workers=workers, threads=threads, provider=provider, precision=precision, log_level=log_level
    )
    try:
        from app.mcp.serving import serve
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "httpx2"):
            raise
        raise ExtraMissing.needed_by("`dragoman mcp`", "mcp") from None
    from app.logs import configure_logging

    configure_logging(settings.log_level)  # to stderr: stdout belongs to the protocol
    folder = files if files or http else Path.cwd()
    asyncio.run(serve(settings, server=server, key=key, folder=folder, address=address))


def _address(http: str) -> tuple[str, int]:
    host, _, port = http.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise typer.BadParameter(f"{http} is not HOST:PORT, such as 127.0.0.1:8001", param_hint="--http")
    return host.strip("[]"), int(port)
