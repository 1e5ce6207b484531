"""The image, built for real: it translates as a user without rights, writes nothing, and holds the service only."""

import json
import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote
from urllib.request import Request, urlopen

import psutil
import pytest
from packaging.utils import canonicalize_name

from tests.support.image import MIB, ROOT, Image, build, built, size_bytes
from tools import image_sbom
from tools.release import EXTRAS

pytestmark = pytest.mark.image

ARM = [f"manylinux_2_{version}_aarch64" for version in (17, 24, 26, 27, 28)] + ["manylinux2014_aarch64"]


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    with built() as image:
        yield image


@contextmanager
def serving(image: Image) -> Iterator[tuple[psutil.Process, str]]:
    """The server's process in the container, and its base URL."""
    words = [*image.configuration["Entrypoint"], *image.configuration["Cmd"]]
    # Any free port in place of 8000, which may be taken here.
    with subprocess.Popen(image.run(*words, variables=("DRAGOMAN_PORT=0",)), stdout=subprocess.PIPE, text=True) as run:
        try:
            announced = next((line for line in run.stdout if "health check" in line), None)
            assert announced is not None
            url = announced.split()[-1].removesuffix("/readyz")
            yield _listener(int(url.split(":")[-1])), url
        finally:
            with suppress(psutil.NoSuchProcess):  # it has ended, as it should
                for process in psutil.Process(run.pid).children(recursive=True):
                    process.terminate()
        assert run.wait(timeout=30) == 0


def _listener(port: int) -> psutil.Process:
    """The process that listens on a port of this machine, whose network the container shares."""
    [found] = {
        connection.pid
        for connection in psutil.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
    }
    return psutil.Process(found)


def health_check(image: Image, url: str) -> int:
    _, *words = image.configuration["Healthcheck"]["Test"]
    words = [word.replace("http://127.0.0.1:8000", url) for word in words]
    assert url in " ".join(words)
    return subprocess.run(image.run(*words), stderr=subprocess.DEVNULL).returncode


def fingerprint(folder: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in folder.rglob("*")}


def translate(url: str, text: str, source: str, target: str) -> str:
    body = json.dumps({"q": text, "source": source, "target": target}).encode()
    request = Request(f"{url}/translate", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as response:
        return str(json.load(response)["translatedText"])


def test_it_translates_as_a_user_without_rights_and_writes_nothing(image: Image) -> None:
    before = fingerprint(image.folder / "opt") | fingerprint(image.folder / "srv")
    with serving(image) as (server, url):
        assert set(server.uids()) == set(server.gids()) == {65532}
        assert health_check(image, url.replace("localhost", "127.0.0.1")) == 0
        assert "beer" in translate(url, "Ich möchte ein Bier.", "de", "en").lower()
        assert "wo ist" in translate(url, "Where is the station?", "en", "de").lower()
        kernels = json.load(urlopen(f"{url}/info", timeout=30))["models"][0]["kernels"]
        assert kernels, "the native operators were not built"
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
    assert fingerprint(image.folder / "opt") | fingerprint(image.folder / "srv") == before


def test_the_health_check_fails_where_nobody_answers(image: Image) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    assert health_check(image, f"http://127.0.0.1:{free}") != 0


@pytest.mark.parametrize("name", ["torch", "onnx", "pytest", "tests"])
def test_it_holds_the_service_only(image: Image, name: str) -> None:
    program = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is not None)"
    assert subprocess.run(image.run("python", "-c", program)).returncode == 0


def test_its_size(image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    """Prints the figures of docs/operations.md."""
    environment, models = (size_bytes(image.folder / path) for path in ("opt/dragoman", "srv/dragoman"))
    with capsys.disabled():
        print(f"\n{platform.machine()}: packages {environment / MIB:.0f} MiB, model {models / MIB:.0f} MiB, "
              f"base {image.base_bytes / MIB:.0f} MiB (Debian's; Docker's differs)")  # fmt: skip
    assert size_bytes(image.folder) == pytest.approx(image.base_bytes + environment + models, rel=0.01)


def test_the_bill_of_materials_names_all_that_is_in_it(image: Image, tmp_path: Path) -> None:
    image_sbom.write(image.folder, tmp_path / "one.json")  # which fails if the schema does
    image_sbom.write(image.folder, tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    found = {
        unquote(part["purl"].split("?")[0]) for part in json.loads((tmp_path / "one.json").read_text())["components"]
    }
    listed = subprocess.run(image.run("pip", "list", "--format=json"), stdout=subprocess.PIPE, check=True).stdout
    assert {f"pkg:pypi/{canonicalize_name(each['name'])}@{each['version']}" for each in json.loads(listed)} <= found
    query = image.run("dpkg-query", "--show", "--showformat=${Package} ${Version}\n")
    installed = subprocess.run(query, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    assert len(installed) > 50
    assert {"pkg:deb/debian/{}@{}".format(*line.split()) for line in installed} <= found


def test_two_builds_have_the_same_bytes(image: Image) -> None:
    assert build() == image.layers


def test_every_package_has_a_wheel_for_arm(tmp_path: Path) -> None:
    """The image's packages, ours among them, resolve for aarch64 without a compiler. Nothing is run there."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT],
        env={**os.environ, "KERNELS_MACHINE": "aarch64"},
        check=True,
    )
    [wheel] = tmp_path.glob("dragoman-*aarch64.whl")
    report = tmp_path / "report.json"
    platforms = [word for name in [*ARM, "linux_aarch64"] for word in ("--platform", name)]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", report,
         "--target", tmp_path / "target", "--only-binary=:all:", "--python-version=3.11", *platforms,
         "--constraint", ROOT / "constraints.txt", f"{wheel}[{','.join(EXTRAS)}]"],
        check=True,
    )  # fmt: skip
    found = {Path(item["download_info"]["url"]).name for item in json.loads(report.read_text())["install"]}
    assert any(name.startswith("onnxruntime-") and "aarch64" in name for name in found)
    assert not [name for name in found if "x86_64" in name or name.endswith(".tar.gz")]
