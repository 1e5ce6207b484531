"""``dragoman import``: make a bundle of a foreign model from a folder, an archive or the Hub.

Models of Firefox and translateLocally are read in ``export.bergamot``, all others in ``export.marian``.
"""

import tempfile
from pathlib import Path

from app.engine.models.bundle import Bundle
from export.bergamot.folder import find_files
from export.bergamot.importing import import_bergamot
from export.bundle_writer import check_out
from export.choices import Choices
from export.marian.archives import unpack
from export.marian.hub import download, is_hub_id
from export.marian.importing import import_marian
from export.marian.limits import SourceError
from export.progress import Report
from export.registry.installing import download_firefox


def import_bundle(source: str, out: Path, *, choices: Choices, report: Report) -> Bundle:
    """Make a bundle of a foreign model.

    Args:
        source: Folder or zip file of a Firefox model, of MarianMT or of Marian itself, the name of a model on the
            Hugging Face Hub, or ``firefox:de-en`` or ``firefox:de-en:tiny``, a model of Mozilla's list.
        out: Folder to make or replace; on any error it is as it was.
        choices: Options of the user.
        report: Called with a line on each step.

    Raises:
        SourceError: There is no such model, or it is of a kind that can't be imported.
        BuildError: ``out`` exists and is no bundle.
    """
    check_out(out)
    # Unpack next to the bundle, because that disk must have space for it anyway.
    beside = out.parent if out.parent.is_dir() else None
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.import-", dir=beside) as scratch:
        folder = _fetch(source, Path(scratch), report)
        name = choices.name or _name(source)
        report(f"reading {name}")
        files = Path(scratch) / "files"
        unpacked = Path(scratch) / "decompressed"
        unpacked.mkdir()
        try:
            if found := find_files(folder, unpacked):
                return import_bergamot(found, out, name=name, choices=choices, scratch=files, report=report)
            return import_marian(folder, out, name=name, source=source, choices=choices, scratch=files, report=report)
        except SourceError as error:
            # The user doesn't know where the model was unpacked.
            message = str(error).replace(str(folder), source).replace(str(unpacked), source)
            raise SourceError(message) from error


def _fetch(source: str, scratch: Path, report: Report) -> Path:
    """Return the folder of a source; unpack or download it if necessary."""
    if source.startswith("firefox:"):
        return download_firefox(source, scratch, report)
    path = Path(source)
    if path.is_dir():
        return path
    if path.is_file():
        report(f"unpacking {path}")
        unpacked = scratch / "unpacked"
        unpacked.mkdir()
        return unpack(path, unpacked)
    if is_hub_id(source):
        report(f"downloading {source}")
        return download(source)
    raise SourceError(f"{source} is not a folder, a zip file or the name of a model such as Helsinki-NLP/opus-mt-de-en")


def _name(source: str) -> str:
    path = Path(source)
    return (path.resolve().name if path.exists() else source.rpartition("/")[2]).removesuffix(".zip")
