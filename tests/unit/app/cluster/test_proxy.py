"""What Ray's proxies answer when an ingress is lost."""

import httpx
import pytest

pytest.importorskip("ray")
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.cluster.proxy import middlewares


async def silent(scope: Scope, receive: Receive, send: Send) -> None:
    """Ray's proxy after the ingress has died."""


async def post(app: ASGIApp, path: str) -> httpx.Response:
    [middleware] = middlewares()
    transport = httpx.ASGITransport(middleware.cls(app))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        return await client.post(path)


@pytest.mark.parametrize(
    ("path", "names"), [("/translate", {"error", "code"}), ("/v2/translate", {"message", "detail"})]
)
async def test_a_request_without_an_answer_gets_503_in_its_contracts_shape(path, names):
    response = await post(silent, path)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert response.json().keys() == names


async def test_other_answers_stay_and_every_503_says_when_to_try_again():
    assert (await post(PlainTextResponse("fine"), "/translate")).text == "fine"
    answers = [PlainTextResponse("away", 503), PlainTextResponse("away", 503, {"Retry-After": "7"})]
    assert [(await post(answer, "/translate")).headers["Retry-After"] for answer in answers] == ["1", "7"]
