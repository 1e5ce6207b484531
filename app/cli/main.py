"""The ``dragoman`` command: ``serve``, ``translate``, ``info``, the stores' commands; training's join by entry points.

Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 an extra is missing, 130 interrupted, 141 nobody reads on.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

from app.cli.commands import CommandGroup
from app.cli.files import STDIN, TranslationJob, is_document, read_pieces
from app.cli.keys import keys
from app.cli.memory import memory
from app.cli.suggestions import suggestions
from app.cli.tables import describe, rows_table
from app.documents.registry import find_format
from app.errors import ConfigurationError
from app.settings import ENV_PREFIX, Settings
from app.translation.request import AUTO

if TYPE_CHECKING:
    from app.cluster.cluster_engine import ClusterEngine

CHUNK_TEXTS = 64  # texts that the engine gets at a time: enough to fill its batches, few enough to show progress

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


app.add_typer(keys, name="keys")
app.add_typer(memory, name="memory")
app.add_typer(suggestions, name="suggestions")


def main() -> None:
    """The console script."""
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


def _setting(name: str) -> Any:
    """A command-line option for a setting, described as the setting is; the setting also checks the value."""
    field = Settings.model_fields[name]
    value = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
    default = "" if field.default_factory or value is None else f" [default: {value}]"
    text = f"{field.description}{default} [env: {ENV_PREFIX}{name.upper()}]"
    return typer.Option(f"--{name.replace('_', '-')}", help=escape(text), show_default=False)


BundleOption = Annotated[list[Path] | None, _setting("bundle")]
WorkersOption = Annotated[int | None, _setting("workers")]
ThreadsOption = Annotated[int | None, _setting("threads")]
ProviderOption = Annotated[str | None, _setting("provider")]
PrecisionOption = Annotated[str | None, _setting("precision")]


def _load_settings(**options: object) -> Settings:
    return Settings.load(**{name: value for name, value in options.items() if value not in (None, [])})


@app.command()
def serve(
    bundle: BundleOption = None,
    host: Annotated[str | None, _setting("host")] = None,
    port: Annotated[int | None, _setting("port")] = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    provider: ProviderOption = None,
    precision: PrecisionOption = None,
    log_level: Annotated[str | None, _setting("log_level")] = None,
    cluster: Annotated[
        bool,
        typer.Option(
            "--cluster",
            help="Run the models in replicas on Ray Serve: in the cluster of RAY_ADDRESS, or in a new one on this "
            "machine.",
        ),
    ] = False,
    replicas: Annotated[int | None, _setting("replicas")] = None,
) -> None:
    """Serve bundles over HTTP until Ctrl-C or SIGTERM; SIGHUP reloads them.

    Repeat --bundle for several bundles. Every option is also an environment variable with the prefix DRAGOMAN_, as
    are many more settings; docs/configuration.md lists them all.
    """
    settings = _load_settings(
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
        server.run(application, settings, announce=_announce, on_hangup=application.state.service.reload)


def _cluster_engine(settings: Settings) -> AbstractContextManager["ClusterEngine"]:
    try:
        from app.cluster.local import cluster_engine
    except ImportError as error:
        raise ConfigurationError(f"--cluster needs more ({error}): pip install 'dragoman[cluster]'") from None
    return cluster_engine(settings)


def _announce(url: str) -> None:
    typer.echo(
        f"Dragoman is ready; Ctrl-C ends it.\n"
        f"  page          {url}/\n"
        f"  API docs      {url}/docs\n"
        f"  health check  {url}/readyz"
    )
    sys.stdout.flush()


@app.command()
def translate(
    target: Annotated[str, typer.Option("--to", "-t", help="Language to translate into, e.g. en.")],
    files: Annotated[
        list[Path] | None, typer.Argument(help="Text files or documents; - or nothing for stdin.", show_default=False)
    ] = None,
    source: Annotated[
        str,
        typer.Option(
            "--from", "-f", help="Language of the text, e.g. de; auto detects it from the beginning of each file."
        ),
    ] = AUTO,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", dir_okay=False, help="Write to this file instead of stdout.")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Translate each file as one text; its sentences may span lines.")
    ] = False,
    beam_size: Annotated[int | None, _setting("beam_size")] = None,
    bundle: BundleOption = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    provider: ProviderOption = None,
    precision: PrecisionOption = None,
) -> None:
    """Translate plain text files or stdin line by line, and documents (docx, html, srt, ...) as a whole.

    Of plain text, line n of the output translates line n of the input; line ends, empty lines and white space stay
    unchanged. Use --whole for wrapped prose, where sentences span lines. Documents keep their format.
    """
    inputs = files or [STDIN]
    _check_files(inputs, output)
    settings = _load_settings(
        bundle=bundle, workers=workers, threads=threads, provider=provider, precision=precision, beam_size=beam_size
    )
    from app.engine.registry import Registry

    # The queue's bound protects a server from its clients; here it would only refuse a long text. Of several bundles
    # one or two are needed.
    settings = settings.model_copy(update={"max_queue_tokens": sys.maxsize, "lazy_loading": True})
    engine = Registry.from_settings(settings)
    job = TranslationJob(engine=engine, settings=settings, source=source, target=target, whole=whole)
    if is_document(inputs[0]):
        with job.running():
            translated = job.translate_document(inputs[0], output)
        with _opened(output) as sink:  # opened only now: a translation that fails must not empty the file
            sink.write(translated)
    else:
        _translate_text(job, inputs, output, whole=whole)


def _check_files(inputs: Sequence[Path], output: Path | None) -> None:
    """Checks all names before anything is written.

    Raises:
        BadParameter: An input is missing or a folder, the output is an input, or documents can't be translated so.
    """
    for path in inputs:
        if path != STDIN and not path.exists():
            raise typer.BadParameter(f"{path} does not exist", param_hint="FILES")
        if path.is_dir():
            raise typer.BadParameter(f"{path} is a folder", param_hint="FILES")
        if output is not None and output.exists() and path != STDIN and output.samefile(path):
            raise typer.BadParameter(f"{output} is also an input", param_hint="--output")
        if is_document(path) and len(inputs) > 1:
            raise typer.BadParameter(
                f"{path} is a document; documents are translated one at a time", param_hint="FILES"
            )
        if output is None and is_document(path) and not find_format(path.name).is_text:
            raise typer.BadParameter(f"name the file for the translation of {path}", param_hint="--output")


def _translate_text(job: TranslationJob, inputs: Sequence[Path], output: Path | None, *, whole: bool) -> None:
    with job.running(), _opened(output) as sink, _progress(inputs, output) as advance:
        for path in inputs:
            for piece in job.translate(read_pieces(path, whole=whole), chunk_size=_chunk_size(path)):
                sink.write((piece.text + piece.ending).encode())
                sink.flush()
                advance(piece.size_bytes)
    for pivot in sorted(job.pivots):
        typer.echo(
            f"note: translated through {pivot}, because there is no model from the source language to {job.target}",
            err=True,
        )
    if job.truncated:
        typer.echo(f"warning: {job.truncated} sentences reached the length limit and may be incomplete", err=True)


def _chunk_size(path: Path) -> int:
    """Lines in a chunk: one if somebody types them, who then sees each translation at once."""
    return 1 if path == STDIN and sys.stdin.isatty() else CHUNK_TEXTS


def _opened(output: Path | None) -> AbstractContextManager[IO[bytes]]:
    return output.open("wb") if output else nullcontext(typer.get_binary_stream("stdout"))


@contextmanager
def _progress(inputs: Sequence[Path], output: Path | None) -> Iterator[Callable[[int], None]]:
    """A bar on stderr, if that is a terminal on which neither input nor output appears; gives what advances it."""
    others = [sys.stdout] if output is None else []
    others += [sys.stdin] if STDIN in inputs else []
    hidden = not sys.stderr.isatty() or any(stream.isatty() for stream in others)
    total_bytes = sum(path.stat().st_size for path in inputs) if all(path.is_file() for path in inputs) else None
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=hidden) as bar:
        task = bar.add_task("translating", total=total_bytes)
        yield lambda size_bytes: bar.advance(task, size_bytes)


@app.command()
def info(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a model bundle, e.g. artifacts/de-en.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
) -> None:
    """Show a bundle's languages, sizes, precisions, measured quality, licence and training data."""
    from app.engine.models.bundle import Bundle

    manifest = Bundle.open(bundle).manifest.model_dump(mode="json")
    if as_json:
        typer.echo(json.dumps(manifest, ensure_ascii=False, indent=2))
        return
    console = Console()
    sizes = {name: decimal((bundle / name).stat().st_size) for name in manifest.pop("files")}
    for table in (*describe(manifest, title=str(bundle)), rows_table("files", sizes)):
        console.print(table)
