"""The bodies of the DeepL contract, for the OpenAPI document."""

from typing import Literal

from pydantic import BaseModel, Field

from app.api.schemas import MemoryCounts, MemoryMatch, ReviewCounts, TermUse


class DeepLError(BaseModel):
    """Every error under /v2 and /v3."""

    message: str = Field(description="A sentence for people.")
    detail: str = Field(description="A stable word for programs.")


class DeepLTranslation(BaseModel):
    """One translated text."""

    detected_source_language: str = Field(description="The language of the text, given or detected.")
    text: str = Field(description="The translation.")
    billed_characters: int | None = Field(None, description="Only if requested: characters of the text.")
    model_type_used: str | None = Field(None, description="Only if `model_type` was given.")
    tag_handling_version: str | None = Field(None, description="Only with tag handling.")
    terms: list[TermUse] | None = Field(None, description="Only with a glossary: how the translation uses its terms.")
    memory: list[MemoryMatch] | None = Field(
        None, description="Only with a translation memory: its matches for the sentences of the text."
    )


class DeepLTranslations(BaseModel):
    """The translations, in the order of the texts."""

    translations: list[DeepLTranslation]


class DeepLLanguage(BaseModel):
    """A language of /v2."""

    language: str
    name: str = Field(description="Its English name.")
    supports_formality: bool | None = Field(None, description="Only for targets.")


class FeatureStatus(BaseModel):
    """The status of a feature."""

    status: Literal["stable"]


class DeepLLanguageV3(BaseModel):
    """A language of /v3."""

    lang: str
    name: str = Field(description="Its English name.")
    status: Literal["stable"]
    usable_as_source: bool
    usable_as_target: bool
    features: dict[str, FeatureStatus]


class Feature(BaseModel):
    """A feature of a resource, and which of the two languages must have it."""

    name: str
    needs_source_support: bool | None = None
    needs_target_support: bool | None = None


class Resource(BaseModel):
    """A part of the API whose languages /v3/languages lists."""

    name: str
    features: list[Feature]


class Usage(BaseModel):
    """Characters translated: by the key in this month, or without keys by everybody since the start."""

    character_count: int
    character_limit: int = Field(description="The key's quota; without one, a number so large that it means no limit.")
    api_key_character_count: int | None = Field(None, description="Only with a key: the same as `character_count`.")
    api_key_character_limit: int | None = Field(None, description="Only with a key: the same as `character_limit`.")
    start_time: str | None = Field(None, description="Only with a key: when the month began (UTC).")
    end_time: str | None = Field(None, description="Only with a key: when it ends.")


class DocumentHandle(BaseModel):
    """The id and the key with which a client finds its document."""

    document_id: str = Field(pattern="^[0-9A-F]{32}$")
    document_key: str = Field(pattern="^[0-9A-F]{64}$")


class DocumentStatus(BaseModel):
    """The progress of a document."""

    document_id: str
    status: Literal["queued", "translating", "done", "error"]
    seconds_remaining: int | None = Field(None, description="An estimate, while it is translated.")
    billed_characters: int | None = Field(None, description="Characters of its texts, when it is done.")
    error_message: str | None = Field(None, description="What went wrong: a sentence for people.")
    message: str | None = Field(None, description="The same as `error_message`.")
    detail: str | None = Field(None, description="What went wrong: a stable word for programs.")
    terms: list[TermUse] | None = Field(None, description="Only with a glossary, when it is done.")
    memory: MemoryCounts | None = Field(None, description="Only with a translation memory, when it is done.")
    review: ReviewCounts | None = Field(None, description="Only with `review_below`, when it is done.")


class GlossaryPair(BaseModel):
    """A pair of languages."""

    source_lang: str
    target_lang: str


class GlossaryPairs(BaseModel):
    """The pairs of languages that a glossary may have."""

    supported_languages: list[GlossaryPair]


class GlossaryV2(GlossaryPair):
    """A glossary of one pair, without its entries."""

    glossary_id: str
    name: str
    ready: bool
    creation_time: str
    entry_count: int


class GlossariesV2(BaseModel):
    """Glossaries of one pair."""

    glossaries: list[GlossaryV2]


class Dictionary(GlossaryPair):
    """A dictionary without its entries."""

    entry_count: int


class GlossaryV3(BaseModel):
    """A glossary without its entries."""

    glossary_id: str
    name: str
    dictionaries: list[Dictionary]
    creation_time: str


class GlossariesV3(BaseModel):
    """Glossaries."""

    glossaries: list[GlossaryV3]


class FullDictionary(GlossaryPair):
    """A dictionary with its entries."""

    entries: str
    entries_format: Literal["tsv", "csv", "tbx"]


class DictionaryEntries(BaseModel):
    """The entries of one dictionary, in a list."""

    dictionaries: list[FullDictionary]


class Memory(BaseModel):
    """A translation memory without its entries."""

    translation_memory_id: str
    name: str
    source_language: str
    target_languages: list[str] = Field(description="One language; DeepL's memories may have several.")
    segment_count: int = Field(description="Number of entries.")
    adapt: bool = Field(description="Sentences without a match learn from its entries; DeepL doesn't have this.")
    creation_time: str
    updated_time: str


class Memories(BaseModel):
    """Translation memories."""

    translation_memories: list[Memory]
    total_count: int = Field(description="Number of translation memories on all pages.")


class MemoryTarget(BaseModel):
    """A translation."""

    target_segment_id: str
    target_language: str
    target_text: str
    creation_time: str
    updated_time: str


class MemoryEntry(BaseModel):
    """A text with its translation."""

    source_segment_id: str
    source_text: str
    origin: Literal["import", "edit", "suggestion"] = Field(description="Where it came from; DeepL doesn't have this.")
    targets: list[MemoryTarget] = Field(description="One translation.")
    creation_time: str
    updated_time: str


class MemoryEntries(BaseModel):
    """A page of entries."""

    segments: list[MemoryEntry]
    segment_count: int = Field(description="Number of entries in the whole translation memory.")
    next_page_cursor: str | None = Field(None, description="Absent on the last page.")


class MemoryUpload(BaseModel):
    """The result of importing the entries of a file."""

    added: int
    replaced: int = Field(description="Entries whose text was there already.")
    skipped: int = Field(description="Units of the file that can't be kept, or have other languages.")
    memory: Memory


class ConfiguredRules(BaseModel):
    """Options by their rules. DeepL has more groups and rules; what this server can't follow is refused."""

    dates_and_times: dict[str, str] = Field({}, description="Dates and times of day.")
    numbers: dict[str, str] = Field({}, description="Numbers, amounts and percentages.")
    spelling_and_grammar: dict[str, str] = Field({}, description="Spelling of a region.")
    style_and_tone: dict[str, str] = Field({}, description="How readers are addressed.")


class NewConfiguredRules(ConfiguredRules):
    """The rules that a list gets."""


class Style(BaseModel):
    """A list of style rules; the last two are missing in a list that isn't `detailed`."""

    style_id: str
    name: str
    creation_time: str
    updated_time: str
    language: str
    version: int = Field(description="One more with each change.")
    configured_rules: ConfiguredRules | None = None
    custom_instructions: list[str] | None = Field(None, description="Always empty.")


class Styles(BaseModel):
    """Lists of style rules."""

    style_rules: list[Style]
