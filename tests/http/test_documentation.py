"""The OpenAPI document tells the truth."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from app.api.deepl.parameters import MAX_BODY_BYTES
from app.api.error_responses import STATUS
from app.api.libretranslate.endpoints import TRANSLATE
from app.api.libretranslate.parameters import API_KEY
from app.main import CONTRACTS
from app.settings import Settings
from app.text.quality_checks import Verdict
from tests.support.fakes import FakeEngine, build, serving

DOCUMENT = build(FakeEngine()).openapi()
OPERATIONS = [(method, path, body) for path, item in DOCUMENT["paths"].items() for method, body in item.items()]


def examples_of(part: dict[str, Any]) -> dict[str, Any]:
    return {
        name: example["value"]
        for body in part.get("content", {}).values()
        for name, example in body.get("examples", {}).items()
    }


def response_examples(operation: dict[str, Any]) -> Iterator[tuple[int, str, Any]]:
    for status, response in operation["responses"].items():
        for name, value in examples_of(response).items():
            yield int(status), name, value


OPEN_GETS = [
    (method, path)
    for method, path, body in OPERATIONS
    if method == "get"
    and "401" not in body["responses"]
    and "{" not in path
    and "glossar" not in path  # without a database there are none; tests/http/test_glossaries.py
    and "translation_memories" not in path  # likewise; tests/http/test_memories.py
    and "style_rules" not in path  # likewise; tests/http/test_style_rules.py
]
REQUESTS = [
    (method, path, name, body)
    for method, path, operation in OPERATIONS
    if "requestBody" in operation
    for name, body in examples_of(operation["requestBody"]).items()
]


@pytest.mark.parametrize(("method", "path", "name", "body"), REQUESTS)
async def test_request_examples_give_the_documented_responses(client, method, path, name, body):
    operation = DOCUMENT["paths"][path][method]
    documented = [(status, value) for status, other, value in response_examples(operation) if other == name]
    response = await client.request(method, path, json=body)
    is_stream = response.headers["Content-Type"].startswith("text/event-stream")
    answer = response.text if is_stream else response.json()
    assert [(response.status_code, without_confidence(answer))] == [
        (status, without_confidence(value)) for status, value in documented
    ]


def test_documented_limits_are_the_settings():
    settings = Settings()
    for _, path, operation in OPERATIONS:
        for _, name, value in response_examples(operation):
            text = str(value)
            if name == "too_large":
                limit = MAX_BODY_BYTES if path == "/v2/translate" else settings.max_body_bytes
                assert f" {limit} bytes" in text
            elif name == "too_long":
                limit = settings.max_texts if path == "/v2/translate" else settings.max_text_chars
                assert f"({limit + 1}) exceeds text limit ({limit})" in text


async def test_documented_settings_and_limits_are_answered(client):
    for path, name in (("/info", "limits"), ("/frontend/settings", "charLimit")):
        documented = [value for status, _, value in response_examples(DOCUMENT["paths"][path]["get"]) if status == 200]
        assert [value[name] for value in documented] == [(await client.get(path)).json()[name]]


@pytest.mark.parametrize("path", ["/translate", "/v2/translate"])
def test_documented_headers_have_examples(path):
    headers = DOCUMENT["paths"][path]["post"]["responses"]["200"]["headers"]
    assert set(headers) == {"Server-Timing", *(f"X-Dragoman-{name}" for name in ("Pivot", "Warnings", "Second-Tier"))}
    assert all(header["description"] and header["example"] for header in headers.values())
    assert all(verdict in headers["X-Dragoman-Warnings"]["description"] for verdict in Verdict)


@pytest.mark.parametrize(("method", "path"), OPEN_GETS)
async def test_get_examples_have_the_shape_of_the_responses(client, method, path):
    operation = DOCUMENT["paths"][path][method]
    response = await client.get(
        path, params={each["name"]: each["example"] for each in operation.get("parameters", [])}
    )
    assert response.status_code == 200
    (example,) = [value for status, _, value in response_examples(operation) if status == 200]
    if response.headers["Content-Type"] == "application/json":
        assert shape(response.json()) == shape(example)
    else:
        assert example.partition("{")[0] in (await client.get(path)).text, "the first request is counted by now"


STORED = {
    (method, path)
    for method, path, _ in OPERATIONS
    if re.match("/v[23]/glossar|/v3/translation_m|/v3/style_rules|/suggest|/admin/s", path)
} - {("get", "/admin/status")}
WALK = """
post /v3/translation_memories
get /v3/translation_memories
get /v3/translation_memories/{translation_memory_id}
patch /v3/translation_memories/{translation_memory_id}
post /v3/translation_memories/{translation_memory_id}/segments
get /v3/translation_memories/{translation_memory_id}/segments
patch /v3/translation_memories/{translation_memory_id}/segments/{segment_id}
get /v3/translation_memories/{translation_memory_id}/file
post /v3/translation_memories/{translation_memory_id}/file
post /suggest
get /admin/suggestions
post /admin/suggestions/{suggestion_id}
delete /v3/translation_memories/{translation_memory_id}/segments/{segment_id}
delete /v3/translation_memories/{translation_memory_id}
get /v2/glossary-language-pairs
post /v2/glossaries
get /v2/glossaries
get /v2/glossaries/{glossary_id}
get /v2/glossaries/{glossary_id}/entries
delete /v2/glossaries/{glossary_id}
post /v3/glossaries
get /v3/glossaries
get /v3/glossaries/{glossary_id}
patch /v3/glossaries/{glossary_id}
put /v3/glossaries/{glossary_id}/dictionaries
get /v3/glossaries/{glossary_id}/entries
delete /v3/glossaries/{glossary_id}/dictionaries
delete /v3/glossaries/{glossary_id}
post /v3/style_rules
get /v3/style_rules
get /v3/style_rules/{style_id}
patch /v3/style_rules/{style_id}
put /v3/style_rules/{style_id}/configured_rules
delete /v3/style_rules/{style_id}
"""


async def test_the_examples_about_what_is_kept_work_one_after_the_other(tmp_path):
    """Each request is the documented one, but for its ids; each response looks like the documented one."""
    walk = [tuple(line.split()) for line in WALK.split("\n") if line]
    assert set(walk) == STORED
    ids: dict[str, object] = {"suggestion_id": 1}
    settings = Settings(data=tmp_path, suggestions=True, admin_key="the-operators-key")
    async with serving(FakeEngine(), settings) as client:
        for method, path in walk:
            operation = DOCUMENT["paths"][path][method]
            [body] = examples_of(operation.get("requestBody", {})).values() or [None]
            wanted = {"json": body} if body else {}
            if path.endswith("/file") and method == "post":
                wanted = {"files": {"file": ("a.tsv", b"Guten Tag!\tGood day!\n")}}
            elif path.startswith("/admin") and method == "post":
                wanted = {"json": {"state": "accepted", "translation_memory_id": ids["translation_memory_id"]}}
            query = {one["name"]: one["example"] for one in operation.get("parameters", []) if one["in"] == "query"}
            query.pop("page_cursor", None)  # the last page has none
            headers = {"Authorization": "Bearer the-operators-key"} if path.startswith("/admin") else {}
            response = await client.request(method, path.format(**ids), params=query, headers=headers, **wanted)
            [(status, example)] = {
                status: value for status, _, value in response_examples(operation) if status < 400
            }.items() or [(204, None)]
            assert response.status_code == status, (method, path, response.text)
            if isinstance(example, dict):
                answer = response.json()
                shown = {name: value for name, value in example.items() if name != "next_page_cursor"}
                assert outline(answer) == outline(shown), (method, path)
                ids |= {
                    name: answer[name]
                    for name in ("translation_memory_id", "glossary_id", "style_id")
                    if name in answer
                }
                ids["segment_id"] = answer.get("source_segment_id", ids.get("segment_id"))


def test_every_endpoint_has_a_summary_a_tag_and_examples_for_every_status():
    for _, path, operation in OPERATIONS:
        assert operation["summary"] and operation["description"] and operation["tags"], path
        statuses = {int(status) for status in operation["responses"]}
        assert statuses - {204} == {status for status, _, _ in response_examples(operation)}, path
        assert 422 not in statuses, path
        if "requestBody" in operation:
            assert {400, 413, 500} <= statuses and {200, 201} & statuses


def test_documented_errors_are_those_of_the_table():
    documented_contracts = [each for each in CONTRACTS if each.is_documented]
    table = [item for each in documented_contracts for item in (STATUS | dict(each.statuses)).items()]
    codes = {(status, error.code) for error, status in table}
    codes |= {(413, "body_too_large"), (415, "unsupported_media_type")}
    documented = {
        (status, value["code"] if "code" in value else value["detail"])
        for _, _, operation in OPERATIONS
        for status, _, value in response_examples(operation)
        if status >= 400
    }
    assert documented <= codes
    for status, code in codes - {(499, "cancelled"), (500, "bundle_error"), (500, "configuration_error")}:
        assert (status, code) in documented


@pytest.mark.parametrize("name", [each.name for each in TRANSLATE.documented if each is not API_KEY])
async def test_a_value_of_no_documented_type_is_refused(client, name):
    body = {"q": "x", "source": "de", "target": "en"} | {name: [[]] if name == "glossary" else {"a": {}}}
    response = await client.post("/translate", json=body)
    assert response.status_code == 400 and name in response.json()["error"]


def ranges() -> Iterator[tuple[str, float, bool]]:
    for name, schema in TRANSLATE.model("Request", "").model_json_schema()["properties"].items():
        for kind in [schema, *schema.get("anyOf", [])]:
            for bound, beyond in (("minimum", -1), ("maximum", 1)):
                if bound in kind and name != "alternatives":
                    yield name, kind[bound], True
                    yield name, kind[bound] + beyond, False


@pytest.mark.parametrize(("name", "value", "is_valid"), list(ranges()))
async def test_documented_ranges_are_those_that_are_checked(client, name, value, is_valid):
    body = {"q": "x", "source": "de", "target": "en", name: value}
    if name == "min_length":
        body["max_length"] = 512
    response = await client.post("/translate", json=body)
    # A deadline of 1 ms may pass.
    assert response.status_code in ((200, 504) if is_valid else (400,))


def test_the_document_is_openapi_and_every_reference_leads_somewhere():
    from openapi_spec_validator import validate  # takes seconds

    validate(DOCUMENT)  # follows references, too
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(ids)) == len(ids) and {"post_translate", "post_v2_translate"} <= set(ids)


async def test_spec_and_openapi_are_the_same(client):
    spec = await client.get("/spec")
    assert spec.json() == (await client.get("/openapi.json")).json() == DOCUMENT
    assert DOCUMENT["info"]["title"] == "Dragoman"
    assert {tag["name"] for tag in DOCUMENT["tags"]} == {tag for _, _, body in OPERATIONS for tag in body["tags"]}


def without_confidence(value: Any) -> Any:
    """The detector decides how sure it is; the documentation can't know it to the decimal."""
    if isinstance(value, list):
        return [without_confidence(item) for item in value]
    if isinstance(value, dict):
        return {name: without_confidence(item) for name, item in value.items() if name != "confidence"}
    return value


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value)


def outline(value: Any) -> Any:
    """The names in a value, whatever they hold: without an API key, some are null."""
    if isinstance(value, dict):
        return {name: outline(item) for name, item in value.items()}
    return [outline(item) for item in value[:1]] if isinstance(value, list) else "..."
