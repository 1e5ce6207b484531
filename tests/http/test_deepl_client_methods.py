"""Every method of DeepL's official Python client is served, or refused with a sentence that names the feature."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import deepl
import httpx
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries

UUID = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
LOCAL = {"close", "set_app_info"}
IN_OTHER_TESTS = {  # tests/http/test_clients.py
    "translate_document",
    "translate_document_from_filepath",
    "translate_document_upload",
    "translate_document_get_status",
    "translate_document_wait_until_done",
    "translate_document_download",
}
TERMS = {"Vorstand": "board"}
ENTRIES = MultilingualGlossaryDictionaryEntries("DE", "EN", TERMS)
CSV = "Vorstand,board"

REFUSED: dict[str, Callable[[deepl.DeepLClient], Any]] = {
    "rephrase_text": lambda client: client.rephrase_text("Guten Morgen"),
    "correct_text": lambda client: client.correct_text("Guten Morgen"),
    "create_style_rule_custom_instruction": lambda client: client.create_style_rule_custom_instruction(UUID, "a", "b"),
    "get_style_rule_custom_instruction": lambda client: client.get_style_rule_custom_instruction(UUID, UUID),
    "update_style_rule_custom_instruction": lambda client: client.update_style_rule_custom_instruction(
        UUID, UUID, "a", "b"
    ),
    "delete_style_rule_custom_instruction": lambda client: client.delete_style_rule_custom_instruction(UUID, UUID),
}


@pytest.fixture(scope="module")
def client(kept_url: str, kept_key: str) -> Iterator[deepl.DeepLClient]:
    with closing(deepl.DeepLClient(kept_key, server_url=kept_url)) as client:
        yield client


@pytest.fixture
def memory(kept_url: str, kept_key: str) -> str:
    headers = {"Authorization": f"DeepL-Auth-Key {kept_key}"}
    body = {"name": "Site", "source_lang": "de", "target_lang": "en"}
    made = httpx.post(f"{kept_url}/v3/translation_memories", json=body, headers=headers).json()
    return str(made["translation_memory_id"])


class Recorded:
    """A client that notes which of its methods were called."""

    def __init__(self, client: deepl.DeepLClient) -> None:
        self.client, self.called = client, set[str]()

    def __getattr__(self, name: str) -> Any:
        self.called.add(name)
        return getattr(self.client, name)


def test_every_method_is_served_or_refused_by_name(client: deepl.DeepLClient, memory: str, tmp_path: Path) -> None:
    recorded = Recorded(client)
    use_texts(recorded)
    use_glossaries(recorded)
    use_multilingual_glossaries(recorded)
    use_memories(recorded, memory)
    use_jobs_of_memories(recorded, tmp_path)
    use_style_rules(recorded)
    methods = {name for name, _ in inspect.getmembers(deepl.DeepLClient, inspect.isfunction) if name[0] != "_"}
    assert recorded.called | REFUSED.keys() | IN_OTHER_TESTS | LOCAL == methods
    assert not recorded.called & REFUSED.keys()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_served_says_so_at_once(client: deepl.DeepLClient, name: str) -> None:
    with pytest.raises(deepl.DeepLException, match="are not available on this server") as raised:
        REFUSED[name](client)
    assert raised.value.http_status_code in (400, 404)  # the client asks five times after a 5xx


def test_options_that_are_not_served_are_refused_by_name(client: deepl.DeepLClient) -> None:
    with pytest.raises(deepl.DeepLException, match="Custom instructions are not available"):
        client.translate_text("Guten Morgen", target_lang="EN-GB", custom_instructions=["Be brief."])


def use_texts(client: Any) -> None:
    assert "morning" in client.translate_text("Guten Morgen!", target_lang="EN-GB").text.lower()
    assert {"DE", "EN"} <= {language.code for language in client.get_source_languages()}
    assert "EN-GB" in {language.code for language in client.get_target_languages()}
    assert {(pair.source_lang, pair.target_lang) for pair in client.get_glossary_languages()} >= {("de", "en")}
    usage = client.get_usage()
    assert usage.character.count >= 13 and not usage.any_limit_reached


def use_glossaries(client: Any) -> None:
    one = client.create_glossary("Firm", "DE", "EN", TERMS)
    other = client.create_glossary_from_csv("Firm", "DE", "EN", CSV)
    assert client.get_glossary(one.glossary_id).entry_count == 1
    assert {one.glossary_id, other.glossary_id} <= {each.glossary_id for each in client.list_glossaries()}
    assert client.get_glossary_entries(other) == TERMS
    text = client.translate_text_with_glossary("Der Vorstand ist gut.", one, target_lang="EN-GB").text
    assert "board" in text.lower()
    client.delete_glossary(one)
    client.delete_glossary(other)


def use_multilingual_glossaries(client: Any) -> None:
    one = client.create_multilingual_glossary("Firm", [ENTRIES])
    other = client.create_multilingual_glossary_from_csv("Firm", "DE", "EN", CSV)
    assert client.update_multilingual_glossary_name(one, "Company").name == "Company"
    client.update_multilingual_glossary_dictionary(one, ENTRIES)
    client.update_multilingual_glossary_dictionary_from_csv(one, "DE", "EN", CSV)
    client.replace_multilingual_glossary_dictionary(one, ENTRIES)
    client.replace_multilingual_glossary_dictionary_from_csv(one, "DE", "EN", CSV)
    assert client.get_multilingual_glossary(one.glossary_id).name == "Company"
    assert other.glossary_id in {each.glossary_id for each in client.list_multilingual_glossaries()}
    [entries] = client.get_multilingual_glossary_entries(one, "DE", "EN").dictionaries
    assert "board" in str(entries.entries)
    client.delete_multilingual_glossary_dictionary(one, entries)
    client.delete_multilingual_glossary(one)
    client.delete_multilingual_glossary(other)


def use_style_rules(client: Any) -> None:
    rules = {"style_and_tone": {"formality": "use_casual_tone"}}
    style = client.create_style_rule("Letters", "de", rules)
    assert client.translate_text("Can you help me?", target_lang="DE", style_rule=style).text.startswith("Kannst du")
    assert client.update_style_rule_name(style, "Friends").version == 2
    rules["numbers"] = {
        "currency_format": "use_currency_symbol_followed_by_space_then_amount",
        "decimal_separator": "use_comma_as_decimal_separator",
    }
    assert client.update_style_rule_configured_rules(style, rules).version == 3
    assert "€\u00a012.345" in client.translate_text("I owe €12,345.", target_lang="DE", style_rule=style).text
    assert client.get_style_rule(style).configured_rules.style_and_tone == rules["style_and_tone"]
    [listed] = client.get_all_style_rules(detailed=True)
    assert (listed.name, listed.configured_rules.numbers) == ("Friends", rules["numbers"])
    assert client.get_all_style_rules()[0].configured_rules is None
    client.delete_style_rule(style)
    assert client.get_all_style_rules() == []


def use_memories(client: Any, memory: str) -> None:
    assert memory in {each.translation_memory_id for each in client.list_translation_memories()}
    assert client.get_translation_memory(memory).name == "Site"
    assert len(client.list_translation_memory_segments(memory)) == 0
    client.delete_translation_memory(memory)


TMX = b"""<tmx version="1.4"><header srclang="de"/><body>
<tu><tuv xml:lang="en-GB"><seg>Top of the morning!</seg></tuv><tuv xml:lang="de"><seg>Guten Morgen!</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>allein</seg></tuv></tu></body></tmx>"""


def use_jobs_of_memories(client: Any, folder: Path) -> None:
    (folder / "a.tmx").write_bytes(TMX)
    job = client.import_translation_memory_from_filepath(folder / "a.tmx", display_name="Imported")
    assert (job.result.status, job.result.skipped_segment_count) == ("completed", 1)
    memory = client.get_translation_memory(job.result.translation_memory_id)
    assert (memory.name, memory.source_language, memory.target_languages) == ("Imported", "de", ["en"])
    client.export_translation_memory_to_filepath(memory, folder / "b.tmx")
    assert "Top of the morning!" in (folder / "b.tmx").read_text()

    declared = client.create_translation_memory_import("b.tmx", 3)
    assert client.get_translation_memory_job(declared.job_id).result.status == "awaiting_input"
    client.upload_translation_memory_file(declared, b"<a/>")
    failed = client.wait_until_translation_memory_job_done(declared.job_id)
    assert failed.result.status == "failed" and "no entries in languages" in failed.result.error_message

    export = client.create_translation_memory_export(memory)
    file = BytesIO()
    client.download_translation_memory_export(client.get_translation_memory_job(export.job_id), file)
    assert file.getvalue() == (folder / "b.tmx").read_bytes()
    client.delete_translation_memory(memory)
