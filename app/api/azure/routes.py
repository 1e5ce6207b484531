"""Azure Translator's text translation, version 3: ``/translate``, ``/detect``, ``/languages``.

``?api-version=3.0`` chooses it on the paths that LibreTranslate's contract has, too; ``/azure/...`` always does.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import header_key
from app.api.azure.parameters import ALIGNMENT, DETECT, LENGTHS, TO, TRANSLATE, read_texts, requests_of
from app.api.dependencies import CurrentService
from app.api.disconnect import run_while_connected
from app.api.parameter import Given
from app.api.request_body import read_body
from app.api.response_headers import translation_headers
from app.engine.interface import Timing
from app.fairness.offload import Inline, offload
from app.text.detection import Detection
from app.translation.deadline import deadline
from app.translation.languages import languages_of, name_of, spelled
from app.translation.pipeline import put_together
from app.translation.request import ItemTranslation
from app.translation.sentence import SentenceTranslation
from app.translation.word_links import word_links
from languages.neutral import locale_of
from languages.registry import language_of

router = APIRouter(tags=["Azure"], prefix="/azure", include_in_schema=False)
_KEY_HEADER, _TRACE_HEADER = "Ocp-Apim-Subscription-Key", "X-ClientTraceId"


@router.post("/translate")
async def post_translate(request: Request, service: CurrentService) -> Response:
    """Translates each text into each target language."""
    key = await service.access.check(request, _key(request), "translate")
    body = await read_body(request, service.settings.max_body_bytes)
    given = service.given(TRANSLATE, _query(request))
    texts = await offload(read_texts, body, service.settings, size=len(body), inline=Inline.READING)
    columns: list[list[ItemTranslation]] = []
    timing = Timing()
    requests = requests_of(given, texts)
    characters = sum(wanted.characters for wanted in requests)
    # All languages together have the time of one request.
    async with service.access.spending(key, characters), deadline(service.settings.request_timeout_s):
        for wanted in requests:
            items, own = await run_while_connected(request, service.translator.translate(wanted))
            columns.append(items)
            timing += own
    answer = await put_together(requests[0], _translations, given, texts, columns)
    headers = translation_headers([item for column in columns for item in column], timing) | _trace(request)
    return JSONResponse(answer, headers=headers)


@router.post("/detect")
async def post_detect(request: Request, service: CurrentService) -> Response:
    """Detects the language of each text."""
    await service.access.check(request, _key(request), "detect")
    body = await read_body(request, service.settings.max_body_bytes)
    service.given(DETECT, _query(request))
    texts = await offload(read_texts, body, service.settings, size=len(body), inline=Inline.READING)
    detector = service.translator.detector
    found: list[list[Detection]] = await offload(
        list, map(detector.detect_served, texts), size=len(body), inline=Inline.TEXTS
    )
    supported = {"isTranslationSupported": True, "isTransliterationSupported": False}
    answer = [[_candidate(each) | supported for each in candidates] for candidates in found]
    return JSONResponse([best | {"alternatives": others} for best, *others in answer], headers=_trace(request))


@router.get("/languages")
async def get_languages(request: Request, service: CurrentService) -> Response:
    """Lists the languages; there is no dictionary and no transliteration."""
    service.given(DETECT, _query(request))
    languages = {spelled(code): _language(code) for code in languages_of(service.engine.pairs)}
    answer = {"translation": languages, "transliteration": {}, "dictionary": {}}
    scopes = request.query_params.get("scope", ",".join(answer)).split(",")
    return JSONResponse({name: answer[name] for name in answer if name in scopes}, headers=_trace(request))


def _query(request: Request) -> dict[str, object]:
    """The query; ``to`` may be repeated, and names languages parted by commas."""
    values: dict[str, object] = dict(request.query_params)
    targets = [code for value in request.query_params.getlist(TO.name) for code in value.split(",") if code]
    return values | {TO.name: targets}


def _key(request: Request) -> str | None:
    return request.headers.get(_KEY_HEADER) or header_key(request, "Bearer")


def _trace(request: Request) -> dict[str, str]:
    trace = request.headers.get(_TRACE_HEADER)
    return {_TRACE_HEADER: trace} if trace and trace.isascii() and trace.isprintable() else {}


def _language(code: str) -> dict[str, str]:
    direction = "rtl" if language_of(code).right_to_left else "ltr"
    locale = locale_of(code)
    native = locale.get_display_name() if locale else None
    return {"name": name_of(code), "nativeName": native or name_of(code), "dir": direction}


def _candidate(found: Detection) -> dict[str, Any]:
    return {"language": spelled(found.language), "score": round(found.confidence / 100, 3)}


def _translations(
    given: Given, texts: Sequence[str], columns: Sequence[Sequence[ItemTranslation]]
) -> list[dict[str, Any]]:
    """An object for each text, with its translation into each language."""
    answer = []
    for text, items in zip(texts, zip(*columns, strict=True), strict=True):
        detection = items[0].detection
        body: dict[str, Any] = {}
        if detection:
            body["detectedLanguage"] = _candidate(detection)
        body["translations"] = [
            _translation(given, text, code, item) for code, item in zip(given[TO], items, strict=True)
        ]
        answer.append(body)
    return answer


def _translation(given: Given, text: str, code: str, item: ItemTranslation) -> dict[str, Any]:
    body: dict[str, Any] = {"text": item.text, "to": code}
    sentences = item.blocks[0] if item.blocks else ()
    source, target = _places(text), _places(item.text)
    if given[ALIGNMENT]:
        links = [link for sentence in sentences for link in _links(sentence, source, target)]
        body["alignment"] = {"proj": " ".join(f"{b}:{e - 1}-{c}:{f - 1}" for b, e, c, f in sorted(links))}
    if given[LENGTHS]:
        body["sentLen"] = {
            "srcSentLen": _lengths([sentence.source_begin for sentence in sentences], source),
            "transSentLen": _lengths([sentence.target_begin for sentence in sentences], target),
        }
    return body


def _places(text: str) -> Sequence[int]:
    """The place in UTF-16, which Azure's clients count, of each code point, and of the end."""
    if max(text, default="") <= "\uffff":
        return range(len(text) + 1)
    return list(accumulate((1 + (character > "\uffff") for character in text), initial=0))


def _links(
    sentence: SentenceTranslation, source: Sequence[int], target: Sequence[int]
) -> list[tuple[int, int, int, int]]:
    here, there = sentence.source_begin, sentence.target_begin
    return [
        (source[b + here], source[e + here], target[c + there], target[f + there])
        for b, e, c, f in word_links(sentence.source, sentence.text, sentence.alignment)
    ]


def _lengths(begins: Sequence[int], places: Sequence[int]) -> list[int]:
    """The lengths of sentences with what stands behind each, which add up to the text's."""
    ends = [0, *begins[1:], len(places) - 1]
    return [places[end] - places[begin] for begin, end in pairwise(ends)]
