"""Readers and parameters that the contracts share: flags, the register, glossaries, translation memories."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated

from pydantic import Field

from app.api.checks import check_text, parse_entries
from app.api.parameter import Given, Parameter, Rule, Sentences
from app.errors import InvalidRequest
from app.storage.identifiers import checked_id
from app.text.memory.entries import MAX_ENTRY_CHARS, check_entry_text
from app.text.memory.matching import DEFAULT_THRESHOLD
from app.text.register import FORMALITIES, Formality, Register, choose_register

MAX_INLINE_ENTRIES = 5_000
"""Entries of a glossary that comes with a request."""

MAX_DETAILS_CHARS = 500_000
"""Characters whose sentences an answer describes: some 200 bytes for each character, as objects and as JSON."""

MAX_GLOSSARIES = 5
"""Stored glossaries of a request; the DeepL contract's limit."""

_FLAG_VALUES = {"true": True, "1": True, "false": False, "0": False}

ENTRY_LIMITS = {"min_length": 1, "max_length": MAX_ENTRY_CHARS}
"""Of a text of a translation memory, and of a suggestion, which may become one."""

OWN_SENTENCES = Sentences("Invalid request: missing {} parameter", "Invalid request: {} parameter must be {}")
"""LibreTranslate's, and those of the operator's endpoints."""


def as_it_is(given: Given, name: str, value: object) -> object:
    """Reads a value that is checked elsewhere."""
    return value


def read_text(given: Given, name: str, value: object) -> str:
    """Reads a string.

    Raises:
        InvalidRequest: It isn't one, or can't be written as UTF-8.
    """
    return check_text(name, value)


def read_entry(given: Given, name: str, value: object) -> str:
    """Reads a text that a translation memory may have."""
    return check_entry_text(value, name)


def read_bounded(longest: int) -> Callable[[Given, str, object], str]:
    """Returns the reader of a string that may have at most some characters."""

    def read(given: Given, name: str, value: object) -> str:
        text = check_text(name, value)
        if len(text) > longest:
            raise InvalidRequest(f"Invalid request: {name} parameter is longer than {longest} characters")
        return text

    return read


def read_flag(given: Given, name: str, value: object) -> bool:
    """Reads a parameter that is true or false.

    Raises:
        InvalidRequest: It is neither.
    """
    flag = _FLAG_VALUES.get(str(value).lower()) if isinstance(value, bool | int | str) else None
    if flag is None:
        raise given.wrong(name, "true or false")
    return flag


def flag(name: str, description: str, *, default: bool = False, fills: str = "") -> Parameter[bool]:
    """A parameter that is true or false."""
    return Parameter(name, bool, description, read_flag, absent=default, default=default, fills=fills)


def _read_formality(given: Given, name: str, value: object) -> Register | None:
    formality = str(value).lower()
    if formality not in FORMALITIES:
        raise given.wrong(name, f"one of {', '.join(FORMALITIES)}")
    return choose_register(name, formality, given.wish["target"])


def _read_entries(given: Given, name: str, value: object) -> dict[str, str] | None:
    return parse_entries(value, MAX_INLINE_ENTRIES)


def _read_glossary_ids(given: Given, name: str, value: object) -> tuple[str, ...]:
    lists = value if isinstance(value, list) else [value]
    ids = [id_.strip() for each in lists for id_ in check_text(name, each).split(",")]
    if len(ids) > MAX_GLOSSARIES or (len(ids) > 1 and name == "glossary_id"):
        raise InvalidRequest(f"Value for '{name}' not supported; 'glossary_ids' takes up to {MAX_GLOSSARIES}.")
    return tuple(dict.fromkeys(checked_id(id_, name) for id_ in ids))


def _read_memory_id(given: Given, name: str, value: object) -> str:
    return checked_id(check_text(name, value), name)


def _read_threshold(given: Given, name: str, value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 4:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
        raise given.wrong(name, "a whole number from 0 to 100")
    return value


FORMALITY = Parameter(
    "formality",
    Formality,
    "How the translation addresses its reader: `more` formally (Sie, vous), `less` familiarly (du, tu). For targets "
    "whose forms aren't known, `more` and `less` are refused, and `prefer_more` and `prefer_less` ignored. The header "
    "`X-Dragoman-Warnings` counts sentences that are still in the other register as `formality`.",
    _read_formality,
    default="default",
    guide="formality",
    fills="register",
)
GLOSSARY = Parameter[Mapping[str, str] | None](
    "glossary",
    Annotated[dict[str, str], Field(max_length=MAX_INLINE_ENTRIES)] | None,
    'Terms and their translations, such as `{"Vorstand": "board"}`; inflected forms count as the term. In a form, the '
    "JSON text of such an object.",
    _read_entries,
    guide="glossaries",
    fills="terms",
)
GLOSSARY_ID = Parameter[tuple[str, ...]](
    "glossary_id",
    str | None,
    "A stored glossary, in place of `glossary`.",
    _read_glossary_ids,
    absent=(),
    guide="glossaries",
)
GLOSSARY_IDS = Parameter[tuple[str, ...]](
    "glossary_ids",
    Annotated[list[str], Field(max_length=MAX_GLOSSARIES)] | None,
    "Several stored glossaries, in place of one; the first that has a term decides.",
    _read_glossary_ids,
    absent=(),
    repeats=True,
    guide="glossaries",
)
MEMORY_ID = Parameter(
    "translation_memory_id",
    str | None,
    "A stored translation memory; for texts in its source language.",
    _read_memory_id,
    guide="translation-memory",
)
THRESHOLD = Parameter(
    "translation_memory_threshold",
    int,
    "Minimum score of a match; 100 takes the same texts only.",
    _read_threshold,
    absent=DEFAULT_THRESHOLD,
    default=DEFAULT_THRESHOLD,
    limits={"ge": 0, "le": 100},
    guide="translation-memory",
)


def _read_share(given: Given, name: str, value: object) -> float:
    with suppress(ValueError):
        if isinstance(value, int | float | str) and not isinstance(value, bool) and 0 <= float(value) <= 1:
            return float(value)
    raise given.wrong(name, "a number from 0 to 1")


REVIEW_BELOW = Parameter(
    "review_below",
    float | None,
    "A person should look at each sentence whose confidence is lower, or that failed a check. The file marks it: XLIFF "
    "with a state, gettext with the flag `fuzzy`, docx with a comment. Without this parameter, only the report lists "
    "the sentences that failed a check.",
    _read_share,
    limits={"ge": 0, "le": 1},
    guide="review-of-documents",
    example="0.5",
    fills="review_below",
)


FOR_REVIEW = flag(
    "for_review",
    "Keep the document's sentences until it is downloaded or expires, for somebody who reviews them: "
    "`/v2/document/{id}/sentences` has them.",
    fills="for_review",
)


def _one_glossary(given: Given) -> None:
    named = [each.name for each in (GLOSSARY, GLOSSARY_ID, GLOSSARY_IDS) if not each.is_absent(given.values)]
    if len(named) > 1:
        raise InvalidRequest(f"Use either '{named[0]}' or '{named[1]}'.")


def _memory(given: Given) -> tuple[str, int] | None:
    return (given[MEMORY_ID], given[THRESHOLD]) if given[MEMORY_ID] else None


ONE_GLOSSARY = Rule(_one_glossary)
STORED_GLOSSARIES = Rule[tuple[str, ...]](
    lambda given: given[GLOSSARY_ID] or given[GLOSSARY_IDS], absent=(), fills="glossary_ids"
)
"""Ids of the stored glossaries to use, the most important first."""

STORED_MEMORY = Rule(_memory, fills="stored_memory")
"""Id of the translation memory to use and minimum score of its matches; None for none."""

GLOSSARIES = (ONE_GLOSSARY, GLOSSARY_ID, GLOSSARY_IDS, STORED_GLOSSARIES)
MEMORIES = (MEMORY_ID, THRESHOLD, STORED_MEMORY)
"""What is stored on the server and named in a request, in the order of its checks."""
