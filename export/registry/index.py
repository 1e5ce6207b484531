"""The list of models that can be installed: Mozilla's ``models.json``, or one of the same form on a server of your own.

    {"baseUrl": "https://models.example.org/",
     "models": {"de-en": [{"architecture": "tiny", "sourceLanguage": "de", "targetLanguage": "en", "licence": "MPL-2.0",
       "files": {"model": {"path": "de-en/model.bin.gz", "uncompressedSize": 17140899, "uncompressedHash": "<sha256>"},
                 "lexicalShortlist": {"path": "de-en/lex.bin.gz"}, "vocab": {"path": "de-en/vocab.spm.gz"}}}]}}

A file's address is its path behind ``baseUrl``, or behind the list's own address without one. ``size`` and ``sha256``
are of the file as it is served, ``uncompressedSize`` and ``uncompressedHash`` of what is packed in it. Mozilla's list
has them for the model alone; a list of your own should have one of the hashes for every file. ``licence`` is ours.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urljoin, urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from export.marian.limits import SourceError

MOZILLA = "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json"
"""Made daily by the pipeline that trains the models of Firefox."""
_MOZILLA_LICENCE = "MPL-2.0"  # of the repository that the models are published from; the list itself names none
ARCHITECTURES = ("base-memory", "base", "tiny")
"""In the order in which one is chosen: the best in quality for its size first."""
MAX_FILE_BYTES = 1 << 30
_REQUIRED = ({"model", "vocab"}, {"model", "srcVocab", "trgVocab"})

_Hash = Annotated[str, BeforeValidator(lambda value: str(value).lower()), Field(pattern="^[0-9a-f]{64}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class IndexFile(_Part):
    """A file of a model.

    Attributes:
        path: Behind the base address.
        size: Bytes as it is served.
        sha256: Of the file as it is served.
        unpacked_size: Bytes when it is unpacked.
        unpacked_sha256: Of the unpacked file.
    """

    path: str = Field(min_length=1, max_length=2_000)
    size: int | None = Field(None, ge=1, le=MAX_FILE_BYTES)
    sha256: _Hash | None = None
    unpacked_size: int | None = Field(None, alias="uncompressedSize", ge=1, le=MAX_FILE_BYTES)
    unpacked_sha256: _Hash | None = Field(None, alias="uncompressedHash")

    @property
    def name(self) -> str:
        """The last part of the path, without what says how it is packed."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".gz")


class Entry(_Part):
    """A model.

    Attributes:
        architecture: Such as ``tiny``.
        status: Begins with ``Release`` if it is one; a list may leave it out.
        source: Code of the source language.
        target: Code of the target language.
        files: By role.
        licence: If the list says so.
    """

    architecture: str = Field(max_length=100)
    status: str = Field("Release", alias="releaseStatus", max_length=100)
    source: str = Field(alias="sourceLanguage", pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")
    target: str = Field(alias="targetLanguage", pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")
    files: Mapping[str, IndexFile] = Field(max_length=20)
    licence: str | None = Field(None, max_length=200)

    @property
    def pair(self) -> str:
        """Such as ``en-zh-hant``."""
        return f"{self.source}-{self.target}".replace("_", "-").lower()

    @property
    def is_release(self) -> bool:
        """Whether it is released."""
        return self.status.startswith("Release")

    @property
    def wanted(self) -> dict[str, IndexFile]:
        """The files that an import reads."""
        roles = ("model", "lexicalShortlist", "vocab", "srcVocab", "trgVocab")
        return {role: self.files[role] for role in roles if role in self.files}

    @property
    def nbytes(self) -> int | None:
        """Size of the unpacked model, if the list has it."""
        return self.files["model"].unpacked_size if "model" in self.files else None


class ModelIndex(_Part):
    """A list of models.

    Attributes:
        base: The address in front of all paths; empty for that of the list.
        models: By pair.
    """

    base: str = Field("", alias="baseUrl", max_length=2_000)
    models: Mapping[str, tuple[Entry, ...]] = Field(max_length=10_000)

    def entries(self) -> Iterator[Entry]:
        """Yields all models that have all files, sorted by pair, the best of each pair first."""
        found = [entry for entries in self.models.values() for entry in entries if _is_complete(entry)]
        yield from sorted(found, key=lambda entry: (entry.pair, not entry.is_release, _rank(entry.architecture)))


def read_index(data: bytes, address: str) -> ModelIndex:
    """Read a list.

    Args:
        data: The list as it was served.
        address: Where it is from, for messages.

    Raises:
        SourceError: It is not such a list; the message names the field.
    """
    try:
        return ModelIndex.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the list"
        raise SourceError(f"{address} is no list of models: {where}: {first['msg']}") from error


def choose(index: ModelIndex, pair: str, architecture: str | None = None) -> Entry:
    """The released model of a pair: of the architecture, or the best that there is.

    Raises:
        SourceError: There is none; the message says what there is instead.
    """
    wanted = pair.replace("_", "-").lower()
    found = [entry for entry in index.entries() if entry.pair == wanted]
    if not found:
        near = sorted({entry.pair for entry in index.entries() if set(entry.pair.split("-")) & set(wanted.split("-"))})
        shown = f"; there are {', '.join(near[:12])}" if near else ""
        raise SourceError(f"the list has no model {pair}{shown}")
    fitting = [entry for entry in found if architecture in (None, entry.architecture)]
    if not fitting:
        there = ", ".join(dict.fromkeys(entry.architecture for entry in found))
        raise SourceError(f"the list has no {architecture} model {pair}, only {there}")
    return fitting[0]


def address_of(index: ModelIndex, file: IndexFile, address: str) -> str:
    """The address of a file: an ``http`` or ``https`` one, on the host that the list or its base names.

    Raises:
        SourceError: The path leads elsewhere.
    """
    base = urljoin(address, index.base if index.base.endswith("/") or not index.base else index.base + "/")
    found = urljoin(base, file.path)
    if urlsplit(found)[:2] != urlsplit(base)[:2] or ".." in file.path.split("/"):
        raise SourceError(f"the list has a path that leads elsewhere: {file.path}")
    return found


def licence_of(entry: Entry, address: str) -> str:
    """The licence of a model, as far as anybody says."""
    return entry.licence or (_MOZILLA_LICENCE if address == MOZILLA else "unknown")


def is_local(address: str) -> bool:
    """Whether a list's address is a path of this machine."""
    return urlsplit(address).scheme not in ("http", "https")


def local_path(address: str) -> Path:
    """The path of a list on this machine."""
    return Path(address.removeprefix("file://"))


def _is_complete(entry: Entry) -> bool:
    return any(roles <= entry.files.keys() for roles in _REQUIRED)


def _rank(architecture: str) -> int:
    return ARCHITECTURES.index(architecture) if architecture in ARCHITECTURES else len(ARCHITECTURES)
