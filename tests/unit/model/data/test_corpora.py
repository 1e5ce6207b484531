import gzip
import hashlib
import io
import json
import re
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from model.data.corpora import CORPORA, Corpus, FetchError, Remote, fetch, from_url
from model.data.pairs import read_pairs

TABLE = "".join(f"Satz {n}\tsentence {n}\n" for n in range(4000)).encode()
PAIRS = [(f"Satz {n}", f"sentence {n}") for n in range(4000)]


@dataclass
class Served:
    """One address of the test server: its content and its whims."""

    content: bytes
    etag: str | None = '"one"'
    ranges: bool = True
    honours_if_range: bool = True
    shift: int = 0  # how far off a range starts
    status: int = 200
    cut_after: list[int] = field(default_factory=list)  # bytes sent before the connection breaks, request by request


class Site:
    """A loopback HTTP server that can break off, ignore ranges and change its files."""

    def __init__(self) -> None:
        self.files: dict[str, Served] = {}
        self.requests: list[tuple[str, str | None]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        asked = request.headers["Range"]
        self.requests.append((request.path, asked))
        served = self.files.get(request.path, Served(b"gone", status=404))
        content, start = served.content, 0
        if served.etag != request.headers["If-Range"] and served.honours_if_range:
            asked = None
        if asked and served.ranges:
            start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) + served.shift
        if start >= len(content):
            request.send_response(416)
            request.send_header("Content-Range", f"bytes */{len(content)}")
            request.end_headers()
            return
        request.send_response(206 if asked and served.ranges else served.status)
        request.send_header("Content-Length", str(len(content) - start))
        if asked and served.ranges:
            request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if served.etag:
            request.send_header("ETag", served.etag)
        request.end_headers()
        end = start + served.cut_after.pop(0) if served.cut_after else None
        request.wfile.write(content[start:end])


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=10) as client:
        yield client


Fetch = Callable[..., Path]


@pytest.fixture
def fetch_url(site: Site, client: httpx.Client, tmp_path: Path) -> Fetch:
    """Fetches an address of the test server into tmp_path."""

    def run(path: str = "/pairs.tsv", *, sha256: str | None = None, members: tuple[str, ...] = (), **options) -> Path:
        return fetch(from_url(site.url + path, sha256=sha256, members=members), tmp_path, client=client, **options)

    return run


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zip_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_fetch_unpacks_and_records_where_the_text_came_from(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    path = fetch_url(sha256=sha256(TABLE).upper())
    assert path == tmp_path / "pairs.tsv.xz"
    assert list(read_pairs(path)) == PAIRS
    record = json.loads((tmp_path / "pairs.provenance.json").read_text())
    (entry,) = record["files"]
    assert entry["url"] == f"{site.url}/pairs.tsv"
    assert (entry["sha256"], entry["bytes"]) == (sha256(TABLE), len(TABLE))
    assert entry["fetched"].endswith("+00:00")
    assert record["licence"] == "not recorded"
    assert record["tsv"]["pairs"] == 4000
    assert record["tsv"]["sha256"] == sha256(path.read_bytes())
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "pairs.pairs.tsv",
        "pairs.provenance.json",
        "pairs.tsv.xz",
    ]


def test_progress_reports_bytes_then_pairs(site: Site, fetch_url: Fetch) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    reports: list[tuple[str, int, int | None]] = []
    counts: list[int] = []
    fetch_url(progress=lambda *report: reports.append(report), unpacked=counts.append)
    assert reports[-1] == ("pairs.pairs.tsv", len(TABLE), len(TABLE))
    assert counts == [1000, 2000, 3000, 4000]


def test_what_is_there_is_not_downloaded_again(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    path = fetch_url()
    first = path.read_bytes()
    fetch_url()
    path.write_bytes(b"damaged")
    fetch_url()  # made anew from the verified download
    assert path.read_bytes() == first
    assert len(site.requests) == 1


def test_broken_connection_is_taken_up_within_one_call(site: Site, fetch_url: Fetch) -> None:
    site.files["/pairs.tsv"] = Served(TABLE, cut_after=[30_000, 20_000])
    assert list(read_pairs(fetch_url())) == PAIRS
    assert [asked for _, asked in site.requests] == [None, "bytes=30000-", "bytes=50000-"]


def test_interrupted_download_is_resumed_by_the_next_call(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE, cut_after=[30_000, 0])
    with pytest.raises(FetchError, match="30,000 bytes are kept for the next attempt"):
        fetch_url()
    assert (tmp_path / "pairs.pairs.tsv.part").stat().st_size == 30_000
    assert not (tmp_path / "pairs.tsv.xz").exists()
    assert list(read_pairs(fetch_url())) == PAIRS
    assert site.requests[-1] == ("/pairs.tsv", "bytes=30000-")
    assert not list(tmp_path.glob("*.part*"))


@pytest.mark.parametrize("ranges", [False, True])
def test_changed_file_is_never_joined_to_the_old_bytes(site: Site, fetch_url: Fetch, ranges: bool) -> None:
    # With ranges=True the server ignores If-Range, and only its ETag tells that the file is another one.
    old = bytes(reversed(TABLE))
    site.files["/pairs.tsv"] = Served(old, cut_after=[30_000, 0])
    with pytest.raises(FetchError):
        fetch_url()
    site.files["/pairs.tsv"] = Served(TABLE, etag='"two"', honours_if_range=not ranges)
    assert list(read_pairs(fetch_url())) == PAIRS


def test_range_that_starts_elsewhere_is_not_joined(site: Site, fetch_url: Fetch) -> None:
    site.files["/pairs.tsv"] = Served(TABLE, shift=-100, cut_after=[30_000])
    assert list(read_pairs(fetch_url())) == PAIRS
    assert [asked for _, asked in site.requests] == [None, "bytes=30000-", None]


@pytest.mark.parametrize("etag", ['"one"', None, 'W/"weak"'])
def test_server_without_ranges_or_versions_is_read_from_the_start(
    site: Site, fetch_url: Fetch, etag: str | None
) -> None:
    site.files["/pairs.tsv"] = Served(TABLE, etag=etag, ranges=False, cut_after=[30_000, 40_000])
    assert list(read_pairs(fetch_url())) == PAIRS
    assert site.requests[-1][1] == ("bytes=40000-" if etag == '"one"' else None)


def test_download_that_was_complete_but_not_renamed_is_accepted(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    part = tmp_path / "pairs.pairs.tsv.part"
    part.write_bytes(TABLE)
    mark = {"url": f"{site.url}/pairs.tsv", "validator": '"one"'}
    part.with_name(part.name + ".json").write_text(json.dumps(mark))
    assert list(read_pairs(fetch_url())) == PAIRS
    assert [asked for _, asked in site.requests] == [f"bytes={len(TABLE)}-"]


def test_part_longer_than_the_file_is_thrown_away(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    part = tmp_path / "pairs.pairs.tsv.part"
    part.write_bytes(TABLE + b"rubbish")
    mark = {"url": f"{site.url}/pairs.tsv", "validator": '"one"'}
    part.with_name(part.name + ".json").write_text(json.dumps(mark))
    assert list(read_pairs(fetch_url())) == PAIRS
    assert [asked for _, asked in site.requests] == [f"bytes={len(TABLE) + 7}-", None]


def test_endless_breaks_are_given_up(site: Site, fetch_url: Fetch) -> None:
    site.files["/pairs.tsv"] = Served(TABLE, cut_after=[10] * 100)
    with pytest.raises(FetchError, match="gave up after 8 broken connections; 80 bytes are kept"):
        fetch_url()


def test_wrong_checksum_names_both_and_removes_the_download(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    wrong = "0" * 64
    with pytest.raises(FetchError, match=f"{site.url}/pairs.tsv: wrong checksum: .*{wrong}, got {sha256(TABLE)}"):
        fetch_url(sha256=wrong)
    assert list(tmp_path.iterdir()) == []


def test_upstream_change_since_the_recorded_download_is_noticed(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    path = fetch_url()
    path.unlink()
    (tmp_path / "pairs.pairs.tsv").unlink()
    site.files["/pairs.tsv"] = Served(TABLE + b"neu\tnew\n")
    with pytest.raises(FetchError, match=f"wrong checksum: expected sha256 {sha256(TABLE)}"):
        fetch_url()


def test_changed_local_file_is_an_error(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/pairs.tsv"] = Served(TABLE)
    fetch_url().unlink()
    (tmp_path / "pairs.pairs.tsv").write_bytes(b"ja\tyes\n")
    with pytest.raises(FetchError, match=r"the file has changed: .* delete it to download"):
        fetch_url()


def test_two_addresses_never_share_a_name(site: Site, fetch_url: Fetch) -> None:
    site.files |= {"/pairs.tsv": Served(TABLE), "/other/pairs.tsv": Served(b"ja\tyes\n")}
    fetch_url()
    with pytest.raises(FetchError, match="use another folder"):
        fetch_url("/other/pairs.tsv")


def test_http_errors_name_address_and_status(site: Site, fetch_url: Fetch) -> None:
    with pytest.raises(FetchError, match=f"{site.url}/pairs.tsv: the server answered 404 Not Found"):
        fetch_url()
    site.files["/pairs.tsv"] = Served(TABLE, status=503)
    with pytest.raises(FetchError, match="503 Service Unavailable"):
        fetch_url()


def test_unreachable_server_is_a_fetch_error(site: Site, client: httpx.Client, tmp_path: Path) -> None:
    corpus = from_url(f"{site.url}/pairs.tsv")
    site.server.socket.close()  # nobody listens on the port any more
    with pytest.raises(FetchError, match=re.escape(f"{site.url}/pairs.tsv: ")):
        fetch(corpus, tmp_path, client=client)


def test_folder_that_cannot_be_written_is_a_fetch_error(site: Site, client: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(FetchError, match="file"):
        fetch(from_url(f"{site.url}/pairs.tsv"), tmp_path / "file" / "raw", client=client)


def test_moses_zip_and_moses_files(site: Site, fetch_url: Fetch, client: httpx.Client, tmp_path: Path) -> None:
    site.files["/books.zip"] = Served(zip_of({"Books.de-en.de": b"eins\n", "Books.de-en.en": b"one\n", "README": b""}))
    assert list(read_pairs(fetch_url("/books.zip"))) == [("eins", "one")]
    site.files |= {"/t.de.gz": Served(gzip.compress(b"zwei\n")), "/t.en.gz": Served(gzip.compress(b"two\n"))}
    corpus = Corpus(
        name="captions",
        files=(Remote(f"{site.url}/t.de.gz"), Remote(f"{site.url}/t.en.gz")),
        licence="CC0",
        description="",
        attribution="",
    )
    assert list(read_pairs(fetch(corpus, tmp_path, client=client))) == [("zwei", "two")]
    assert len(json.loads((tmp_path / "captions.provenance.json").read_text())["files"]) == 2


def test_zip_with_traversal_member_is_refused(site: Site, fetch_url: Fetch, tmp_path: Path) -> None:
    site.files["/evil.zip"] = Served(zip_of({"x.de": b"eins\n", "x.en": b"one\n", "../../evil.sh": b"boo"}))
    with pytest.raises(FetchError, match=r"unsafe path, '../../evil.sh'"):
        fetch_url("/evil.zip")
    assert not (tmp_path / "evil.tsv.xz").exists()
    assert not list(tmp_path.parent.glob("evil*"))


@pytest.mark.parametrize(
    ("url", "options", "message"),
    [
        ("ftp://example.org/a.tsv", {}, "not an http or https address"),
        ("file:///etc/a.tsv", {}, "not an http or https address"),
        ("https://example.org/download.php?f=a.zip", {}, "expected an address that ends in .tsv"),
        ("https://example.org/a.tsv", {"sha256": "abc"}, "64 hexadecimal digits"),
    ],
)
def test_addresses_that_cannot_be_fetched(url: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(FetchError, match=message):
        from_url(url, **options)


def test_damaged_provenance_is_reported(fetch_url: Fetch, tmp_path: Path) -> None:
    (tmp_path / "pairs.provenance.json").write_text("{")
    with pytest.raises(FetchError, match=r"pairs.provenance.json: damaged"):
        fetch_url()


def test_catalogue_entries_are_complete() -> None:
    assert {"tatoeba", "multi30k", "europarl", "news-commentary", "wikimedia"} <= set(CORPORA)
    for name, corpus in CORPORA.items():
        assert name == corpus.name
        assert re.fullmatch("[a-z0-9][a-z0-9._-]*", name)
        assert corpus.licence and corpus.attribution and corpus.description.endswith(".")
        for remote in corpus.files:
            assert remote.url.startswith("https://")
            assert remote.sha256 is None or re.fullmatch("[0-9a-f]{64}", remote.sha256)
        archived = corpus.files[0].url.endswith((".zip", ".tgz"))
        assert len(corpus.members) in (1, 2) if archived else not corpus.members
