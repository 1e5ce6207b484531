"""What benchmarks replace in the service is there, under the name that they use."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from app.engine.single_model import Engine

REPLACED = sorted(
    {
        (module, name)
        for path in Path("benchmarks").rglob("*.py")
        for module, name in re.findall(r'patch\("([\w.]+)\.(\w+)"', path.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize(("module", "name"), REPLACED)
def test_what_is_replaced_exists(module: str, name: str) -> None:
    assert hasattr(import_module(module), name)


def test_something_is_replaced() -> None:
    assert ("app.translation.retries", "word_again") in REPLACED


def test_the_model_alone_gives_texts() -> None:
    assert inspect.signature(Engine.translate).return_annotation == list[str]
