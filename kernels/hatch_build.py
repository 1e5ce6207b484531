"""Compiles the kernels when the package is built or installed.

Without a C compiler it asks for zig's, which comes as a wheel. Where that fails, too, the package does without: int8
then runs on ONNX Runtime's own operators. For another machine, as ``make wheel`` wants it, KERNELS_MACHINE names that.
"""

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from build import GLIBC, build, compiler

MACHINE = os.environ.get("KERNELS_MACHINE")
LIBRARY = "app/engine/onnx/libdragoman.so.1"


class KernelsHook(BuildHookInterface[Any]):
    """See the module."""

    def dependencies(self) -> list[str]:
        """Zig's compiler, where there is no other, or where the wheel is for other machines."""
        return ["ziglang>=0.17.1,<0.18"] if MACHINE or not compiler(platform.machine()) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is put together; ``version`` is "editable" for an installation in place."""
        machine = MACHINE or platform.machine()
        # In the source tree, where an installation in place finds it; what is for another machine has no place there.
        library = Path(tempfile.mkdtemp() if MACHINE else self.root) / (Path(LIBRARY).name if MACHINE else LIBRARY)
        try:
            build(library, machine=machine)
        except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
            if MACHINE:
                raise
            library.unlink(missing_ok=True)  # it may be that of other sources
            self.app.display_warning(f"no native operators, int8 will be slower: {error}")
            return
        if MACHINE:
            build_data["force_include"][str(library)] = LIBRARY
        else:
            build_data["artifacts"].append(LIBRARY)
        build_data["pure_python"] = False
        # Zig links against an old C library by intent, a compiler at hand against its own.
        system = f"manylinux_{GLIBC.replace('.', '_')}" if MACHINE else "linux"
        build_data["tag"] = f"py3-none-{system}_{machine}"
