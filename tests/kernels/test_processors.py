"""The same numbers on every processor: ``checksums.c`` here, and under QEMU where that and a compiler for it are."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.engine.onnx import native
from tests.support.checksums import ROOT, compiled


def checksums(command: list[str]) -> dict[str, list[str]]:
    """What the program prints: the checksums of each instruction set, one a model."""
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, list[str]] = {}
    for line in printed.splitlines():
        name, _, checksum = line.split()
        found.setdefault(name, []).append(checksum)
    return found


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("gcc"), reason="needs gcc")
def test_every_instruction_set_and_processor_computes_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = str(compiled(tmp_path, "gcc", native.LIBRARY))
    found = checksums([program])
    assert len(found) >= 2
    assert len(set(found["plain"])) == 6
    if platform.machine() == "x86_64" and shutil.which("qemu-x86_64"):
        # A processor without AVX and FMA: nothing that it lacks is run, and the C library's fmaf is another.
        emulated = checksums(["qemu-x86_64", "-cpu", "Nehalem", program])
        assert emulated.keys() == {"plain", "sse41"}
        found |= {f"Nehalem {name}": sums for name, sums in emulated.items()}
    if shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64"):
        library = tmp_path / "aarch64" / "libdragoman.so"
        library.parent.mkdir()
        monkeypatch.setenv("CC", "aarch64-linux-gnu-gcc")
        build = [sys.executable, str(ROOT / "kernels" / "build.py"), str(library), "--machine", "aarch64"]
        subprocess.run(build, check=True)
        program = str(compiled(library.parent, "aarch64-linux-gnu-gcc", library))
        emulated = checksums(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", program])
        assert emulated.keys() == {"plain", "neonv8", "neon", "neoni8mm"}
        found |= {f"aarch64 {name}": sums for name, sums in emulated.items()}
    assert len({tuple(sums) for sums in found.values()}) == 1, found
