"""DeepLX's request on ``POST /translate``: ``text`` and ``target_lang`` instead of ``q``, ``source`` and ``target``.

Zotero and browser extensions send it. The answer and the errors are DeepLX's, too:
https://deeplx.owo.network/endpoints/free.html
"""

import secrets
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from app.api.access import header_key
from app.api.dependencies import Service
from app.api.disconnect import run_while_connected
from app.api.error_responses import own_error_response
from app.api.libretranslate.requests import parse_translation
from app.api.parameter import ABSENT
from app.errors import DragomanError, InvalidRequest
from app.translation.pipeline import put_together
from app.translation.request import AUTO, ItemTranslation, TranslationRequest

_FORMATS = {"": "text", "html": "html"}


def is_deeplx(values: Mapping[str, object]) -> bool:
    """Tells whether the parameters are those of DeepLX."""
    return "q" not in values and "text" in values and "target_lang" in values


async def answer_deeplx(request: Request, service: Service, values: Mapping[str, object]) -> Response:
    """Translates one text."""
    try:
        offered = request.query_params.get("token") or header_key(request, "Bearer")
        key = await service.access.check(request, offered, "translate")
        wanted = parse_translation(_renamed(values), settings=service.settings, pairs=service.engine.pairs)
        async with service.access.spending(key, wanted.characters):
            [item], _ = await run_while_connected(request, service.translator.translate(wanted))
        return await put_together(wanted, _response, wanted, item)
    except DragomanError as error:
        refusal = own_error_response(request.scope, error)
        body = {"code": refusal.status_code, "message": str(error)}
        headers = {name: refusal.headers[name] for name in ("Retry-After",) if name in refusal.headers}
        return JSONResponse(body, status_code=refusal.status_code, headers=headers)


def _renamed(values: Mapping[str, object]) -> dict[str, object]:
    """The parameters with LibreTranslate's names.

    Raises:
        InvalidRequest: ``text`` is no string, something is missing, or the markup is another than HTML.
    """
    for name in ("text", "target_lang"):
        if values[name] in ABSENT:
            raise InvalidRequest(f"Invalid request: missing {name} parameter")
    text, markup = values["text"], values.get("tag_handling") or ""
    if not isinstance(text, str):
        raise InvalidRequest("Invalid request: text parameter must be a string")
    if not isinstance(markup, str) or markup.lower() not in _FORMATS:
        raise InvalidRequest("Invalid request: tag_handling parameter must be html or absent")
    source = values.get("source_lang")
    return {
        "q": text,
        "source": AUTO if source in ABSENT else source,
        "target": values["target_lang"],
        "format": _FORMATS[markup.lower()],
    }


def _response(wanted: TranslationRequest, item: ItemTranslation) -> JSONResponse:
    source = item.detection.language if item.detection else wanted.source
    body: dict[str, Any] = {
        "code": 200,
        "id": secrets.randbelow(10**10),
        "data": item.text,
        "alternatives": None,
        "source_lang": source.upper(),
        "target_lang": wanted.target.upper(),
        "method": "Free",
    }
    return JSONResponse(body)
