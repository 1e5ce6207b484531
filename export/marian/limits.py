"""Limits for untrusted files: bounds on sizes and numbers, and functions that read within them."""

import json
from pathlib import Path
from typing import Any

import yaml

SMALL_BYTES = 1 << 20  # configurations and cards
VOCABULARY_BYTES = 64 << 20
MODEL_BYTES = 8 << 30
SAFETENSORS_HEADER_BYTES = 16 << 20

_LARGEST = {
    "layers": 64,
    "width": 8192,
    "heads": 128,
    "feed-forward width": 65_536,
    "vocabulary": 1_000_000,
    "positions": 1_000_000,
}


class SourceError(ValueError):
    """The source is not a model that can be imported; the message is one line with the reason."""


def read_text(path: Path, most_bytes: int = SMALL_BYTES) -> str:
    """A file of UTF-8 text.

    Raises:
        SourceError: It is missing, longer than ``most_bytes`` or no UTF-8.
    """
    try:
        if path.stat().st_size > most_bytes:
            raise SourceError(f"{path} is larger than the {most_bytes >> 20} MiB that such a file may have")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is no UTF-8 text") from error


def read_json(path: Path, most_bytes: int = SMALL_BYTES) -> dict[str, Any]:
    """A JSON object.

    Raises:
        SourceError: It is something else.
    """
    try:
        value = json.loads(read_text(path, most_bytes))
    except (json.JSONDecodeError, RecursionError) as error:
        raise SourceError(f"{path} is no JSON") from error
    if not isinstance(value, dict):
        raise SourceError(f"{path} holds no JSON object")
    return value


class _PlainLoader(yaml.SafeLoader):  # type: ignore[misc]  # the package has no annotations
    """Load YAML of plain values without anchors: a few lines of nested aliases expand to gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)


def parse_yaml(text: str, name: object) -> dict[str, Any]:
    """A YAML mapping.

    Raises:
        SourceError: It is something else; the message calls it ``name``.
    """
    try:
        value = yaml.load(text, Loader=_PlainLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SourceError(f"{name} is no YAML") from error
    if not isinstance(value, dict):
        raise SourceError(f"{name} holds no YAML mapping")
    return value


def count(facts: dict[str, Any], key: str, kind: str, default: int | None = None) -> int:
    """Read a number of a configuration, from 1 to the maximum for this kind of model.

    Raises:
        SourceError: It is missing, no integer, or out of bounds.
    """
    value = facts.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LARGEST[kind]:
        raise SourceError(f"the configuration's {key} is {value!r:.40}, not a number from 1 to {_LARGEST[kind]}")
    return value


def first_line(error: BaseException) -> str:
    """Return the beginning of an exception's message, in one line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:160]}" if lines else type(error).__name__
