"""Public corpora of sentence pairs: a small catalogue, and a download that resumes, verifies and records provenance.

For a corpus NAME a folder holds, after ``fetch``: ``NAME.tsv.xz`` (source TAB target), the files as published
(``NAME.<their name>``) and ``NAME.provenance.json`` (addresses, sha256, bytes, dates, licence). A download in progress
is ``NAME.<their name>.part``, with the server's version mark beside it in ``.part.json``.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from model.data.pairs import ARCHIVE_SUFFIXES, TABLE_SUFFIXES, Pair, PairsError, published_pairs, sha256, write_pairs

BytesProgress = Callable[[str, int, int | None], None]
"""Called with a file's name, the bytes there so far and the bytes in all (None where the server does not say)."""

PairsProgress = Callable[[int], None]
"""Called now and then with the number of pairs written so far."""

# A broken connection is resumed at once, while each attempt brings new bytes, at most this many times.
_ATTEMPTS = 8
_TIMEOUT_S = 30.0
_HEADERS = {"User-Agent": "dragoman (corpus download)", "Accept-Encoding": "identity"}


class FetchError(Exception):
    """A corpus could not be fetched; the message names the address, the expected value and the found one."""


@dataclass(frozen=True)
class Remote:
    """One published file. ``sha256`` is None where it changes over time: then the first download is recorded."""

    url: str
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Where a corpus is published, and how to read (source, target) out of it.

    Attributes:
        name: Names the files: lower-case letters, digits, dot, dash, underscore.
        files: One table or archive, or the source text and the target text.
        licence: The licence that the publisher states.
        description: One sentence.
        attribution: Whom to name, and the paper to cite.
        languages: Codes of source and target as they will stand in the TSV.
        members: How the wanted archive members' names end: one (a table) or two (source, target).
        columns: Where source and target stand in a table, counted from 0.
    """

    name: str
    files: tuple[Remote, ...]
    licence: str
    description: str
    attribution: str
    languages: tuple[str, str] = ("de", "en")
    members: tuple[str, ...] = ()
    columns: tuple[int, int] = (0, 1)

    def local_name(self, remote: Remote) -> str:
        """The name under which one of the files is kept."""
        return f"{self.name}.{re.sub(r'[^A-Za-z0-9._-]+', '-', _file_name(remote.url))}"


def _file_name(url: str) -> str:
    return PurePosixPath(unquote(urlsplit(url).path)).name


def _opus(corpus: str, version: str, **fields: Any) -> Corpus:
    """A German-English corpus of the OPUS collection, in the Moses layout."""
    url = f"https://object.pouta.csc.fi/OPUS-{corpus}/{version}/moses/de-en.txt.zip"
    return Corpus(files=(Remote(url),), members=(f"{corpus}.de-en.de", f"{corpus}.de-en.en"), **fields)


_MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
_OPUS_CITATION = "J. Tiedemann 2012, Parallel Data, Tools and Interfaces in OPUS (LREC)"

# The checksums were registered by TensorFlow Datasets for the same files (wmt19).
CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            name="tatoeba",
            files=(Remote("https://www.manythings.org/anki/deu-eng.zip"),),
            licence="CC BY 2.0 FR",
            description="Everyday sentences translated by volunteers: short and clean, the best start.",
            attribution="Tatoeba (tatoeba.org) contributors; selection by manythings.org",
            members=("deu.txt",),
            columns=(1, 0),
        ),
        _opus(
            "Tatoeba",
            "v2023-04-12",
            name="opus-tatoeba",
            licence="CC BY 2.0 FR",
            description="The same collection in a fixed version (April 2023).",
            attribution=f"Tatoeba (tatoeba.org) contributors; {_OPUS_CITATION}",
        ),
        _opus(
            "wikimedia",
            "v20230407",
            name="wikimedia",
            licence="CC BY-SA 4.0",
            description="Wikipedia articles translated by their editors (180,000 pairs).",
            attribution=f"Wikipedia contributors; {_OPUS_CITATION}",
        ),
        Corpus(
            name="multi30k",
            files=(Remote(f"{_MULTI30K}/train.de.gz"), Remote(f"{_MULTI30K}/train.en.gz")),
            licence="Flickr30k terms: non-commercial research only",
            description="Image captions translated by people (29,000 pairs): simple present-tense sentences.",
            attribution="D. Elliott et al. 2016, Multi30K: Multilingual English-German Image Descriptions",
        ),
        Corpus(
            name="news-commentary",
            files=(
                Remote(
                    "https://data.statmt.org/news-commentary/v14/training/news-commentary-v14.de-en.tsv.gz",
                    "8aaa98a77d38bd39dcbdbcb775f3b6c633700e4c10fd915cf3dc6b9bfd0f2dca",
                ),
            ),
            licence="WMT: free for research; no explicit licence",
            description="Opinion pieces on politics and economics, version 14 (39 MB).",
            attribution="Project Syndicate; prepared for WMT 2019 (statmt.org)",
        ),
        Corpus(
            name="europarl",
            files=(
                Remote(
                    "https://www.statmt.org/europarl/v9/training/europarl-v9.de-en.tsv.gz",
                    "c2aef75d81bf06b22e4a9237319c1d53ba9668a13cb155c6b1361182cd3abc84",
                ),
            ),
            licence="No known restrictions (publisher's statement)",
            description="Debates of the European Parliament, version 9 (204 MB): formal, long sentences.",
            attribution="P. Koehn 2005, Europarl: A Parallel Corpus for Statistical Machine Translation",
        ),
        Corpus(
            name="rapid",
            files=(
                Remote(
                    "https://s3-eu-west-1.amazonaws.com/tilde-model/rapid2019.de-en.zip",
                    "ed5a10e57092715020334b918f6e114e5b6c7206bee3e956f2a1e2937c59c2e7",
                ),
            ),
            licence="CC BY 4.0",
            description="Press releases of the European Commission (112 MB).",
            attribution="R. Rozis, R. Skadins 2017, Tilde MODEL: Multilingual Open Data for EU Languages",
            members=("rapid2019.de-en.de", "rapid2019.de-en.en"),
        ),
    )
}


def from_url(
    url: str,
    *,
    sha256: str | None = None,
    name: str | None = None,
    languages: tuple[str, str] = ("de", "en"),
    members: tuple[str, ...] = (),
) -> Corpus:
    """Describes a file that is not in the catalogue: a table (.tsv, .tsv.gz, .tsv.xz) or an archive (.zip, .tgz).

    Args:
        url: Its http or https address.
        sha256: Expected checksum, 64 hexadecimal digits.
        name: Names the files in the folder; by default made from the address.
        languages: Source and target.
        members: How the archive members' names end; without it ".SOURCE" and ".TARGET", as in "x.de" and "x.en".

    Raises:
        FetchError: The address or the checksum is not of that form.
    """
    file_name = _file_name(url).lower()
    suffix = next((suffix for suffix in TABLE_SUFFIXES + ARCHIVE_SUFFIXES if file_name.endswith(suffix)), None)
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        raise FetchError(f"{url}: not an http or https address")
    if suffix is None:
        raise FetchError(f"{url}: expected an address that ends in {', '.join(TABLE_SUFFIXES + ARCHIVE_SUFFIXES)}")
    if sha256 is not None and not re.fullmatch("[0-9a-fA-F]{64}", sha256):
        raise FetchError(f"{sha256}: a sha256 checksum has 64 hexadecimal digits")
    if suffix in ARCHIVE_SUFFIXES:
        members = members or tuple(f".{language}" for language in languages)
    return Corpus(
        name=re.sub(r"[^a-z0-9._-]+", "-", name or file_name.removesuffix(suffix)).strip(".-") or "corpus",
        files=(Remote(url, sha256.lower() if sha256 else None),),
        licence="not recorded",
        description="Given by address.",
        attribution="not recorded",
        languages=languages,
        members=members,
    )


def fetch(
    corpus: Corpus,
    folder: Path,
    *,
    client: httpx.Client | None = None,
    progress: BytesProgress | None = None,
    unpacked: PairsProgress | None = None,
) -> Path:
    """Downloads the missing files, verifies them and returns the corpus as ``folder/NAME.tsv.xz``.

    A file that matches its recorded checksum is not downloaded again. A file without a published checksum is
    held to the one recorded at its first download, so an upstream change never goes unnoticed.

    Raises:
        FetchError: Network or HTTP failure (the .part file is kept and resumed by the next call), a wrong checksum (it
            is removed), a changed local file, an unreadable archive, or a folder that cannot be written.
    """
    tsv = folder / f"{corpus.name}.tsv.xz"
    record_path = folder / f"{corpus.name}.provenance.json"
    record = _read_record(record_path)
    known = {entry.get("url"): entry for entry in record.get("files", [])}
    expected = {remote.url: remote.sha256 or known.get(remote.url, {}).get("sha256") for remote in corpus.files}
    if known and known.keys() != expected.keys():
        raise FetchError(f"{record_path}: the folder holds a {corpus.name} from {', '.join(known)}: use another folder")
    try:
        current = bool(known) and all(known[url].get("sha256") == digest for url, digest in expected.items())
        if current and tsv.is_file() and record.get("tsv", {}).get("sha256") == sha256(tsv):
            return tsv
        folder.mkdir(parents=True, exist_ok=True)
        record = {key: getattr(corpus, key) for key in ("name", "languages", "licence", "attribution")} | {"files": []}
        paths = [folder / corpus.local_name(remote) for remote in corpus.files]
        with nullcontext(client) if client else httpx.Client(timeout=_TIMEOUT_S) as http:
            for url, path in zip(expected, paths, strict=True):
                record["files"].append(_obtain(url, path, expected[url], http, progress, known.get(url)))
        _write_json(record_path, record)
        pairs = published_pairs(paths, members=corpus.members, columns=corpus.columns)
        count = write_pairs(tsv, _counted(pairs, unpacked))
        record["tsv"] = {"file": tsv.name, "sha256": sha256(tsv), "bytes": tsv.stat().st_size, "pairs": count}
        _write_json(record_path, record)
    except PairsError as error:
        raise FetchError(f"{corpus.name} from {corpus.files[0].url}: {error}") from error
    except OSError as error:
        raise FetchError(f"{error.filename or folder}: {error.strerror or error}") from error
    return tsv


def _obtain(
    url: str,
    path: Path,
    expected: str | None,
    client: httpx.Client,
    progress: BytesProgress | None,
    entry: dict[str, Any] | None,
) -> dict[str, Any]:
    """Makes sure that a published file lies verified at ``path``; returns its provenance."""
    if path.exists():
        digest = sha256(path)
        if expected not in (None, digest):
            raise FetchError(
                f"{path}: the file has changed: expected sha256 {expected}, found {digest}; "
                f"delete it to download {url} again"
            )
        if entry is not None and entry.get("sha256") == digest:
            return entry
    else:
        part = path.with_name(path.name + ".part")
        _download(url, part, client, progress)
        digest = sha256(part)
        if expected not in (None, digest):
            part.unlink()
            raise FetchError(
                f"{url}: wrong checksum: expected sha256 {expected}, got {digest}; the download was removed "
                "(damaged on the way, or changed by its publisher since the checksum was recorded)"
            )
        os.replace(part, path)
    fetched = datetime.now(UTC).isoformat(timespec="seconds")
    return {"url": url, "file": path.name, "sha256": digest, "bytes": path.stat().st_size, "fetched": fetched}


def _download(url: str, part: Path, client: httpx.Client, progress: BytesProgress | None) -> None:
    """Fills ``part`` to its full length, taking up broken connections where they broke."""
    mark_path = part.with_name(part.name + ".json")
    for _ in range(_ATTEMPTS):
        before = _size(part)
        try:
            if _receive(url, part, mark_path, client, progress):
                mark_path.unlink(missing_ok=True)
                return
        except httpx.TransportError as error:
            if _size(part) <= before:
                reason = str(error) or type(error).__name__
                raise FetchError(f"{url}: {reason}{_kept(part)}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise FetchError(f"{url}: {error}") from error
    raise FetchError(f"{url}: gave up after {_ATTEMPTS} broken connections{_kept(part)}")


def _receive(url: str, part: Path, mark_path: Path, client: httpx.Client, progress: BytesProgress | None) -> bool:
    """Makes one request for the missing bytes; returns True if the file is now complete."""
    mark = _read_record(mark_path)
    offset = _size(part) if mark.get("url") == url and mark.get("validator") else 0
    headers = dict(_HEADERS)
    if offset:
        # If-Range: the server sends only the missing bytes, if the file has not changed since the first ones.
        headers |= {"Range": f"bytes={offset}-", "If-Range": mark["validator"]}
    with client.stream("GET", url, headers=headers, follow_redirects=True) as response:
        start, total = _extent(response)
        if response.status_code == 416 and offset:
            if total == offset:
                return True
            part.unlink()
            return False
        if response.status_code not in (200, 206):
            raise FetchError(f"{url}: the server answered {response.status_code} {response.reason_phrase}".rstrip())
        continues = start == offset and _validator(response) == mark.get("validator")
        if response.status_code == 206 and not continues:
            part.unlink(missing_ok=True)  # not the bytes asked for, or of another version: they must not be joined
            return False
        _write_json(mark_path, {"url": url, "validator": _validator(response)})
        with part.open("ab" if start else "wb") as file:
            done = start
            for chunk in response.iter_raw():  # no chunk size: httpx would lose what it gathered when the line breaks
                done += file.write(chunk)
                if progress is not None:
                    progress(part.name.removesuffix(".part"), done, total)
        return total is None or done == total


def _extent(response: httpx.Response) -> tuple[int, int | None]:
    """Return where the body starts in the file, and the file's length in bytes if it is known."""
    if response.status_code in (206, 416):
        match = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", response.headers.get("Content-Range", ""))
        if match is None:
            return -1, None
        return int(match[1] or -1), None if match[2] == "*" else int(match[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() else None


def _validator(response: httpx.Response) -> str | None:
    """The mark of the file's version that If-Range accepts; weak tags do not promise equal bytes."""
    tag: str = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else response.headers.get("Last-Modified")


def _counted(pairs: Iterator[Pair], report: PairsProgress | None) -> Iterator[Pair]:
    for count, pair in enumerate(pairs, start=1):
        if report is not None and count % 1_000 == 0:
            report(count)
        yield pair


def _kept(part: Path) -> str:
    return f"; {_size(part):,} bytes are kept for the next attempt" if _size(part) else ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _read_record(path: Path) -> dict[str, Any]:
    """A JSON object, empty if there is none.

    Raises:
        FetchError: The file is there but is not a JSON object.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except ValueError as error:
        raise FetchError(f"{path}: damaged ({error}); delete it to start afresh") from error
    if not isinstance(record, dict):
        raise FetchError(f"{path}: damaged (no JSON object); delete it to start afresh")
    return record


def _write_json(path: Path, record: dict[str, Any]) -> None:
    part = path.with_name(path.name + ".new")
    part.write_text(json.dumps(record, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    os.replace(part, path)
