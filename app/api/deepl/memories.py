"""DeepL's translation memories. Beyond DeepL: creating them, changing entries, and exchanging files."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from app.api.deepl import memories_openapi as docs
from app.api.deepl import stored_parameters as p
from app.api.deepl.owner_call import OwnerCall, check_owner
from app.api.dependencies import CurrentService, Service
from app.api.uploads import attachment, checked_name
from app.documents.memory_files import find_form
from app.errors import InvalidRequest, MemoryNotFound
from app.fairness.offload import offload

if TYPE_CHECKING:
    from app.storage.memories import MemoryStore
    from app.storage.memory_rows import StoredEntry, StoredMemory

router = APIRouter(tags=["DeepL"])

PATH = "/v3/translation_memories"


class MemoryCall(OwnerCall["MemoryStore"]):
    """A request about translation memories."""

    thing, things, id_name = "translation memory", "Translation memories", "translation_memory_id"

    @staticmethod
    def find_store(service: Service) -> "MemoryStore | None":
        """See ``OwnerCall.find_store``."""
        return service.memories.store


Call = Annotated[MemoryCall, Depends(MemoryCall.of)]


def _entry_id(request: Request) -> int:
    given: str = request.path_params["segment_id"]
    if not (given.isascii() and given.isdecimal() and len(given) < 20 and int(given) <= p.LARGEST_ID):
        raise MemoryNotFound("The translation memory has no such entry.")
    return int(given)


@router.get(
    PATH, summary="List translation memories", openapi_extra=docs.LIST_PARAMETERS, responses=docs.LIST_RESPONSES
)
async def list_memories(request: Request, service: CurrentService) -> Response:
    """Lists the translation memories of the API key. Without a key, lists those that were made without a key."""
    if service.memories.store is None:
        await check_owner(request, service)
        return JSONResponse({"translation_memories": [], "total_count": 0})
    call = await MemoryCall.of(request, service)
    given = call.given(p.MEMORY_LIST)
    size = given[p.MEMORIES_SIZE]
    begin = size * given[p.PAGE]
    found = await call.read(lambda store, owner: store.list(owner))
    page = [_memory_body(memory) for memory in found[begin : begin + size]]
    return JSONResponse({"translation_memories": page, "total_count": len(found)})


@router.post(
    PATH,
    summary="Make a translation memory",
    status_code=201,
    openapi_extra=docs.CREATE_REQUEST,
    responses=docs.CREATE_RESPONSES,
)
async def post_memory(call: Call) -> Response:
    """Creates an empty translation memory for one pair of languages. DeepL doesn't have this."""
    given = call.given(p.NEW_MEMORY)
    name, pair = given[p.NAME], given[p.PAIRS[call.thing]]
    adapts = bool(given[p.ADAPT])
    made = await call.run(lambda store, owner: store.add(owner, name, *pair, adapts=adapts))
    return JSONResponse(_memory_body(made), status_code=201)


@router.get(
    PATH + "/{translation_memory_id}",
    summary="Describe a translation memory",
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.MEMORY_RESPONSES,
)
async def get_memory(call: Call) -> Response:
    """Describes a translation memory without its entries."""
    return JSONResponse(_memory_body(await call.read(lambda store, owner: store.find(owner, call.id))))


@router.patch(
    PATH + "/{translation_memory_id}",
    summary="Change a translation memory",
    openapi_extra=docs.CHANGE_MEMORY_REQUEST | docs.ID_PARAMETER,
    responses=docs.MEMORY_RESPONSES,
)
async def patch_memory(call: Call) -> Response:
    """Renames a translation memory, or says whether it adapts. DeepL doesn't have this."""
    given = call.given(p.MEMORY_CHANGE)
    name, adapts = given[p.NAME], given[p.ADAPT]
    changed = await call.run(lambda store, owner: store.set(owner, call.id, name=name, adapts=adapts))
    return JSONResponse(_memory_body(changed))


@router.delete(
    PATH + "/{translation_memory_id}",
    summary="Delete a translation memory",
    status_code=204,
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.DELETE_RESPONSES,
)
async def delete_memory(call: Call) -> Response:
    """Deletes a translation memory with its entries."""
    await call.run(lambda store, owner: store.remove(owner, call.id))
    return Response(status_code=204)


@router.get(
    PATH + "/{translation_memory_id}/segments",
    summary="The entries of a translation memory",
    openapi_extra=docs.SEGMENTS_PARAMETERS,
    responses=docs.SEGMENTS_RESPONSES,
)
async def list_entries(call: Call) -> Response:
    """Lists the entries page by page, oldest first.

    `page_cursor` is the `next_page_cursor` of the page before; the last page has none. With `filter_text`, lists those
    that have it in the text or in its translation.
    """
    given = call.given(p.MEMORY_ENTRIES)
    size, after, text, match_case = given[p.ENTRIES_SIZE], given[p.CURSOR], given[p.FILTER], given[p.MATCH_CASE]

    def find(store: "MemoryStore", owner: int | None) -> "tuple[StoredMemory, list[StoredEntry]]":
        found = store.page(owner, call.id, after=after, most=size + 1, text=text, match_case=match_case)
        return store.find(owner, call.id), found

    memory, found = await (call.read(find) if text is None else call.search(find))
    body: dict[str, Any] = {
        "segments": [_entry_body(entry, memory.target) for entry in found[:size]],
        "segment_count": memory.entry_count,
    }
    if len(found) > size:
        body["next_page_cursor"] = str(found[size - 1].id)
    return JSONResponse(body)


@router.post(
    PATH + "/{translation_memory_id}/segments",
    summary="Add an entry",
    status_code=201,
    openapi_extra=docs.ADD_REQUEST | docs.ID_PARAMETER,
    responses=docs.ADD_RESPONSES,
)
async def post_entry(call: Call) -> Response:
    """Adds an entry; replaces the entry with the same text. DeepL doesn't have this."""
    given = call.given(p.NEW_ENTRY)
    pair = given[p.SOURCE_TEXT], given[p.TARGET_TEXT]

    def put(store: "MemoryStore", owner: int | None) -> "tuple[StoredMemory, StoredEntry]":
        store.put(owner, call.id, [pair], "edit")
        return store.find(owner, call.id), store.entry(owner, call.id, pair[0])

    memory, entry = await call.run(put)
    return JSONResponse(_entry_body(entry, memory.target), status_code=201)


@router.patch(
    PATH + "/{translation_memory_id}/segments/{segment_id}",
    summary="Change an entry",
    openapi_extra=docs.CHANGE_REQUEST | docs.SEGMENT_PARAMETERS,
    responses=docs.CHANGE_RESPONSES,
)
async def patch_entry(request: Request, call: Call) -> Response:
    """Changes the text of an entry, its translation, or both. DeepL doesn't have this."""
    given, entry_id = call.given(p.ENTRY_CHANGE), _entry_id(request)
    source, target = given[p.SOURCE_TEXT], given[p.TARGET_TEXT]

    def change(store: "MemoryStore", owner: int | None) -> "tuple[StoredMemory, StoredEntry]":
        return store.find(owner, call.id), store.change(owner, call.id, entry_id, source, target)

    memory, entry = await call.run(change)
    return JSONResponse(_entry_body(entry, memory.target))


@router.delete(
    PATH + "/{translation_memory_id}/segments/{segment_id}",
    summary="Delete an entry",
    status_code=204,
    openapi_extra=docs.SEGMENT_PARAMETERS,
    responses=docs.DELETE_RESPONSES,
)
async def delete_entry(request: Request, call: Call) -> Response:
    """Deletes an entry. DeepL doesn't have this."""
    entry_id = _entry_id(request)
    await call.run(lambda store, owner: store.remove_entry(owner, call.id, entry_id))
    return Response(status_code=204)


@router.post(
    PATH + "/{translation_memory_id}/file",
    summary="Add the entries of a file",
    openapi_extra=docs.UPLOAD_REQUEST | docs.ID_PARAMETER,
    responses=docs.UPLOAD_RESPONSES,
)
async def post_file(call: Call) -> Response:
    """Adds the entries of the TMX or TSV file `file`; replaces entries with the same texts. DeepL doesn't have this.

    A unit without a text or translation in the memory's languages is skipped, and so is one that is too long.
    """
    if not call.files or not call.files[0].content:
        raise InvalidRequest("Parameter 'file' not specified")
    file = call.files[0]
    find_form(file.name)
    memory = await call.read(lambda store, owner: store.find(owner, call.id))
    name = file.name.rpartition(".")[2]
    read = await call.service.documents.readers.memory_file(file.content, name, memory.source, memory.target)
    added = await call.run(lambda store, owner: store.put(owner, call.id, read.pairs, "import"))
    memory = await call.read(lambda store, owner: store.find(owner, call.id))
    replaced = len(read.pairs) - added
    counts = {"added": added, "replaced": replaced, "skipped": read.skipped}
    return JSONResponse({**counts, "memory": _memory_body(memory)})


@router.get(
    PATH + "/{translation_memory_id}/file",
    summary="All entries as a file",
    openapi_extra=docs.DOWNLOAD_PARAMETERS,
    responses=docs.DOWNLOAD_RESPONSES,
)
async def get_file(call: Call) -> Response:
    """Returns all entries as TMX or TSV (`format`). In TSV, tabs and line breaks in texts become spaces.

    DeepL doesn't have this.
    """
    return await memory_file(call.service, call.owner, call.id, call.given(p.MEMORY_FILE)[p.FILE_FORMAT])


async def memory_file(service: Service, owner: int | None, memory_id: str, form_name: str) -> Response:
    """Writes all entries of a memory into a file.

    Raises:
        MemoryNotFound: There is no such memory, or it is somebody else's.
        InvalidMemory, ExtraMissing: As ``find_form``.
    """
    form, store, database = find_form(form_name), service.memories.store, service.database
    assert store and database
    memory = await database.read(store.find, owner, memory_id)
    entries = await database.read(lambda: [(one.source, one.target) for one in store.all(owner, memory_id)])
    content = await offload(lambda: b"".join(form.write(entries, memory.source, memory.target)))
    return attachment(content, checked_name(f"{memory.name}.{form_name}"), form.media_type)


def _memory_body(memory: "StoredMemory") -> dict[str, Any]:
    return {
        "translation_memory_id": memory.id,
        "name": memory.name,
        "source_language": memory.source,
        "target_languages": [memory.target],
        "segment_count": memory.entry_count,
        "adapt": memory.adapts,
        "creation_time": memory.created_at,
        "updated_time": memory.updated_at,
    }


def _entry_body(entry: "StoredEntry", target: str) -> dict[str, Any]:
    times = {"creation_time": entry.created_at, "updated_time": entry.updated_at}
    translation = {"target_segment_id": str(entry.id), "target_language": target, "target_text": entry.target, **times}
    return {
        "source_segment_id": str(entry.id),
        "source_text": entry.source,
        "origin": entry.origin,
        "targets": [translation],
        **times,
    }
