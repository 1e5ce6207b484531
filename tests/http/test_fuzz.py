"""Nothing that can be sent gives anything but an answer or a documented refusal; an exception would fail the test."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.api.deepl.endpoints import TRANSLATE as DEEPL
from app.api.libretranslate.endpoints import TRANSLATE as LIBRETRANSLATE
from tests.support.fakes import FakeEngine, build, client_of
from tests.support.parameters import json_values, requests_for

APP = build(FakeEngine())
DOCUMENTED = {200, 400, 413, 504}
bounded = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])

near_requests = requests_for(LIBRETRANSLATE)
near_deepl_requests = requests_for(DEEPL)
content_types = st.sampled_from(
    [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "multipart/form-data; boundary=",
        "multipart/form-data",
        "text/plain",
    ]
) | st.binary(max_size=30).filter(lambda value: not set(value) & set(b"\r\n\0"))
# Bytes that look enough like a multipart form to reach the inside of its parser.
fragments = st.sampled_from(
    [
        b"--x", b"\r\n", b"--", b"\r\n\r\n", b'Content-Disposition: form-data; name="q"', b"; filename=f", b"q", b"=",
        b"&", b"%", b"Content-Transfer-Encoding: base64", b"Content-Transfer-Encoding: x", b'{"q":', b'"', b"}",
        b"\xff",
    ]
)  # fmt: skip
bodies = st.binary(max_size=100) | st.lists(fragments | st.binary(max_size=4), max_size=20).map(b"".join)


@bounded
@given(body=json_values | near_requests | near_deepl_requests)
async def test_any_json_gives_an_answer_or_a_documented_refusal(body):
    async with client_of(APP) as client:
        for path in ("/translate", "/detect", "/v2/translate", "/v2/languages"):
            response = await client.post(
                path, content=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
            )
            check(response)


@bounded
@given(body=bodies, content_type=content_types, query=st.binary(max_size=40))
async def test_any_bytes_give_an_answer_or_a_documented_refusal(body, content_type, query):
    async with client_of(APP) as client:
        for path in ("/translate", "/v2/translate"):
            check(await client.post(path, content=body, headers={"Content-Type": content_type}))
            check(await client.post(path, params=query.decode("latin-1")))


def check(response):
    assert response.status_code in DOCUMENTED
    if response.status_code != 200:
        assert set(response.json()) in (
            {"error", "code"},
            {"message", "detail"},
            {"message", "code"},
        )  # the last is DeepLX's
        assert all(response.json().values())
