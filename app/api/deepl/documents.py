"""DeepL's documents: upload, status, result. A document is found by its id and key, and downloaded once."""

import time
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import client_of, header_key
from app.api.deepl import documents_openapi as docs
from app.api.deepl.endpoints import DOCUMENT, DOCUMENT_KEY, FILE_FORMATS, REPORT, REPORT_FORMAT, UPLOAD
from app.api.deepl.methods import get_and_post
from app.api.deepl.requests import wish_of
from app.api.deepl.styles import styled
from app.api.dependencies import CurrentService, Service
from app.api.parameter import Given, Parameters
from app.api.request_body import FilePart, read_parameters
from app.api.uploads import FORM_BYTES, check_size, download, report_response, shown_report
from app.documents.upload import Upload
from app.errors import InvalidRequest

if TYPE_CHECKING:
    from app.storage.document_rows import StoredDocument

router = APIRouter(tags=["DeepL"])


@router.post(
    "/v2/document",
    summary="Upload a document to translate",
    openapi_extra=docs.UPLOAD_REQUEST,
    responses=docs.UPLOAD_RESPONSES,
)
async def post_document(request: Request, service: CurrentService) -> Response:
    """Accepts the file `file`, and answers at once with the id and the key of the document.

    Ask for its status until it is `done`, then download the result, once. The result is deleted after the download, or
    an hour after it was done, unless the operator chose another time.
    """
    _check_enabled(service)
    key = await service.access.check(request, header_key(request, "DeepL-Auth-Key"), "translate")
    files: list[FilePart] = []
    values = await read_parameters(request, service.settings.max_document_bytes + FORM_BYTES, files=files)
    if not files or not files[0].content:
        raise InvalidRequest("Invalid file data. A multipart form needs a file that is not empty as its part 'file'.")
    [file] = files[:1]
    check_size(file, service.settings)
    given = service.given(UPLOAD, values, file)
    wish = await styled(service, key, wish_of(given), values)
    upload = Upload(content=file.content, wish=wish, **given[FILE_FORMATS]._asdict())
    await service.check_references(upload.wish, key)
    jobs = await service.documents.jobs()
    document_id, document_key = await jobs.add(upload, key, client=client_of(request, key), secret=True)
    return JSONResponse({"document_id": document_id, "document_key": document_key})


@get_and_post(
    router,
    "/v2/document/{document_id}",
    summary="How far a document is",
    responses=docs.STATUS_RESPONSES,
    query=docs.KEY_PARAMETERS,
    body=docs.KEY_REQUEST,
)
async def get_document_status(request: Request, service: CurrentService) -> Response:
    """Tells the status: `queued`, `translating`, `done` or `error`.

    When it is done, `terms` tells what became of a glossary's terms, and `memory` how many matches of a translation
    memory were used.
    """
    document, _ = await _find(request, service)
    body: dict[str, Any] = {"document_id": document.id, "status": document.status}
    if document.status == "translating" and document.translated and document.characters and document.started_at:
        remaining = max(0, document.characters - document.translated)
        passed_s = min(max(0.0, time.time() - document.started_at), service.settings.request_timeout_s)  # or it jumped
        body["seconds_remaining"] = round(passed_s * remaining / document.translated)
    if document.status in ("done", "downloaded"):
        body |= {"status": "done", "seconds_remaining": 0, "billed_characters": document.characters}
        body |= shown_report(document.report)
    if document.error:
        text, code = document.error
        body |= {"error_message": text, "message": text, "detail": code}
    return JSONResponse(body)


@get_and_post(
    router,
    "/v2/document/{document_id}/result",
    summary="Download a translated document, once",
    responses=docs.RESULT_RESPONSES,
    query=docs.KEY_PARAMETERS,
    body=docs.KEY_REQUEST,
)
async def get_document_result(request: Request, service: CurrentService) -> Response:
    """Sends the translated file, and deletes it."""
    document, _ = await _find(request, service)
    content = await (await service.documents.jobs()).download(document, delete_it=True)
    return download(content, document.name)


@get_and_post(
    router,
    "/v2/document/{document_id}/report",
    summary="What to look at in a translated document",
    responses=docs.REPORT_RESPONSES,
    query=docs.REPORT_PARAMETERS,
    body=docs.REPORT_REQUEST,
)
async def get_document_report(request: Request, service: CurrentService) -> Response:
    """Sends the report of a document that is done: sentences to look at, terms, matches, and what stays as it is.

    It can be read as often as you like, also after the download, until the document expires. DeepL doesn't have this.
    """
    document, given = await _find(request, service, REPORT)
    return report_response(document, given[REPORT_FORMAT])


@get_and_post(
    router,
    "/v2/document/{document_id}/sentences",
    summary="The sentences of a document, for review",
    responses=docs.SENTENCES_RESPONSES,
    query=docs.KEY_PARAMETERS,
    body=docs.KEY_REQUEST,
)
async def get_document_sentences(request: Request, service: CurrentService) -> Response:
    """Sends the sentences of a document that was uploaded with `for_review` and is done, with their translations.

    Give sentences another translation as `corrected`, and send everything to `/correct_file`, together with the
    document. The server deletes the sentences with the translation. DeepL doesn't have this.
    """
    document, _ = await _find(request, service)
    jobs = await service.documents.jobs()
    return Response(await jobs.sentences(document), media_type="application/json")


def _check_enabled(service: Service) -> None:
    if not service.settings.documents:  # not 403, which would tell the client that its key is wrong
        raise InvalidRequest("Documents are not available on this server.")


async def _find(
    request: Request, service: Service, parameters: Parameters = DOCUMENT
) -> tuple["StoredDocument", Given]:
    _check_enabled(service)
    await service.access.check(request, header_key(request, "DeepL-Auth-Key"))
    values = await read_parameters(request, service.settings.max_body_bytes)
    given = service.given(parameters, values)
    jobs = await service.documents.jobs()
    return await jobs.find(request.path_params["document_id"], given[DOCUMENT_KEY].upper()), given
