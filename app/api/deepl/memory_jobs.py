"""DeepL's jobs that import and export translation memories as TMX. The OpenAPI document leaves them out.

The official clients declare a file, upload it to an address that they get, and ask for the job until it is done. The
addresses of files have a secret, because clients send no key there.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from app.api.checks import check_text
from app.api.deepl.memories import PATH, Call, memory_file
from app.api.deepl.stored_parameters import MEMORY_NAME, NAME
from app.api.dependencies import CurrentService, Service
from app.api.parameter import ABSENT
from app.api.request_body import read_body
from app.documents.memory_files import find_form
from app.errors import DragomanError, InvalidRequest, MemoryNotFound
from app.storage.identifiers import checked_id

if TYPE_CHECKING:
    from app.storage.memory_jobs import MemoryJob

router = APIRouter(include_in_schema=False)

_TMX = "tmx"


@router.post(f"{PATH}/import")
async def post_import(request: Request, call: Call) -> Response:
    """Declares a TMX file; answers with the address to upload it to."""
    file, parameters = (_object(call.values, name) for name in ("source_file", "parameters"))
    name = check_text("file_name", file.get("file_name"))
    find_form(name)
    if not name.lower().endswith(f".{_TMX}"):
        raise InvalidRequest("Value for 'file_name' not supported; it must end in .tmx.")
    size = file.get("content_length")
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise InvalidRequest("Value for 'content_length' not supported; it must be a whole number from 1 on.")
    if size > call.service.settings.max_body_bytes:
        raise HTTPException(413, f"The file exceeds the limit of {call.service.settings.max_body_bytes} bytes.")
    shown = parameters.get("display_name")
    own = {"name": name.rpartition(".")[0] if shown in ABSENT else shown}
    named = call.given(MEMORY_NAME, own)[NAME]
    job = await _run(call.service, lambda store: store.add(call.owner, "import", named))
    body = {"job_id": job.id, "upload_url": _file_url(request, job), "expires_at": _time(job, lifetime=True)}
    return JSONResponse(body, status_code=201)


@router.put(f"{PATH}/jobs/{{job_id}}/file")
async def put_job_file(request: Request, service: CurrentService) -> Response:
    """Takes the file of an import, and imports it: the pair of languages is the first of the file that is translated.

    A file that can't be used fails the job; that is told where the client asks for it.
    """
    job = await _find_by_secret(request, service)
    data = bytes(await read_body(request, service.settings.max_body_bytes))
    if not await _run(service, lambda store: store.begin(job.id)):
        raise InvalidRequest("The file of this job is there already.")
    memories, database = service.memories.store, service.database
    assert memories and database
    made = None
    try:
        source, target = await service.documents.readers.memory_pair(data, service.engine.pairs)
        read = await service.documents.readers.memory_file(data, _TMX, source, target)
        made = await database.run(memories.add, job.key_id, job.name, source, target)
        await database.run(memories.put, job.key_id, made.id, read.pairs, "import")
    except DragomanError as error:
        if made:  # half a memory is no memory
            await database.run(memories.remove, job.key_id, made.id)
        message = str(error)
        await _run(service, lambda store: store.end(job.id, error=message))
    else:
        await _run(service, lambda store: store.end(job.id, memory_id=made.id, skipped=read.skipped))
    return Response(status_code=200)


@router.post(f"{PATH}/{{translation_memory_id}}/export")
async def post_export(call: Call) -> Response:
    """Makes a job whose file is the memory as TMX."""
    find_form(_TMX)
    memory = await call.read(lambda store, owner: store.find(owner, call.id))
    job = await _run(call.service, lambda store: store.add(call.owner, "export", memory.name, memory.id))
    body = {"job_id": job.id, "parameters": {"translation_memory_id": memory.id}}
    return JSONResponse(body, status_code=202)


@router.get(f"{PATH}/jobs/{{job_id}}")
async def get_job(request: Request, call: Call) -> Response:
    """Tells how far a job is."""
    job_id = checked_id(request.path_params["job_id"], "job_id")
    job = await _run(call.service, lambda store: store.find(job_id, owner=call.owner))
    result: dict[str, Any] = {"status": job.status}
    if job.status == "awaiting_input":
        result["status_metadata"] = {"required_action": "Upload the file to the address of the job."}
    elif job.error:
        result["error"] = {"message": job.error}
    elif job.operation == "export":
        result |= {"download_url": _file_url(request, job), "expires_at": _time(job, lifetime=True)}
    else:
        result |= {"translation_memory_id": job.memory_id, "skipped_segment_count": job.skipped}
    body = {"job_id": job.id, "operation": job.operation, "product": "translation_memory"}
    parameters = {"translation_memory_id": job.memory_id} if job.operation == "export" else {"display_name": job.name}
    return JSONResponse({**body, "creation_time": _time(job), "parameters": parameters, "results": [result]})


@router.get(f"{PATH}/jobs/{{job_id}}/file")
async def get_job_file(request: Request, service: CurrentService) -> Response:
    """Sends the file of an export."""
    job = await _find_by_secret(request, service)
    if job.operation != "export" or job.memory_id is None:
        raise MemoryNotFound("This job has no file.")
    return await memory_file(service, job.key_id, job.memory_id, _TMX)


async def _run(service: Service, function: Any) -> Any:
    """Calls a function with the store of the jobs, off the event loop."""
    assert service.database
    return await service.database.run(function, service.memory_jobs)


async def _find_by_secret(request: Request, service: Service) -> "MemoryJob":
    """Finds a job by the address of its file.

    Raises:
        MemoryNotFound: There is no such job, or this server keeps none.
    """
    secret = request.query_params.get("secret", "")
    if service.memories.store is None or not secret:
        raise MemoryNotFound("There is no such job.")
    job_id = checked_id(request.path_params["job_id"], "job_id")
    job: MemoryJob = await _run(service, lambda store: store.find(job_id, secret=secret))
    return job


def _object(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = values.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InvalidRequest(f"Value for '{name}' not supported; it must be an object.")
    return found


def _file_url(request: Request, job: "MemoryJob") -> str:
    return f"{str(request.base_url).rstrip('/')}{PATH}/jobs/{job.id}/file?{urlencode({'secret': job.secret})}"


def _time(job: "MemoryJob", *, lifetime: bool = False) -> str:
    from app.storage.memory_jobs import LIFETIME_S

    return datetime.fromtimestamp(job.created_at + lifetime * LIFETIME_S, UTC).isoformat(timespec="milliseconds")
