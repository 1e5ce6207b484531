"""The bodies of requests and responses, for the OpenAPI document.

They only document. The contract's order of checks, its texts and its many ways to send a request can't be expressed in
a schema, so ``parameters`` does the checking; a test holds the two
together.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from app.api.checks import MAX_GLOSSARIES, MAX_INLINE_ENTRIES
from app.api.libretranslate.parameters import MAX_CONTEXT_CHARS, MAX_DEADLINE_MS, MAX_PREFIX_CHARS
from app.api.schemas import ErrorBody, MemoryCounts, MemoryMatch, TermUse
from app.engine.options import MAX_BEAM_SIZE, MAX_LENGTH_TOKENS
from app.text.memory.entries import MAX_ENTRY_CHARS
from app.text.memory.matching import DEFAULT_THRESHOLD
from app.text.protection.patterns import MAX_PATTERN_CHARS, MAX_PATTERNS
from app.text.quality_checks import Verdict
from app.text.untranslated import Reason

Pattern = Annotated[str, Field(min_length=1, max_length=MAX_PATTERN_CHARS)]


class TranslateRequest(BaseModel):
    """Parameters of /translate; everything after `alternatives` goes beyond LibreTranslate."""

    api_key: str | None = Field(None, description="API key, if the server uses keys; or `Authorization: Bearer`.")
    q: str | list[str] = Field(description="Text to translate, or a list of texts.", min_length=1)
    source: str = Field(description="Code of the language of the text, or `auto`.")
    target: str = Field(description="Code of the language to translate into.")
    format: Literal["text", "html", "markdown"] = Field(
        "text", description="Format of the text; `html` and `markdown` keep the markup."
    )
    alternatives: int = Field(0, description="Number of other translations to return; there may be fewer.", ge=0)
    beam_size: int | None = Field(
        None,
        description="Hypotheses kept for each sentence; 1 is greedy search, the fastest. If absent, the operator's "
        "setting, or more if the alternatives need it.",
        ge=1,
        le=MAX_BEAM_SIZE,
    )
    beam_threshold: float = Field(
        2.0,
        description="A hypothesis is dropped when it falls behind the best by more than this, in natural logarithms of "
        "probability. 100 keeps the whole beam, and so does `alternatives`.",
        ge=0,
        le=100,
    )
    length_penalty: float = Field(1.0, description="Higher values favour longer translations; 0 is off.", ge=0, le=3)
    min_length: int = Field(0, description="Minimum tokens of a translated sentence.", ge=0, le=MAX_LENGTH_TOKENS)
    max_length: int | None = Field(
        None, description="Maximum tokens of a translated sentence; depends on the source if absent.", ge=1,
        le=MAX_LENGTH_TOKENS,
    )  # fmt: skip
    no_repeat_ngram: int = Field(0, description="No sequence of this many tokens occurs twice; 0 is off.", ge=0, le=10)
    repetition_penalty: float = Field(
        1.0, description="Factor that lowers the score of repeated tokens; 1 is off.", ge=1, le=5
    )
    deadline_ms: int | None = Field(
        None, description="The request fails with status 504 after this many milliseconds.", ge=1, le=MAX_DEADLINE_MS
    )
    protect: Pattern | Annotated[list[Pattern], Field(max_length=MAX_PATTERNS)] | None = Field(
        None,
        description="Spans to keep unchanged: strings, or RE2 regular expressions after `regex:`. JSON takes a list; "
        "a form repeats the field.",
    )
    translate_attributes: bool = Field(
        False, description="With `html`, translate `title`, `alt`, `placeholder` and `aria-label`, too."
    )
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] | None = Field(
        None,
        description="How the translation addresses its reader: `more` is Sie, `less` is du. Only for German; for other "
        "targets `more` and `less` are refused, and `prefer_more` and `prefer_less` ignored.",
    )
    prefix: str | None = Field(
        None,
        description="How the translation of `q` begins; the model continues it. `q` counts as one sentence. The "
        "`alternatives` then differ in the first word after the prefix or in a part of that word, even after an empty "
        "prefix. End it after a whole word. Scores and confidence take it as certain. Not for a list or markup.",
        max_length=MAX_PREFIX_CHARS,
    )
    glossary: Annotated[dict[str, str], Field(max_length=MAX_INLINE_ENTRIES)] | None = Field(
        None,
        description='Terms and their translations, such as `{"Vorstand": "board"}`; inflected forms count as the term. '
        "In a form, the JSON text of such an object.",
    )
    context: str | None = Field(
        None,
        description="Text that comes before `q`, or before each text of a list, in the same language. A model with a "
        "memory translates its last sentences first, for pronouns and forms of address; for others it has no effect.",
        max_length=MAX_CONTEXT_CHARS,
    )
    glossary_id: str | None = Field(None, description="A stored glossary of DeepL's endpoints, in place of `glossary`.")
    glossary_ids: Annotated[list[str], Field(max_length=MAX_GLOSSARIES)] | None = Field(
        None, description="Several, in place of one; the first that has a term decides."
    )
    translation_memory_id: str | None = Field(
        None, description="A stored translation memory of DeepL's endpoints; for texts in its source language."
    )
    translation_memory_threshold: int = Field(
        DEFAULT_THRESHOLD, description="Minimum score of a match; 100 takes the same texts only.", ge=0, le=100
    )
    details: bool = Field(
        False,
        description="Describe each sentence: positions, score, verdicts, word alignment. "
        "For at most 500,000 characters of text; `stream` describes the sentences of longer texts.",
    )
    stream: bool = Field(False, description="Send each sentence as soon as it is translated, as server-sent events.")


class DetectedLanguage(BaseModel):
    """A language and the detector's confidence."""

    confidence: float = Field(description="From 0 to 100.", ge=0, le=100)
    language: str = Field(description="Language code.")
    unsupported: str | None = Field(
        None, description="Only of /detect, for a text that is clearly in no served language: the likeliest language."
    )


class Place(BaseModel):
    """A sentence and its position, in code points of its text, or of the plain text of its block in markup."""

    text: str
    begin: int = Field(ge=0)
    end: int = Field(description="Position after the last code point.", ge=0)


class SentenceAlternative(BaseModel):
    """Another translation of a sentence."""

    text: str
    score: float = Field(description="Log-probability, normalised by length, as the sentence's score.", le=0)


Span = Annotated[list[int], Field(min_length=2, max_length=2)]


class WordLink(BaseModel):
    """Words that translate each other, as [begin, end] in code points, counted like the sentence's own position."""

    source: Span
    target: Span


class SentenceDetails(BaseModel):
    """One translated sentence. Text without letters, or that stays unchanged, has no entry."""

    block: int = Field(description="Index of the paragraph, heading, cell, … of markup; 0 in plain text.", ge=0)
    source: Place
    target: Place
    score: float = Field(description="Log-probability of the translation, normalised by its length.", le=0)
    confidence: float | None = Field(
        description="Chance that the translation is good, which means close to a person's translation; null if the "
        "model was not calibrated. `/info` defines good.",
        ge=0,
        le=1,
    )
    verdicts: list[Verdict] = Field(description="Failed quality checks; usually none.")
    alternatives: list[SentenceAlternative] = Field(description="As many as requested, best first; none in markup.")
    alignment: list[WordLink] = Field(description="Links in the order of the target; a word may have several, or none.")


class UntranslatedRange(BaseModel):
    """A part of a text that stays as it is on purpose."""

    block: int | None = Field(
        description="Index of the block of markup; 0 in plain text; null for what is in no translated block.", ge=0
    )
    begin: int = Field(description="In code points of `q`; in a block of markup, of the plain text of the block.", ge=0)
    end: int = Field(description="Position after the last code point.", ge=0)
    reason: Reason = Field(
        description="`protected`: a pattern of `protect`, an address, variable, identifier, emoji or the like; "
        "`markup`: an element or block that isn't translated; `target_language`: a sentence in the target language; "
        "`identifier`: a value that programs read, such as a date of a feed or the name of a file."
    )


class TranslateResponse(BaseModel):
    """The translation; lists where `q` was a list."""

    translatedText: str | list[str] = Field(description="The translation, or one for each text.")
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = Field(
        None, description="Only with `source` = `auto`: the language of the text, or one for each text."
    )
    errors: list[ErrorBody | None] | None = Field(
        None,
        description="Only for a list in which a text is in a language that can't be translated, and came back "
        "unchanged: why, or null, for each text.",
    )
    alternatives: list[str] | list[list[str]] | None = Field(
        None, description="Only if requested: other translations, best first; always empty for HTML and Markdown."
    )
    pivot: str | list[str | None] | None = Field(
        None, description="Only if a text was translated through a pivot language: its code."
    )
    formality: str | list[str | None] | None = Field(
        None,
        description="With `formality`, where it is supported: `more` or `less`, as wanted; null if a sentence "
        "is still in the other register.",
    )
    protectedLost: list[str] | list[list[str]] | None = Field(
        None,
        description="With `protect`, or if there are any: protected spans whose placeholder the model lost. The "
        "translation still has them, where they probably belong. Also emphasis in Markdown that was left out, because "
        "the translation has no word for it.",
    )
    terms: list[TermUse] | list[list[TermUse]] | None = Field(
        None, description="Only with a glossary: how the translation uses its terms."
    )
    memory: list[MemoryMatch] | list[list[MemoryMatch]] | None = Field(
        None, description="Only with a translation memory: its matches for the sentences of `q`."
    )
    details: list[SentenceDetails] | list[list[SentenceDetails]] | None = Field(
        None, description="Only if requested: the translated sentences in order, of the text or of each text."
    )
    untranslated: list[UntranslatedRange] | list[list[UntranslatedRange]] | None = Field(
        None, description="With `details`: what stays as it is on purpose, of the text or of each text."
    )


class TranslatedFile(BaseModel):
    """A translated document."""

    translatedFileUrl: str = Field(description="The address to download it from.")
    terms: list[TermUse] | None = Field(None, description="Only with a glossary: how the translation uses its terms.")
    memory: MemoryCounts | None = Field(None, description="Only with a translation memory.")
    untranslated: dict[str, int] | None = Field(
        None, description="If anything stays as it is on purpose: how much, by reason, as of `/translate`."
    )


class SuggestRequest(BaseModel):
    """Parameters of /suggest."""

    api_key: str | None = Field(None, description="API key, if the server uses keys; or `Authorization: Bearer`.")
    q: str = Field(description="Text.", min_length=1, max_length=MAX_ENTRY_CHARS)
    s: str = Field(description="A better translation of it.", min_length=1, max_length=MAX_ENTRY_CHARS)
    source: str = Field(description="Code of the language of the text.")
    target: str = Field(description="Code of the language of the translation.")


class Suggested(BaseModel):
    """The suggestion was stored."""

    success: Literal[True]


class DetectRequest(BaseModel):
    """Parameters of /detect."""

    api_key: str | None = Field(None, description="API key, if the server uses keys; or `Authorization: Bearer`.")
    q: str | list[str] = Field(description="Text, or a list of texts that belong together.", min_length=1)


class Language(BaseModel):
    """A served language."""

    code: str
    name: str = Field(description="Its English name.")
    targets: list[str] = Field(description="Codes of the languages that it can be translated into.")


class FrontendSettings(BaseModel):
    """LibreTranslate's settings for its page."""

    charLimit: int
    frontendTimeout: int
    apiKeys: bool
    keyRequired: bool
    suggestions: bool
    filesTranslation: bool
    supportedFilesFormat: list[str]
    capabilities: dict[str, bool] = Field(description="What else this server can do, for its page.")
    language: dict[str, dict[str, str]]
