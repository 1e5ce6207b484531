"""Requests made up from our own OpenAPI document, valid and invalid: no 5xx, nothing undocumented.

Schemathesis sends more than a thousand that cover the document, and then EXAMPLES random ones to each endpoint that
takes parameters (fewer if there are no more). ``make fuzz`` sends more than 10,000 in all, with every form of every
body.
"""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import load_all_checks
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.http.conftest import ADMIN_KEY
from tests.support.fakes import FakeEngine, build

EXAMPLES = int(os.environ.get("EXAMPLES", "4"))
IS_LONG = "EXAMPLES" in os.environ
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
KEPT: dict[str, str] = {}
SERVED = {"source": "auto", "target": "en", "source_lang": "EN", "target_lang": "DE"}


EVENT = {
    "type": "object",
    "properties": {"event": {"enum": ["token", "sentence", "translation", "error"]}, "data": {"type": "string"}},
    "required": ["event", "data"],
}


WAYS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
"""How a body with JSON is also read."""


def adapted(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the forms that are read wherever it has JSON, and with the schema of a stream's events.

    OpenAPI 3.1 has no place for that; Schemathesis looks for it where the schema of the whole stream is. A short run
    sends each body in one way, by turns: what reads them is the same for all, and tests/http/test_bodies.py tries it.
    """
    document["paths"]["/translate"]["post"]["responses"]["200"]["content"]["text/event-stream"]["schema"] = EVENT
    operations = [each for path in document["paths"].values() for each in path.values()]
    bodies = [each["requestBody"] for each in operations if "requestBody" in each]
    for turn, body in enumerate(each for each in bodies if "application/json" in each["content"]):
        [content] = body["content"].values()
        ways = WAYS if IS_LONG else [WAYS[turn % len(WAYS)]]
        body["content"] = dict.fromkeys(ways, content)
    return document


def map_body(context, body):
    """To the document any string is a language or a key, but hardly any is served: replaces every other one."""
    if not isinstance(body, dict):
        return body
    return {
        name: (SERVED | KEPT)[name] if name in SERVED | KEPT and isinstance(value, str) and len(value) % 2 else value
        for name, value in body.items()
    }


def map_path_parameters(context, path_parameters):
    """Nothing random is the id of a glossary or memory: replaces every other one, unless the whole thing is deleted."""
    is_deleted = context.operation.method == "delete" and context.operation.path.endswith("_id}")
    if not path_parameters or is_deleted:
        return path_parameters
    return {
        name: KEPT[name] if name in KEPT and len(str(value)) % 2 else value for name, value in path_parameters.items()
    }


@pytest.fixture(scope="module")
def document() -> BaseSchema:
    made = schemathesis.openapi.from_dict(adapted(build(FakeEngine()).openapi()))
    made.hook(map_body)
    made.hook(map_path_parameters)
    return made


@pytest.fixture(scope="module", autouse=True)
def kept(kept_url: str) -> None:
    """A glossary and a translation memory with an entry, for requests without an API key."""
    KEPT["api_key"] = ""
    with httpx.Client(base_url=kept_url) as client:
        entries = [
            {"source_lang": source, "target_lang": target, "entries": "a\tb", "entries_format": "tsv"}
            for source, target in (("de", "en"), ("en", "de"))
        ]
        made = client.post("/v3/glossaries", json={"name": "Kept", "dictionaries": entries}).json()
        KEPT["glossary_id"] = made["glossary_id"]
        made = client.post("/v3/translation_memories", json={"name": "Kept", "source_lang": "en", "target_lang": "de"})
        memory_id = KEPT["translation_memory_id"] = made.json()["translation_memory_id"]
        entry = {"source_text": "house", "target_text": "Haus"}
        added = client.post(f"/v3/translation_memories/{memory_id}/segments", json=entry).json()
        KEPT["segment_id"] = added["source_segment_id"]


@pytest.fixture(scope="module")
def statuses() -> Iterator[Counter[int]]:
    counter: Counter[int] = Counter()
    yield counter
    print(f"\n{counter.total()} requests; by status: {dict(sorted(counter.items()))}")


def test_no_server_error_and_nothing_undocumented(document, kept_url, statuses):
    """One test, for pytest 9.2 gives Schemathesis's tests the same name, and of those pytest-xdist runs only one."""

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    def check(case):
        headers = {"Authorization": f"Bearer {ADMIN_KEY}"} if "/admin/" in case.path else None
        # The model finds no end in what is made up: that took four fifths of the server's time.
        if case.path in ("/translate", "/inspect") and isinstance(case.body, dict) and not IS_LONG:
            case.body.setdefault("max_length", 4)
        response = case.call(
            base_url=kept_url, headers=headers, timeout=120
        )  # hundreds of tokens in a wide beam take their time
        statuses[response.status_code] += 1
        if response.status_code >= 500:
            assert response.status_code == 504 and "deadline_ms" in repr(case.body), "a deadline may be too short"
        case.validate_response(response, checks=CHECKS)

    load_all_checks()
    feedback = FeedbackSources(constants_value_source=make_constants_value_source(document))
    for each in document.get_all_operations():
        build_operation_test(
            config=document.config, operation=each.ok(), test_func=check, given_kwargs={}, feedback=feedback
        )()
    assert statuses.total() > 1000 and statuses[200] > 100
