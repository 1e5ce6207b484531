"""A fresh Debian, and the commands of docs/deployment.md: from the package to a service behind Caddy.

It needs root, debootstrap, and the wheel of `make release` in dist/. Commands run in a chroot, those that start
servers in a network of their own. systemd doesn't run there: tests/support/systemctl.py stands in for it.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.image import MIRROR, ROOT

pytestmark = pytest.mark.image

STORE = ROOT / "build" / "debian"
# What pip and apt need behind a proxy with a certificate of its own.
OWN = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")
INSTALL, START, USE = re.findall(
    r"^```sh\n(.*?)^```",
    (ROOT / "docs" / "deployment.md").read_text().partition("## Behind a proxy")[0],
    re.MULTILINE | re.DOTALL,
)
OWNERS = "grep -lx dragoman /proc/[0-9]*/comm | cut -d/ -f1-3 | xargs stat --format=%U | sort -u"
WAIT = """
for url in http://127.0.0.1:8000/readyz https://localhost/readyz; do
    for second in $(seq 120); do curl --silent --insecure --fail $url > /dev/null && break; sleep 1; done
done
"""


@pytest.fixture(scope="module")
def debian() -> Iterator[Path]:
    """Its root folder, with a checkout in /checkout."""
    shutil.rmtree(STORE, ignore_errors=True)
    STORE.parent.mkdir(exist_ok=True)
    command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", STORE, MIRROR]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for path in filter(Path.exists, map(Path, OWN)):
        shutil.copy(path, STORE / path.relative_to("/"))
    shutil.copy("/etc/resolv.conf", STORE / "etc")
    (STORE / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    for name in ("deploy", "dist", "artifacts"):
        shutil.copytree(ROOT / name, STORE / "checkout" / name)
    (STORE / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")  # packages start nothing
    (STORE / "usr/sbin/policy-rc.d").chmod(0o755)
    yield STORE
    shutil.rmtree(STORE)


def inside(folder: Path, commands: str, *, alone: bool = False) -> str:
    """Runs commands in the chroot; ``alone`` gives them a network and processes that end with them."""
    mounts = f"mount -t proc proc {folder}/proc && mount --rbind /dev {folder}/dev"
    # systemd would give Caddy the right to listen on port 443.
    network = "ip link set lo up && echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start && " if alone else ""
    script = f'{mounts} && {network}cd / && exec chroot {folder} sh -e -c "$1"'
    spaces = ["--mount", "--pid", "--fork", "--kill-child", *(["--net"] if alone else [])]
    done = subprocess.run(
        ["unshare", *spaces, "sh", "-e", "-c", script, "sh", f"cd /checkout\n{commands}"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]
    return done.stdout


def test_the_commands_of_the_page_lead_to_a_service_behind_caddy(debian: Path) -> None:
    inside(debian, f"export DEBIAN_FRONTEND=noninteractive\napt-get update\n{INSTALL}")
    shutil.copy(ROOT / "tests" / "support" / "systemctl.py", debian / "usr/local/bin/systemctl")
    (debian / "usr/local/bin/systemctl").chmod(0o755)
    said = inside(debian, f"{START}\n{WAIT}\n{USE}\necho\n{OWNERS}", alone=True)
    answer, *users = said.strip().splitlines()
    assert json.loads(answer)["translatedText"].lower().startswith("good morning")
    assert users == ["dragoman"]
