"""KERNELS_LIBRARY names a library to test in place of the installed one: that of ``.ci/run`` has sanitizers in it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.onnx import native


@pytest.fixture(scope="session", autouse=True)
def library() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if given := os.environ.get("KERNELS_LIBRARY"):
            patch.setattr(native, "LIBRARY", Path(given))
            native._library.cache_clear()
        if native.choose_kernels("plain") is None:
            pytest.skip("no native operators were built")
        yield
