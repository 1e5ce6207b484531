"""Files and functions that a person can read at once: the limits of CONTRIBUTING.md."""

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE_LINES, FUNCTION_LINES = 400, 53
SUFFIXES = (".py", ".c", ".h", ".js", ".css", ".html")


def sources() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git repository")
    paths = (ROOT / name for name in listed.stdout.split("\0") if name.endswith(SUFFIXES))
    return [path for path in paths if path.exists()]


def too_long(text: str) -> list[str]:
    """The functions of a module that are longer than allowed."""
    return [
        f"{node.name} in line {node.lineno}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno
        and node.end_lineno - node.lineno >= FUNCTION_LINES
    ]


def test_no_file_and_no_function_is_too_long():
    found = []
    for path in sources():
        text = path.read_text(encoding="utf-8")
        lines = len(text.splitlines())
        if lines > FILE_LINES:
            found.append(f"{path.relative_to(ROOT)}: {lines} lines")
        if path.suffix == ".py" and lines > FUNCTION_LINES:
            found += [f"{path.relative_to(ROOT)}: {function}" for function in too_long(text)]
    assert not found, "\n".join(found)


def test_a_longer_function_is_found():
    assert too_long("def f():\n" + "    pass\n" * FUNCTION_LINES) == [f"f in line 1: {FUNCTION_LINES + 1} lines"]
    assert not too_long("def f():\n" + "    pass\n" * (FUNCTION_LINES - 1))
