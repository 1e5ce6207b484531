"""Writes the bill of materials of an image: ``python -m tools.image_sbom FOLDER FILE``.

FOLDER has the image's files: ``buildah mount`` prints it, and ``docker export`` packs it. FILE gets Debian's packages,
Python's and the models, in CycloneDX 1.6, checked against its schema. The same files give the same bytes.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from email import message_from_string
from importlib.metadata import distributions
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.utils import canonicalize_name


def write(root: Path, out: Path) -> None:
    """Writes the bill of materials.

    Args:
        root: The image's files.
        out: The file.

    Raises:
        ValueError: It isn't what the schema of CycloneDX allows.
    """
    parts = [*debian_packages(root), *python_packages(root), *models(root)]
    whole = Component(name="dragoman-image", type=ComponentType.CONTAINER, bom_ref="image")
    bill = Bom(components=parts)
    bill.metadata.component = whole
    bill.register_dependency(whole, parts)
    described = json.loads(JsonV1Dot6(bill).output_as_string())
    # Both are different each time; the schema needs neither.
    del described["serialNumber"], described["metadata"]["timestamp"]
    text = json.dumps(described, indent=2, sort_keys=True) + "\n"
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"the bill of materials is not valid: {error}")
    out.write_text(text)


def debian_packages(root: Path) -> Iterator[Component]:
    """Yields what dpkg has installed."""
    for entry in (root / "var" / "lib" / "dpkg" / "status").read_text().strip().split("\n\n"):
        fields = message_from_string(entry)
        if fields["Status"].endswith(" installed"):
            url = PackageURL("deb", "debian", fields["Package"], fields["Version"], {"arch": fields["Architecture"]})
            yield _package(url)


def python_packages(root: Path) -> Iterator[Component]:
    """Yields the packages of the service's environment."""
    folders = sorted((root / "opt" / "dragoman").glob("lib/python3.*/site-packages"))
    for found in distributions(path=[str(folder) for folder in folders]):
        yield _package(PackageURL("pypi", None, canonicalize_name(found.name), found.version))


def models(root: Path) -> Iterator[Component]:
    """Yields the bundles; the hash is of the manifest, which has those of all files."""
    for manifest in sorted((root / "srv" / "dragoman").glob("artifacts/*/manifest.json")):
        digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
        url = PackageURL("generic", "dragoman", manifest.parent.name, digest[:12])
        part = _package(url, ComponentType.MACHINE_LEARNING_MODEL)
        part.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=digest))
        yield part


def _package(url: PackageURL, kind: ComponentType = ComponentType.LIBRARY) -> Component:
    return Component(name=url.name, version=url.version, type=kind, purl=url, bom_ref=str(url))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    write(given.folder, given.file)
