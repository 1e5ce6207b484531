"""DeepL's glossaries in versions 2 and 3 of its API. Both versions share one store and list the same glossaries."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from app.api.access import header_key
from app.api.deepl import glossary_openapi as docs
from app.api.deepl import stored_parameters as p
from app.api.deepl.owner_call import OwnerCall, check_owner
from app.api.dependencies import CurrentService, Service
from app.api.parameter import Given
from app.api.request_body import with_objects
from app.documents import term_files
from app.errors import InvalidGlossary, InvalidRequest
from app.fairness.offload import offload
from app.text.terms.entries import FORMATS, check_entries, to_tsv

if TYPE_CHECKING:
    from app.storage.glossaries import GlossaryStore, NewDictionary, StoredGlossary

router = APIRouter(tags=["DeepL"])

TSV = "text/tab-separated-values"


class GlossaryCall(OwnerCall["GlossaryStore"]):
    """A request about glossaries."""

    thing, things, id_name = "glossary", "Glossaries", "glossary_id"

    @staticmethod
    def find_store(service: Service) -> "GlossaryStore | None":
        """See ``OwnerCall.find_store``."""
        return service.glossaries.store

    async def dictionary(self, given: Given) -> "NewDictionary":
        """A dictionary of the request.

        Raises:
            InvalidGlossary: Its entries can't be used.
        """
        source, target = given[p.PAIRS[self.thing]]
        form, text = given[p.ENTRIES_FORMAT], given[p.ENTRIES]
        if form == "tbx":
            pairs = await self.service.documents.readers.term_file(text.encode(), source, target)
            return source, target, await offload(check_entries, pairs, size=len(text))
        read = FORMATS[form]
        return source, target, await offload(lambda: check_entries(read(text)), size=len(text))

    async def dictionaries(self, given: Given) -> "list[NewDictionary]":
        """The dictionaries of the request.

        Raises:
            InvalidRequest: A parameter is missing, or the format is unknown.
            UnsupportedPair: The languages of one aren't translated.
            InvalidGlossary: The entries of one can't be used.
        """
        return [await self.dictionary(self.given(p.DICTIONARY, each)) for each in given[p.DICTIONARIES] or ()]


Call = Annotated[GlossaryCall, Depends(GlossaryCall.of)]


@router.get("/v2/glossary-language-pairs", summary="Pairs that glossaries may have", responses=docs.PAIRS_RESPONSES)
async def list_pairs(request: Request, service: CurrentService) -> Response:
    """Lists all translated language pairs; none if this server stores no glossaries."""
    await service.access.check(request, header_key(request, "DeepL-Auth-Key"))
    pairs = sorted(service.engine.pairs) if service.glossaries.store else []
    return JSONResponse({"supported_languages": [{"source_lang": one, "target_lang": other} for one, other in pairs]})


@router.post(
    "/v2/glossaries",
    summary="Make a glossary for one pair of languages",
    status_code=201,
    openapi_extra=docs.CREATE_REQUEST,
    responses=docs.CREATE_RESPONSES,
)
async def post_glossary(call: Call) -> Response:
    """Creates a glossary from `entries` in TSV or CSV, one line each: source term and target term."""
    given = call.given(p.NEW_GLOSSARY)
    dictionary = await call.dictionary(given)
    made = await call.run(lambda store, owner: store.add(owner, given[p.NAME], [dictionary]))
    return JSONResponse(_body_v2(made), status_code=201)


@router.get("/v2/glossaries", summary="List the glossaries with one dictionary", responses=docs.LIST_RESPONSES)
async def list_glossaries(request: Request, service: CurrentService) -> Response:
    """Lists the glossaries that have exactly one dictionary; `/v3/glossaries` lists all."""
    found = await _list(request, service)
    return JSONResponse({"glossaries": [_body_v2(one) for one in found if len(one.dictionaries) == 1]})


@router.get(
    "/v2/glossaries/{glossary_id}",
    summary="Describe a glossary",
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.GLOSSARY_RESPONSES,
)
async def get_glossary(call: Call) -> Response:
    """Describes a glossary of one pair, without its entries."""
    return JSONResponse(_body_v2(_single(await call.read(lambda store, owner: store.find(owner, call.id)))))


@router.get(
    "/v2/glossaries/{glossary_id}/entries",
    summary="The entries of a glossary",
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.ENTRIES_RESPONSES,
)
async def get_entries(request: Request, call: Call) -> Response:
    """Returns the entries of a glossary of one pair as TSV."""
    accepted = [part.partition(";")[0].strip().lower() for part in request.headers.get("Accept", "*/*").split(",")]
    if not {TSV, "text/*", "*/*"} & set(accepted):
        raise HTTPException(415, f"Entries come as {TSV} only.")
    [pair] = _single(await call.read(lambda store, owner: store.find(owner, call.id))).dictionaries
    entries = await call.read(lambda store, owner: store.entries(owner, call.id, pair.source, pair.target))
    return PlainTextResponse(await offload(to_tsv, entries), media_type=TSV)


@router.delete(
    "/v2/glossaries/{glossary_id}",
    summary="Delete a glossary",
    status_code=204,
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.DELETE_RESPONSES,
)
@router.delete(
    "/v3/glossaries/{glossary_id}",
    summary="Delete a glossary",
    status_code=204,
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.DELETE_RESPONSES,
)
async def delete_glossary(call: Call) -> Response:
    """Deletes a glossary with all its dictionaries."""
    await call.run(lambda store, owner: store.remove(owner, call.id))
    return Response(status_code=204)


@router.post(
    "/v3/glossaries",
    summary="Make a glossary for several pairs",
    status_code=201,
    openapi_extra=docs.CREATE_V3_REQUEST,
    responses=docs.CREATE_V3_RESPONSES,
)
async def post_glossary_v3(call: Call) -> Response:
    """Creates a glossary from dictionaries, one for each pair of languages."""
    given = call.given(p.NEW_GLOSSARY_V3, with_objects(call.values, p.DICTIONARIES.name))
    dictionaries = await call.dictionaries(given)
    if len({each[:2] for each in dictionaries}) < len(dictionaries):
        raise InvalidGlossary("Two dictionaries have the same pair of languages.")
    made = await call.run(lambda store, owner: store.add(owner, given[p.NAME], dictionaries))
    return JSONResponse(_body_v3(made), status_code=201)


@router.get("/v3/glossaries", summary="List all glossaries", responses=docs.LIST_V3_RESPONSES)
async def list_glossaries_v3(request: Request, service: CurrentService) -> Response:
    """Lists the glossaries of the API key. Without a key, lists the glossaries that were made without a key."""
    return JSONResponse({"glossaries": [_body_v3(one) for one in await _list(request, service)]})


@router.get(
    "/v3/glossaries/{glossary_id}",
    summary="Describe a glossary",
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.GLOSSARY_V3_RESPONSES,
)
async def get_glossary_v3(call: Call) -> Response:
    """Describes a glossary without its entries."""
    return JSONResponse(_body_v3(await call.read(lambda store, owner: store.find(owner, call.id))))


@router.patch(
    "/v3/glossaries/{glossary_id}",
    summary="Rename a glossary, add entries",
    openapi_extra=docs.PATCH_REQUEST | docs.ID_PARAMETER,
    responses=docs.GLOSSARY_V3_RESPONSES,
)
async def patch_glossary(call: Call) -> Response:
    """Renames a glossary, adds entries to one of its dictionaries, or both. Entries with the same term are replaced."""
    given = call.given(p.GLOSSARY_CHANGE, with_objects(call.values, p.DICTIONARIES.name))
    if len(given[p.DICTIONARIES] or ()) > 1:
        raise InvalidRequest("Value for 'dictionaries' not supported; change one at a time.")
    dictionary, *_ = *await call.dictionaries(given), None
    changed = await call.run(lambda store, owner: store.change(owner, call.id, given[p.NAME], dictionary))
    return JSONResponse(_body_v3(changed))


@router.get(
    "/v3/glossaries/{glossary_id}/entries",
    summary="The entries of a dictionary",
    openapi_extra=docs.ENTRIES_V3_PARAMETERS,
    responses=docs.ENTRIES_V3_RESPONSES,
)
async def get_entries_v3(call: Call) -> Response:
    """Returns the entries of the dictionary of a pair of languages as TSV, or as `entries_format` asks.

    DeepL doesn't have that parameter, and no TBX.
    """
    given = call.given(p.DICTIONARY_ENTRIES)
    (source, target), form = given[p.PAIRS[call.thing]], given[p.ANSWERED_FORMAT]
    entries = await call.read(lambda store, owner: store.entries(owner, call.id, source, target))
    text = await offload(term_files.WRITERS[form], entries, source, target)
    body = {"source_lang": source, "target_lang": target, "entries": text, "entries_format": form}
    return JSONResponse({"dictionaries": [body]})


@router.put(
    "/v3/glossaries/{glossary_id}/dictionaries",
    summary="Replace a dictionary",
    openapi_extra=docs.PUT_REQUEST | docs.ID_PARAMETER,
    responses=docs.PUT_RESPONSES,
)
async def put_dictionary(call: Call) -> Response:
    """Replaces all entries of a pair of languages."""
    dictionary = await call.dictionary(call.given(p.DICTIONARY))
    made = await call.run(lambda store, owner: store.replace(owner, call.id, dictionary))
    body = {"source_lang": made.source, "target_lang": made.target, "entry_count": made.entry_count}
    return JSONResponse(body)


@router.delete(
    "/v3/glossaries/{glossary_id}/dictionaries",
    summary="Delete a dictionary",
    status_code=204,
    openapi_extra=docs.PAIR_PARAMETERS,
    responses=docs.DELETE_RESPONSES,
)
async def delete_dictionary(call: Call) -> Response:
    """Deletes the dictionary of a pair of languages."""
    pair = call.given(p.DICTIONARY_PAIR)[p.PAIRS[call.thing]]
    await call.run(lambda store, owner: store.remove(owner, call.id, pair))
    return Response(status_code=204)


async def _list(request: Request, service: Service) -> "list[StoredGlossary]":
    key = await check_owner(request, service)
    if service.glossaries.store is None or service.database is None:
        return []
    return await service.database.read(service.glossaries.store.list, key.id if key else None)


def _single(glossary: "StoredGlossary") -> "StoredGlossary":
    if len(glossary.dictionaries) != 1:
        raise InvalidRequest("This glossary has several dictionaries or none; use /v3/glossaries.")
    return glossary


def _body_v2(glossary: "StoredGlossary") -> dict[str, Any]:
    [dictionary] = glossary.dictionaries
    return {
        "glossary_id": glossary.id,
        "name": glossary.name,
        "ready": True,
        "source_lang": dictionary.source,
        "target_lang": dictionary.target,
        "creation_time": glossary.created_at,
        "entry_count": dictionary.entry_count,
    }


def _body_v3(glossary: "StoredGlossary") -> dict[str, Any]:
    dictionaries = [
        {"source_lang": one.source, "target_lang": one.target, "entry_count": one.entry_count}
        for one in glossary.dictionaries
    ]
    return {
        "glossary_id": glossary.id,
        "name": glossary.name,
        "dictionaries": dictionaries,
        "creation_time": glossary.created_at,
    }
