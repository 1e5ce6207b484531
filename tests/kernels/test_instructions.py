"""The operators take no more instructions than they did: no shared machine changes their number."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from app.engine.onnx.native import choose_kernels
from tests.support.checksums import compiled

# By version of gcc and instruction set. CONTRIBUTING.md says when to change a number.
RECORDED = {("12", "avx512vnni"): 359_986, ("12", "avx2"): 1_021_774}


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("gcc"), reason="needs gcc and x86_64")
def test_a_sentence_takes_the_recorded_number_of_instructions(tmp_path: Path) -> None:
    gcc = (
        subprocess.run(["gcc", "-dumpversion"], check=True, capture_output=True, text=True).stdout.split(".")[0].strip()
    )
    name = next((each for each in ("avx512vnni", "avx2") if choose_kernels(each)), "")
    choose_kernels()
    if (gcc, name) not in RECORDED:
        pytest.skip("nothing was recorded for this compiler and processor")
    program = compiled(tmp_path, "gcc", "x86_64", [name])
    counter = tmp_path / "instructions"
    subprocess.run(["gcc", "-O1", str(Path(__file__).parent / "instructions.c"), "-o", str(counter)], check=True)
    printed = subprocess.run([str(counter), str(program), name], check=True, capture_output=True, text=True).stdout
    assert int(printed.split()[-1]) == pytest.approx(RECORDED[gcc, name], rel=0.05)
