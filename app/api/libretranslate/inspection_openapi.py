"""The texts of the OpenAPI document about /inspect; ``app.api.openapi`` explains them."""

from typing import Any

from pydantic import BaseModel, Field

from app.api.libretranslate.endpoints import INSPECT
from app.api.libretranslate.openapi import UNREADABLE
from app.api.openapi import (
    FAILURES,
    KEY_REFUSED,
    NO_KEY,
    NO_QUOTA,
    TOO_LARGE,
    Responses,
    error,
    request_body,
    response,
)

Map = list[list[float]]


class SearchNode(BaseModel):
    """A hypothesis of the search: an earlier hypothesis and one more piece."""

    parent: int | None = Field(None, description="Number of the node that it extends, from 0; first pieces have none.")
    text: str = Field(description="The piece; a word begins with a space, and `</s>` is the end.")
    log_probability: float = Field(description="Sum over all its pieces.", le=0)
    score: float | None = Field(None, description="Normalised by length; only if the hypothesis has ended.")
    best: bool = Field(description="Whether the translation begins with it.")


class Attention(BaseModel):
    """Weights by layer, head, row and column; a row adds up to 1."""

    target: list[str] = Field(description="Rows of `decoder` and `cross`.")
    encoder: list[list[Map]] = Field(description="What source pieces look at in the source.")
    decoder: list[list[Map]] = Field(description="What target pieces look at in the target.")
    cross: list[list[Map]] = Field(description="What target pieces look at in the source.")


class Inspection(BaseModel):
    """How a model came to its translation of one sentence."""

    source: list[str] = Field(description="Pieces of the sentence, as the encoder reads them.")
    search: list[SearchNode]
    attention: Attention | None = None


_EXAMPLE: dict[str, Any] = {
    "source": [" Wer", "?", "</s>"],
    "search": [
        {"text": " Who", "log_probability": -0.1, "best": True},
        {"text": " Whom", "log_probability": -0.3, "best": False},
        {"parent": 0, "text": "?", "log_probability": -0.1, "best": True},
        {"parent": 1, "text": "?", "log_probability": -0.3, "best": False},
        {"parent": 2, "text": "</s>", "log_probability": -0.1, "score": -0.1, "best": True},
        {"parent": 3, "text": "</s>", "log_probability": -0.3, "score": -0.3, "best": False},
    ],
    "attention": {
        "target": ["<s>", " Who", "?"],
        "encoder": [[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]],
        "decoder": [[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]],
        "cross": [[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]],
    },
}
_QUESTION = {"q": "Wer?", "source": "de", "target": "en"}

INSPECT_REQUEST = request_body(
    INSPECT.model("InspectRequest", "Parameters of /inspect."),
    {
        "question": ("A question", _QUESTION),
        "list": ("Mistake: several texts", {**_QUESTION, "q": ["Wer?", "Wo?"]}),
        "auto": ("Mistake: no language", {**_QUESTION, "source": "auto"}),
        "missing": ("Mistake: no sentence", {**_QUESTION, "q": ""}),
    },
)
INSPECT_RESPONSES: Responses = {
    200: response(Inspection, "How it is translated", {"question": ("A model of one layer with one head", _EXAMPLE)}),
    400: error(
        "The request can't be served as it is",
        list=(
            "Several texts",
            "Invalid request: q parameter must be one sentence, not a list",
            "invalid_request",
        ),
        auto=("No language", "Invalid request: source parameter must name a language, not auto", "invalid_request"),
        too_many_pieces=(
            "Longer than a sentence",
            "The text has 130 pieces; only a sentence of 1 to 118 pieces can be inspected.",
            "invalid_request",
        ),
        **UNREADABLE,
        no_key=NO_KEY,
    ),
    403: error("Not with this API key", **KEY_REFUSED, no_quota=NO_QUOTA),
    413: TOO_LARGE,
    **{status: FAILURES[status] for status in (429, 500, 503)},
}
