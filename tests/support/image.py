"""Builds the Dockerfile without a registry and without Docker, and runs commands in the image.

Debian's buildah does the work. It keeps whole copies of layers (``vfs``) and isolates with chroot, so that it works
in a container, too. The base image is Debian 12 with its own Python 3.11, under the name of Docker's. Only tests
marked ``image`` import this; they need root.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
STORE = ROOT / "build" / "image"
MIRROR = "http://deb.debian.org/debian"
# What pip needs behind a proxy with a certificate of its own.
MACHINES_OWN = ("/etc/ssl/certs", "/etc/pip.conf")
MIB = 2**20


def buildah(*arguments: object) -> str:
    """Runs buildah; its output goes to the terminal unless it is the answer.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    finished = subprocess.run(command(*arguments), check=True, stdout=subprocess.PIPE, text=True)
    return finished.stdout.strip()


def command(*arguments: object) -> list[str]:
    """A command line of buildah."""
    options = ["--root", STORE / "layers", "--runroot", STORE / "run", "--storage-driver", "vfs"]
    return ["buildah", *map(str, (*options, *arguments))]


def make_base(name: str) -> None:
    """Puts the base image into the store, unless it is there."""
    if subprocess.run(command("inspect", "--type", "image", name), capture_output=True).returncode == 0:
        return
    folder = STORE / "base"
    shutil.rmtree(folder, ignore_errors=True)
    packages = "--include=ca-certificates,python3-venv"
    subprocess.run(["debootstrap", "--variant=minbase", packages, "bookworm", folder, MIRROR], check=True)
    shutil.rmtree(folder / "var" / "cache" / "apt")
    (folder / "usr" / "bin" / "python").symlink_to("python3")
    container = buildah("from", "scratch")
    buildah("add", "--quiet", container, folder, "/")
    buildah("commit", "--quiet", container, name)
    buildah("rm", container)
    shutil.rmtree(folder)


class Image(NamedTuple):
    """A container of the built image, and the image's configuration.

    Attributes:
        layers: The SHA-256 of each layer.
        container: Its name.
        folder: Its files.
        configuration: User, Entrypoint, Cmd, Healthcheck, ...
        base_bytes: Size of the base image's files.
    """

    layers: list[str]
    container: str
    folder: Path
    configuration: dict[str, object]
    base_bytes: int

    def run(self, *words: str, variables: tuple[str, ...] = ()) -> list[str]:
        """The command line that runs a command in the container, as the image's user.

        Args:
            words: The command.
            variables: More environment variables, NAME=value.
        """
        options = [word for variable in variables for word in ("--env", variable)]
        return command(
            "run", "--isolation", "chroot", "--network", "host", "--user", self.configuration["User"],
            *options, self.container, "--", *words,
        )  # fmt: skip


def build() -> list[str]:
    """Builds the image anew, without a cache; returns the SHA-256 of each of its layers.

    Its ID is another each time: in Docker's format, Debian's buildah writes a random host name into it.
    """
    volumes = [word for path in MACHINES_OWN if os.path.exists(path) for word in ("--volume", f"{path}:{path}:ro")]
    options = ["--isolation", "chroot", "--network", "host", "--format", "docker", "--no-cache", "--timestamp", "0"]
    subprocess.run(command("build", *options, *volumes, "--tag", "dragoman:test", ROOT), check=True)
    described = json.loads(buildah("inspect", "--type", "image", "dragoman:test"))
    found: list[str] = json.loads(described["Config"])["rootfs"]["diff_ids"]
    return found


@contextmanager
def built() -> Iterator[Image]:
    """Builds the image, and makes a container of it, which ends with the block."""
    STORE.mkdir(parents=True, exist_ok=True)
    [base] = set(re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    make_base(f"docker.io/library/{base}")
    layers = build()
    described = json.loads(buildah("inspect", "--type", "image", "dragoman:test"))
    container, plain = buildah("from", "dragoman:test"), buildah("from", f"docker.io/library/{base}")
    try:
        folder, base_folder = Path(buildah("mount", container)), Path(buildah("mount", plain))
        yield Image(layers, container, folder, described["Docker"]["config"], size_bytes(base_folder))
    finally:
        for name in (container, plain):
            buildah("rm", name)


def size_bytes(folder: Path) -> int:
    """The size of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
