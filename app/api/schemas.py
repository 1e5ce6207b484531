"""The bodies of the operators' endpoints and of errors, for the OpenAPI document. They only document."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from app.text.terms.glossary import TermStatus


class ErrorBody(BaseModel):
    """Every error."""

    error: str = Field(description="A sentence for people.")
    code: str = Field(description="A stable word for programs.")


class TermUse(BaseModel):
    """How the translation uses a term of the glossary."""

    source: str = Field(description="The term, as the glossary has it.")
    target: str = Field(description="Its translation, as the glossary has it.")
    status: TermStatus = Field(
        description="`applied`: the translation has the term; `inflected`: another form of it; `not_found`: none."
    )
    count: int = Field(description="How often.", ge=1)


class MemoryCounts(BaseModel):
    """The number of matches that a translation memory had for a document."""

    exact: int = Field(description="Matches used for the same text.")
    fuzzy: int = Field(description="Matches used for a text with other numbers or other placeables.")
    offered: int = Field(description="Matches not used: the model translated the text.")


class ReviewCounts(BaseModel):
    """How much of a document a person should look at."""

    sentences: int = Field(description="Translated sentences.")
    doubtful: int = Field(description="Those with a confidence below `review_below`, or that failed a check.")


class ReviewMatch(BaseModel):
    """What the translation memory has for a sentence."""

    source: str = Field(description="The entry's text.")
    translation: str = Field(description="The entry's translation.")
    score: int = Field(description="How similar the entry is; 100 is the same text.", ge=0, le=100)
    used: bool = Field(description="The translation has the entry's. If false, a model translated the sentence.")


class ReviewTerm(BaseModel):
    """A term of the glossary in a sentence."""

    source: str = Field(description="The term, as the glossary has it.")
    target: str = Field(description="Its translation, as the glossary has it.")
    status: TermStatus = Field(description="As in the report of a document.")


class ReviewSentence(BaseModel):
    """A sentence of a document."""

    text: int = Field(description="Number of the paragraph, cell or message that it is in, from 0.")
    block: int | None = Field(
        description="Number of the part of that text. With null, the translation has the sentence in another form, and "
        "it can't be corrected here."
    )
    begin: int = Field(description="Where its translation begins in the block, in code points.")
    source: str
    translation: str
    confidence: float | None = Field(description="The chance that the translation is good; null if it isn't known.")
    verdicts: list[str] = Field(description="The checks that it fails, as of `/translate`.")
    terms: list[ReviewTerm]
    match: ReviewMatch | None
    corrected: str | None = Field(None, description="For `/correct_file`: a better translation.")
    state: Literal["approved", "doubtful"] | None = Field(
        None, description="For `/correct_file`: what a reviewer says, which goes into files with a place for it."
    )


class DocumentReview(BaseModel):
    """A translated document, for review."""

    source: str = Field(description="Code of the document's language.")
    target: str = Field(description="Code of the translation's language, with its region if the request had one.")
    output: str = Field(description="Format of the translated file.")
    texts: list[str] = Field(description="The translated texts with their markup, for `/correct_file`.")
    sentences: list[ReviewSentence]


REVIEW_EXAMPLE: dict[str, Any] = {
    "source": "de",
    "target": "en",
    "output": "txt",
    "texts": ["Good morning!"],
    "sentences": [
        {
            "text": 0,
            "block": 0,
            "begin": 0,
            "source": "Guten Morgen!",
            "translation": "Good morning!",
            "confidence": 0.9,
            "verdicts": [],
            "terms": [],
            "match": None,
        }
    ],
}


class MemoryMatch(BaseModel):
    """A match of the translation memory for a sentence or a whole text."""

    segment: str = Field(description="The sentence.")
    score: int = Field(description="How similar the entry is; 100 is the same text.", ge=0, le=100)
    kind: Literal["exact", "fuzzy"]
    applied: bool = Field(
        description="The translation has the entry's, with other numbers if these are all that differs. If false, the "
        "model translated the sentence, and the entry is only offered."
    )
    source: str = Field(description="The entry's text.")
    target: str = Field(description="The entry's translation.")


class Status(BaseModel):
    """The service is healthy."""

    status: Literal["ok"]


class Info(BaseModel):
    """The models in service."""

    version: str
    state: str
    models: list[dict[str, Any]] = Field(
        description="Each bundle: its origin and scores, whether it is loaded, and the execution providers in use."
    )
    pivot: dict[str, Any] = Field(description="The pivot language, and the pairs that are translated through it.")
    limits: dict[str, float]


class ServerStatus(BaseModel):
    """The state of the server, for its operator."""

    version: str
    state: str
    keys: Literal["off", "optional", "required"] = Field(description="Whether it uses API keys.")


class Reloaded(BaseModel):
    """The result for each bundle, by its folder."""

    added: list[str]
    replaced: list[str]
    removed: list[str]
    unchanged: list[str]
    failed: dict[str, str] = Field(description="Bundles that can't be served, with the reason.")
