"""The LibreTranslate contract: POST /translate, POST /detect, GET /languages, GET /frontend/settings.

``/translate`` is a superset: the search options and ``deadline_ms`` are ours. Two things differ from LibreTranslate on
purpose. With ``source=auto`` and a list, every item is detected on its own, so ``detectedLanguage`` is a list with one
object for each item, in order, where LibreTranslate repeats a single detection of the whole batch. And errors that it
leaves to its framework are JSON here too, with a stable ``code`` beside ``error``.
"""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api import documentation as docs
from app.api.body import read_parameters
from app.api.languages import languages_of, name_of
from app.api.parameters import TranslationRequest, parse_texts, parse_translation
from app.api.service import CurrentService
from app.api.translation import ItemTranslation, run_while_connected, translate
from app.engine.translation import Timing
from app.text.detection import Detection

router = APIRouter(tags=["Translation"])


@router.post(
    "/translate",
    summary="Translate a text or a list of texts",
    openapi_extra=docs.TRANSLATE_REQUEST,
    responses=docs.TRANSLATE_RESPONSES,
)
async def post_translate(request: Request, service: CurrentService) -> Response:
    """Translates `q` from `source` to `target`.

    Send JSON, a form, a multipart form or query parameters. A list of texts (JSON only) gives lists back, in the same
    order. With `source` = `auto` the language of every text is detected on its own, and `detectedLanguage` is there:
    one object, or for a list of texts a list of objects. Text without letters comes back unchanged, and so does
    everything when `source` and `target` are the same.

    The `Server-Timing` header says how long the request waited, was encoded and was decoded, in milliseconds.
    """
    values = await read_parameters(request, service.settings.max_body_bytes)
    wanted = parse_translation(values, settings=service.settings, pairs=service.engine.pairs)
    items, timing = await run_while_connected(request, translate(service, wanted))
    return JSONResponse(_translation_body(wanted, items), headers={"Server-Timing": _server_timing(timing)})


@router.post(
    "/detect",
    summary="Detect the language of a text",
    openapi_extra=docs.DETECT_REQUEST,
    responses=docs.DETECT_RESPONSES,
)
async def post_detect(request: Request, service: CurrentService) -> Response:
    """The likely languages of `q` among the served ones, best first, at most three.

    A list of texts is detected as one text.
    """
    values = await read_parameters(request, service.settings.max_body_bytes)
    texts, _ = parse_texts(values, service.settings)
    found = await asyncio.to_thread(service.detector.detect, "\n".join(texts))
    return JSONResponse([_detection_body(detection) for detection in found])


@router.get("/languages", summary="Languages and what they can be translated into", responses=docs.LANGUAGES_RESPONSES)
async def get_languages(service: CurrentService) -> Response:
    """Every served language with its targets; a language is always among its own."""
    pairs = service.engine.pairs
    return JSONResponse(
        [
            {
                "code": code,
                "name": name_of(code),
                "targets": sorted({code} | {target for source, target in pairs if source == code}),
            }
            for code in languages_of(pairs)
        ]
    )


@router.get("/frontend/settings", summary="What a translation page needs to know", responses=docs.FRONTEND_RESPONSES)
async def get_frontend_settings(service: CurrentService) -> Response:
    """Limits and switches, in the form that LibreTranslate's own page reads."""
    codes = languages_of(service.engine.pairs)
    target = "en" if "en" in codes else codes[0]
    return JSONResponse(
        {
            "charLimit": service.settings.max_text_chars,
            "frontendTimeout": 500,
            "apiKeys": False,
            "keyRequired": False,
            "suggestions": False,
            "filesTranslation": False,
            "supportedFilesFormat": [],
            "language": {
                "source": {"code": "auto", "name": "Auto Detect"},
                "target": {"code": target, "name": name_of(target)},
            },
        }
    )


def _translation_body(wanted: TranslationRequest, items: list[ItemTranslation]) -> dict[str, Any]:
    columns: dict[str, list[Any]] = {"translatedText": [item.text for item in items]}
    detections = [_detection_body(item.detection) for item in items if item.detection is not None]
    if detections:
        columns["detectedLanguage"] = detections
    if wanted.alternatives > 0:
        columns["alternatives"] = [list(item.alternatives) for item in items]
    return columns if wanted.is_list else {name: values[0] for name, values in columns.items()}


def _detection_body(detection: Detection) -> dict[str, Any]:
    return {"confidence": detection.confidence, "language": detection.language}


def _server_timing(timing: Timing) -> str:
    phases = {"queue": timing.queue_s, "encode": timing.encode_s, "decode": timing.decode_s}
    return ", ".join(f"{name};dur={seconds * 1000:.1f}" for name, seconds in phases.items())
