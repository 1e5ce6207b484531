"""Bundles whose float graphs are written from the weights, as those of imported models are.

PyTorch traces the graphs of a tiny model for six seconds. That is tested in tests/parity/test_graphs.py; tests of other
things need no traced ones. Only `dragoman restore` relies on the order of the nodes that tracing makes.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import export.precisions
from export.arrays import arrays_of
from export.written_graphs import written_decoder, written_encoder


@contextmanager
def untraced() -> Iterator[None]:
    """Bundles of standard models that are built inside have written graphs."""
    with pytest.MonkeyPatch.context() as patch:
        for name, write in (("export_encoder", written_encoder), ("export_decoder", written_decoder)):
            patch.setattr(export.precisions, name, lambda model, write=write: write(model.config, arrays_of(model)))
        yield
