"""What LibreTranslate's endpoints take: parameters and rules, in the order of the checks."""

from dataclasses import replace

from app.api.libretranslate import parameters as p
from app.api.parameter import ABSENT, ALL_PRESENT, Given, Parameter, Parameters, Rule
from app.api.shared_parameters import (
    ENTRY_LIMITS,
    FORMALITY,
    GLOSSARIES,
    GLOSSARY,
    MEMORIES,
    OWN_SENTENCES,
    REVIEW_BELOW,
    read_entry,
    read_text,
)
from app.api.uploads import FileFormats, check_size, checked_name, translated_name
from app.documents.registry import find_format
from app.errors import InvalidRequest
from app.translation.request import AUTO

TRANSLATE = Parameters(
    OWN_SENTENCES,
    ALL_PRESENT,
    p.API_KEY,
    p.ALTERNATIVES,
    p.Q,
    p.SOURCE,
    p.TARGET,
    p.FORMAT,
    p.TRANSLATE_ATTRIBUTES,
    p.MARKUP,
    p.PREFIX,
    p.SERVED_PAIR,
    *p.OPTIONS_IN_ORDER,
    p.OPTIONS,
    p.DETAILS,
    p.STREAM,
    p.DEADLINE,
    p.PROTECT,
    FORMALITY,
    GLOSSARY,
    p.CONTEXT,
    *GLOSSARIES,
    *MEMORIES,
)

DETECT = Parameters(OWN_SENTENCES, p.API_KEY, replace(p.Q, description="Text, or texts that belong together."))


def _one_sentence(given: Given) -> None:
    if p.is_list(given):
        raise InvalidRequest("Invalid request: q parameter must be one sentence, not a list")
    if given[p.SOURCE] == AUTO:
        raise InvalidRequest("Invalid request: source parameter must name a language, not auto")


TRANSLATION = Parameter(
    "translation", str | None, "Translation to show the attention for; if absent, the best one.", read_text
)
INSPECT = Parameters(
    OWN_SENTENCES,
    ALL_PRESENT,
    p.API_KEY,
    replace(p.Q, type=str, description="One sentence."),
    replace(p.SOURCE, description="Code of the language of the sentence."),
    p.TARGET,
    p.SERVED_PAIR,
    *p.OPTIONS_IN_ORDER,
    p.OPTIONS,
    Rule(_one_sentence),
    TRANSLATION,
    is_strict=True,
)


def _not_empty(given: Given) -> None:
    if not given.file or not given.file.name or not given.file.content:
        raise InvalidRequest("Invalid request: empty file")


def _file_formats(given: Given) -> FileFormats:
    assert given.file
    check_size(given.file, given.settings)
    name = checked_name(given.file.name)
    format_ = find_format(name)
    output = format_.check()
    return FileFormats(translated_name(name, given[p.TARGET], output), format_.name, output)


FILE_FORMATS = Rule(_file_formats)
TRANSLATE_FILE = Parameters(
    OWN_SENTENCES,
    ALL_PRESENT,
    p.API_KEY,
    Rule(_not_empty),
    replace(p.SOURCE, description="Code of the language of the document, or `auto`."),
    p.TARGET,
    p.SERVED_PAIR,
    FILE_FORMATS,
    GLOSSARY,
    *GLOSSARIES,
    *MEMORIES,
    FORMALITY,
    REVIEW_BELOW,
)


REVIEW = Parameter(
    "review",
    str,
    "The JSON that `/v2/document/{id}/sentences` answered, with corrections and states. Sentences without them may be "
    "left out.",
    read_text,
    is_required=True,
    guide="review-of-documents",
    example='{"source": "de", "target": "en", "output": "txt", "texts": ["Hello"], "sentences": []}',
)
CORRECT_FILE = Parameters(OWN_SENTENCES, ALL_PRESENT, p.API_KEY, Rule(_not_empty), REVIEW)


SUGGESTED_FOR = Parameter("q", str, "Text.", read_entry, is_required=True, limits=ENTRY_LIMITS)
SUGGESTION = Parameter("s", str, "A better translation of it.", read_entry, is_required=True, limits=ENTRY_LIMITS)
SUGGEST = Parameters(
    OWN_SENTENCES,
    ALL_PRESENT,
    p.API_KEY,
    SUGGESTED_FOR,
    SUGGESTION,
    replace(p.TARGET, name="source", description="Code of the language of the text.", empty=ABSENT),
    replace(p.TARGET, description="Code of the language of the translation.", empty=ABSENT),
    p.SERVED_PAIR,
)
