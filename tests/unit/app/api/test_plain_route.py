"""Endpoints that FastAPI has nothing to do for, and others beside them."""

import httpx
import pytest
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import PlainTextResponse

from app.api.dependencies import CurrentService
from app.api.plain_route import PlainRoute

router = APIRouter(route_class=PlainRoute)


@router.get("/both")
async def both(request: Request, service: CurrentService) -> PlainTextResponse:
    return PlainTextResponse(f"{request.url.path} {service}")


@router.get("/service")
async def service_alone(service: CurrentService) -> PlainTextResponse:
    return PlainTextResponse(str(service))


@router.get("/nothing")
async def nothing() -> PlainTextResponse:
    return PlainTextResponse("nothing")


@router.get("/number/{number}")
async def further(number: int, service: CurrentService) -> PlainTextResponse:
    return PlainTextResponse(f"{number + 1} {service}")


@router.get("/thread")
def in_a_thread(service: CurrentService) -> PlainTextResponse:
    return PlainTextResponse(str(service))


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/both", "/both it"),
        ("/service", "it"),
        ("/nothing", "nothing"),
        ("/number/1", "2 it"),
        ("/thread", "it"),
    ],
)
async def test_every_endpoint_gets_what_it_takes(path: str, answer: str) -> None:
    app = FastAPI()
    app.state.service = "it"
    app.include_router(router)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        assert (await client.get(path)).text == answer
        assert (await client.get("/number/x")).status_code == 422
