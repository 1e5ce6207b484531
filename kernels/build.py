"""Compiles the kernels into one shared library: once for each instruction set; the program chooses at run time.

    python kernels/build.py LIBRARY [--machine aarch64] [--sanitize]

The compiler is ``CC``, or zig from the ``ziglang`` package if it is installed, or cc: gcc 11, clang 14 or newer.
"""

import argparse
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
# The compiler may not fuse or reorder sums, so every compiler and processor gives the same numbers.
FLAGS = ["-std=gnu11", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno"]
# -O0, because GCC 12 needs 25 s of a processor to compile with it, and 84 s with -O1.
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g1", "-O0"]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
SETS = {
    "x86_64": {
        "amx": (
            "avx512",
            "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx2 -mfma -mf16c -mamx-tile -mamx-int8"
            ' -DTILES="tiles_amx.h"',
        ),
        "avx512vnni": ("avx512", "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mavx2 -mfma -mf16c"),
        "avxvnni": ("avx2", "-mavx2 -mfma -mf16c -mavxvnni -DVNNI"),
        "avx2": ("avx2", "-mavx2 -mfma -mf16c"),
        "sse41": ("sse41", "-mssse3 -msse4.1"),
        "plain": ("plain", '-DTILES="tiles_plain.h"'),
    },
    "aarch64": {
        "neoni8mm": ("neon", "-march=armv8.2-a+dotprod+i8mm"),
        "neon": ("neon", "-march=armv8.2-a+dotprod"),
        "neonv8": ("neon", "-march=armv8-a"),
        "plain": ("plain", '-DTILES="tiles_plain.h"'),
    },
}
ZIGS_NAMES = {  # of what gcc and clang call -march
    "-march=armv8.2-a+dotprod+i8mm": "-mcpu=generic+dotprod+i8mm",
    "-march=armv8.2-a+dotprod": "-mcpu=generic+dotprod",
    "-march=armv8-a": "-mcpu=generic",
}
COMMON = ("registration.c", "operators.c", "weights.c", "dispatch.c", "release.c")  # compiled once, for any processor
GLIBC = "2.28"  # manylinux_2_28, like ONNX Runtime's own wheels


def compiler(machine: str) -> list[str] | None:
    """The command of the C compiler for a machine, or None if there is none."""
    if os.environ.get("CC"):
        return os.environ["CC"].split()
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc", "-target", f"{machine}-linux-gnu.{GLIBC}"]
    found = shutil.which("cc") if machine == platform.machine() else None
    return [found] if found and _understands(found, machine) else None


def _understands(command: str, machine: str) -> bool:
    """Tells whether a compiler is new enough for all the instruction sets."""
    flags = [flag for _, flags in SETS.get(machine, {}).values() for flag in flags.split()]
    given = [command, *flags, "-x", "c", "-E", os.devnull]
    return subprocess.run(given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def kernel_flags(machine: str) -> list[list[str]]:
    """The flags for ``kernels.c``, one list for each instruction set."""
    return [
        [f"-DKERNELS=kernels_{name}", f'-DNAME="{name}"', f'-DVECTORS="vector_{vectors}.h"', *flags.split()]
        for name, (vectors, flags) in SETS[machine].items()
    ]


def build(out: Path, *, machine: str = platform.machine(), extra: Sequence[str] = ()) -> None:
    """Write the library.

    Args:
        out: The file.
        machine: Processor that it is for, as in ``SETS``.
        extra: More flags, for compiler and linker.

    Raises:
        RuntimeError: There are no kernels for the machine, or there is no compiler.
        subprocess.CalledProcessError: The compiler failed.
    """
    command = compiler(machine)
    if machine not in SETS or not command:
        raise RuntimeError(f"no kernels for {machine}" if machine not in SETS else f"no C compiler for {machine}")
    sources: list[tuple[str, list[str]]] = [(name, []) for name in COMMON]
    names = ZIGS_NAMES if "ziglang" in command else {}
    sources += [("kernels.c", [names.get(flag, flag) for flag in flags]) for flags in kernel_flags(machine)]
    with tempfile.TemporaryDirectory() as folder:
        objects = [str(Path(folder) / f"{number}.o") for number in range(len(sources))]
        running = [
            subprocess.Popen([*command, *FLAGS, *WARNINGS, *extra, *flags, "-c", str(HERE / source), "-o", target])
            for (source, flags), target in zip(sources, objects, strict=True)
        ]
        for process in running:
            if process.wait():
                raise subprocess.CalledProcessError(process.returncode, process.args)
        # A name of its own: `make serve` and `make test` may build at the same time.
        partial = out.with_suffix(f".{os.getpid()}.partial")
        subprocess.run(
            [*command, *extra, "-shared", "-s", *objects, "-lm", "-lpthread", "-o", str(partial)], check=True
        )
        partial.replace(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument("--machine", choices=SETS, default=platform.machine())
    parser.add_argument("--sanitize", action="store_true", help="find wrong addresses and undefined behaviour")
    given = parser.parse_args()
    build(given.library, machine=given.machine, extra=SANITIZERS if given.sanitize else ())
