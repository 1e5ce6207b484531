"""Finds the commands of ``dragoman``, and turns their errors into messages and exit codes.

The commands of training and export are entry points, so that the service imports neither ``model`` nor ``export``. If
their extra is not installed, they are still listed, and name the extra to install.
"""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from app.errors import ConfigurationError, ExtraMissing, InvalidRequest
from app.installation import how_to_install

FAILED = 1
WRONG_USAGE = 2
EXTRA_MISSING = 3
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
BROKEN_PIPE = 141  # 128 + SIGPIPE
ENTRY_POINTS = "dragoman.commands"
OUR_PACKAGES = {"app", "model", "export"}  # the messages of exceptions defined there are written for the user


class CommandFailed(Exception):
    """A command can't go on; the message is one sentence that says why."""


class CommandGroup(TyperGroup):
    """Adds the commands found by entry points, and turns every error into one line on stderr and an exit code."""

    # Typer's own types for contexts and commands are private, hence Any.

    def list_commands(self, ctx: Any) -> list[str]:
        """Lists the names of all commands, the service's own first."""
        return [*super().list_commands(ctx), *(entry.name for entry in _training_commands())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Returns the command ``cmd_name`` and imports no other."""
        own = super().get_command(ctx, cmd_name)
        if own is None:
            return next((_load(entry) for entry in _training_commands() if entry.name == cmd_name), None)
        return own

    def invoke(self, ctx: Any) -> Any:
        """Runs the chosen command.

        Raises:
            typer.Exit: The command failed; stderr has the reason.
        """
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, typer.TyperException):
            raise
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # Python flushes stdout once more when it ends, which would fail again, with a message.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None
        except Exception as error:
            if ctx.params["debug"]:
                raise
            message, code = _verdict(error, ctx.invoked_subcommand or "")
            typer.echo(f"error: {message}", err=True)
            raise typer.Exit(code) from None


def _verdict(error: Exception, command: str) -> tuple[str, int]:
    """Returns the message for ``error``, and the exit code."""
    if isinstance(error, ExtraMissing) and error.extra:
        return f"{error} {how_to_install(error.extra)}", WRONG_USAGE
    if isinstance(error, ConfigurationError | InvalidRequest):
        return str(error), WRONG_USAGE
    if type(error).__module__.partition(".")[0] in OUR_PACKAGES:
        return str(error), FAILED
    if isinstance(error, ImportError):
        for entry in _training_commands():
            if entry.name == command:
                return f"{command} needs an extra ({error}): {_remedy(entry)}", EXTRA_MISSING
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror, FAILED
    return f"{type(error).__name__}: {error} (`dragoman --debug {command}` shows where)", FAILED


def _training_commands() -> Sequence[EntryPoint]:
    return sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)


def _remedy(entry: EntryPoint) -> str:
    return how_to_install(*entry.extras)


def _load(entry: EntryPoint) -> Any:
    """Loads the command of an entry point, a function or a Typer app; a stand-in if the import fails."""
    holder = typer.Typer(add_completion=False)
    try:
        target = entry.load()
    except ImportError as error:
        _add_stand_in(holder, entry, error)
    else:
        if isinstance(target, typer.Typer):
            holder.add_typer(target, name=entry.name)
        else:
            holder.command(entry.name)(target)
    return typer.main.get_group(holder).commands[entry.name]


def _add_stand_in(holder: typer.Typer, entry: EntryPoint, error: ImportError) -> None:
    # The answer is the same for all options of the real command.
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}

    @holder.command(entry.name, help=escape(f"Not installed: {_remedy(entry)}"), context_settings=anything)
    def refuse() -> None:
        raise error
