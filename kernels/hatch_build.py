"""Compiles the kernels when the package is built or installed.

Without a C compiler it asks for zig's, which comes as a wheel. If that fails, too, the package is built without
kernels, and int8 runs on ONNX Runtime's own operators. ``make wheel`` builds for other machines, which KERNELS_MACHINE
names.
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
    """The build hook; see the module."""

    def dependencies(self) -> list[str]:
        """Zig's compiler, if there is no other, or if the wheel is for another machine; exactly, for the same bytes."""
        return ["ziglang==0.17.1"] if MACHINE or not compiler(platform.machine()) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is put together; ``version`` is "editable" for an installation in place."""
        machine = MACHINE or platform.machine()
        # An editable installation finds the library in the source tree. A library for another machine goes elsewhere.
        library = Path(tempfile.mkdtemp() if MACHINE else self.root) / (Path(LIBRARY).name if MACHINE else LIBRARY)
        try:
            build(library, machine=machine)
        except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
            if MACHINE:
                raise
            library.unlink(missing_ok=True)  # it may be from older sources
            self.app.display_warning(f"no native operators, int8 will be slower: {error}")
            return
        if MACHINE:
            build_data["force_include"][str(library)] = LIBRARY
        else:
            build_data["artifacts"].append(LIBRARY)
        build_data["pure_python"] = False
        # Zig links against the old C library that it is told; another compiler links against the system's own.
        system = f"manylinux_{GLIBC.replace('.', '_')}" if MACHINE else "linux"
        build_data["tag"] = f"py3-none-{system}_{machine}"
