"""Nothing that can be sent gives anything but an answer or a documented refusal; an exception would fail the test."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.fakes import FakeEngine, build, client_of

pytestmark = pytest.mark.anyio

APP = build(FakeEngine())
DOCUMENTED = {200, 400, 413, 504}
bounded = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])

# Lone surrogates are left in: JSON can spell them.
texts = st.text(st.characters(), max_size=40)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=8
)
languages = st.sampled_from(["de", "en", "auto", "DE", "zz"])
near_requests = st.fixed_dictionaries(
    {"q": texts | st.lists(texts, max_size=4) | json_values, "source": languages, "target": languages},
    optional={
        "format": st.sampled_from(["text", "html", "pdf", None]) | json_values,
        "alternatives": st.integers(-2, 20) | json_values,
        "beam_size": st.integers(-2, 20) | json_values,
        "beam_threshold": st.floats() | json_values,
        "length_penalty": st.floats() | json_values,
        "max_length": st.integers(-2, 600) | json_values,
        "min_length": st.integers(-2, 600) | json_values,
        "no_repeat_ngram": st.integers(-2, 20) | json_values,
        "repetition_penalty": st.floats() | json_values,
        "deadline_ms": st.integers(-2, 10_000) | json_values,
    },
)
deepl_languages = st.sampled_from(["DE", "en", "EN-GB", "", "ZZ"])
flags = st.booleans() | st.sampled_from(["0", "1", 2]) | json_values
tags = st.lists(texts, max_size=3) | texts | json_values
near_deepl_requests = st.fixed_dictionaries(
    {"text": texts | st.lists(texts, max_size=4) | json_values, "target_lang": deepl_languages},
    optional={
        "source_lang": deepl_languages | json_values,
        "tag_handling": st.sampled_from(["xml", "html", None]) | json_values,
        "split_sentences": st.sampled_from(["0", "1", 1, "nonewlines"]) | json_values,
        "formality": st.sampled_from(["more", "less", "prefer_less"]) | json_values,
        "model_type": st.sampled_from(["latency_optimized", "quality_optimized"]) | json_values,
        "show_billed_characters": flags,
        "preserve_formatting": flags,
        "outline_detection": flags,
        "ignore_tags": tags,
        "splitting_tags": tags,
        "glossary_ids": tags,
    },
)
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
