"""Declarations match their use: dependencies, pins, commands, container files."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OURS = {"app", "languages", "model", "export"}
# Used directly but chosen by another package, which allows one range of versions and whose part it is.
COME_WITH = {"starlette": "fastapi", "packaging": "pytest"}


def declared(*extras: str) -> dict[str, Requirement]:
    """The requirements of the service and some extras, by name."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    requirements = [Requirement(line) for line in lines]
    inner = {extra for requirement in requirements if requirement.name == "dragoman" for extra in requirement.extras}
    found = {
        canonicalize_name(requirement.name): requirement
        for requirement in requirements
        if requirement.name != "dragoman"
    }
    return found | (declared(*inner) if inner else {})


def imported(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                yield name.partition(".")[0], path


def pins() -> dict[str, Requirement]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


distributions_of_packages = cache(packages_distributions)  # it reads the files of every package: half a second


@pytest.mark.parametrize(
    ("package", "extras"),
    [
        ("app", ("cluster", "documents", "mcp", "memory", "oidc", "s3", "second-tier", "tracing")),
        ("languages", ()),
        ("model", ("train", "export")),
        ("export", ("export", "train")),
        ("tests", ("dev",)),
    ],
)
def test_everything_imported_is_declared(package: str, extras: tuple[str, ...]) -> None:
    allowed = declared(*extras)
    owners = distributions_of_packages()
    undeclared = set()
    for name, path in imported(ROOT / package):
        if name in sys.stdlib_module_names or name in OURS | {"tests", "benchmarks", "tools"}:
            continue
        if path == ROOT / "tests/openapi/client.py":  # runs in an environment of its own
            continue
        distributions = {canonicalize_name(owner) for owner in owners.get(name, [name])}
        distributions |= {COME_WITH[owner] for owner in distributions if owner in COME_WITH}
        if not distributions & allowed.keys():
            undeclared.add(f"{name} in {path.relative_to(ROOT)}")
    assert undeclared == set()


@pytest.mark.parametrize("name", ["torch", "onnx", "transformers", "safetensors"])
def test_the_service_needs_nothing_of_the_training_world(name: str) -> None:
    assert name not in declared()


def test_every_requirement_has_both_bounds() -> None:
    for requirement in declared("dev").values():
        operators = {specifier.operator for specifier in requirement.specifier}
        assert operators == {">=", "<"}, requirement


def test_every_requirement_is_pinned_within_its_range() -> None:
    pinned = pins()
    for name, requirement in declared("dev").items():
        assert name in pinned, f"{name} is missing in constraints.txt"
        (pin,) = pinned[name].specifier
        assert pin.version in requirement.specifier, f"{pinned[name]} is not within {requirement}"


def test_pins_are_exact_and_hold_on_any_machine() -> None:
    for requirement in pins().values():
        (pin,) = requirement.specifier
        assert pin.operator == "=="
        assert "+" not in pin.version, f"{requirement} is one machine's own build"
        assert requirement.url is None


def test_every_training_command_names_extras_that_exist() -> None:
    for line in PROJECT["entry-points"]["dragoman.commands"].values():
        extras = re.fullmatch(r"[\w.:]+ \[([\w,]+)\]", line)
        assert extras is not None, line
        assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])


def test_make_lists_every_target() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None
    listed = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.findall(r"^  make ([a-z-]+)", listed.stdout, re.MULTILINE) == targets[1].split()


@pytest.mark.parametrize(
    ("answers", "message"),
    [("exit 1", "Dragoman needs Python 3.11 or newer"), ('test "$1" = -c', "apt-get install python3-venv")],
    ids=["too old", "without venv"],
)
def test_make_says_what_is_wrong_with_python(answers: str, message: str, tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{answers}\n")
    python.chmod(0o755)
    made = subprocess.run(["make", "serve", f"PYTHON={python}"], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode != 0
    assert message in made.stderr


def test_the_image_is_given_all_that_it_copies() -> None:
    """A file that ``.dockerignore`` leaves out fails the build of the image, which few tests make."""
    given = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = re.findall(r"^COPY (?:--chmod=\d+ )?([^-].*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert {path for paths in copied for path in paths.split()} == given
    assert all((ROOT / path).exists() for path in given)


def test_ci_makes_its_own_environment_and_runs_everything() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert {"make check", "make test", "set -euo pipefail"} <= set(script.read_text().splitlines())
