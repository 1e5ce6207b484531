"""The LibreTranslate contract: POST /translate, POST /detect, GET /languages, GET /frontend/settings.

``/translate`` is a superset, see ``app.api.libretranslate.openapi``. Two things differ from LibreTranslate's answers on
purpose. With ``source=auto`` and a list, every item is detected on its own, so ``detectedLanguage`` is a list with one
object for each item, in order, where LibreTranslate repeats a single detection of the whole batch. And errors that it
leaves to its framework are JSON here too, with a stable ``code`` beside ``error``.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import Bill, header_key
from app.api.dependencies import CurrentService, Service
from app.api.disconnect import run_while_connected
from app.api.libretranslate import openapi as docs
from app.api.libretranslate.deeplx import answer_deeplx, is_deeplx
from app.api.libretranslate.endpoints import DETECT, TRANSLATE
from app.api.libretranslate.parameters import Q
from app.api.libretranslate.requests import parse_translation
from app.api.libretranslate.sentence_json import sentence_body
from app.api.plain_route import PlainRoute
from app.api.request_body import body_bytes, read_parameters
from app.api.response_headers import phases_ms, translation_headers
from app.api.sse import EventStream, server_sent, with_heartbeats
from app.documents.registry import served_extensions
from app.engine.interface import Timing
from app.errors import DragomanError
from app.fairness.offload import Inline, offload
from app.settings import Settings
from app.text.detection import Detection
from app.text.quality_checks import Verdict
from app.text.register import has_register
from app.translation.languages import languages_of, name_of, spelled
from app.translation.pipeline import put_together
from app.translation.reports import report_matches, report_terms, report_untranslated
from app.translation.request import Answer, ItemTranslation, Progress, TranslationRequest
from app.translation.sentence import SentenceEvent

router = APIRouter(tags=["Translation"], route_class=PlainRoute)
_MAX_GLOSSARY_CHARS = 4_000_000


@router.post(
    "/translate",
    summary="Translate a text or a list of texts",
    openapi_extra=docs.TRANSLATE_REQUEST,
    responses=docs.TRANSLATE_RESPONSES,
)
async def post_translate(request: Request, service: CurrentService) -> Response:
    """Translates `q` from `source` to `target`.

    Send JSON, a form, a multipart form or query parameters. A list of texts, in a form several `q`, gives a list back,
    in the same order. With `source` = `auto`, the language of each text is detected on its own. The response then has
    `detectedLanguage`: one object, or one for each text of a list. In a list, a text in a language that can't be
    translated into `target` comes back unchanged, and `errors` says why; such a text alone is refused. A text without
    letters comes back unchanged, except for its numbers. If `source` and `target` are the same, every text comes back
    unchanged.

    `protect` keeps variables and names unchanged. The model translates a placeholder instead of each protected span. If
    the model loses the placeholder, the span is put where it probably belongs, and `protectedLost` names it.

    A pair of languages without its own model is translated through the pivot language, if there is a model into it and
    one out of it. The pivot is English unless the operator chose another. Then `pivot` and the header
    `X-Dragoman-Pivot` name it; in a list, `pivot` is null for a text that needed none. A score is the sum of both
    models' scores, word alignment goes from the text to its translation, and there are no `token` events.

    `details` describes each sentence. Positions count code points (as in Python; JavaScript counts UTF-16 units). In
    plain text they count in `q` and `translatedText`; in markup, in the plain text of a block, such as a paragraph.

    With `stream`, the response is `text/event-stream`. There is one `sentence` event for each entry of `details`, with
    the `index` of its text, as soon as the sentence is translated. In greedy search (`beam_size` = 1), `token` events
    with the next characters come before it. The last event is `translation`, the whole response with its `timing` in
    milliseconds, or `error`. Texts come in order; with `auto`, the texts of one language come together. A text with a
    protected span has no `token` events, and a second attempt at a sentence replaces its tokens. An error before the
    first event, within 15 seconds, is returned as a normal HTTP status. A line that begins with a colon keeps the
    connection open.

    The request may also be DeepLX's: `text`, `source_lang` and `target_lang`, and then the answer is DeepLX's, with the
    translation in `data`.
    """
    values = await _read(request, service.settings)
    if is_deeplx(values):
        return await answer_deeplx(request, service, values)
    key = await service.access.check(request, _key(request, values), "translate")
    parse = partial(parse_translation, values, settings=service.settings, pairs=service.engine.pairs)
    inline = Inline.NEVER if values.get("protect") or values.get("glossary") else Inline.READING
    asked = await offload(parse, size=body_bytes(request), inline=inline, admitted=True)
    asked = await service.references.resolved(asked, key.id if key else None)
    is_list = isinstance(values[Q.name], list)
    if asked.tokens:
        # What fails before the first event is still answered with a status, and costs nothing.
        paid = service.access.spending_on(key, asked.characters)
        events = with_heartbeats(_named_events(asked, is_list, paid, service.translator.stream(asked)))
        first = await run_while_connected(request, anext(events))
        return EventStream(server_sent(first, events))
    async with service.access.spending(key, asked.characters):
        items, timing = await run_while_connected(request, service.translator.translate(asked))
    return await put_together(asked, _response, asked, is_list, items, timing)


@router.post(
    "/detect",
    summary="Detect the language of a text",
    openapi_extra=docs.DETECT_REQUEST,
    responses=docs.DETECT_RESPONSES,
)
async def post_detect(request: Request, service: CurrentService) -> Response:
    """Lists the likely languages of `q` among the served languages, best first, at most three.

    A list of texts is detected as one text. Text without letters, or clearly in no served language, has confidence 0;
    of the latter, `unsupported` is the likeliest language.
    """
    values = await _read(request, service.settings)
    await service.access.check(request, _key(request, values), "detect")
    text = await offload(_joined, values, service, size=body_bytes(request), inline=Inline.READING, admitted=True)
    detector, size = service.translator.detector, len(text)
    found = await offload(detector.detect_served, text, size=size, inline=Inline.TEXTS)
    body = [_detection_body(detection) for detection in found]
    if not found[0].confidence:
        foreign = await offload(detector.foreign, text, size=size, inline=Inline.TEXTS)
        body[0] |= {"unsupported": spelled(foreign.language)} if foreign else {}
    return JSONResponse(body)


@router.get("/languages", summary="Languages and what they can be translated into", responses=docs.LANGUAGES_RESPONSES)
async def get_languages(service: CurrentService) -> Response:
    """Lists the served languages with their targets. A language is always one of its own targets."""
    pairs = service.engine.pairs
    return JSONResponse(
        [
            {
                "code": spelled(code),
                "name": name_of(code),
                "targets": sorted(map(spelled, {code} | {target for source, target in pairs if source == code})),
            }
            for code in languages_of(pairs)
        ]
    )


@router.get("/frontend/settings", summary="What a translation page needs to know", responses=docs.FRONTEND_RESPONSES)
async def get_frontend_settings(request: Request, service: CurrentService) -> Response:
    """Shows limits and switches in the form that LibreTranslate's page reads, and `capabilities` for Dragoman's."""
    codes = languages_of(service.engine.pairs)
    target = "en" if "en" in codes else codes[0]
    return JSONResponse(
        {
            "charLimit": service.settings.max_text_chars,
            "frontendTimeout": 500,
            "apiKeys": service.settings.keys != "off",
            "keyRequired": await service.access.needs_key(request),
            "suggestions": service.suggestions is not None,
            "filesTranslation": service.settings.documents,
            "supportedFilesFormat": [f".{name}" for name in served_extensions()] if service.settings.documents else [],
            "capabilities": {
                "admin": service.settings.admin_key is not None,
                "glossaries": service.glossaries.store is not None,
                "memories": service.memories.store is not None,
            },
            "formality": sorted({spelled(target) for _, target in service.engine.pairs if has_register(target)}),
            "operator": _operator(service.settings),
            "language": {
                "source": {"code": "auto", "name": "Auto Detect"},
                "target": {"code": target, "name": name_of(target)},
            },
        }
    )


def _operator(settings: Settings) -> dict[str, str]:
    told = {
        "name": settings.operator_name,
        "imprint": settings.imprint_url,
        "privacy": settings.privacy_url,
        "source": settings.source_url,
    }
    return {name: value for name, value in told.items() if value}


async def _read(request: Request, settings: Settings) -> dict[str, object]:
    # A glossary in a form is one value, and may be longer than texts may be.
    limit = max(settings.max_text_chars, _MAX_GLOSSARY_CHARS)
    return await read_parameters(request, settings.max_body_bytes, TRANSLATE.repeatable, max_value_chars=limit)


def _joined(values: Mapping[str, object], service: Service) -> str:
    return "\n".join(service.given(DETECT, values)[Q])


def _key(request: Request, values: Mapping[str, object]) -> object:
    return values.get("api_key") or header_key(request, "Bearer")


async def _named_events(
    asked: TranslationRequest,
    is_list: bool,
    paid: AbstractAsyncContextManager[Bill],
    events: AsyncGenerator[Progress, None],
) -> AsyncGenerator[tuple[str, Mapping[str, Any]], None]:
    async with aclosing(events), paid as bill:
        async for event in events:
            bill.note(event)
            if isinstance(event, Answer):
                body = await put_together(asked, _translation_body, asked, is_list, event.items)
                yield "translation", {**body, "timing": phases_ms(event.timing)}
                return
            place = {"index": event.key.item, "block": event.key.block}
            if isinstance(event, SentenceEvent):
                yield "sentence", {**place, **sentence_body(event.sentence)}
            else:
                yield "token", {**place, "text": event.text}


def _response(asked: TranslationRequest, is_list: bool, items: list[ItemTranslation], timing: Timing) -> JSONResponse:
    return JSONResponse(_translation_body(asked, is_list, items), headers=translation_headers(items, timing))


def _translation_body(asked: TranslationRequest, is_list: bool, items: list[ItemTranslation]) -> dict[str, Any]:
    columns: dict[str, list[Any]] = {"translatedText": [item.text for item in items]}
    detections = [_detection_body(item.detection) for item in items if item.detection is not None]
    if detections:
        columns["detectedLanguage"] = detections
    if any(item.refusal for item in items):
        columns["errors"] = [_error_body(item.refusal) for item in items]
    if asked.alternatives > 0:
        columns["alternatives"] = [list(item.alternatives) for item in items]
    if any(item.pivot for item in items):
        columns["pivot"] = [item.pivot for item in items]
    if asked.register:
        columns["formality"] = [None if _is_of_another_register(item) else asked.register for item in items]
    if asked.protect is not None or any(item.lost for item in items):
        columns["protectedLost"] = [list(item.lost) for item in items]
    if asked.details:
        columns["untranslated"] = [report_untranslated(item.untranslated) for item in items]
    if asked.glossary:
        columns["terms"] = [report_terms(item.terms) for item in items]
    if asked.memory:
        columns["memory"] = [report_matches(item.matches) for item in items]
    if asked.details:
        columns["details"] = [
            [{"block": block, **sentence_body(sentence)} for block, own in enumerate(item.blocks) for sentence in own]
            for item in items
        ]
    return columns if is_list else {name: values[0] for name, values in columns.items()}


def _error_body(refusal: DragomanError | None) -> dict[str, str] | None:
    return {"error": str(refusal), "code": refusal.code} if refusal else None


def _is_of_another_register(item: ItemTranslation) -> bool:
    return bool(item.verdicts.get(Verdict.FORMALITY))


def _detection_body(detection: Detection) -> dict[str, Any]:
    return {"confidence": detection.confidence, "language": spelled(detection.language)}
