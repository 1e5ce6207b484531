"""The same numbers on every processor: ``checksums.c`` here, and under QEMU where that and a compiler for it are."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checksums import compiled


def run(folder: Path, compiler: str, machine: str, emulator: list[str]) -> dict[str, list[str]]:
    """The checksums of each instruction set, one an activation function."""
    program = compiled(folder, compiler, machine)
    return checksums([*emulator, str(program)])


def checksums(command: list[str]) -> dict[str, list[str]]:
    """What the program prints."""
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, list[str]] = {}
    for line in printed.splitlines():
        name, _, checksum = line.split()
        found.setdefault(name, []).append(checksum)
    return found


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("gcc"), reason="needs gcc")
def test_every_instruction_set_and_processor_computes_the_same(tmp_path):
    found = run(tmp_path, "gcc", platform.machine(), [])
    assert len(found) >= 2
    if platform.machine() == "x86_64" and shutil.which("qemu-x86_64"):
        # A processor without AVX and FMA: nothing that it lacks is run, and the C library's fmaf is another.
        emulated = checksums(["qemu-x86_64", "-cpu", "Nehalem", str(tmp_path / "checksums")])
        assert emulated.keys() == {"plain", "sse41"}
        found |= {f"Nehalem {name}": sums for name, sums in emulated.items()}
    others = [("aarch64-linux-gnu-gcc", "aarch64", ["qemu-aarch64"])]
    for compiler, machine, emulator in others:
        if shutil.which(compiler) and shutil.which(emulator[0]):
            (tmp_path / machine).mkdir()
            emulated = run(tmp_path / machine, compiler, machine, emulator)
            assert emulated.keys() == {"plain", "neonv8", "neon", "neoni8mm"}
            found |= {f"{machine} {name}": sums for name, sums in emulated.items()}
    assert len({tuple(sums) for sums in found.values()}) == 1, found
