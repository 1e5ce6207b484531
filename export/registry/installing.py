"""Installs a model of a list: downloads its files and imports them as a bundle."""

import json
import os
import shutil
from pathlib import Path

import httpx

from export.choices import Choices
from export.marian.limits import SourceError, read_bytes
from export.progress import Report
from export.registry.downloads import MAX_INDEX_BYTES, Progress, client, fetch, fetch_index, take
from export.registry.index import (
    MOZILLA,
    Entry,
    IndexFile,
    ModelIndex,
    address_of,
    choose,
    is_local,
    licence_of,
    local_path,
    read_index,
)

_DOWNLOADS = ".downloads"  # a folder whose name begins with a dot is no bundle
INDEX_VARIABLE = "DRAGOMAN_MODEL_INDEX"


def open_index(address: str) -> ModelIndex:
    """Read a list of models from an address or a file.

    Raises:
        SourceError: It can't be had, or is none.
    """
    if is_local(address):
        return read_index(read_bytes(local_path(address), MAX_INDEX_BYTES), address)
    with client() as web:
        return read_index(fetch_index(web, address), address)


def index_address(given: str | None = None) -> str:
    """The address of the list of models: the one given, or DRAGOMAN_MODEL_INDEX, or Mozilla's."""
    return given or os.environ.get(INDEX_VARIABLE) or MOZILLA


def bundle_name(entry: Entry) -> str:
    """The name of the bundle, and of its folder."""
    return f"{entry.pair}-{entry.architecture}"


def download(
    address: str, pair: str, architecture: str | None, folder: Path, report: Report, progress: Progress
) -> tuple[Path, Entry]:
    """Download the files of a model.

    Args:
        address: Of the list.
        pair: Such as ``de-en``.
        architecture: Such as ``tiny``; None for the best.
        folder: Where the files go, in a folder of their own; what is there already is not downloaded again.
        report: Called with a line on each step.
        progress: Called while a file is downloaded.

    Raises:
        SourceError: There is no such model, or a file isn't what the list says.
    """
    index = open_index(address)
    entry = choose(index, pair, architecture)
    size = f", {entry.nbytes / 1e6:.0f} MB" if entry.nbytes else ""
    report(f"{entry.pair}, {entry.architecture}{size}, licence {licence_of(entry, address)}")
    files = folder / bundle_name(entry)
    files.mkdir(parents=True, exist_ok=True)
    described = {"architecture": entry.architecture}
    (files / "metadata.json").write_text(json.dumps(described), encoding="utf-8")
    with client() as web:
        for role, file in entry.wanted.items():
            report(f"{role}: {file.path}")
            _get(web, index, address, file, files, progress)
    return files, entry


def _get(web: httpx.Client, index: ModelIndex, address: str, file: IndexFile, folder: Path, progress: Progress) -> None:
    if not is_local(address) or not is_local(index.base):
        fetch(web, address_of(index, file, address), file, folder, progress)
        return
    beside = local_path(address).parent / index.base
    path = (beside / file.path).resolve()
    if not path.is_relative_to(beside.resolve()):
        raise SourceError(f"the list has a path that leads elsewhere: {file.path}")
    copy = folder / f"{file.name}.part"
    try:
        shutil.copyfile(path, copy)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error
    take(copy, str(path), file, folder)


def install(
    address: str, pair: str, architecture: str | None, folder: Path, report: Report, progress: Progress
) -> Path:
    """Download a model and make a bundle of it in a folder of bundles; returns the bundle's folder.

    Raises:
        SourceError: There is no such model, or it can't be imported.
    """
    from export.importing import import_bundle

    files, entry = download(address, pair, architecture, folder / _DOWNLOADS, report, progress)
    out = folder / bundle_name(entry)
    choices = Choices(pairs=[entry.pair], name=bundle_name(entry), licence=licence_of(entry, address))
    import_bundle(str(files), out, choices=choices, report=report)
    shutil.rmtree(files)
    return out


def download_firefox(source: str, folder: Path, report: Report) -> Path:
    """Download the files of ``firefox:de-en`` or ``firefox:de-en:tiny`` into a folder.

    Raises:
        SourceError: There is no such model, or a file isn't what the list says.
    """
    pair, _, architecture = source.removeprefix("firefox:").partition(":")
    return download(index_address(), pair, architecture or None, folder, report, lambda done, whole: None)[0]
