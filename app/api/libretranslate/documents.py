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
from app.api.libretranslate.endpoints import FILE_FORMATS, TRANSLATE_FILE
from app.api.libretranslate.requests import wish_of
from app.api.request_body import FilePart, read_parameters
from app.api.uploads import FORM_BYTES, download, report_response, shown_report
from app.documents.upload import Upload
from app.errors import FeatureDisabled, InvalidRequest, error_with_code

router = APIRouter(tags=["Translation"])

_LINK = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[^/\\]+")
_REPORT = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([a-z]+)")
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
    given = TRANSLATE_FILE.read(values, settings=service.settings, pairs=service.engine.pairs, file=file)
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
