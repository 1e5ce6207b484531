"""Builds a release in ``dist/``: ``make release``, or ``python -m tools.release --key FILE`` to sign it.

``dist/`` then has wheels for x86-64 and ARM, the requirements with their hashes, a bill of materials (CycloneDX),
the model as an archive, and ``SHA256SUMS`` of all of them. With a key of OpenSSH, ``SHA256SUMS.sig`` is its signature.
Two releases of one commit have the same bytes, except for a signature. docs/verify.md tells how to check one.
"""

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MACHINES = ("x86_64", "aarch64")
REQUIREMENTS = ROOT / "deploy" / "requirements.txt"
EXTRAS = ("documents", "memory", "oidc", "postgres", "s3", "second-tier", "tracing", "valkey")
BUNDLE = ROOT / "artifacts" / "de-en"
SUMS = "SHA256SUMS"
NAMESPACE = "dragoman-release"


def lock() -> None:
    """Writes ``deploy/requirements.txt``: what the service needs, as in ``constraints.txt``, with hashes."""
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--python-version", "3.11"]
    command += ["--no-header", "--no-annotate", "--constraint", "constraints.txt", "pyproject.toml"]
    command += [word for extra in EXTRAS for word in ("--extra", extra)]
    subprocess.run([*command, "--output-file", REQUIREMENTS], cwd=ROOT, check=True)


def sbom(path: Path, *, validate: bool = True) -> None:
    """Writes the bill of materials of the service, in CycloneDX 1.6, checked against its schema."""
    subprocess.run(
        [Path(sys.executable).with_name("cyclonedx-py"), "requirements", REQUIREMENTS, "--pyproject", "pyproject.toml",
         "--output-reproducible", "--spec-version", "1.6", "--validate" if validate else "--no-validate",
         "--output-file", path],
        cwd=ROOT, check=True,
    )  # fmt: skip


def wheel(folder: Path, machine: str) -> Path:
    """Builds the wheel for a machine; returns its path."""
    variables = {**os.environ, "KERNELS_MACHINE": machine, "SOURCE_DATE_EPOCH": _commit_time()}
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, "."]
    subprocess.run(command, cwd=ROOT, env=variables, check=True)
    [path] = folder.glob(f"dragoman-*{machine}.whl")
    return path


def archive(bundle: Path, path: Path) -> None:
    """Packs a bundle so that the same files give the same bytes."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", 1, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for file in sorted(bundle.iterdir()):
            entry = tarfile.TarInfo(f"{bundle.name}/{file.name}")
            entry.size = file.stat().st_size
            with file.open("rb") as content:
                tar.addfile(entry, content)


def write_sums(folder: Path) -> Path:
    """Writes the SHA-256 of every file in a folder, as ``sha256sum`` does."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith(SUMS))
    lines = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / SUMS).write_text("".join(lines))
    return folder / SUMS


def sign(path: Path, key: Path) -> None:
    """Writes ``PATH.sig``, the signature by a key of OpenSSH."""
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, path], check=True)


def _commit_time() -> str:
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Builds all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--key", type=Path, help="a private key of OpenSSH, which signs the release")
    parser.add_argument("--lock", action="store_true", help="only write deploy/requirements.txt again")
    chosen = parser.parse_args()
    if chosen.lock:
        lock()
        return
    folder = ROOT / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for machine in MACHINES:
        wheel(folder, machine)
    shutil.copy(REQUIREMENTS, folder)
    shutil.copy(ROOT / "MODEL_CARD.md", folder)
    sbom(folder / "sbom.cdx.json")
    archive(BUNDLE, folder / f"{BUNDLE.name}.tar.gz")
    sums = write_sums(folder)
    if chosen.key:
        sign(sums, chosen.key)
    print(sums.read_text(), end="")


if __name__ == "__main__":
    main()
