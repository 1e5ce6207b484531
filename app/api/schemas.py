"""The bodies of requests and responses, for the OpenAPI document.

They only document. The contract's order of checks, its texts and its many ways to send a request can't be expressed in
a schema, so ``parameters`` does the checking; a test holds the two together.
"""

from typing import Any, Literal

from pydantic import BaseModel, Field

from app.api.parameters import MAX_DEADLINE_MS
from app.engine.translation import MAX_BEAM_SIZE, MAX_LENGTH_TOKENS


class ErrorBody(BaseModel):
    """Every error."""

    error: str = Field(description="A sentence for people.")
    code: str = Field(description="A stable word for programs.")


class TranslateRequest(BaseModel):
    """Parameters of /translate; everything after `alternatives` goes beyond LibreTranslate."""

    q: str | list[str] = Field(description="Text to translate, or a list of texts (JSON only).", min_length=1)
    source: str = Field(description="Code of the language of the text, or `auto`.")
    target: str = Field(description="Code of the language to translate into.")
    format: Literal["text", "html"] = Field("text", description="What the text is; `html` keeps the markup.")
    alternatives: int = Field(0, description="How many further translations to return; fewer may exist.", ge=0)
    beam_size: int = Field(
        4, description="Hypotheses kept per sentence; 1 is greedy search, the fastest.", ge=1, le=MAX_BEAM_SIZE
    )
    length_penalty: float = Field(0.6, description="Above 0, longer translations are favoured.", ge=0, le=3)
    min_length: int = Field(0, description="Fewest tokens per translated sentence.", ge=0, le=MAX_LENGTH_TOKENS)
    max_length: int | None = Field(
        None, description="Most tokens per translated sentence; from the source length if absent.", ge=1,
        le=MAX_LENGTH_TOKENS,
    )  # fmt: skip
    no_repeat_ngram: int = Field(0, description="No run of this many tokens occurs twice; 0 is off.", ge=0, le=10)
    repetition_penalty: float = Field(1.0, description="How much repeated tokens lose; 1 is off.", ge=1, le=5)
    deadline_ms: int | None = Field(
        None, description="Give up after this many milliseconds, with status 504.", ge=1, le=MAX_DEADLINE_MS
    )


class DetectedLanguage(BaseModel):
    """A language and how sure the detector is."""

    confidence: float = Field(description="From 0 to 100.", ge=0, le=100)
    language: str = Field(description="Language code.")


class TranslateResponse(BaseModel):
    """The translation; lists where `q` was a list."""

    translatedText: str | list[str] = Field(description="The translation, or one for each text.")
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = Field(
        None, description="Only with `source` = `auto`: the language of the text, or one for each text."
    )
    alternatives: list[str] | list[list[str]] | None = Field(
        None, description="Only if asked for: further translations, best first; always empty for HTML."
    )


class DetectRequest(BaseModel):
    """Parameters of /detect."""

    q: str | list[str] = Field(description="Text, or a list of texts that belong together.", min_length=1)


class Language(BaseModel):
    """A served language."""

    code: str
    name: str = Field(description="Its English name.")
    targets: list[str] = Field(description="Codes it can be translated into.")


class FrontendSettings(BaseModel):
    """LibreTranslate's settings for its page."""

    charLimit: int
    frontendTimeout: int
    apiKeys: bool
    keyRequired: bool
    suggestions: bool
    filesTranslation: bool
    supportedFilesFormat: list[str]
    language: dict[str, dict[str, str]]


class Status(BaseModel):
    """All is well."""

    status: Literal["ok"]


class Info(BaseModel):
    """What is being served."""

    version: str
    state: str
    model: dict[str, Any] = Field(description="The bundle, its provenance and scores, and what really runs it.")
    limits: dict[str, float]
