"""Checks of uploaded documents that the contracts share, and the headers of a download."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from fastapi.responses import Response
from starlette.exceptions import HTTPException

from app.api.request_body import FilePart
from app.documents.registry import find_format
from app.documents.review_report import find_form
from app.errors import DocumentNotFound, DocumentNotReady
from app.settings import Settings

if TYPE_CHECKING:
    from app.storage.document_rows import StoredDocument

FORM_BYTES = 64 * 1024
"""What the other fields of a form may take beside the file."""
_MAX_NAME_CHARS = 150


class FileFormats(NamedTuple):
    """What a translated file is called, and the names of the formats of the uploaded and the translated file."""

    name: str
    input: str
    output: str


def checked_name(name: str) -> str:
    """Returns the last part of a file name, without the characters that some systems forbid."""
    last = PurePosixPath(name.replace("\\", "/")).name
    safe = "".join("_" if char in '<>:"|?*' or not char.isprintable() else char for char in last).strip(". ")
    stem, dot, extension = safe.rpartition(".")
    return f"{stem[:_MAX_NAME_CHARS]}{dot}{extension[:_MAX_NAME_CHARS]}" if dot else safe[:_MAX_NAME_CHARS]


def translated_name(name: str, target: str, output: str) -> str:
    """Returns what the translation of a file into a language, as a format, is called."""
    stem, _, extension = name.rpartition(".")
    return f"{stem}_{target}.{extension if find_format(name).name == output else output}"


def check_size(file: FilePart, settings: Settings) -> None:
    """Refuses files that are too large.

    Raises:
        HTTPException: 413.
    """
    if len(file.content) > settings.max_document_bytes:
        raise HTTPException(413, f"The document exceeds the limit of {settings.max_document_bytes} bytes.")


def download(content: bytes, name: str) -> Response:
    """Sends a translated file."""
    return attachment(content, name, find_format(name).media_type)


def shown_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what an answer says of a translated document; of the review only counts, and only if it was asked for."""
    review = report.get("review", {})
    told = {name: value for name, value in report.items() if name != "review"}
    if review.get("below") is not None:
        told["review"] = {name: review[name] for name in ("sentences", "doubtful")}
    return told


def report_response(document: "StoredDocument", form: str) -> Response:
    """Sends the report of a translated document.

    Raises:
        InvalidRequest: There is no such form.
        DocumentNotReady: The document is not translated yet.
        DocumentNotFound: It could not be translated.
    """
    media_type, write = find_form(form)
    if document.status in ("queued", "translating"):
        raise DocumentNotReady("Document translation is not done")
    if document.error:
        raise DocumentNotFound("The document could not be translated; there is no report.")
    return attachment(write(document.report).encode(), f"{document.name}.report.{form}", media_type)


def attachment(content: bytes, name: str, media_type: str) -> Response:
    """Sends a file as a download."""
    plain = name.encode("ascii", "replace").decode().replace('"', "_").replace("?", "_")
    return Response(
        content,
        media_type=media_type,
        headers={
            "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
            "X-Content-Type-Options": "nosniff",  # a translated page is a stranger's
        },
    )
