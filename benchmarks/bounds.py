"""How fast the native operators could be at most: the work that they were given, at the peak of one core.

Every encoder run and every decoder step takes at least the time of its 8-bit multiply-adds at the measured peak, and at
least the time in which its weights, a byte each, come from the caches. ``peak.c`` measures both.
"""

import importlib.util
import platform
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np

from app.engine.decoding.search import Beam, Steps
from app.engine.models.manifest import Shape
from app.engine.onnx.native import NativeModel, NativeRows
from app.engine.onnx.sessions import Features
from benchmarks.servers import ROOT

KERNELS = ROOT / "kernels"


@dataclass(frozen=True)
class Peak:
    """The peak of one core with an instruction set.

    Attributes:
        multiply_adds: 8-bit multiply-adds a second.
        bytes_read: Bytes a second, when memory as large as the decoder's weights is read again and again.
    """

    multiply_adds: float
    bytes_read: float


@dataclass
class Work:
    """The work that the operators did.

    Attributes:
        encoded: Source tokens of each encoder run.
        stepped: Live rows of each decoder step.
    """

    encoded: list[int] = field(default_factory=list)
    stepped: list[int] = field(default_factory=list)


def weights_of(shape: Shape) -> tuple[int, int]:
    """Weights of the encoder and of a decoder step; each weight is one multiply-add a token."""
    width, inner = shape.width, shape.feed_forward
    crossed = 2 * shape.decoder_layers * width**2  # keys and values of the source, once for all steps
    encoder = shape.encoder_layers * (4 * width**2 + 2 * width * inner) + crossed
    decoder = shape.decoder_layers * (6 * width**2 + 2 * width * inner) + width * shape.vocabulary
    return encoder, decoder


def measure_peak(kernels: str, weights: int) -> Peak:
    """Compile and run ``peak.c``.

    Args:
        kernels: Instruction set, as in ``kernels/build.py``.
        weights: Bytes of the decoder's weights.

    Raises:
        RuntimeError: There is no C compiler.
        subprocess.CalledProcessError: The compiler or the program failed.
    """
    spec = importlib.util.spec_from_file_location("kernels_build", KERNELS / "build.py")
    assert spec and spec.loader
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    machine = platform.machine()
    command = build.compiler(machine)
    if not command:
        raise RuntimeError("there is no C compiler to measure the processor's peak with")
    flags = next(flags for flags in build.kernel_flags(machine) if f"-DKERNELS=kernels_{kernels}" in flags)
    with TemporaryDirectory() as folder:
        program = str(Path(folder) / "peak")
        source = [f"-I{KERNELS}", str(Path(__file__).with_name("peak.c")), "-lm", "-o", program]
        subprocess.run([*command, *build.FLAGS, *flags, *source], check=True)
        printed = subprocess.run([program, str(weights)], check=True, capture_output=True, text=True).stdout
    return Peak(*map(float, printed.split()))


@contextmanager
def recorded(eos_id: int) -> Iterator[Work]:
    """Note the work of all native operators meanwhile."""
    work = Work()
    encode, search_steps = NativeModel.encode, NativeRows.search_steps

    def encoding(model: NativeModel, sources: Sequence[Sequence[int]]) -> list[Features]:
        work.encoded.append(sum(map(len, sources)))
        return encode(model, sources)

    def stepping(rows: NativeRows, beams: Sequence[Beam], steps: int) -> Steps:
        found = search_steps(rows, beams, steps)
        alive = np.isfinite(found.totals) & (found.tokens != eos_id)
        work.stepped += [sum(len(beam.tokens) for beam in beams), *alive[:-1].sum(axis=1).tolist()]
        return found

    with patch.object(NativeModel, "encode", encoding), patch.object(NativeRows, "search_steps", stepping):
        yield work


def least_seconds(work: Work, shape: Shape, peak: Peak) -> float:
    """The least time in which one core can do the work."""
    encoder, decoder = weights_of(shape)
    return sum(
        max(tokens * weights / peak.multiply_adds, weights / peak.bytes_read)
        for counts, weights in ((work.encoded, encoder), (work.stepped, decoder))
        for tokens in counts
    )
