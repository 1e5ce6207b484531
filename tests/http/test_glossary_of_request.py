"""A glossary that comes with a request, on both contracts."""

import pytest

BEER = {"source": "Bier", "target": "beer", "status": "applied", "count": 1}


async def test_libretranslate_reports_the_terms_of_each_text(client):
    body = {"q": ["Ich möchte ein Bier.", "Wo ist der Bahnhof?"], "source": "de", "target": "en"}
    glossary = {"Bier": "beer", "Bahnhof": "railway station"}
    answer = (await client.post("/translate", json=body | {"glossary": glossary})).json()
    lost = {"source": "Bahnhof", "target": "railway station", "status": "not_found", "count": 1}
    assert answer["terms"] == [[BEER], [lost]]
    assert "terms" not in (await client.post("/translate", json=body)).json()


async def test_terms_are_counted_over_the_sentences_of_a_text(client):
    body = {
        "q": "<p>Ich möchte ein <b>Bier</b>.</p><p>Ich möchte ein Bier.</p>",
        "format": "html",
        "glossary": {"Bier": "beer"},
    }
    answer = (await client.post("/translate", json=body | {"source": "de", "target": "en"})).json()
    assert answer["terms"] == [BEER | {"count": 2}]


async def test_deepl_reports_the_terms_of_each_text(client):
    body = {"text": ["Ich möchte ein Bier.", "Guten Morgen!"], "target_lang": "EN", "glossary": {"Bier": "beer"}}
    answer = (await client.post("/v2/translate", json=body)).json()
    assert [each["terms"] for each in answer["translations"]] == [[BEER], []]


async def test_a_form_has_the_glossary_as_json(client):
    glossary = '{"Bier": "beer"}'
    answer = await client.post(
        "/translate", data={"q": "Ich möchte ein Bier.", "source": "de", "target": "en", "glossary": glossary}
    )
    assert answer.json()["terms"] == [BEER]
    answer = await client.post(
        "/v2/translate", data={"text": "Ich möchte ein Bier.", "target_lang": "EN", "glossary": glossary}
    )
    assert answer.json()["translations"][0]["terms"] == [BEER]


async def test_stand_ins_are_no_terms(client):
    body = {"q": "Ich sehe {{name}} hier.", "source": "de", "target": "en", "protect": ["{{name}}"]}
    answer = (await client.post("/translate", json=body | {"glossary": {"Tom": "Jim", "Boston": "York"}})).json()
    assert answer["terms"] == []
    assert "{{name}}" in answer["translatedText"]


@pytest.mark.parametrize(
    "glossary", ["Bier", "[]", "[[", [["Bier", "beer"]], 5, {"Bier": ""}, {"": "beer"}, {"Bier": None}, {"a\nb": "c"}]
)
async def test_a_glossary_that_cannot_be_used(client, glossary):
    body = {"q": "Bier", "source": "de", "target": "en", "glossary": glossary}
    response = await client.post("/translate", json=body)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_glossary")
    response = await client.post("/v2/translate", json={"text": ["Bier"], "target_lang": "EN", "glossary": glossary})
    assert (response.status_code, response.json()["detail"]) == (400, "invalid_glossary")


async def test_too_many_entries(client):
    glossary = {f"Wort {number}": "word" for number in range(5_001)}
    response = await client.post("/translate", json={"q": "Bier", "source": "de", "target": "en", "glossary": glossary})
    assert response.json()["error"] == "Invalid glossary entries provided: more than 5,000 entries."


@pytest.mark.parametrize("glossary", [None, "", {}])
async def test_an_empty_glossary_is_none(client, glossary):
    body = {"q": "Ich möchte ein Bier.", "source": "de", "target": "en", "glossary": glossary}
    assert (await client.post("/translate", json=body)).json() == {"translatedText": "I'd like a beer."}
