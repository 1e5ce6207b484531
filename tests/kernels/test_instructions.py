"""The operators take no more instructions than they did: no shared machine changes their number."""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.engine.onnx import native
from tests.support.checksums import compiled

# By the compiler that the library names and its version, and by instruction set. CONTRIBUTING.md says when to change a
# number.
RECORDED = {(b"GCC", b"12", "avx2"): 361_516}


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("gcc"), reason="needs gcc and x86_64")
def test_a_sentence_takes_the_recorded_number_of_instructions(tmp_path: Path) -> None:
    compiler = re.search(rb"\0(GCC): \([^)]*\) (\d+)\.", native.LIBRARY.read_bytes())
    found = [key for key in RECORDED if compiler and compiler.groups() == key[:2] and native.choose_kernels(key[2])]
    native.choose_kernels()
    if not found:
        pytest.skip("nothing was recorded for this compiler and processor")
    program = compiled(tmp_path, "gcc", native.LIBRARY)
    counted = subprocess.run([program, found[0][2]], check=True, capture_output=True, text=True).stdout
    assert int(counted) == pytest.approx(RECORDED[found[0]], rel=0.05)
