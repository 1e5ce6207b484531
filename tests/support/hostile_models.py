"""Damages that are done to a model's folder before it is imported."""

import os
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], None]


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Path]]:
        return Path.touch, (self.mark,)


def write(name: str, content: bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(content) and None


def link(name: str, target: str) -> Damage:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to(target)

    return change


def pipe(name: str) -> Damage:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return change


def delete(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def cut(name: str, size: int = 100) -> Damage:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-size]) and None
