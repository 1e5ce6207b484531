"""Texts made to break parsers, in a process with little memory. ``make fuzz`` tries hundreds, and longer ones."""

import subprocess
import sys


def test_repetitive_texts_take_bounded_memory_and_raise_nothing() -> None:
    command = "from tests.support.text_fuzzer import main; raise SystemExit(main(0, 3, chars=2_000) > 0)"
    result = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 inputs" in result.stdout
