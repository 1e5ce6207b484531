"""The wheel for ARM in Debian's ARM files, under QEMU's user mode: it starts, translates, and gives the same bits.

It needs root, debootstrap, qemu-user-static, and the wheel of `make release` in dist/. Nothing runs natively but pip,
which installs the packages for the other machine.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.image import MIRROR, ROOT
from tools.release import REQUIREMENTS

pytestmark = pytest.mark.image

STORE = ROOT / "build" / "arm"
PLATFORMS = [f"manylinux_2_{version}_aarch64" for version in (17, 24, 26, 27, 28)] + ["manylinux2014_aarch64"]
# A processor with dot products; ONNX Runtime reads it, and would find the x86 processor of this machine.
PROCESSOR = """processor\t: 0
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1

"""
PROGRAM = """
import asyncio, json, os, platform, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
os.chdir(sys.argv[2])
from app.engine.interface import Draft, TranslationCall
from app.engine.options import SearchOptions
from app.engine.registry import Registry
from app.settings import Settings

async def main():
    engine = Registry.from_settings(Settings(bundle=(Path("artifacts/de-en"),), workers=1))
    await engine.start()
    found = []
    for source, target, text in (
        ("de", "en", "Ich möchte ein Bier. Wo ist der Bahnhof?"),
        ("en", "de", "The weather is nice today. Where do you live?"),
    ):
        call = TranslationCall(texts=[text], source=source, target=target, options=SearchOptions(beam_size=4))
        async with engine.route(source, target) as [hop]:
            async for event in hop.stream(call):
                if isinstance(event, Draft):
                    found.append([event.versions[0].text, float(event.versions[0].score).hex()])
    await engine.stop()
    print(json.dumps([platform.machine(), engine.info()["models"][0]["kernels"], found]))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def arm() -> Path:
    """Debian's files for ARM, unpacked, with the service in /opt/site."""
    shutil.rmtree(STORE, ignore_errors=True)
    STORE.parent.mkdir(exist_ok=True)
    packages = "--include=libgomp1,libstdc++6,python3-minimal,python3"
    command = ["debootstrap", "--arch=arm64", "--foreign", "--variant=minbase", packages, "bookworm", STORE, MIRROR]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    # Unpacked is enough: setting packages up would need the kernel to start ARM programs by itself.
    for package in (STORE / "var" / "cache" / "apt" / "archives").glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, STORE], check=True)
    platforms = [word for name in [*PLATFORMS, "linux_aarch64"] for word in ("--platform", name)]
    [wheel] = (ROOT / "dist").glob("dragoman-*aarch64.whl")
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--python-version=3.11", *platforms]
    for what in (["--require-hashes", "--requirement", REQUIREMENTS], [wheel]):
        install = [sys.executable, "-m", "pip", "install", *options, "--target", STORE / "opt" / "site", *what]
        subprocess.run(install, check=True)
    shutil.copytree(ROOT / "artifacts", STORE / "srv" / "artifacts")
    shutil.copy("/usr/bin/qemu-aarch64-static", STORE / "usr" / "bin")
    (STORE / "srv" / "cpuinfo").write_text(PROCESSOR)
    (STORE / "srv" / "program.py").write_text(PROGRAM)
    return STORE


def test_the_wheel_translates_on_arm_with_the_same_bits(arm: Path) -> None:
    script = f"mount -t proc proc {arm}/proc && mount --bind {arm}/srv/cpuinfo {arm}/proc/cpuinfo && exec chroot {arm} "
    emulated = ["/usr/bin/qemu-aarch64-static", "-cpu", "neoverse-n1", "/usr/bin/python3", "/srv/program.py"]
    ours = subprocess.run(
        ["unshare", "--mount", "sh", "-e", "-c", f'{script} "$@"', "sh", *emulated, "/opt/site", "/srv"],
        stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    native = subprocess.run([sys.executable, "-c", PROGRAM, ROOT, ROOT], stdout=subprocess.PIPE, check=True)
    (machine, kernels, found), (_, _, expected) = (json.loads(run.stdout.splitlines()[-1]) for run in (ours, native))
    assert (machine, kernels) == ("aarch64", "neon")
    assert found == expected
