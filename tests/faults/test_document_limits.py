"""A short form of what `make fuzz` does with documents."""

import subprocess
import sys

import pytest

from tests.fuzzing.__main__ import CORPUS
from tests.fuzzing.targets import TARGETS


def test_readers_stay_within_memory_and_time() -> None:
    command = "from tests.support.document_fuzzer import main; raise SystemExit(main(count=1, chars=2_000) > 0)"
    assert subprocess.run([sys.executable, "-c", command], timeout=300).returncode == 0


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_has_files_that_it_reads(name: str) -> None:
    files = list((CORPUS / name).iterdir())
    assert files
    for file in files:
        TARGETS[name](file.read_bytes())
