"""The bodies of requests and responses, for the OpenAPI document.

They only document. The contract's order of checks, its texts and its many ways to send a request can't be expressed in
a schema, so ``parameters`` does the checking; a test holds the two
together.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from app.api.libretranslate.parameters import MAX_DEADLINE_MS, MAX_PREFIX_CHARS
from app.engine.options import MAX_BEAM_SIZE, MAX_LENGTH_TOKENS
from app.text.protection.patterns import MAX_PATTERN_CHARS, MAX_PATTERNS
from app.text.quality_checks import Verdict

Pattern = Annotated[str, Field(min_length=1, max_length=MAX_PATTERN_CHARS)]


class TranslateRequest(BaseModel):
    """Parameters of /translate; everything after `alternatives` goes beyond LibreTranslate."""

    q: str | list[str] = Field(description="Text to translate, or a list of texts (JSON only).", min_length=1)
    source: str = Field(description="Code of the language of the text, or `auto`.")
    target: str = Field(description="Code of the language to translate into.")
    format: Literal["text", "html", "markdown"] = Field(
        "text", description="What the text is; `html` and `markdown` keep the markup."
    )
    alternatives: int = Field(0, description="How many further translations to return; fewer may exist.", ge=0)
    beam_size: int | None = Field(
        None,
        description="Hypotheses kept per sentence; 1 is greedy search, the fastest. Absent: as the operator chose, "
        "and enough for the alternatives.",
        ge=1,
        le=MAX_BEAM_SIZE,
    )
    beam_threshold: float = Field(
        2.0,
        description="How far, in natural logarithms of probability, a hypothesis may fall behind the best before "
        "it is given up; 100 keeps the whole beam, as `alternatives` do.",
        ge=0,
        le=100,
    )
    length_penalty: float = Field(1.0, description="Above 0, longer translations are favoured.", ge=0, le=3)
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
    protect: Pattern | Annotated[list[Pattern], Field(max_length=MAX_PATTERNS)] | None = Field(
        None,
        description="What to carry over as it is: literal strings, or regular expressions (RE2) after `regex:`. "
        "A list in JSON; a form repeats the field.",
    )
    translate_attributes: bool = Field(
        False, description="With `html`, translate `title`, `alt`, `placeholder` and `aria-label`, too."
    )
    prefix: str | None = Field(
        None,
        description="How the translation of `q` begins; the model goes on from there. `q` counts as one sentence. The "
        "`alternatives` then differ in the first word behind the prefix or in a part of it, even behind an empty one. "
        "End it behind a whole word. Scores and confidence take it as certain. Not for a list or markup.",
        max_length=MAX_PREFIX_CHARS,
    )
    details: bool = Field(False, description="Describe every sentence: places, score, verdicts, word alignment.")
    stream: bool = Field(False, description="Send every sentence as soon as it is done, as server-sent events.")


class DetectedLanguage(BaseModel):
    """A language and how sure the detector is."""

    confidence: float = Field(description="From 0 to 100.", ge=0, le=100)
    language: str = Field(description="Language code.")


class Place(BaseModel):
    """A sentence, and where it stands: code points of its text, or of the plain text of its block of markup."""

    text: str
    begin: int = Field(ge=0)
    end: int = Field(description="Of the first code point behind it.", ge=0)


class SentenceAlternative(BaseModel):
    """A further translation of a sentence."""

    text: str
    score: float = Field(description="As the sentence's.", le=0)


Span = Annotated[list[int], Field(min_length=2, max_length=2)]


class WordLink(BaseModel):
    """Words that translate each other, as [begin, end] in code points, counted like the sentence's own places."""

    source: Span
    target: Span


class SentenceDetails(BaseModel):
    """One sentence; what has no letters, or stays as it is, is not among them."""

    block: int = Field(description="Index of the paragraph, heading, cell, … of markup; 0 in plain text.", ge=0)
    source: Place
    target: Place
    score: float = Field(description="Log-probability of the translation, normalised by its length.", le=0)
    confidence: float | None = Field(
        description="The chance that the translation is good, that is close to what a person would write; null if the "
        "model was not calibrated. `/info` says what counts as good.",
        ge=0,
        le=1,
    )
    verdicts: list[Verdict] = Field(description="What is visibly wrong with the translation; usually nothing.")
    alternatives: list[SentenceAlternative] = Field(description="As many as asked for, best first; none in markup.")
    alignment: list[WordLink] = Field(description="In the order of the target; a word may have several, or none.")


class TranslateResponse(BaseModel):
    """The translation; lists where `q` was a list."""

    translatedText: str | list[str] = Field(description="The translation, or one for each text.")
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = Field(
        None, description="Only with `source` = `auto`: the language of the text, or one for each text."
    )
    alternatives: list[str] | list[list[str]] | None = Field(
        None, description="Only if asked for: further translations, best first; always empty for HTML and Markdown."
    )
    pivot: str | list[str | None] | None = Field(
        None, description="Only if a text was translated by way of another language: its code."
    )
    protectedLost: list[str] | list[list[str]] | None = Field(
        None,
        description="With `protect`, and whenever there are any: protected spans that the model gave no place to. They "
        "are in the translation all the same, where they probably belong. And emphasis in Markdown that was left out, "
        "since there is no word for it.",
    )
    details: list[SentenceDetails] | list[list[SentenceDetails]] | None = Field(
        None, description="Only if asked for: the translated sentences in order, of the text or of each text."
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
