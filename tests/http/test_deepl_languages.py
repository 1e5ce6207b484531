"""Languages with scripts and regions, as DeepL's contract lists them."""

import pytest

from tests.support.fakes import FakeEngine, serving

CHINESE_AND_PORTUGUESE = frozenset(
    pair for code in ("pt", "pt-br", "zh-hans", "zh-hant") for pair in (("en", code), (code, "en"))
)


async def test_scripts_and_regions_are_targets_and_their_language_is_the_source():
    async with serving(FakeEngine(CHINESE_AND_PORTUGUESE)) as client:
        sources = (await client.get("/v2/languages?type=source")).json()
        targets = (await client.get("/v2/languages?type=target")).json()
        every = (await client.get("/v3/languages?resource=translate_text")).json()
        body = {"text": ["X."], "source_lang": "ZH", "target_lang": "EN-US"}
        [translation] = (await client.post("/v2/translate", json=body)).json()["translations"]
    assert [each["language"] for each in sources] == ["EN", "PT", "ZH"]
    assert [(each["language"], each["name"]) for each in targets] == [
        ("EN-GB", "English (British)"),
        ("EN-US", "English (American)"),
        ("PT-PT", "Portuguese (European)"),
        ("PT-BR", "Portuguese (Brazilian)"),
        ("ZH-HANS", "Chinese"),
        ("ZH-HANT", "Chinese (traditional)"),
    ]
    assert [each["lang"] for each in every] == ["en", "en-GB", "en-US", "pt", "pt-PT", "pt-BR", "zh-Hans", "zh-Hant"]
    assert translation["detected_source_language"] == "ZH"


@pytest.mark.parametrize("code", ["PT", "PT-BR"])
async def test_the_only_region_of_a_language_stands_for_it(code):
    async with serving(FakeEngine(frozenset({("pt-br", "en")}))) as client:
        sources = (await client.get("/v2/languages")).json()
        body = {"text": ["X."], "source_lang": code, "target_lang": "EN-US"}
        response = await client.post("/v2/translate", json=body)
    assert [each["language"] for each in sources] == ["PT"]
    assert response.json()["translations"][0]["detected_source_language"] == "PT"
