"""Attacks with documents: small files of every format that make readers work hard."""

import bz2
import json
import lzma
import struct
import time
import uuid
from collections.abc import Callable, Iterable
from functools import partial

from benchmarks.attack.client import JSON, MEBIBYTE, Attack, Target, at_once, counted
from tests.support.hostile_documents import HOSTILE, REFUSED, docx, odf, pdf, xliff

OTHER = "127.0.0.2"
"""The address of another client."""
_FORMATS = dict.fromkeys(title.partition(":")[0] for title in HOSTILE)
_UNPACKED_MB = 100
_JUST_ALLOWED = 9_000  # objects of a paragraph
_REFUSED = 20_000
_PAGE = json.dumps(
    {"q": "<p>Der <b>Hund</b> läuft über die Wiese.</p>" * 1000, "format": "html", "source": "de", "target": "en"}
).encode()


def upload(target: Target, name: str, data: bytes, address: str = "127.0.0.1") -> str:
    """The status of a document that is translated from German into English."""
    return _sent(target, "/translate_file", name, data, address, source="de", target="en")


def _sent(server: Target, path: str, name: str, data: bytes, address: str = "127.0.0.1", **fields: str) -> str:
    mark = uuid.uuid4().hex
    head = "".join(
        f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in fields.items()
    )
    head += f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{mark}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    return server.request(path, body, headers, address=address)[0]


def _archive(method: int, pieces: Iterable[bytes]) -> bytes:
    """A zip file with one part, whose directory says that it has 1,000 bytes."""
    raw, name = b"".join(pieces), b"[Content_Types].xml"
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 46, 0, method, 0, 33, 0, len(raw), 1000, len(name), 0) + name + raw
    sizes = (method, 0, 33, 0, len(raw), 1000, len(name), 0, 0, 0, 0, 0, 0)
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 46, 46, 0, *sizes) + name
    return local + entry + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(entry), len(local), 0)


def _zeros(compressor: bz2.BZ2Compressor | lzma.LZMACompressor) -> Iterable[bytes]:
    for _ in range(_UNPACKED_MB):
        yield compressor.compress(bytes(MEBIBYTE))
    yield compressor.flush()


def lying_archives(target: Target) -> str:
    """Archives of a few kilobytes that unpack to 100 MB, in every format that is an archive."""
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": MEBIBYTE, "lc": 3, "lp": 0, "pb": 2}]
    unlzma = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=filters)
    bombs = [
        _archive(12, _zeros(bz2.BZ2Compressor())),
        _archive(14, [bytes([9, 4, 5, 0, 93]), MEBIBYTE.to_bytes(4, "little"), *_zeros(unlzma)]),
    ]
    names = [f"a.{name}" for name in ("docx", "pptx", "xlsx", "odt", "odp", "epub", "idml")]
    return at_once(*(partial(upload, target, name, bomb) for name in names for bomb in bombs))


def refused_documents(target: Target) -> str:
    """Files that would take quadratic time or memory, in every format that can have them."""
    return at_once(*(_calls(target, REFUSED, _REFUSED)))


def paragraphs(target: Target) -> str:
    """Paragraphs of 100,000 parts."""
    run = "<w:r><w:rPr><w:b/></w:rPr><w:t>b </w:t></w:r>"
    marks = "".join(f'<text:bookmark-start text:name="{i}"/>' for i in range(40_000))
    marks += "".join(f'<text:bookmark-end text:name="x{i}"/>' for i in range(40_000))
    files = {
        "a.docx": docx("<w:r><w:t>a </w:t></w:r>" + run * 100_000),
        "a.odt": odf("text", "Wort" + marks),
        "a.odp": odf("presentation", "Wort" + marks),
        "a.xliff": xliff("<trans-unit><source>" + "<g>a</g> " * 100_000 + "</source></trans-unit>"),
    }
    return at_once(*(partial(upload, target, name, data) for name, data in files.items()))


def documents_of(name: str) -> Callable[[Target], str]:
    """Files of a format that repeat one thing, as often as they may."""

    def attack(target: Target) -> str:
        chosen = {title: make for title, make in HOSTILE.items() if title.startswith(f"{name}:")}
        return at_once(*_calls(target, chosen, _JUST_ALLOWED))

    return attack


def _calls(target: Target, files: dict[str, Callable[[int], bytes]], number: int) -> Iterable[Callable[[], str]]:
    return [partial(upload, target, f"a.{title.partition(':')[0]}", make(number)) for title, make in files.items()]


def slow_pdf(target: Target) -> str:
    """PDF files that take long to read, and a page of 40 KB beside them."""

    def page() -> str:
        target.wait(2.0)
        began = time.monotonic()
        status, _ = target.request("/translate", _PAGE, JSON)
        return f"page {status}" if time.monotonic() - began < 20 else "page late"

    return at_once(page, *[partial(upload, target, "a.pdf", pdf(b"[" * 100_000))] * 4)


def left_documents(target: Target) -> str:
    """A hundred tiny documents that nobody downloads, and then one of another client."""
    send = partial(_sent, target, "/v2/document", "a.txt", b"Ja.", source_lang="DE", target_lang="EN-US")
    sent = counted([send() for _ in range(102)])
    return f"{sent}, 1x other {upload(target, 'b.txt', b'Hallo.', OTHER)}"


def many_slow_documents(target: Target) -> str:
    """Documents that take as long to read as they may, from one client, and a short one of another."""
    slow = pdf(b"[" * 1_000_000)
    calls = [partial(_sent, target, "/v2/document", "a.pdf", slow, source_lang="DE", target_lang="EN-US")] * 20
    sent = at_once(*calls)
    began = time.monotonic()
    other = upload(target, "b.txt", b"Hallo.", OTHER)
    return f"{sent}, 1x other {other if time.monotonic() - began < 5 else 'late'}"


def _told(outcome: str) -> bool:
    """Each document was translated or refused."""
    return all(part.split("x ")[1] in ("200", "400", "413") for part in outcome.split(", "))


def _other_is_served(outcome: str) -> bool:
    return "1x other 200" in outcome and "none" not in outcome


DOCUMENT_ATTACKS = (
    Attack("documents: E1 archives that lie", lying_archives, _told),
    Attack("documents: E2 E5 E12 files to refuse", refused_documents, _told),
    Attack("documents: E4 paragraphs of 100,000 parts", paragraphs, _told),
    Attack("documents: E6 PDF files beside a page", slow_pdf, lambda outcome: "1x page 200" in outcome),
    Attack("documents: E7 a hundred that nobody downloads", left_documents, _other_is_served),
    *(Attack(f"documents: E3 E4 E5 {name}", documents_of(name), _told) for name in _FORMATS),
    Attack("documents: twenty that take long", many_slow_documents, _other_is_served),
)
