"""Documents with glossaries and translation memories that the server keeps, on both contracts and in all formats."""

import io
from collections.abc import Mapping
from pathlib import Path

import docx
import httpx
import polib
import pytest

from app.settings import Settings

UNKNOWN = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
PAIR = {"source_lang": "DE", "target_lang": "EN"}
TERMS = [{"source": "Bier", "target": "beer", "status": "applied", "count": 1}]
MATCHES = {"exact": 1, "fuzzy": 1, "offered": 1}


def word(*paragraphs: str) -> bytes:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def catalog(*messages: str) -> bytes:
    found = polib.POFile()
    found.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "de"}
    found.extend(polib.POEntry(msgid=message) for message in messages)
    return str(found).encode()


TEXTS = ("Guten Tag!", "Ich möchte ein Bier.", "Es kostet 7 Euro.", "Wo ist dass?")
TRANSLATED = ["Top of the day!", "I'd like a beer.", "You pay 7 euros.", "[en] Wo ist dass?"]
FORMATS = {
    "a.txt": ("\n".join(TEXTS).encode(), lambda data: data.decode().split("\n")),
    "a.html": (
        "".join(f"<p>{text}</p>" for text in TEXTS).encode(),
        lambda data: data.decode().replace("<p>", "").split("</p>")[:-1],
    ),
    "a.docx": (word(*TEXTS), lambda data: [each.text for each in docx.Document(io.BytesIO(data)).paragraphs]),
    "a.po": (catalog(*TEXTS), lambda data: [entry.msgstr for entry in polib.pofile(data.decode())]),
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path)


@pytest.fixture
async def stored(client: httpx.AsyncClient) -> dict[str, str]:
    """The ids of a glossary and of a translation memory."""
    glossary = {"name": "Drinks", **PAIR, "entries": "Bier\tbeer", "entries_format": "tsv"}
    glossary_id = (await client.post("/v2/glossaries", json=glossary)).json()["glossary_id"]
    made = (await client.post("/v3/translation_memories", json={"name": "Site", **PAIR})).json()
    entries = {"Guten Tag!": "Top of the day!", "Es kostet 5 Euro.": "You pay 5 euros.", "Wo ist das?": "Where is it?"}
    file = "".join(f"{source}\t{target}\n" for source, target in entries.items()).encode()
    path = f"/v3/translation_memories/{made['translation_memory_id']}/file"
    assert (await client.post(path, files={"file": ("a.tsv", file)})).status_code == 200
    return {"glossary_id": glossary_id, "translation_memory_id": made["translation_memory_id"]}


async def upload(client: httpx.AsyncClient, name: str, content: bytes, **fields: str) -> tuple[str, dict[str, str]]:
    """The path of a document, and the form that finds it."""
    response = await client.post("/v2/document", data=fields, files={"file": (name, content)})
    assert response.status_code == 200, response.text
    document = response.json()
    return f"/v2/document/{document['document_id']}", {"document_key": document["document_key"]}


async def ended(client: httpx.AsyncClient, path: str, key: Mapping[str, str]) -> dict:
    """The last status of a document."""
    while (status := (await client.post(path, json=key)).json())["status"] in ("queued", "translating"):
        pass
    return status


@pytest.mark.parametrize("name", FORMATS)
async def test_deepl(client, stored, name):
    content, texts_of = FORMATS[name]
    path, key = await upload(client, name, content, **PAIR, **stored)
    status = await ended(client, path, key)
    assert (status["status"], status["terms"], status["memory"]) == ("done", TERMS, MATCHES)
    assert texts_of((await client.post(f"{path}/result", json=key)).content) == TRANSLATED


@pytest.mark.parametrize("name", FORMATS)
async def test_libretranslate(client, stored, name):
    content, texts_of = FORMATS[name]
    form = {"source": "de", "target": "en", **stored}
    answer = (await client.post("/translate_file", data=form, files={"file": (name, content)})).json()
    assert (answer["terms"], answer["memory"]) == (TERMS, MATCHES)
    assert texts_of((await client.get(answer["translatedFileUrl"])).content) == TRANSLATED


async def test_a_glossary_in_the_form_and_a_threshold(client, stored):
    fields = {"glossary": '{"Bier": "beer"}', "translation_memory_threshold": "100"}
    fields["translation_memory_id"] = stored["translation_memory_id"]
    file = {"file": ("a.txt", FORMATS["a.txt"][0])}
    answer = (await client.post("/translate_file", data={"source": "de", "target": "en", **fields}, files=file)).json()
    assert (answer["terms"], answer["memory"]) == (TERMS, {"exact": 1, "fuzzy": 0, "offered": 0})
    path, key = await upload(client, "a.txt", FORMATS["a.txt"][0], **PAIR, **fields)
    status = await ended(client, path, key)
    assert (status["terms"], status["memory"]) == (answer["terms"], answer["memory"])


async def test_a_document_without_either_has_no_report(client):
    path, key = await upload(client, "a.txt", b"Guten Tag!", **PAIR)
    assert (await ended(client, path, key)).keys().isdisjoint({"terms", "memory"})


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"glossary_id": UNKNOWN}, 404),
        ({"glossary_id": "x"}, 400),
        ({"glossary_id": UNKNOWN, "glossary": '{"Bier": "beer"}'}, 400),
        ({"glossary": "[1]"}, 400),
        ({"translation_memory_id": UNKNOWN}, 404),
        ({"translation_memory_id": "x"}, 400),
        ({"translation_memory_id": UNKNOWN, "translation_memory_threshold": "101"}, 400),
        ({"formality": "polite"}, 400),
    ],
)
async def test_what_a_document_cannot_have(client, fields, status):
    file = {"file": ("a.txt", b"Guten Tag!")}
    for path, languages in (("/v2/document", PAIR), ("/translate_file", {"source": "de", "target": "en"})):
        response = await client.post(path, data=languages | fields, files=file)
        assert response.status_code == status, (path, response.text)


async def test_a_memory_for_other_languages_is_refused(client, stored):
    memory = {"translation_memory_id": stored["translation_memory_id"]}
    response = await client.post(
        "/translate_file", data={"source": "en", "target": "de", **memory}, files={"file": ("a.txt", b"Hello")}
    )
    assert (response.status_code, response.json()["code"]) == (400, "invalid_memory")


async def test_what_is_deleted_meanwhile_fails_the_document(client, stored, engine):
    """It waits behind one that takes its time."""
    busy = [await upload(client, "a.txt", b"WAIT", **PAIR) for _ in range(2)]
    waiting = {name: await upload(client, "a.txt", b"Guten Tag!", **PAIR, **{name: stored[name]}) for name in stored}
    for name, kind in (("glossary_id", "glossaries"), ("translation_memory_id", "translation_memories")):
        assert (await client.delete(f"/v3/{kind}/{stored[name]}")).status_code == 204
    engine.may_go_on.set()
    details = [(await ended(client, *document)).get("detail") for document in (*busy, *waiting.values())]
    assert details == [None, None, "glossary_not_found", "memory_not_found"]
