"""Features that the contracts have and this server doesn't."""

import pytest

GLOSSARY = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"


@pytest.mark.parametrize(
    ("method", "path", "status", "text"),
    [
        ("POST", "/suggest", 403, "Suggestions are disabled on this server."),
    ],
)
async def test_libretranslate(client, method, path, status, text):
    response = await client.request(method, path)
    assert (response.status_code, response.json()) == (status, {"error": text, "code": "feature_disabled"})


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v2/glossaries", "glossaries"),
        ("/v3/glossaries", "glossaries"),
        ("/v2/glossary-language-pairs", "supported_languages"),
        ("/v3/style_rules?page=0", "style_rules"),
        ("/v3/translation_memories", "translation_memories"),
    ],
)
async def test_deepl_lists_are_empty(client, path, name):
    response = await client.get(path)
    assert (response.status_code, response.json()[name]) == (200, [])


@pytest.mark.parametrize(
    ("method", "path", "status", "feature"),
    [
        ("POST", "/v2/glossaries", 400, "Glossaries"),
        ("POST", "/v3/glossaries", 400, "Glossaries"),
        ("GET", f"/v2/glossaries/{GLOSSARY}/entries", 404, "Glossaries"),
        ("PATCH", f"/v3/glossaries/{GLOSSARY}", 404, "Glossaries"),
        ("PUT", f"/v3/glossaries/{GLOSSARY}/dictionaries", 404, "Glossaries"),
        ("DELETE", f"/v3/glossaries/{GLOSSARY}", 404, "Glossaries"),
        ("POST", "/v2/write/rephrase", 400, "Text improvements"),
        ("POST", "/v2/write/correct", 400, "Text improvements"),
        ("POST", "/v2/write/other", 404, "Text improvements"),
        ("POST", "/v3/translation_memories", 400, "Translation memories"),
        ("GET", f"/v3/translation_memories/{GLOSSARY}", 404, "Translation memories"),
        ("POST", "/v3/translation_memories/import", 400, "Translation memories"),
    ],
)
async def test_deepl_refuses_the_rest(client, method, path, status, feature):
    response = await client.request(method, path)
    assert response.status_code == status
    assert response.json() == {
        "message": f"{feature} are not available on this server.",
        "detail": "feature_disabled",
    }
    assert response.headers["X-Trace-ID"]
