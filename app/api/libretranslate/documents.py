"""LibreTranslate's documents: POST /translate_file, GET /download_file/<name>; and GET /report_file/<name>."""

import re
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import client_of, header_key
from app.api.dependencies import CurrentService
from app.api.disconnect import run_while_connected
from app.api.libretranslate import documents_openapi as docs
from app.api.libretranslate.endpoints import CORRECT_FILE, FILE_FORMATS, REVIEW, TRANSLATE_FILE
from app.api.libretranslate.requests import wish_of
from app.api.long_json import parse_json
from app.api.request_body import FilePart, read_parameters
from app.api.uploads import (
    FORM_BYTES,
    check_size,
    checked_name,
    download,
    report_response,
    shown_report,
    translated_name,
)
from app.documents.registry import find_format
from app.documents.reviewed import Review, correct_document
from app.documents.upload import Upload
from app.errors import FeatureDisabled, InvalidRequest, error_with_code
from app.fairness.offload import offload
from app.translation.deadline import deadline

router = APIRouter(tags=["Translation"])

_LINK = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[^/\\]+")
_REPORT = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([a-z]+)")
_CORRECTIONS = 4  # times the size of a document, for it and its translated texts in JSON
_DISABLED = "Files translation are disabled on this server."


@router.post(
    "/translate_file",
    summary="Translate a document",
    openapi_extra=docs.TRANSLATE_FILE_REQUEST,
    responses=docs.TRANSLATE_FILE_RESPONSES,
)
async def post_translate_file(request: Request, service: CurrentService) -> Response:
    """Translates the file `file`, and answers afterwards with the address of the translated file.

    The file keeps its format and its formatting. With a glossary, the answer has `terms`; with a translation memory,
    `memory`: how many of its matches were used. The translation can be downloaded for an hour, unless the operator
    chose another time. For a long document use `/v2/document`, which answers at once and reports the progress.
    """
    if not service.settings.documents:
        raise FeatureDisabled(_DISABLED)
    files: list[FilePart] = []
    values = await read_parameters(request, service.settings.max_document_bytes + FORM_BYTES, files=files)
    offered = values.get("api_key") or header_key(request, "Bearer")
    key = await service.access.check(request, offered, "translate")
    if not files:
        raise InvalidRequest("Invalid request: missing file parameter")
    [file] = files[:1]
    given = service.given(TRANSLATE_FILE, values, file)
    upload = Upload(content=file.content, wish=wish_of(given), **given[FILE_FORMATS]._asdict())
    await service.check_references(upload.wish, key)
    jobs = await service.documents.jobs()
    document_id, _ = await jobs.add(upload, key, client=client_of(request, key), secret=False)
    document = await run_while_connected(request, jobs.wait(document_id))
    if document.error:
        raise error_with_code(document.error[1], document.error[0])
    link = f"{request.base_url}download_file/{UUID(document_id)}.{quote(document.name)}"
    told = shown_report(document.report)
    if "review" in told:
        told["reportUrl"] = f"{request.base_url}report_file/{UUID(document_id)}.html"
    return JSONResponse({"translatedFileUrl": link, **told})


@router.post(
    "/correct_file",
    summary="Put corrections into a translated document",
    openapi_extra=docs.CORRECT_FILE_REQUEST,
    responses=docs.CORRECT_FILE_RESPONSES,
)
async def post_correct_file(request: Request, service: CurrentService) -> Response:
    """Sends the translation of the document `file` with the corrections of `review`, and its states.

    `file` is the document as it was before its translation. Nothing is translated, counted or stored. Formatting keeps
    its place by the words that stay.
    """
    settings = service.settings
    if not settings.documents:
        raise FeatureDisabled(_DISABLED)
    files: list[FilePart] = []
    values = await read_parameters(request, _CORRECTIONS * settings.max_document_bytes + FORM_BYTES, files=files)
    await service.access.check(request, values.get("api_key") or header_key(request, "Bearer"), "translate")
    if not files:
        raise InvalidRequest("Invalid request: missing file parameter")
    [file] = files[:1]
    given = service.given(CORRECT_FILE, values, file)
    check_size(file, settings)
    name = checked_name(file.name)
    review = await offload(_read_review, given[REVIEW], size=len(given[REVIEW]))
    format_ = find_format(name)
    output = format_.check(review.output)
    wanted = format_.name, output, settings.max_text_chars
    opened = service.documents.readers.document(file.content, *wanted, target=review.target)
    async with deadline(settings.request_timeout_s), opened as document:
        content = await run_while_connected(request, correct_document(document, review))
    return download(content, translated_name(name, review.target, output))


@router.get(
    "/download_file/{filename}",
    summary="Download a translated document",
    openapi_extra=docs.DOWNLOAD_FILE_PARAMETERS,
    responses=docs.DOWNLOAD_FILE_RESPONSES,
)
async def get_download_file(request: Request, service: CurrentService) -> Response:
    """Sends the translated file under its own name, without the leading number."""
    if not service.settings.documents:
        raise InvalidRequest(_DISABLED)
    found = _LINK.fullmatch(request.path_params["filename"])
    if not found:
        raise InvalidRequest("Invalid filename")
    jobs = await service.documents.jobs()
    document = await jobs.find(UUID(found[1]).hex)
    return download(await jobs.download(document, delete_it=False), document.name)


@router.get(
    "/report_file/{filename}",
    summary="What to look at in a translated document",
    openapi_extra=docs.REPORT_FILE_PARAMETERS,
    responses=docs.REPORT_FILE_RESPONSES,
)
async def get_report_file(request: Request, service: CurrentService) -> Response:
    """Sends the report of a translated document: sentences to look at, terms, matches, and what stays as it is.

    The name is the number in the address of the translated file, with `.html` or `.csv`.
    """
    if not service.settings.documents:
        raise InvalidRequest(_DISABLED)
    found = _REPORT.fullmatch(request.path_params["filename"])
    if not found:
        raise InvalidRequest("Invalid filename")
    jobs = await service.documents.jobs()
    return report_response(await jobs.find(UUID(found[1]).hex), found[2])


def _read_review(text: str) -> Review:
    try:
        value = parse_json(text.encode())
    except (ValueError, RecursionError):
        value = None
    return Review.read(value)
