"""Runs the tests of models as they would run on other processors, with more threads and with other models.

    python -m tools.test_variations [NAME ...]

No test may depend on the values that a model computes: they differ between processors, numbers of threads and seeds.
Each variation restricts PyTorch, oneDNN or our own operators to another instruction set, or sets the threads, or trains
the tiny models from another seed. If the processor lacks an instruction set, the library keeps its own choice. The
variation ``examples`` has Hypothesis make up 40 times as many examples for every property of the service, and
``full-counts`` compares a model of OPUS-MT's size, and more translations, with the transformers library.
"""

import os
import subprocess
import sys
import time
from typing import NamedTuple

PYTORCH = ("tests/parity/test_graphs.py", "tests/unit/model/evaluation", "tests/unit/test_reference.py")
SERVICE = (
    "tests/http/test_native.py",
    "tests/kernels/test_search.py",
    "tests/unit/app/engine/models/test_bundle.py",
    "tests/unit/app/engine/onnx",
    "tests/unit/app/engine/request",
    "tests/unit/app/engine/test_single_model.py",
    "tests/unit/app/translation/test_retries.py",
)
# Hypothesis's plugin marks its tests.
PROPERTIES = ("-m", "hypothesis and not cluster", "tests/properties", "tests/unit/app")
SHIPPED = ("tests/parity/test_shipped_notation.py", "tests/parity/test_shipped_sentences.py")


class Variation(NamedTuple):
    """Environment variables, and the tests that they may change, as arguments of pytest."""

    environment: dict[str, str]
    tests: tuple[str, ...]


VARIATIONS = {
    "aten-default": Variation({"ATEN_CPU_CAPABILITY": "default"}, PYTORCH),
    "aten-avx2": Variation({"ATEN_CPU_CAPABILITY": "avx2"}, PYTORCH),
    "onednn-avx2": Variation({"ONEDNN_MAX_CPU_ISA": "AVX2"}, PYTORCH),
    "two-threads": Variation({"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}, PYTORCH),  # tests/conftest.py sets 1
    "seed-1": Variation({"TINY_SEED": "1"}, (*PYTORCH, *SERVICE)),
    "seed-3": Variation({"TINY_SEED": "3"}, (*PYTORCH, *SERVICE)),
    "examples": Variation({"EXAMPLES_FACTOR": "40"}, PROPERTIES),
    "full-counts": Variation({"DRAGOMAN_FULL_COUNTS": "1"}, ("tests/parity/test_marian.py",)),
    "kernels-off": Variation({"DRAGOMAN_KERNELS": "off"}, (*SERVICE, *SHIPPED)),
    "kernels-avx2": Variation({"DRAGOMAN_KERNELS": "avx2"}, (*SERVICE, *SHIPPED)),
    "kernels-plain": Variation({"DRAGOMAN_KERNELS": "plain"}, (*SERVICE, *SHIPPED)),
}


def main(names: list[str]) -> int:
    """Runs the named variations, or all; returns how many failed."""
    unknown = [name for name in names if name not in VARIATIONS]
    if unknown:
        sys.exit(f"no variation {', '.join(unknown)}; there are {', '.join(VARIATIONS)}")
    failed = 0
    for name, (environment, tests) in VARIATIONS.items():
        if names and name not in names:
            continue
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-n", "2", *tests]
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
        lines = done.stdout.strip().splitlines()
        print(
            f"{name:16} {time.monotonic() - began:6.0f} s  {lines[-1] if lines else done.stderr.strip()[-200:]}",
            flush=True,
        )
        if done.returncode:
            failed += 1
            print(*(line for line in lines if line.startswith(("FAILED", "ERROR", "E  "))), sep="\n")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
