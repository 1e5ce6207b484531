"""Limits for untrusted files: bounds on sizes and numbers, and functions that read within them."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import yaml

from app.engine.models.files import open_plain, read_plain
from app.errors import BundleError

SMALL_BYTES = 1 << 20  # configurations and cards
VOCABULARY_BYTES = 64 << 20
MODEL_BYTES = 8 << 30
SAFETENSORS_HEADER_BYTES = 16 << 20
_YAML_CHARS = 128 << 10  # a configuration has 10 KiB; the parser takes 26 s for a mebibyte

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
        return read_bytes(path, most_bytes).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not UTF-8 text") from error


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """A plain file, whole.

    Raises:
        SourceError: It is missing, no plain file, or longer than ``most_bytes``.
    """
    try:
        return read_plain(path, most_bytes)
    except BundleError as error:
        raise SourceError(str(error)) from error


def check_plain(path: Path) -> None:
    """Let a library open a file of a model only if it is a plain one and not too large.

    Raises:
        SourceError: As ``read_bytes``.
    """
    try:
        with open_plain(path, MODEL_BYTES):
            pass
    except BundleError as error:
        raise SourceError(str(error)) from error


def read_json(path: Path, most_bytes: int = SMALL_BYTES) -> dict[str, Any]:
    """A JSON object.

    Raises:
        SourceError: It is something else.
    """
    text = read_text(path, most_bytes)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:  # also of a number with thousands of digits
        raise SourceError(f"{path} is not JSON") from error
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
    if len(text) > _YAML_CHARS:
        raise SourceError(f"{name} is larger than the {_YAML_CHARS >> 10} KiB of YAML that such a file may have")
    try:
        value = yaml.load(text, Loader=_PlainLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SourceError(f"{name} is not YAML") from error
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


def gunzip(packed: Path, out: Path, most: int, name: str) -> None:
    """Unpack a gzip file, at most so many bytes.

    Args:
        packed: The file.
        out: Where its content goes.
        most: Bytes that it may have.
        name: What messages call the file.

    Raises:
        SourceError: It is damaged, or unpacks to more.
    """
    try:
        with gzip.open(packed) as source, out.open("wb") as target:
            while block := source.read(1 << 20):
                most -= len(block)
                if most < 0:
                    raise SourceError(f"{name} unpacks to more than it may")
                target.write(block)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{name} is damaged and can't be unpacked: {first_line(error)}") from error
