"""What people look at: the translation page at /, the interactive documentation at /docs, both without any network."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from app.api.openapi import TITLE

router = APIRouter(include_in_schema=False)

INDEX_PATH = Path(__file__).parent.parent / "web" / "index.html"
ASSETS_PATH = "/docs/assets"

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_INLINE_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def install_pages(app: FastAPI) -> None:
    """Adds the pages, and Swagger UI's files from the fastapi-swagger package instead of from a CDN."""
    app.mount(ASSETS_PATH, StaticFiles(packages=[("fastapi_swagger", "resources")]))
    app.include_router(router)


@router.get("/")
async def get_index() -> Response:
    """The translation page."""
    html = INDEX_PATH.read_text(encoding="utf-8")
    return HTMLResponse(html, headers=_page_headers(html, style_sources=_hashes(_INLINE_STYLE, html)))


@router.get("/docs")
async def get_docs(request: Request) -> Response:
    """Swagger UI."""
    prefix = request.scope.get("root_path", "").rstrip("/")
    page = get_swagger_ui_html(
        openapi_url=f"{prefix}/openapi.json",
        title=f"{TITLE}: the API",
        swagger_js_url=f"{prefix}{ASSETS_PATH}/swagger-ui-bundle.js",
        swagger_css_url=f"{prefix}{ASSETS_PATH}/swagger-ui.css",
        swagger_favicon_url=f"{prefix}{ASSETS_PATH}/favicon-32x32.png",
        swagger_ui_parameters={"tryItOutEnabled": True, "displayRequestDuration": True},
    )
    html = bytes(page.body).decode()
    # Swagger UI puts styles into elements while it draws, so its styles can't be listed.
    return HTMLResponse(html, headers=_page_headers(html, style_sources="'unsafe-inline'"))


@router.get("/spec")
async def get_spec(request: Request) -> Response:
    """The OpenAPI document, where LibreTranslate has its own."""
    document: dict[str, Any] = request.app.openapi()
    return JSONResponse(document)


def _page_headers(html: str, style_sources: str) -> dict[str, str]:
    """Headers that let the page run its own scripts, talk to its own server, and nothing else."""
    policy = {
        "default-src": "'none'",
        "script-src": f"'self' {_hashes(_INLINE_SCRIPT, html)}",
        "style-src": f"'self' {style_sources}",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }


def _hashes(inline: re.Pattern[str], html: str) -> str:
    """The hash sources of the inline elements: a browser runs these texts and no injected one."""
    digests = (hashlib.sha256(text.encode()).digest() for text in inline.findall(html))
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
