"""The DeepL contract: /v2/translate, /v2/languages, /v2/usage, /v3/languages.

Its clients work by changing a URL. Unless the operator uses keys, any ``DeepL-Auth-Key`` is accepted, and
none too. The texts go the same way as LibreTranslate's.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import header_key
from app.api.deepl import openapi as docs
from app.api.deepl.endpoints import LANGUAGES, LANGUAGES_V3, RESOURCE, SIDE, TRANSLATE
from app.api.deepl.methods import get_and_post
from app.api.deepl.parameters import MAX_BODY_BYTES, RESOURCES, VARIANTS
from app.api.deepl.requests import Shape, parse_translation
from app.api.deepl.styles import styled
from app.api.dependencies import CurrentService
from app.api.disconnect import run_while_connected
from app.api.heartbeat import with_heartbeat
from app.api.plain_route import PlainRoute
from app.api.request_body import read_parameters
from app.api.response_headers import translation_headers
from app.engine.interface import Timing
from app.fairness.offload import offload
from app.text.register import has_register
from app.translation.languages import find_served, languages_of, name_of, spelled
from app.translation.pipeline import put_together
from app.translation.reports import report_matches, report_terms
from app.translation.request import ItemTranslation, TranslationRequest
from languages.codes import base

router = APIRouter(tags=["DeepL"], route_class=PlainRoute)

NO_LIMIT_CHARS = 1_000_000_000_000
"""What DeepL itself answers to accounts without a limit; clients read an integer."""

_TIME = "%Y-%m-%dT%H:%M:%SZ"
_TAG_HEADER = "X-DeepL-Reporting-Tag"
_STABLE = {"status": "stable"}


class _Language(NamedTuple):
    code: str
    name: str
    is_source: bool
    is_target: bool


@router.post(
    "/v2/translate",
    summary="Translate texts",
    openapi_extra=docs.TRANSLATE_REQUEST,
    responses=docs.TRANSLATE_RESPONSES,
)
async def post_translate(request: Request, service: CurrentService) -> Response:
    """Translates each `text` into `target_lang`, in order.

    Send JSON or a form of at most 128 KiB. Without `source_lang`, the language of each text is detected on its own.
    Custom instructions are not available; a request with some is refused. A glossary needs `source_lang`. A translation
    memory applies to the texts in its source language.

    A metric counts the characters by the header `X-DeepL-Reporting-Tag`. The headers `Server-Timing`,
    `X-Dragoman-Pivot` and `X-Dragoman-Warnings` are those of `/translate`.

    The official clients give up after 10 seconds without a byte. So an answer that takes longer than 4 seconds begins
    with status 200 and line breaks; these headers are missing then, and an error comes as its JSON under that status.
    The operator can change the time, or turn this off.
    """
    limit = min(MAX_BODY_BYTES, service.settings.max_body_bytes)
    key = await service.access.check(request, header_key(request, "DeepL-Auth-Key"), "translate")
    values = await read_parameters(request, limit, TRANSLATE.repeatable)
    parse = partial(parse_translation, values, settings=service.settings, pairs=service.engine.pairs)
    asked, shape = await offload(parse) if values.get("glossary") else parse()
    asked = await styled(service, key, asked, values)
    asked = await service.references.resolved(asked, key.id if key else None)

    async def answer() -> Response:
        async with service.access.spending(key, asked.characters):
            items, timing = await run_while_connected(request, service.translator.translate(asked))
        if tag := request.headers.get(_TAG_HEADER):
            service.metrics.observe_tag(tag, asked.characters)
        return await put_together(asked, _response, asked, shape, items, timing)

    return await with_heartbeat(request, answer(), service.settings.deepl_heartbeat_s)


@get_and_post(
    router,
    "/v2/languages",
    summary="Languages to translate from or into",
    responses=docs.GET_LANGUAGES_RESPONSES,
    post_responses=docs.POST_LANGUAGES_RESPONSES,
    query=docs.LANGUAGES_PARAMETERS,
    body=docs.LANGUAGES_REQUEST,
)
async def list_languages(request: Request, service: CurrentService) -> Response:
    """Lists the source languages, or with `type` = `target` the target languages.

    A target that DeepL splits by region is listed by region. English has its region's spelling.
    """
    await service.access.check(request, header_key(request, "DeepL-Auth-Key"))
    values = await read_parameters(request, service.settings.max_body_bytes)
    given = service.given(LANGUAGES, values)
    if given[SIDE] == "source":
        return JSONResponse(
            [{"language": code.upper(), "name": name_of(code)} for code in _source_codes(service.engine.pairs)]
        )
    return JSONResponse(
        [
            {
                "language": language.code.upper(),
                "name": language.name,
                "supports_formality": has_register(language.code),
            }
            for language in _languages(service.engine.pairs)
            if language.is_target and language.code not in VARIANTS
        ]
    )


@get_and_post(router, "/v2/usage", summary="Characters translated", responses=docs.USAGE_RESPONSES)
async def count_usage(request: Request, service: CurrentService) -> Response:
    """Counts the characters of the key in this calendar month (UTC), and tells its quota.

    Without keys, counts the characters of all texts translated since the start, over every endpoint.
    """
    key = await service.access.check(request, header_key(request, "DeepL-Auth-Key"))
    if key:
        limit = NO_LIMIT_CHARS if key.monthly_characters is None else key.monthly_characters
        used = await service.access.used(key)
        begin = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        end = (begin + timedelta(days=32)).replace(day=1)
        return JSONResponse(
            {
                "character_count": used,
                "character_limit": limit,
                "api_key_character_count": used,
                "api_key_character_limit": limit,
                "start_time": begin.strftime(_TIME),
                "end_time": end.strftime(_TIME),
            }
        )
    return JSONResponse({"character_count": service.metrics.source_characters, "character_limit": NO_LIMIT_CHARS})


@router.get(
    "/v3/languages",
    summary="Languages and their features",
    openapi_extra=docs.RESOURCE_PARAMETERS,
    responses=docs.LANGUAGES_V3_RESPONSES,
)
async def list_languages_of_resource(request: Request, service: CurrentService) -> Response:
    """Lists the languages of a `resource`; none if this server doesn't have the resource."""
    await service.access.check(request, header_key(request, "DeepL-Auth-Key"))
    values = await read_parameters(request, service.settings.max_body_bytes)
    resource = service.given(LANGUAGES_V3, values)[RESOURCE]
    is_text = resource == "translate_text"
    is_served = is_text or (resource == "translate_document" and service.settings.documents)
    is_served = is_served or (resource == "glossary" and service.glossaries.store is not None)
    is_served = is_served or (resource == "translation_memory" and service.memories.store is not None)
    found = _languages(service.engine.pairs) if is_served else ()
    return JSONResponse(
        [
            {
                "lang": language.code,
                "name": language.name,
                "status": "stable",
                "usable_as_source": language.is_source,
                "usable_as_target": language.is_target,
                "features": ({"tag_handling": _STABLE} if is_text else {})
                | ({"auto_detection": _STABLE} if language.is_source else {})
                | ({"formality": _STABLE} if language.is_target and has_register(language.code) else {}),
            }
            for language in found
        ]
    )


@router.get("/v3/languages/resources", summary="Resources and their features", responses=docs.RESOURCES_RESPONSES)
async def list_resources() -> Response:
    """Lists the resources of `/v3/languages` with their features, and which language must support each feature."""
    features = [
        {"name": "tag_handling", "needs_source_support": True, "needs_target_support": True},
        {"name": "auto_detection", "needs_source_support": True},
        {"name": "formality", "needs_target_support": True},
    ]
    return JSONResponse(
        [{"name": name, "features": features if name == "translate_text" else []} for name in RESOURCES]
    )


def _languages(pairs: frozenset[tuple[str, str]]) -> Iterator[_Language]:
    """The served languages, each followed by its regional variants if it is a target.

    A variant with a model of its own is listed once.
    """
    sources, targets = ({pair[side] for pair in pairs} for side in (0, 1))
    names = {variant: name for variants in VARIANTS.values() for variant, name in variants.items()}
    for code in languages_of(pairs):
        yield _Language(spelled(code), names.get(spelled(code)) or name_of(code), code in sources, code in targets)
        if code in targets:
            for variant, name in VARIANTS.get(code, {}).items():
                if variant.lower() not in targets:
                    yield _Language(variant, name, False, True)


def _source_codes(pairs: frozenset[tuple[str, str]]) -> list[str]:
    """The codes of source languages. The contract has no scripts and regions here: ``zh`` for ``zh-hans``."""
    sources = {source for source, _ in pairs}
    return sorted({base(code) if find_served(base(code), sources) else code for code in sources})


def _response(
    asked: TranslationRequest, shape: Shape, items: Sequence[ItemTranslation], timing: Timing
) -> JSONResponse:
    translations = [_translation_body(asked, shape, text, item) for text, item in zip(asked.texts, items, strict=True)]
    return JSONResponse({"translations": translations}, headers=translation_headers(items, timing))


def _translation_body(asked: TranslationRequest, shape: Shape, text: str, item: ItemTranslation) -> dict[str, Any]:
    source = item.detection.language if item.detection else asked.source
    body: dict[str, Any] = {"detected_source_language": base(source).upper(), "text": item.text}
    if shape.has_billed_characters:
        body["billed_characters"] = len(text)
    if asked.glossary:
        body["terms"] = report_terms(item.terms)
    if asked.memory:
        body["memory"] = report_matches(item.matches)
    if shape.model_type:
        body["model_type_used"] = shape.model_type
    if shape.tag_handling_version:
        body["tag_handling_version"] = shape.tag_handling_version
    return body
