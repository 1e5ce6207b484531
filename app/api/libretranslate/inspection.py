"""POST /inspect: how a model came to its translation of one sentence. LibreTranslate has nothing like it."""

from dataclasses import asdict

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import header_key
from app.api.dependencies import CurrentService
from app.api.disconnect import run_while_connected
from app.api.libretranslate import inspection_openapi as docs
from app.api.libretranslate.endpoints import INSPECT, TRANSLATION
from app.api.libretranslate.parameters import OPTIONS, SOURCE, TARGET, Q
from app.api.request_body import read_parameters
from app.engine.interface import Inspection, InspectionCall, SearchNode
from app.fairness.offload import offload

router = APIRouter(tags=["Translation"])


@router.post(
    "/inspect",
    summary="See how a sentence is translated",
    openapi_extra=docs.INSPECT_REQUEST,
    responses=docs.INSPECT_RESPONSES,
)
async def post_inspect(request: Request, service: CurrentService) -> Response:
    """Shows every step of the beam search and what each attention head looks at, for one sentence.

    `search` is a tree. Each node extends another node, its `parent`, by a piece of a word; the first nodes have none.
    The nodes come step by step, best first. A node that nothing extends and that has no `score` was dropped.

    `attention` has the weights by layer, head and row. Each row is a piece that looks, each column a piece that it
    looks at. The rows of `decoder` and `cross` are the pieces that the decoder was given, the start first; at each it
    makes the next piece. They are the pieces of `translation`, or of the best translation found. A bundle without
    graphs for attention gives no `attention`.

    The model gets the text as it is: no spans are protected, and no second attempt is made. A pair that needs a pivot
    has two searches, so it is refused.
    """
    values = await read_parameters(request, service.settings.max_body_bytes)
    key = await service.access.check(request, values.get("api_key") or header_key(request, "Bearer"), "translate")
    given = service.given(INSPECT, values)
    [text] = given[Q]
    call = InspectionCall(
        text=text,
        source=given[SOURCE],
        target=given[TARGET],
        options=given[OPTIONS],
        translation=given[TRANSLATION],
    )
    async with service.access.spending(key, len(text)):
        inspection = await run_while_connected(request, service.engine.inspect(call))
    return await offload(_response, inspection)


def _response(inspection: Inspection) -> JSONResponse:
    attention = inspection.attention
    body = {"source": inspection.source, "search": [_node_body(node) for node in inspection.nodes]}
    return JSONResponse(body if attention is None else {**body, "attention": asdict(attention)})


def _node_body(node: SearchNode) -> dict[str, object]:
    return {
        **({} if node.parent is None else {"parent": node.parent}),
        "text": node.text,
        "log_probability": round(node.log_probability, 4),
        **({} if node.score is None else {"score": round(node.score, 4)}),
        "best": node.is_best,
    }
