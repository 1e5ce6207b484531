"""Command-line options for the settings."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.settings import ENV_PREFIX, Settings


def setting(name: str, description: str | None = None) -> Any:
    """A command-line option for a setting, which also checks the value.

    Args:
        name: Of the setting.
        description: If that of the setting doesn't fit the command.
    """
    field = Settings.model_fields[name]
    value = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
    default = "" if field.default_factory or value is None else f" [default: {value}]"
    text = f"{description or field.description}{default} [env: {ENV_PREFIX}{name.upper()}]"
    return typer.Option(f"--{name.replace('_', '-')}", help=escape(text), show_default=False)


BundleOption = Annotated[list[Path] | None, setting("bundle")]
WorkersOption = Annotated[int | None, setting("workers")]
ThreadsOption = Annotated[int | None, setting("threads")]
ProviderOption = Annotated[str | None, setting("provider")]
PrecisionOption = Annotated[str | None, setting("precision")]


def load_settings(**options: object) -> Settings:
    """Loads the settings; the given options take precedence. Where nobody names a bundle, the usual ones are found."""
    settings = Settings.load(**{name: value for name, value in options.items() if value not in (None, [])})
    if "bundle" in settings.model_fields_set:
        return settings
    from app.engine.models.folders import usual_bundles  # a sixth of the time that the program takes to start

    return settings.model_copy(update={"bundle": usual_bundles()})
