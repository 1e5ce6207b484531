"""For every contract: its paths can't escape admission control, its error shape or the metrics."""

import pytest
from fastapi.routing import APIRoute

from app.api.contract import Contract, find_contract
from app.errors import Overloaded
from app.main import CONTRACTS
from tests.support.fakes import FakeEngine, build, serving

DOCUMENT = build(FakeEngine()).openapi()


def routes_of(contract: Contract) -> list[APIRoute]:
    return [route for router in contract.routers for route in router.routes if isinstance(route, APIRoute)]


def documented_requests(contract: Contract) -> list[tuple[str, object]]:
    """Path and body of every example of a POST request that is documented."""
    return [
        (route.path, example["value"])
        for route in routes_of(contract)
        for operation in [DOCUMENT["paths"].get(route.path, {}).get("post")]
        if operation and "requestBody" in operation
        for example in operation["requestBody"]["content"]
        .get("application/json", {"examples": {}})["examples"]
        .values()
    ]


EVERY_ROUTE = [
    pytest.param(contract, route, id=f"{contract.name} {route.path}")
    for contract in CONTRACTS
    for route in routes_of(contract)
]
EVERY_CONTRACT = [pytest.param(contract, id=contract.name) for contract in CONTRACTS]


@pytest.mark.parametrize(("contract", "route"), EVERY_ROUTE)
async def test_every_path_has_its_contracts_errors_and_is_counted(contract, route):
    assert find_contract(route.path, CONTRACTS) is contract
    if route.include_in_schema:
        assert route.tags == [contract.name]
    async with serving(FakeEngine()) as client:
        response = await client.request("TRACE", route.path)
        metrics = (await client.get("/metrics")).text
    assert response.status_code == 405
    assert response.json() == contract.error_body("Method Not Allowed", "method_not_allowed")
    assert f'endpoint="{route.path}",status="405"' in metrics


@pytest.mark.parametrize("contract", EVERY_CONTRACT)
async def test_every_path_that_translates_is_refused_while_the_queue_is_full(contract):
    translating = set()
    for path, body in documented_requests(contract):
        engine = FakeEngine()
        async with serving(engine) as client:
            await client.post(path, json=body)
            if not engine.calls:
                continue
            translating.add(path)
            engine.full = True
            response = await client.post(path, json=body)
            metrics = (await client.get("/metrics")).text
        assert response.status_code == 503
        assert response.json() == contract.error_body("busy", Overloaded.code)
        assert f'dragoman_http_request_duration_seconds_count{{endpoint="{path}",status="503"}} 1.0' in metrics
    documented = {route.path for route in routes_of(contract) if route.include_in_schema}
    assert translating == contract.translating_paths & documented
