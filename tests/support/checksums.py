"""Compiles ``tests/kernels/checksums.c`` for a library of native operators."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def compiled(folder: Path, compiler: str, library: Path) -> Path:
    """The program, which finds the library where it is now."""
    program = folder / "checksums"
    source = ROOT / "tests" / "kernels" / "checksums.c"
    command = [compiler, "-std=gnu11", "-O1", f"-I{ROOT / 'kernels'}", str(source), str(library), "-o", str(program)]
    subprocess.run(command, check=True)
    return program
