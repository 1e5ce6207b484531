"""The programs that people have, unchanged, against the shipped model in a server process of its own."""

import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import deepl
import docx
import httpx
import pytest
from libretranslatepy import LibreTranslateAPI

ENTRIES = {"Guten Morgen!": "Top of the morning!", "Klicken Sie hier, bitte.": "Please, click here."}


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[deepl.DeepLClient]:
    client = deepl.DeepLClient("any-key", server_url=url)
    yield client
    client.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """DeepL's client asks for a document every 5 seconds."""
    quick_time = SimpleNamespace(sleep=lambda seconds: time.sleep(seconds / 100), time=time.time)
    monkeypatch.setattr("deepl.translator.time", quick_time)


@pytest.fixture(scope="module")
def http(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=120) as client:
        yield client


def test_deepl_translates_a_text(client: deepl.DeepLClient) -> None:
    result = client.translate_text("Ich möchte ein Bier.", target_lang="EN-GB")
    assert "beer" in result.text.lower()
    assert (result.detected_source_lang, result.billed_characters) == ("DE", 20)


def test_deepl_translates_a_list(client: deepl.DeepLClient) -> None:
    texts = ["Where is the station?", "", "Ich möchte ein Bier.", "42"]
    results = client.translate_text(texts, target_lang="DE")
    assert "Wo ist" in results[0].text
    assert [result.text for result in results[1:]] == ["", "Ich möchte ein Bier.", "42"]
    assert [result.detected_source_lang for result in results] == ["EN", "EN", "DE", "EN"]


def test_deepl_keeps_tags(client: deepl.DeepLClient) -> None:
    text = '<p id="a">Ich möchte ein Bier.</p><p>Wo ist der Bahnhof?</p>'
    for tag_handling in ("html", "xml"):
        result = client.translate_text(text, source_lang="DE", target_lang="EN-US", tag_handling=tag_handling)
        match = re.fullmatch(r'<p id="a">(.*)</p><p>(.*)</p>', result.text)
        assert match and "beer" in match[1] and "station" in match[2]


def test_deepl_leaves_alone_what_is_marked(client: deepl.DeepLClient) -> None:
    text = '<p>Ich möchte <span translate="no">ein Bier</span>.</p>'
    result = client.translate_text(text, source_lang="DE", target_lang="EN-GB", tag_handling="html")
    assert '<span translate="no">ein Bier</span>' in result.text
    assert "möchte" not in result.text


def test_deepl_with_every_option(client: deepl.DeepLClient) -> None:
    result = client.translate_text(
        "<x>Ich möchte ein Bier.</x>",
        source_lang=deepl.Language.GERMAN,
        target_lang=deepl.Language.ENGLISH_BRITISH,
        context="In der Kneipe.",
        split_sentences=deepl.SplitSentences.NO_NEWLINES,
        preserve_formatting=True,
        formality=deepl.Formality.PREFER_MORE,
        tag_handling="xml",
        tag_handling_version="v1",
        outline_detection=False,
        splitting_tags=["p", "q"],
        non_splitting_tags="a,b",
        ignore_tags=["code"],
        model_type=deepl.ModelType.LATENCY_OPTIMIZED,
    )
    assert "beer" in result.text
    assert result.model_type_used == "latency_optimized"


def test_deepl_splits_as_asked(client: deepl.DeepLClient) -> None:
    def translate(mode: str) -> str:
        return client.translate_text("Wo ist\nder Bahnhof?", target_lang="EN-GB", split_sentences=mode).text

    assert translate("1").count("\n") == 1
    assert "station" in translate("nonewlines")


def test_deepl_usage_has_no_limit_and_grows(client: deepl.DeepLClient) -> None:
    before = client.get_usage()
    client.translate_text("Guten Morgen!", target_lang="EN-GB")
    after = client.get_usage()
    assert after.character.count - before.character.count == len("Guten Morgen!")
    assert after.character.valid and not after.any_limit_reached


def test_deepl_languages(client: deepl.DeepLClient) -> None:
    assert [str(language) for language in client.get_source_languages()] == ["DE", "EN"]
    targets = client.get_target_languages()
    assert {str(language): language.supports_formality for language in targets} == {
        "DE": True,
        "EN-GB": False,
        "EN-US": False,
    }
    assert client.get_glossary_languages() == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target_lang": "TLH"}, "target_lang.*not supported"),
        ({"source_lang": "TLH"}, "source_lang.*not supported"),
        ({"formality": "more"}, ".*Target language.*formality.*"),
        ({"split_sentences": "often"}, ".*split_sentences.*"),
        ({"glossary": "def3a26b-3e84-45b3-84ae-0c0aaf3525f7", "source_lang": "DE"}, "Glossaries are not available"),
    ],
)
def test_deepl_raises_what_its_callers_look_for(
    client: deepl.DeepLClient, arguments: dict[str, str], message: str
) -> None:
    with pytest.raises(deepl.DeepLException, match=message) as raised:
        client.translate_text("Guten Morgen!", **{"target_lang": "EN-GB"} | arguments)
    assert raised.value.http_status_code == 400
    assert not raised.value.should_retry


def test_deepl_says_what_is_switched_off(client: deepl.DeepLClient) -> None:
    assert client.list_glossaries() == []
    assert client.list_multilingual_glossaries() == []
    assert client.get_all_style_rules() == []
    identifier = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
    with pytest.raises(deepl.GlossaryNotFoundException):
        client.get_glossary(identifier)
    with pytest.raises(deepl.DeepLException, match="Glossaries are not available") as raised:
        client.create_glossary("mine", source_lang="DE", target_lang="EN", entries={"Bier": "ale"})
    assert not isinstance(raised.value, deepl.AuthorizationException)
    with pytest.raises(deepl.DeepLException, match="Text improvements are not available"):
        client.rephrase_text("Good morning!", target_lang="EN-GB")


def test_deepl_command_line(url: str) -> None:
    def run(*arguments: str) -> str:
        environment = os.environ | {"DEEPL_SERVER_URL": url, "DEEPL_AUTH_KEY": "any-key"}
        command = [sys.executable, "-m", "deepl", *arguments]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    output = run("text", "--to", "EN-GB", "--show-detected-source", "--show-billed-characters", "Ich möchte ein Bier.")
    assert output.startswith("Detected source language: DE\nBilled characters: 20\n")
    assert "beer" in output.lower()
    assert run("usage").startswith("Usage this billing period:\nCharacters: ")
    assert "EN-US: English (American)\n" in run("languages")


def test_libretranslatepy(url: str) -> None:
    api = LibreTranslateAPI(url, api_key="any-key")
    assert "beer" in api.translate("Ich möchte ein Bier.", "de", "en").lower()
    assert api.detect("Wo ist der Bahnhof, bitte?")[0]["language"] == "de"
    assert [language["code"] for language in api.languages()] == ["de", "en"]


def test_mastodon_with_libretranslate(http: httpx.Client) -> None:
    languages = {each["code"]: each["targets"] for each in http.get("/languages").json()}
    assert "en" in languages["de"]
    body = {"q": ["<p>Ich möchte ein Bier.</p>", "Umfrage"], "source": "auto", "target": "en", "format": "html"}
    content = json.dumps(body | {"api_key": None})
    answer = http.post("/translate", content=content, headers={"Content-Type": "application/json"}).json()
    assert re.fullmatch("<p>.*beer.*</p>", answer["translatedText"][0])
    assert [each["language"] for each in answer["detectedLanguage"]] == ["de", "de"]


def test_mastodon_with_deepl(http: httpx.Client) -> None:
    headers = {"Authorization": "DeepL-Auth-Key any-key"}
    for kind, codes in (("source", ["DE", "EN"]), ("target", ["DE", "EN-GB", "EN-US"])):
        found = http.get(f"/v2/languages?type={kind}", headers=headers).json()
        assert [each["language"] for each in found] == codes
    # Ruby writes an absent language without an equals sign.
    form = "text=%3Cp%3EIch+m%C3%B6chte+ein+Bier.%3C%2Fp%3E&text=42&source_lang&target_lang=en&tag_handling=html"
    headers |= {"Content-Type": "application/x-www-form-urlencoded"}
    answer = http.post("/v2/translate", content=form, headers=headers).json()["translations"]
    assert re.fullmatch("<p>.*beer.*</p>", answer[0]["text"])
    assert [each["detected_source_language"] for each in answer] == ["DE", "EN"]
    assert answer[1]["text"] == "42"


def test_weblate_with_libretranslate(http: httpx.Client) -> None:
    assert [each["code"] for each in http.get("/languages").json()] == ["de", "en"]
    single = {"api_key": "", "q": "Where is the station?", "source": "en", "target": "de"}
    assert "Wo ist" in http.post("/translate", data=single).json()["translatedText"]
    batch = single | {"q": [f"Where is station {number}?" for number in range(20)]}
    translations = http.post("/translate", json=batch).json()["translatedText"]
    assert len(translations) == 20
    assert all(str(number) in translation for number, translation in enumerate(translations))


def test_weblate_with_deepl(http: httpx.Client) -> None:
    headers = {"Authorization": "DeepL-Auth-Key any-key"}
    targets = http.get("/v2/languages", params={"type": "target"}, headers=headers).json()
    assert {each["language"] for each in targets if not each["supports_formality"]} == {"EN-GB", "EN-US"}
    assert http.get("/v2/glossary-language-pairs", headers=headers).json() == {"supported_languages": []}
    body = {
        "text": ["Where is the station?", "Good morning!"],
        "source_lang": "EN",
        "target_lang": "DE",
        "formality": "default",
        "tag_handling": "xml",
        "ignore_tags": ["x"],
        "model_type": "prefer_quality_optimized",
    }
    answer = http.post("/v2/translate", json=body, headers=headers).json()["translations"]
    assert "Wo ist" in answer[0]["text"]
    assert "Morgen" in answer[1]["text"]


def test_deepl_translates_a_document(client: deepl.DeepLClient, quick: None, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Ich möchte ").add_run("ein Bier").bold = True
    source, target = tmp_path / "Getränk.docx", tmp_path / "drink.docx"
    document.save(str(source))
    status = client.translate_document_from_filepath(source, target, target_lang="EN-GB")
    assert (status.done, status.billed_characters) == (True, 19)
    [paragraph] = docx.Document(str(target)).paragraphs
    assert [run.text for run in paragraph.runs if run.bold] == ["a beer"]


@pytest.fixture
def site(kept_url: str, kept_key: str) -> str:
    """The id of the only translation memory of the key."""
    with httpx.Client(base_url=kept_url, headers={"Authorization": f"DeepL-Auth-Key {kept_key}"}) as client:
        body = {"name": "Site", "source_lang": "de", "target_lang": "en"}
        made = client.post("/v3/translation_memories", json=body).json()
        for source, target in ENTRIES.items():
            entry = {"source_text": source, "target_text": target}
            client.post(f"/v3/translation_memories/{made['translation_memory_id']}/segments", json=entry)
    return str(made["translation_memory_id"])


def test_deepl_translates_a_document_with_what_is_stored(
    kept_url: str, kept_key: str, site: str, quick: None, tmp_path: Path
) -> None:
    document = docx.Document()
    for text in ("Guten Morgen!", "Der Vorstand ist gut."):
        document.add_paragraph(text)
    source, target = tmp_path / "a.docx", tmp_path / "b.docx"
    document.save(str(source))
    with closing(deepl.DeepLClient(kept_key, server_url=kept_url)) as client:
        glossary = client.create_glossary("Company", "DE", "EN-GB", {"Vorstand": "executive team"})
        handle = client.translate_document_from_filepath(
            source,
            target,
            source_lang="DE",
            target_lang="EN-GB",
            glossary=glossary,
            translation_memory=site,
            translation_memory_threshold=100,
        )
        assert handle.done
        client.delete_translation_memory(site)
    first, second = (paragraph.text for paragraph in docx.Document(str(target)).paragraphs)
    assert first == "Top of the morning!" and "executive team" in second.lower()


def test_deepl_translation_memories(kept_url: str, kept_key: str, site: str) -> None:
    with closing(deepl.DeepLClient(kept_key, server_url=kept_url)) as client:
        [memory] = client.list_translation_memories()
        assert (memory.name, memory.source_language, memory.target_languages, memory.segment_count) == (
            "Site", "de", ["en"], 2,
        )  # fmt: skip
        assert client.get_translation_memory(memory).creation_time
        page = client.list_translation_memory_segments(memory, page_size=1)
        assert [segment.targets[0].target_text for segment in page] == ["Top of the morning!"]
        rest = client.list_translation_memory_segments(memory, page_cursor=page.next_page_cursor, filter_text="KLICK")
        assert [segment.source_text for segment in rest] == ["Klicken Sie hier, bitte."]
        options = {"source_lang": "DE", "target_lang": "EN-GB", "translation_memory": memory}
        result = client.translate_text("Guten Morgen!", translation_memory_threshold=100, **options)
        assert result.text == "Top of the morning!"
        html = client.translate_text("<p>Klicken Sie <b>hier</b>, bitte.</p>", tag_handling="html", **options).text
        assert re.sub("<.*?>", "", html) == "Please, click here." and "here</b>" in html
        client.delete_translation_memory(memory)
        with pytest.raises(deepl.DeepLException, match="no such translation memory"):
            client.translate_text("Guten Morgen!", **options)


def test_deepl_says_what_is_wrong_with_a_document(client: deepl.DeepLClient, quick: None, tmp_path: Path) -> None:
    with pytest.raises(deepl.DeepLException, match="Invalid file: the format zip is not translated"):
        client.translate_document(b"x", io.BytesIO(), target_lang="EN-GB", filename="a.zip")
    (tmp_path / "a.docx").write_bytes(b"x")
    with pytest.raises(deepl.DocumentTranslationException, match="The file is damaged") as raised:
        client.translate_document_from_filepath(tmp_path / "a.docx", tmp_path / "b.docx", target_lang="EN-GB")
    handle = raised.value.document_handle
    assert handle and client.translate_document_get_status(handle).status is deepl.DocumentStatus.Status.ERROR
    assert not (tmp_path / "b.docx").exists()


def test_deepl_gives_a_document_once(client: deepl.DeepLClient, quick: None) -> None:
    handle = client.translate_document_upload("Guten Morgen!", target_lang="EN-GB", filename="a.txt")
    client.translate_document_wait_until_done(handle)
    file = io.BytesIO()
    client.translate_document_download(handle, file)
    assert b"morning" in file.getvalue()
    with pytest.raises(deepl.DeepLException, match="Not found"):
        client.translate_document_download(handle, file)


def test_libretranslates_page(http: httpx.Client) -> None:
    assert ".docx" in http.get("/frontend/settings").json()["supportedFilesFormat"]
    fields = {"source": "auto", "target": "en", "api_key": ""}
    answer = http.post("/translate_file", data=fields, files={"file": ("Brief.txt", b"Guten Morgen!")})
    assert "morning" in http.get(answer.json()["translatedFileUrl"]).text
