"""Runs the native operators with sanitizers: ``python -m tests.kernels.sanitized races|fuzz SECONDS``.

``races.c`` has several workers under ThreadSanitizer (gcc or clang); ``fuzz.c`` feeds models, shapes and indices that
are wrong, with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer (clang). Both are on ``runtime.h``, not on
ONNX Runtime, which has no sanitizer in it. What libFuzzer finds is in ``build/sanitized``.
"""

import argparse
import importlib.util
import os
import platform
import random
import subprocess
from pathlib import Path

HERE, KERNELS = Path(__file__).parent, Path(__file__).parents[2] / "kernels"
OUT = Path("build/sanitized")
SANITIZERS = {
    "races": ["-fsanitize=thread", "-g1", "-O1"],
    "fuzz": ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all", "-g1", "-O1"],
}
WORKERS = 4
# What the bytes choose is read with the first 200 or so.
FUZZER = ["-max_len=400", "-len_control=0", "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={OUT}/"]


def build(what: str, compiler: str) -> Path:
    """Compiles ``WHAT.c`` and the operators into one program, and returns its path."""
    spec = importlib.util.spec_from_file_location("kernels_build", KERNELS / "build.py")
    assert spec and spec.loader
    of_kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(of_kernels)
    folder = OUT / what
    folder.mkdir(parents=True, exist_ok=True)
    sources = [(KERNELS / name, []) for name in of_kernels.COMMON] + [(HERE / f"{what}.c", [])]
    sources += [(KERNELS / "kernels.c", flags) for flags in of_kernels.kernel_flags(platform.machine())]
    command = [compiler, *of_kernels.FLAGS, *of_kernels.WARNINGS, *SANITIZERS[what], f"-I{KERNELS}"]
    objects = [str(folder / f"{number}.o") for number in range(len(sources))]
    running = [
        subprocess.Popen([*command, *flags, "-c", str(source), "-o", target])
        for (source, flags), target in zip(sources, objects, strict=True)
    ]
    for process in running:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, process.args)
    program = folder / what
    subprocess.run([*command, *objects, "-lm", "-lpthread", "-o", str(program)], check=True)
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=SANITIZERS)
    parser.add_argument("seconds", type=int)
    given = parser.parse_args()
    compiler = os.environ.get("CC") or ("clang" if given.what == "fuzz" else "cc")
    program = build(given.what, compiler)
    if given.what == "races":
        subprocess.run([program, str(given.seconds), str(WORKERS)], check=True)
        return
    corpus = OUT / "corpus"
    corpus.mkdir(exist_ok=True)
    numbers = random.Random(1)
    for number in range(16):
        (corpus / f"begin{number}").write_bytes(numbers.randbytes(300))
    subprocess.run([program, corpus, f"-max_total_time={given.seconds}", *FUZZER], check=True)


if __name__ == "__main__":
    main()
