"""What LibreTranslate's endpoints take: parameters and rules, in the order of the checks."""

from dataclasses import replace
from typing import NamedTuple

from app.api.libretranslate.parameters import (
    ALTERNATIVES,
    API_KEY,
    CONTEXT,
    DEADLINE,
    DETAILS,
    FORMALITY,
    FORMAT,
    MARKUP,
    OPTIONS,
    OPTIONS_IN_ORDER,
    PREFIX,
    PROTECT,
    SENTENCES,
    SERVED_PAIR,
    SOURCE,
    STREAM,
    TARGET,
    TRANSLATE_ATTRIBUTES,
    Q,
    is_list,
)
from app.api.parameter import ABSENT, ALL_PRESENT, Given, Parameter, Parameters, Rule
from app.api.shared_parameters import GLOSSARIES, GLOSSARY, MEMORIES, REVIEW_BELOW, read_text
from app.api.uploads import check_size, checked_name
from app.documents.registry import find_format
from app.errors import InvalidRequest
from app.text.memory.entries import MAX_ENTRY_CHARS, check_entry_text
from app.translation.request import AUTO

TRANSLATE = Parameters(
    SENTENCES,
    ALL_PRESENT,
    API_KEY,
    ALTERNATIVES,
    Q,
    SOURCE,
    TARGET,
    FORMAT,
    TRANSLATE_ATTRIBUTES,
    MARKUP,
    PREFIX,
    SERVED_PAIR,
    *OPTIONS_IN_ORDER,
    OPTIONS,
    DETAILS,
    STREAM,
    DEADLINE,
    PROTECT,
    FORMALITY,
    GLOSSARY,
    CONTEXT,
    *GLOSSARIES,
    *MEMORIES,
)

DETECT = Parameters(SENTENCES, API_KEY, replace(Q, description="Text, or a list of texts that belong together."))


def _one_sentence(given: Given) -> None:
    if is_list(given):
        raise InvalidRequest("Invalid request: q parameter must be one sentence, not a list")
    if given[SOURCE] == AUTO:
        raise InvalidRequest("Invalid request: source parameter must name a language, not auto")


TRANSLATION = Parameter(
    "translation", str | None, "Translation to show the attention for; if absent, the best one.", read_text
)
INSPECT = Parameters(
    SENTENCES,
    ALL_PRESENT,
    API_KEY,
    replace(Q, type=str, description="One sentence."),
    replace(SOURCE, description="Code of the language of the sentence."),
    TARGET,
    SERVED_PAIR,
    *OPTIONS_IN_ORDER,
    OPTIONS,
    Rule(_one_sentence),
    TRANSLATION,
    is_strict=True,
)


class FileFormats(NamedTuple):
    """The name of an uploaded file, and the names of its format and its translation's."""

    name: str
    input: str
    output: str


def _not_empty(given: Given) -> None:
    if not given.file or not given.file.name or not given.file.content:
        raise InvalidRequest("Invalid request: empty file")


def _file_formats(given: Given) -> FileFormats:
    assert given.file
    check_size(given.file, given.settings)
    name = checked_name(given.file.name)
    format_ = find_format(name)
    return FileFormats(name, format_.name, format_.check())


FILE_FORMATS = Rule(_file_formats)
TRANSLATE_FILE = Parameters(
    SENTENCES,
    ALL_PRESENT,
    API_KEY,
    Rule(_not_empty),
    replace(SOURCE, description="Code of the language of the document, or `auto`."),
    TARGET,
    SERVED_PAIR,
    FILE_FORMATS,
    GLOSSARY,
    *GLOSSARIES,
    *MEMORIES,
    FORMALITY,
    REVIEW_BELOW,
)


def _read_entry(given: Given, name: str, value: object) -> str:
    return check_entry_text(value, name)


_ENTRY_LIMITS = {"min_length": 1, "max_length": MAX_ENTRY_CHARS}
SUGGESTED_FOR = Parameter("q", str, "Text.", _read_entry, is_required=True, limits=_ENTRY_LIMITS)
SUGGESTION = Parameter("s", str, "A better translation of it.", _read_entry, is_required=True, limits=_ENTRY_LIMITS)
SUGGEST = Parameters(
    SENTENCES,
    ALL_PRESENT,
    API_KEY,
    SUGGESTED_FOR,
    SUGGESTION,
    replace(TARGET, name="source", description="Code of the language of the text.", empty=ABSENT),
    replace(TARGET, description="Code of the language of the translation.", empty=ABSENT),
    SERVED_PAIR,
)
