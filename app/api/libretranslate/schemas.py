"""The bodies of responses, for the OpenAPI document; those of requests follow from ``parameters``."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from app.api.schemas import ErrorBody, MemoryCounts, MemoryMatch, ReviewCounts, TermUse
from app.text.quality_checks import Verdict
from app.text.untranslated import Reason


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
    tier: Literal[1, 2] = Field(
        description="1 if a model of this server translated it; 2 for the second tier that the operator set up, whose "
        "translations have the score 0 and no confidence."
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
    review: ReviewCounts | None = Field(None, description="Only with `review_below`.")
    reportUrl: str | None = Field(None, description="Only with `review_below`: the address of the report.")
    untranslated: dict[str, int] | None = Field(
        None, description="If anything stays as it is on purpose: how much, by reason, as of `/translate`."
    )


class Suggested(BaseModel):
    """The suggestion was stored."""

    success: Literal[True]


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
    formality: list[str] = Field(description="Targets for which `formality` is known.")
    operator: dict[str, str] = Field(
        description="What the operator says of the server: `name`, and the addresses `imprint`, `privacy`, `source`."
    )
    language: dict[str, dict[str, str]]
