"""The pages: translation at /, the operator's at /admin, the API's documentation at /docs. None needs another host."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles

router = APIRouter(include_in_schema=False)

WEB_PATH = Path(__file__).parent.parent / "web"
SWAGGER_PATH = "/docs/assets"

# The pages run their own scripts, talk to their own server, and nothing else. No inline script or style is allowed, so
# nothing that a translated or pasted text contains can run.
_CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
# For pages only: on scripts and styles they change nothing, and all of them together would be 5 KB.
_PAGE_HEADERS = {"Content-Security-Policy": _CONTENT_POLICY, "Referrer-Policy": "no-referrer"}
_NO_GUESSING = {"X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True)
class WebFile:
    """A file of ``app/web``, kept in memory with its compressed form: all of them are smaller than 200 KB."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str

    @classmethod
    def read(cls, path: Path) -> "WebFile":
        """Read a file."""
        content = path.read_bytes()
        # The standard's type; some systems' tables say application/javascript or nothing.
        media_type = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0]
        etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        return cls(content, gzip.compress(content, mtime=0), media_type or "application/octet-stream", etag)

    def response(self, request: Request) -> Response:
        """Answer with the file, compressed if the browser takes it so, or with 304 if the browser has it."""
        headers = {"Cache-Control": "no-cache", "ETag": self.etag, "Vary": "Accept-Encoding", **_NO_GUESSING}
        if self.media_type == "text/html":
            headers |= _PAGE_HEADERS
        if request.headers.get("if-none-match") == self.etag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.compressed, headers=headers | {"Content-Encoding": "gzip"}, media_type=self.media_type)
        return Response(self.content, headers=headers, media_type=self.media_type)


@cache
def _web_files() -> dict[str, WebFile]:
    files = (path for path in WEB_PATH.rglob("*") if path.is_file())
    return {path.relative_to(WEB_PATH).as_posix(): WebFile.read(path) for path in files}


def install_pages(app: FastAPI) -> None:
    """Add the pages, and Swagger UI's files from the fastapi-swagger package instead of from a CDN."""
    app.state.web_files = _web_files()
    app.mount(SWAGGER_PATH, StaticFiles(packages=[("fastapi_swagger", "resources")]))
    app.include_router(router)


@router.get("/web/{path:path}")
async def get_web_file(path: str, request: Request) -> Response:
    """A script, style sheet or picture of the pages."""
    file: WebFile | None = request.app.state.web_files.get(path)
    if file is None:
        raise HTTPException(404)
    return file.response(request)


@router.get("/")
async def get_index(request: Request) -> Response:
    """The translation page."""
    return await get_web_file("index.html", request)


@router.get("/admin")
async def get_admin(request: Request) -> Response:
    """The operator's page."""
    return await get_web_file("admin.html", request)


@router.get("/docs")
async def get_docs(request: Request) -> Response:
    """Swagger UI."""
    return await get_web_file("docs.html", request)


@router.get("/spec")
async def get_spec(request: Request) -> Response:
    """The OpenAPI document, where LibreTranslate has its own."""
    document: dict[str, Any] = request.app.openapi()
    return JSONResponse(document)
