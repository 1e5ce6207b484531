"""A plain request takes no more bytecodes than it did: no shared machine changes their number."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.engine.onnx.native import choose_kernels

ROOT = Path(__file__).parents[3]
# By version of Python, for versions have bytecodes of their own. CONTRIBUTING.md says when to change a number.
RECORDED = {(3, 11): 27_900}


@pytest.mark.skipif(sys.version_info[:2] not in RECORDED, reason="nothing was recorded for this version of Python")
@pytest.mark.skipif(choose_kernels() is None, reason="needs the native operators")
def test_a_plain_request_takes_the_recorded_number_of_bytecodes() -> None:
    command = [sys.executable, "-m", "benchmarks.request", "artifacts/de-en"]
    table = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    name, number = table.splitlines()[-1].split()
    assert name == "bytecodes"
    recorded = RECORDED[sys.version_info[:2]]
    assert int(number.replace(",", "")) == pytest.approx(recorded, rel=0.05), (
        f"a request took {recorded:,} bytecodes; CONTRIBUTING.md says what to do\n{table}"
    )
