"""Style rules: whose they are, what they mean for a translation, and what is refused by name."""

from typing import Any

import httpx
import pytest

from app.api.deepl.style_rules import WRITTEN, check_rules, meaning
from app.errors import InvalidRequest
from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from app.text.register import Register
from languages.notation import notation_of
from languages.registry import language_of

PATH = "/v3/style_rules"
UNKNOWN = "a74d88fb-ed2a-4943-a664-a4512398b994"
AUSTRIAN = {
    "numbers": {
        "currency_format": "use_currency_symbol_followed_by_space_then_amount",
        "decimal_separator": "use_comma_as_decimal_separator",
    }
}
SWISS = {"spelling_and_grammar": {"eszett": "replace_eszett_with_ss"}}
FORMAL = {"style_and_tone": {"formality": "use_formal_tone"}}


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(data=tmp_path, keys="optional")


async def made(client: httpx.AsyncClient, rules: Any, **others: Any) -> str:
    body = {"name": "Letters", "language": "DE", "configured_rules": rules, **others}
    response = await client.post(PATH, json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["style_id"])


async def translated(client: httpx.AsyncClient, style_id: str, text: str, target: str = "DE", **others: Any) -> Any:
    body = {"text": [text], "source_lang": "EN", "target_lang": target, "style_id": style_id, **others}
    answer = (await client.post("/v2/translate", json=body)).json()
    return answer["translations"][0]["text"] if "translations" in answer else (answer["message"], answer["detail"])


async def test_numbers_are_written_as_in_the_region_of_the_rules(client):
    for rules, amount in ((AUSTRIAN, "€\u00a012.345,60"), (SWISS, "€\u00a012’345.60"), (FORMAL, "12.345,60\u00a0€")):
        assert amount in await translated(client, await made(client, rules), "I owe €12,345.60.")


async def test_lists_belong_to_their_key(tmp_path, client):
    style_id = await made(client, AUSTRIAN)
    other = {"Authorization": f"DeepL-Auth-Key {KeyStore(Database(tmp_path)).add('other')}"}
    assert (await client.get(PATH, headers=other)).json() == {"style_rules": []}
    for method, path in (("GET", ""), ("DELETE", ""), ("PATCH", ""), ("PUT", "/configured_rules")):
        response = await client.request(method, f"{PATH}/{style_id}{path}", headers=other, json={"name": "Mine"})
        assert (response.status_code, response.json()["detail"]) == (404, "style_not_found")
    body = {"text": ["Hello"], "target_lang": "DE", "style_id": style_id}
    response = await client.post("/v2/translate", headers=other, json=body)
    assert (response.status_code, response.json()["detail"]) == (404, "style_not_found")


async def test_lists_come_page_by_page_and_change(client):
    ids = [await made(client, FORMAL, name=f"List {number}") for number in range(3)]
    page = (await client.get(PATH, params={"page": 1, "page_size": 2})).json()["style_rules"]
    assert [each["style_id"] for each in page] == ids[2:]
    assert "configured_rules" not in page[0]
    renamed = (await client.patch(f"{PATH}/{ids[0]}", json={"name": "New"})).json()
    assert (renamed["name"], renamed["version"], renamed["configured_rules"]) == ("New", 2, FORMAL)
    replaced = (await client.put(f"{PATH}/{ids[0]}/configured_rules", json=AUSTRIAN)).json()
    assert (replaced["version"], replaced["configured_rules"]) == (3, AUSTRIAN)
    assert (await client.delete(f"{PATH}/{ids[0]}")).status_code == 204
    assert (await client.get(f"{PATH}/{ids[0]}")).status_code == 404


async def test_rules_are_for_their_language_and_region(client):
    german = await made(client, FORMAL)
    text, code = await translated(client, german, "Hello", source_lang="DE", target="EN-GB")
    assert "style rules are for DE" in text and code == "invalid_request"
    british = await made(
        client, {"dates_and_times": {"dates_in_numerical_form": "use_dd_slash_mm_slash_yyyy"}}, language="en"
    )
    assert "25/7/1982" in await translated(client, british, "Am 25.7.1982.", source_lang="DE", target="EN-GB")
    text, _ = await translated(client, british, "Am 25.7.1982.", source_lang="DE", target="EN-US")
    assert text == "The style rules are not those of en-US; use en-GB."


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"configured_rules": {"punctuation": {"dash": "use_em_dash"}}}, "punctuation.dash: use_em_dash is not"),
        ({"configured_rules": {"numbers": {"decimal_separator": "use_it"}}}, "numbers.decimal_separator: use_it is"),
        ({"configured_rules": {"numbers": {"decimal_separator": 7}}}, "numbers.decimal_separator: 7 is not"),
        ({"configured_rules": {"numbers": []}}, "use an object of groups of rules"),
        ({"configured_rules": "x"}, "use an object of groups of rules"),
        ({"configured_rules": FORMAL, "language": "en"}, "style_and_tone.formality: use_formal_tone is not"),
        (
            {"configured_rules": SWISS | {"numbers": {"decimal_separator": "use_comma_as_decimal_separator"}}},
            "No region",
        ),
        (
            {
                "configured_rules": {
                    "style_and_tone": FORMAL["style_and_tone"]
                    | {"addressing_the_reader": "use_informal_french_word_tu"}
                }
            },
            "a formal tone and an informal one",
        ),
        ({"custom_instructions": [{"label": "a", "prompt": "b"}]}, "Custom instructions are not available"),
        ({"language": "tlh"}, "Value for 'language' not supported"),
        ({"language": None}, "Parameter 'language' not specified"),
        ({"name": ""}, "Parameter 'name' not specified"),
    ],
)
async def test_what_is_refused_by_name(client, body, message):
    response = await client.post(PATH, json={"name": "Letters", "language": "de"} | body)
    assert response.status_code == 400
    assert message in response.json()["message"]


async def test_custom_instructions_are_refused_below_a_list(client):
    path = f"{PATH}/{await made(client, FORMAL)}/custom_instructions"
    for method, below, status in (("POST", "", 400), ("GET", f"/{UNKNOWN}", 404), ("PUT", f"/{UNKNOWN}", 404)):
        response = await client.request(method, path + below, json={"label": "a", "prompt": "b"})
        assert (response.status_code, response.json()["message"]) == (
            status,
            "Custom instructions are not available on this server.",
        )


@pytest.mark.parametrize(
    ("rules", "locale", "expected"),
    [
        (FORMAL, None, (Register.FORMAL, None)),
        (FORMAL, "de-AT", (Register.FORMAL, "de-AT")),
        (FORMAL | SWISS, None, (Register.FORMAL, "de-CH")),
        (SWISS, "de-LI", (None, "de-LI")),
        ({"numbers": {"decimal_separator": "use_comma_as_decimal_separator"}}, None, (None, "de-DE")),
        ({}, None, (None, None)),
    ],
)
def test_what_rules_mean(rules, locale, expected):
    assert meaning(check_rules(rules, "de"), "de", locale) == expected


def test_a_region_that_writes_otherwise_is_refused():
    with pytest.raises(InvalidRequest, match="not those of de-DE; use de-CH or de-LI"):
        meaning(SWISS, "de", "de-DE")


@pytest.mark.parametrize(
    ("group", "rule", "option"),
    [(group, rule, option) for group, rules in WRITTEN.items() for rule, found in rules.items() for option in found],
)
def test_every_option_is_what_some_region_writes(group, rule, option):
    """An option that no region has would be a mistake in its condition."""
    codes = [f"{code}-{region}" for code in ("de", "en", "fr", "pt") for region in language_of(code).regions]
    codes += ["es-ES", "es-MX", "it-IT", "en-CA", "fr-CA", "de-CH", "nl-NL"]
    assert any(WRITTEN[group][rule][option](notation_of(code), language_of(code)) for code in codes)
