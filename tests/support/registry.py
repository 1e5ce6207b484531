"""A registry of models on this machine, with faults on demand."""

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Registry:
    """What is served, by path.

    Attributes:
        url: Of the server, with a slash at its end.
        files: Contents.
        redirects: Where to go instead.
        cut: Bytes after which the connection breaks, once for each entry.
        asked: Paths and ``Range`` headers of all requests.
        ranges: Whether parts of files can be had.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    cut: dict[str, list[int]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    ranges: bool = True

    def add(self, pair: str, architecture: str = "tiny", **changes: object) -> dict[str, object]:
        """Serve the files of a made-up model; returns its entry of the list."""
        source, _, target = pair.partition("-")
        contents = {"model": b"model " * 9_000, "lexicalShortlist": b"lex" * 99, "vocab": b"vocab" * 99}
        described: dict[str, object] = {}
        for role, content in contents.items():
            path = f"{pair}/{architecture}/{role}.{source}{target}.bin.gz"
            self.files[path] = gzip.compress(content, compresslevel=0)
            described[role] = {
                "path": path,
                "uncompressedSize": len(content),
                "uncompressedHash": digest(content),
                "size": len(self.files[path]),
                "sha256": digest(self.files[path]),
            }
        return {
            "architecture": architecture,
            "sourceLanguage": source,
            "targetLanguage": target,
            "releaseStatus": "Release",
            "files": described,
            **changes,
        }

    def publish(self, *entries: dict[str, object], base: str | None = None) -> str:
        """Serve a list of these entries; returns its address."""
        models: dict[str, list[object]] = {}
        for entry in entries:
            models.setdefault(f"{entry['sourceLanguage']}-{entry['targetLanguage']}", []).append(entry)
        index = {"generated": "today", "baseUrl": self.url if base is None else base, "models": models}
        self.files["models.json"] = json.dumps(index).encode()
        return self.url + "models.json"


@contextmanager
def serving() -> Iterator[Registry]:
    """A registry that answers on a free port of this machine."""
    registry = Registry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.lstrip("/")
            wanted = self.headers.get("Range")
            registry.asked.append((path, wanted))
            if path in registry.redirects:
                self.send_response(302)
                self.send_header("Location", registry.redirects[path])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = registry.files.get(path)
            if content is None:
                self.send_error(404)
                return
            begin = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and registry.ranges else 0
            if begin >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(content) - begin))
            self.end_headers()
            left = registry.cut.get(path)
            end = begin + left.pop(0) if left else len(content)
            self.wfile.write(content[begin:end])
            if end < len(content):
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    registry.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
