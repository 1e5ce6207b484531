"""Requests made up from our own OpenAPI document, valid and invalid: no 5xx, nothing undocumented.

Schemathesis sends some 1,000 that cover the document, and then EXAMPLES random ones to each endpoint that takes
parameters (fewer if there are no more). ``make fuzz`` sends more than 10,000 in all.
"""

import os
from collections import Counter
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.fakes import FakeEngine, build

EXAMPLES = int(os.environ.get("EXAMPLES", "20"))
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]
SERVED = {"source": "auto", "target": "en", "source_lang": "EN", "target_lang": "DE"}

schema = schemathesis.openapi.from_dict(build(FakeEngine()).openapi())


@schema.hook
def map_body(context, body):
    """To the document any string is a language, but hardly any is served: replaces every other one."""
    if not isinstance(body, dict):
        return body
    return {
        name: SERVED[name] if name in SERVED and isinstance(value, str) and len(value) % 2 else value
        for name, value in body.items()
    }


@pytest.fixture(scope="module")
def statuses() -> Iterator[Counter[int]]:
    counter: Counter[int] = Counter()
    yield counter
    print(f"\n{counter.total()} requests; by status: {dict(sorted(counter.items()))}")


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_server_error_and_nothing_undocumented(case, url, statuses):
    response = case.call(base_url=url, timeout=120)  # hundreds of tokens in a wide beam take their time
    statuses[response.status_code] += 1
    if response.status_code >= 500:
        assert response.status_code == 504 and "deadline_ms" in repr(case.body), "a deadline may be too short"
    case.validate_response(response, checks=CHECKS)
