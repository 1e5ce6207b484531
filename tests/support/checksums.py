"""Compiles ``tests/kernels/checksums.c`` with the kernels of every instruction set in it."""

import importlib.util
import subprocess
from collections.abc import Collection
from pathlib import Path

KERNELS = Path(__file__).parents[2] / "kernels"
HERE = Path(__file__).parents[1] / "kernels"


def compiled(folder: Path, compiler: str, machine: str, optimized: Collection[str] = ()) -> Path:
    """The program; of the kernels, only those of the sets ``optimized`` are compiled as they are shipped."""
    spec = importlib.util.spec_from_file_location("kernels_build", KERNELS / "build.py")
    assert spec and spec.loader
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    sources = [(HERE / "checksums.c", ["-O1"]), (KERNELS / "dispatch.c", ["-O1"]), (KERNELS / "release.c", ["-O1"])]
    for name, flags in zip(build.SETS[machine], build.kernel_flags(machine), strict=True):
        sources.append((KERNELS / "kernels.c", [*flags, *([] if name in optimized else ["-O1"])]))
    objects = []
    for number, (source, flags) in enumerate(sources):
        objects.append(str(folder / f"{number}.o"))
        command = [compiler, *build.FLAGS, *flags, f"-I{KERNELS}", "-c", str(source), "-o", objects[-1]]
        subprocess.run(command, check=True)
    program = folder / "checksums"
    subprocess.run([compiler, "-static", *objects, "-lm", "-o", str(program)], check=True)
    return program
