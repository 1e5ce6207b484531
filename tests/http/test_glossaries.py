"""DeepL's glossaries over a database, of several owners, and with the official client."""

import uuid
from contextlib import closing
from pathlib import Path

import deepl
import httpx
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries

from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.support.fakes import serving

PAIR = {"source_lang": "de", "target_lang": "en"}
ENGLISH = {"source_lang": "EN", "target_lang": "DE"}
BEER = {**PAIR, "entries": "Bier\tbeer", "entries_format": "tsv"}
UNKNOWN = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
V2, V3 = "/v2/glossaries", "/v3/glossaries"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path)


async def make(client: httpx.AsyncClient, **changes: object) -> dict:
    response = await client.post(V2, json={"name": "Pub", **BEER, **changes})
    assert response.status_code == 201, response.text
    return response.json()


async def entries(client: httpx.AsyncClient, glossary_id: str) -> str:
    response = await client.get(f"{V3}/{glossary_id}/entries", params=PAIR)
    [dictionary] = response.json()["dictionaries"]
    assert dictionary == {**PAIR, "entries": dictionary["entries"], "entries_format": "tsv"}
    return dictionary["entries"]


async def test_a_glossary_of_version_2_and_what_version_3_makes_of_it(client):
    made = await make(client)
    assert {key: made[key] for key in ("name", "ready", "entry_count", *PAIR)} == {
        "name": "Pub", "ready": True, "entry_count": 1, **PAIR,
    }  # fmt: skip
    path = f"{V2}/{made['glossary_id']}"
    assert (await client.get(path)).json() == made
    assert (await client.get(V2)).json() == {"glossaries": [made]}
    found = await client.get(f"{path}/entries", headers={"Accept": "text/tab-separated-values"})
    assert (found.text, found.headers["Content-Type"]) == ("Bier\tbeer", "text/tab-separated-values; charset=utf-8")
    assert (await client.get(f"{path}/entries", headers={"Accept": "text/csv"})).status_code == 415
    [other] = (await client.get(V3)).json()["glossaries"]
    assert other["dictionaries"] == [{**PAIR, "entry_count": 1}]
    assert (await client.delete(f"{V3}/{made['glossary_id']}")).status_code == 204
    assert (await client.get(path)).status_code == 404
    assert (await client.get(V2)).json() == {"glossaries": []}


@pytest.mark.parametrize("field", ["dictionaries[{}].{}", "dictionaries[{}][{}]"])
async def test_version_3_reads_dictionaries_from_a_form(client, field):
    """As deepl-node, deepl-java and deepl-net send them."""
    english = {"source_lang": "EN", "target_lang": "DE", "entries": "board\tVorstand", "entries_format": "tsv"}
    dictionaries = {
        field.format(number, name): value
        for number, dictionary in ((10, english), (9, BEER))
        for name, value in dictionary.items()
    }
    response = await client.post(V3, data={"name": "Both", **dictionaries})
    assert response.status_code == 201, response.text
    made = response.json()
    assert [one["source_lang"] for one in made["dictionaries"]] == ["de", "en"], "in the order of their numbers"
    assert await entries(client, made["glossary_id"]) == "Bier\tbeer"
    more = {field.format(0, name): value for name, value in {**BEER, "entries": "Wein\twine"}.items()}
    changed = await client.patch(f"{V3}/{made['glossary_id']}", data=more)
    assert changed.json()["dictionaries"][0]["entry_count"] == 2
    part = {field.format(0, "source_lang"): "de"}
    refused = await client.post(V3, data={"name": "Part", **part})
    assert (refused.status_code, refused.json()["message"]) == (400, "Parameter 'target_lang' not specified")


async def test_version_3_merges_and_replaces(client):
    english = {
        "source_lang": "EN-US",
        "target_lang": "DE",
        "entries": "board,Vorstand,en,de\n",
        "entries_format": "csv",
    }
    made = (await client.post(V3, json={"name": "Both", "dictionaries": [english, BEER]})).json()
    assert [one["source_lang"] for one in made["dictionaries"]] == ["en", "de"]
    path = f"{V3}/{made['glossary_id']}"
    more = {**BEER, "entries": "Bier\tale\nBahnhof\tstation"}
    changed = (await client.patch(path, json={"name": "Other", "dictionaries": [more]})).json()
    assert (changed["name"], changed["dictionaries"][1]["entry_count"]) == ("Other", 2)
    assert await entries(client, made["glossary_id"]) == "Bier\tale\nBahnhof\tstation"
    assert (await client.patch(path, json={"name": "Third"})).json()["dictionaries"] == changed["dictionaries"]
    replaced = await client.put(f"{path}/dictionaries", json={**BEER, "entries": "Wein\twine"})
    assert replaced.json() == {**PAIR, "entry_count": 1}
    assert await entries(client, made["glossary_id"]) == "Wein\twine"
    assert (await client.delete(f"{path}/dictionaries", params=PAIR)).status_code == 204
    assert (await client.delete(f"{path}/dictionaries", params=PAIR)).status_code == 404
    assert len((await client.get(path)).json()["dictionaries"]) == 1


async def test_both_contracts_translate_with_a_stored_glossary(client):
    glossary_id = (await make(client))["glossary_id"]
    body = {"text": ["Ich möchte ein Bier."], "target_lang": "EN-GB", "glossary_id": glossary_id}
    answer = (await client.post("/v2/translate", json=body | {"source_lang": "DE"})).json()
    assert answer["translations"][0]["terms"] == [{"source": "Bier", "target": "beer", "status": "applied", "count": 1}]
    assert (await client.post("/v2/translate", json=body)).json()["message"] == (
        "Parameter 'source_lang' is required with a glossary"
    )
    for source in ("de", "auto"):
        text = {"q": "Ich möchte ein Bier.", "source": source, "target": "en", "glossary_id": glossary_id}
        assert len((await client.post("/translate", json=text)).json()["terms"]) == 1
    changed = {**BEER, "entries": "Bier\tale"}
    await client.put(f"{V3}/{glossary_id}/dictionaries", json=changed)
    answer = (await client.post("/translate", json=text)).json()
    assert answer["terms"] == [{"source": "Bier", "target": "ale", "status": "not_found", "count": 1}]
    assert (await client.post("/v2/translate", json=body | ENGLISH)).status_code == 404


async def test_of_several_glossaries_the_first_that_has_a_term_decides(client):
    first, second, third = [
        (await make(client, entries=entries))["glossary_id"]
        for entries in ("Bier\tale", "Bier\tbeer\nBahnhof\tstation", "Bahnhof\tdepot\nMorgen\tmorrow")
    ]
    text, body = "Bier, Bahnhof, Morgen.", {"source_lang": "DE", "target_lang": "EN"}
    used = {"Bier": "ale", "Bahnhof": "station", "Morgen": "morrow"}
    ids = [first, second, third]
    for form in (
        {"json": {"glossary_ids": ids}},
        {"data": {"glossary_ids": ids}},
        {"data": {"glossary_ids": ",".join(ids)}},
    ):
        [kind] = form
        answer = (await client.post("/v2/translate", **{kind: form[kind] | body | {"text": [text]}})).json()
        [translation] = answer["translations"]
        assert {term["source"]: term["target"] for term in translation["terms"]} == used
        own = form[kind] | {"q": text, "source": "de", "target": "en"}
        terms = (await client.post("/translate", **{kind: own})).json()["terms"]
        assert {term["source"]: term["target"] for term in terms} == used
    only = (await client.post(V3, json={"name": "Other", "dictionaries": [{**BEER, **ENGLISH}]})).json()["glossary_id"]
    refused = await client.post("/v2/translate", json=body | {"text": [text], "glossary_ids": [first, only]})
    assert (refused.status_code, only in refused.json()["message"]) == (404, True)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": ""}, "invalid_request"),
        ({"name": "x" * 2000}, "invalid_request"),
        ({"entries": ""}, "invalid_glossary"),
        ({"entries": "Bier"}, "invalid_glossary"),
        ({"entries": "Bier\tbeer\tale"}, "invalid_glossary"),
        ({"entries": "Bier\tbeer\nBier\tale"}, "invalid_glossary"),
        ({"entries": 'Bier,"beer', "entries_format": "csv"}, "invalid_glossary"),
        ({"entries": "Bier\tbe\x07er"}, "invalid_glossary"),
        ({"entries": None}, "invalid_request"),
        ({"entries_format": "xlsx"}, "invalid_request"),
        ({"target_lang": "TLH"}, "unsupported_pair"),
        ({"target_lang": "DE"}, "unsupported_pair"),
        ({"source_lang": ""}, "invalid_request"),
    ],
)
async def test_what_cannot_be_a_glossary(client, changes, code):
    response = await client.post(V2, json={"name": "Pub", **BEER, **changes})
    assert (response.status_code, response.json()["detail"]) == (400, code)
    if "name" not in changes:
        response = await client.post(V3, json={"name": "Pub", "dictionaries": [{**BEER, **changes}]})
        assert (response.status_code, response.json()["detail"]) == (400, code)
    assert (await client.get(V3)).json() == {"glossaries": []}


@pytest.mark.parametrize("dictionaries", [[], None, "x", [1], [BEER, BEER]])
async def test_what_cannot_be_dictionaries(client, dictionaries):
    response = await client.post(V3, json={"name": "Pub", "dictionaries": dictionaries})
    assert response.status_code == 400


async def test_ids_that_are_none_and_ids_of_nothing(client):
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/entries")):
        assert (await client.request(method, f"{V2}/{UNKNOWN}{path}")).json()["detail"] == "glossary_not_found"
        assert (await client.request(method, f"{V2}/x{path}")).status_code == 400
    body = {"text": ["Bier"], "source_lang": "DE", "target_lang": "EN", "glossary_id": UNKNOWN}
    assert (await client.post("/v2/translate", json=body)).status_code == 404
    assert (await client.post("/v2/translate", json=body | {"glossary_id": "x"})).status_code == 400
    both = body | {"glossary": {"Bier": "beer"}}
    assert (await client.post("/v2/translate", json=both)).status_code == 400


async def test_ten_thousand_entries_and_long_ones(client):
    lines = "\n".join(f"Wort {number}\tword {number}" for number in range(10_000))
    assert (await make(client, entries=lines))["entry_count"] == 10_000
    long = {**BEER, "entries": "\n".join(f"{'x' * 400}{number}\t{'y' * 400}" for number in range(200))}
    response = await client.post(V3, json={"name": "Long", "dictionaries": [long]})
    assert response.json()["dictionaries"][0]["entry_count"] == 200
    too_many = "\n".join(f"{number}\tx" for number in range(50_001))
    assert (await client.post(V2, json={"name": "Pub", **BEER, "entries": too_many})).status_code == 400


async def test_each_key_has_glossaries_of_its_own(tmp_path, engine):
    with closing(Database(tmp_path)) as database:
        keys = [KeyStore(database).add(name) for name in ("one", "two")]
    first, second = ({"Authorization": f"DeepL-Auth-Key {key}"} for key in keys)
    async with serving(engine, Settings(data=tmp_path, keys="required")) as client:
        assert (await client.get(V3)).status_code == 403
        made = (await client.post(V2, json={"name": "Pub", **BEER}, headers=first)).json()
        assert len((await client.get(V3, headers=first)).json()["glossaries"]) == 1
        assert (await client.get(V3, headers=second)).json() == {"glossaries": []}
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/entries"), ("GET", "")):
            response = await client.request(method, f"{V2}/{made['glossary_id']}{path}", headers=second)
            assert response.status_code == 404
        text = {"q": "Bier", "source": "de", "target": "en", "glossary_id": made["glossary_id"]}
        assert (await client.post("/translate", json=text | {"api_key": keys[1]})).status_code == 404
        assert (await client.post("/translate", json=text | {"api_key": keys[0]})).status_code == 200


async def test_settings_and_pairs_tell_that_there_are_glossaries(client):
    assert (await client.get("/frontend/settings")).json()["capabilities"]["glossaries"] is True
    pairs = (await client.get("/v2/glossary-language-pairs")).json()["supported_languages"]
    assert PAIR in pairs and len(pairs) == 2
    assert (await client.get("/v3/languages", params={"resource": "glossary"})).json()


def test_the_official_client(kept_url: str, kept_key: str) -> None:
    with closing(deepl.DeepLClient(kept_key, server_url=kept_url)) as client:
        assert len(client.get_glossary_languages()) == 2
        made = client.create_glossary("v2", "DE", "EN-GB", {"Vorstand": "executive team"})
        assert (made.entry_count, made.target_lang, made.ready) == (1, "EN", True)
        assert client.get_glossary_entries(made) == {"Vorstand": "executive team"}
        result = client.translate_text("Der Vorstand ist gut.", source_lang="DE", target_lang="EN-GB", glossary=made)
        assert "executive team" in result.text.lower()
        several = client.create_multilingual_glossary(
            "v3",
            [
                MultilingualGlossaryDictionaryEntries("DE", "EN", {"Vorstand": "executive team"}),
                MultilingualGlossaryDictionaryEntries("EN", "DE", {"board": "Gremium"}),
            ],
        )
        result = client.translate_text("The board is good.", source_lang="EN", target_lang="DE", glossary=several)
        assert "Gremium" in result.text
        change = MultilingualGlossaryDictionaryEntries("EN", "DE", {"house": "Haus"})
        assert client.update_multilingual_glossary_dictionary(several, change).dictionaries[1].entry_count == 2
        assert client.replace_multilingual_glossary_dictionary(several, change).entry_count == 1
        entries = client.get_multilingual_glossary_entries(several, "EN", "DE").dictionaries[0]
        assert entries.entries == "house\tHaus"  # as it came
        assert client.update_multilingual_glossary_name(several, "new").name == "new"
        client.delete_multilingual_glossary_dictionary(several, source_lang="EN", target_lang="DE")
        assert {one.name for one in client.list_multilingual_glossaries()} == {"v2", "new"}
        from_csv = client.create_glossary_from_csv("csv", "EN", "DE", '"a, b",c\nd,"e ""f"""')
        assert client.get_glossary_entries(from_csv) == {"a, b": "c", "d": 'e "f"'}
        for one in client.list_multilingual_glossaries():
            client.delete_multilingual_glossary(one)
        assert client.list_glossaries() == []
        with pytest.raises(deepl.GlossaryNotFoundException):
            client.get_glossary(str(uuid.uuid4()))


TBX = (
    '<martif type="TBX"><text><body><termEntry><langSet xml:lang="de"><tig><term>Bier</term></tig></langSet>'
    '<langSet xml:lang="en"><tig><term>ale</term></tig></langSet></termEntry></body></text></martif>'
)


async def test_entries_come_and_go_in_every_format(client):
    made = await make(client, entries=TBX, entries_format="tbx")
    path = f"{V3}/{made['glossary_id']}/entries"
    found = {}
    for form in ("tsv", "csv", "tbx"):
        [dictionary] = (await client.get(path, params={**PAIR, "entries_format": form})).json()["dictionaries"]
        assert dictionary["entries_format"] == form
        found[form] = dictionary["entries"]
    assert (found["tsv"], found["csv"]) == ("Bier\tale", "Bier,ale\r\n")
    again = await make(client, entries=found["tbx"], entries_format="TBX")
    assert await entries(client, again["glossary_id"]) == "Bier\tale"
    refused = await client.get(path, params={**PAIR, "entries_format": "xlsx"})
    assert refused.status_code == 400 and "tsv, csv, tbx" in refused.json()["message"]


@pytest.mark.parametrize("text", ["<a/>", "<martif>", TBX.replace("de", "fr"), "Bier\tale"])
async def test_a_file_that_is_no_tbx_is_refused(client, text):
    answer = await client.post(V2, json={"name": "Pub", **PAIR, "entries": text, "entries_format": "tbx"})
    assert answer.status_code == 400 and answer.json()["detail"] in ("invalid_glossary", "document_damaged")
