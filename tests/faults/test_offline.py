"""The service calls nobody. What ONNX Runtime would send is native code's doing: the test is about its switch."""

import os
import subprocess
import sys
from pathlib import Path

WATCH_THE_IMPORT = """
import os, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "onnxruntime":
            print(os.environ.get("ORT_DISABLE_TELEMETRY"))

sys.meta_path.insert(0, Watch())
import app.engine.single_model
"""


def test_telemetry_is_off_before_onnx_runtime_loads() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    finished = subprocess.run(
        [sys.executable, "-c", WATCH_THE_IMPORT],
        cwd=Path(__file__).parents[2],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert finished.stdout.split() == ["1"]
