"""Releases: hashes of all packages, a valid bill of materials, the same bytes twice, and how to verify one."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from app.cli.main import app
from tests.unit.test_packaging import PROJECT, declared, pins
from tools.release import EXTRAS, NAMESPACE, REQUIREMENTS, archive, sbom, sign, write_sums

ROOT = Path(__file__).parents[2]
COMMANDS = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs" / "verify.md").read_text(), re.MULTILINE | re.DOTALL)


def locked() -> dict[str, tuple[Requirement, list[str]]]:
    """The requirements of the service, with their hashes."""
    found = {}
    for entry in re.split(r"\n(?=\S)", REQUIREMENTS.read_text().strip()):
        requirement = Requirement(entry.partition("\\")[0].strip())
        found[canonicalize_name(requirement.name)] = requirement, re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)
    return found


def test_every_package_of_the_service_has_hashes_and_the_pinned_version() -> None:
    pinned = pins()
    assert declared(*EXTRAS).keys() <= locked().keys()
    for name, (requirement, hashes) in locked().items():
        assert hashes, name
        if name in pinned:
            assert requirement.specifier == pinned[name].specifier
        else:
            assert requirement.marker, f"{name} is in no environment of ours"


def test_the_image_and_the_pages_install_with_hashes() -> None:
    for path in ("Dockerfile", "docs/deployment.md"):
        installs = re.findall(r"pip install (.*)", (ROOT / path).read_text())
        assert "--require-hashes" in installs[0] and "--no-deps" in installs[1]


def test_the_bill_of_materials_is_valid_and_has_all_packages(tmp_path: Path) -> None:
    sbom(tmp_path / "one.json")  # which fails if the schema does
    sbom(tmp_path / "two.json", validate=False)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    bill = json.loads((tmp_path / "one.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["version"] == PROJECT["version"]
    assert {canonicalize_name(part["name"]) for part in bill["components"]} == locked().keys()


def test_an_archive_has_the_same_bytes_whenever_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, age in (("one", 1), ("two", 2)):
        (tmp_path / name / "de-en").mkdir(parents=True)
        for file in ("b", "a") if age == 1 else ("a", "b"):
            path = tmp_path / name / "de-en" / file
            path.write_text(file)
            os.utime(path, (age, age))
        monkeypatch.setattr("gzip.time.time", lambda now=age: 1_000.0 * now)
        archive(tmp_path / name / "de-en", tmp_path / f"{name}.tar.gz")
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()
    shutil.unpack_archive(tmp_path / "one.tar.gz", tmp_path / "out", filter="data")
    assert (tmp_path / "out" / "de-en" / "a").read_text() == "a"


def new_key(folder: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key"], check=True)
    return folder / "key"


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs ssh-keygen, of Debian's package openssh-client")
@pytest.mark.parametrize("harm", [None, "file", "sums", "signer"])
def test_the_commands_of_the_page_tell_a_release_from_a_forged_one(tmp_path: Path, harm: str | None) -> None:
    release, ours, others = (tmp_path / name for name in ("release", "ours", "others"))
    for folder in (release, ours, others):
        folder.mkdir()
    (release / "requirements.txt").write_text("anyio\n")
    key = new_key(ours)
    sign(write_sums(release), new_key(others) if harm == "signer" else key)
    (release / "allowed_signers").write_text(f"release {key.with_suffix('.pub').read_text()}")
    if harm == "file":
        (release / "requirements.txt").write_text("anyi0\n")
    elif harm == "sums":
        (release / "requirements.txt").write_text("anyi0\n")
        write_sums(release)
    [commands] = COMMANDS
    done = subprocess.run(["sh", "-e", "-c", commands], cwd=release, capture_output=True, text=True)
    assert (done.returncode == 0) == (harm is None), done.stdout + done.stderr
    assert harm in ("sums", "signer") or f'Good "{NAMESPACE}" signature' in done.stdout


def test_the_model_card_is_what_the_command_prints() -> None:
    printed = CliRunner().invoke(app, ["info", str(ROOT / "artifacts" / "de-en"), "--card"])
    assert printed.output == (ROOT / "MODEL_CARD.md").read_text(), "run: make model-card"


def test_the_model_card_has_data_licences_scores_limits_failures_and_use() -> None:
    text = (ROOT / "MODEL_CARD.md").read_text()
    manifest = json.loads((ROOT / "artifacts" / "de-en" / "manifest.json").read_text())
    for source in manifest["provenance"]["sources"]:
        assert source["name"] in text and " ".join(source["licence"].split()) in text
    assert all(f"{score['bleu']:.1f}" in text for score in manifest["scores"])
    assert {"## Intended use", "## Scores", "## Known failures", "## Training and licences"} <= set(text.splitlines())
