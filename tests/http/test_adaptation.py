"""Translation memories that adapt: which entries a sentence is given to learn from. Other tests show what they do."""

from pathlib import Path

import httpx
import pytest

from app.engine.interface import Example
from app.settings import Settings

PATH = "/v3/translation_memories"
ENTRIES = {
    "Der Warenkorb ist leer.": "The cart is empty.",
    "Der Warenkorb ist voll.": "The cart is full.",
    "Guten Tag!": "Top of the day!",
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path)


async def make(client: httpx.AsyncClient, **changes: object) -> str:
    body = {"name": "Shop", "source_lang": "de", "target_lang": "en", **changes}
    made = (await client.post(PATH, json=body)).json()
    for source, target in ENTRIES.items():
        entry = {"source_text": source, "target_text": target}
        await client.post(f"{PATH}/{made['translation_memory_id']}/segments", json=entry)
    return str(made["translation_memory_id"])


async def translate(client: httpx.AsyncClient, text: object, memory: str, **changes: object) -> None:
    body = {"q": text, "source": "de", "target": "en", "translation_memory_id": memory, **changes}
    response = await client.post("/translate", json=body)
    assert response.status_code == 200, response.text


async def test_whether_a_memory_adapts_is_set_and_shown(client):
    memory = f"{PATH}/{await make(client)}"
    assert (await client.get(memory)).json()["adapt"] is False
    assert (await client.patch(memory, json={"adapt": True})).json()["adapt"] is True
    assert (await client.patch(memory, json={"name": "Store"})).json()["adapt"] is True
    assert (await client.get(memory)).json()["name"] == "Store"
    assert (await client.patch(memory, json={"adapt": False})).json()["adapt"] is False
    for body in ({}, {"adapt": "perhaps"}, {"name": ""}):
        assert (await client.patch(memory, json=body)).status_code == 400, body


async def test_sentences_without_a_match_are_given_the_entries_like_them(client, engine):
    memory = await make(client, adapt=True)
    text = "Guten Tag! Der Warenkorb war leer. Guten Tag!"
    await translate(client, text, memory, translation_memory_threshold=100)
    assert [texts for texts, *_ in engine.calls] == [[" Der Warenkorb war leer. "]]
    [[examples]] = engine.examples
    assert [(each.begin, each.end) for each in examples] == [(1, 24)] * len(examples)
    assert [each.source for each in examples][:2] == ["Der Warenkorb ist leer.", "Der Warenkorb ist voll."]
    assert examples[0] == Example(1, 24, "Der Warenkorb ist leer.", ENTRIES["Der Warenkorb ist leer."])


async def test_each_sentence_has_its_own(client, engine):
    memory = await make(client, adapt=True)
    await translate(client, "Qqq xyz. Der Warenkorb war leer.", memory)
    [[examples]] = engine.examples
    assert {each.begin for each in examples} == {9}


async def test_nothing_is_learnt_from_entries_that_are_visibly_wrong(client, engine):
    memory = await make(client, adapt=True)
    for source, target in (
        ("Der Warenkorb war ganz leer.", "cart cart cart cart"),
        ("Der Warenkorb war halb leer.", "The cart costs 3,000 euros."),
        ("Der Warenkorb war nun leer.", "."),
    ):
        entry = {"source_text": source, "target_text": target}
        assert (await client.post(f"{PATH}/{memory}/segments", json=entry)).status_code < 300
    await translate(client, "Der Warenkorb war leer.", memory, translation_memory_threshold=100)
    [[examples]] = engine.examples
    assert {each.source for each in examples} == {"Der Warenkorb ist leer.", "Der Warenkorb ist voll."}


@pytest.mark.parametrize(
    "changes", [{}, {"target": "de", "source": "en"}, {"prefix": "The"}], ids=["off", "other pair", "prefix"]
)
async def test_nothing_is_learnt_otherwise(client, engine, changes):
    memory = await make(client, adapt=bool(changes))
    body = {"q": "Der Warenkorb war leer.", "source": "de", "target": "en", "translation_memory_id": memory, **changes}
    await client.post("/translate", json=body)
    assert all(not any(call) for call in engine.examples)


async def test_a_changed_entry_is_learnt_from(client, engine):
    memory = await make(client, adapt=True)
    await translate(client, "Der Warenkorb war leer.", memory)
    entry = {"source_text": "Der Warenkorb war fast leer.", "target_text": "The cart was nearly empty."}
    await client.post(f"{PATH}/{memory}/segments", json=entry)
    await translate(client, "Der Warenkorb war leer.", memory, translation_memory_threshold=99)
    assert engine.examples[-1][0][0].source == entry["source_text"]
