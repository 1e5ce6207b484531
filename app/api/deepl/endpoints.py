"""What DeepL's endpoints take: parameters and rules, in the order of the checks."""

from dataclasses import replace

from app.api.deepl import parameters as p
from app.api.parameter import Given, Parameter, Parameters, Rule
from app.api.shared_parameters import FOR_REVIEW, FORMALITY, GLOSSARIES, MEMORIES, REVIEW_BELOW, read_text
from app.api.uploads import FileFormats, checked_name
from app.documents.registry import find_format

_STORED = (*GLOSSARIES, p.GLOSSARY_HAS_SOURCE, *MEMORIES, p.THRESHOLD_HAS_MEMORY)

TRANSLATE = Parameters(
    p.SENTENCES,
    p.TEXT,
    p.TARGET_LANG,
    p.SOURCE_LANG,
    p.STYLE_ID,
    p.CUSTOM_INSTRUCTIONS,
    FORMALITY,
    p.OUTLINE_DETECTION,
    p.IGNORE_TAGS,
    p.SPLITTING_TAGS,
    p.NON_SPLITTING_TAGS,
    p.TAG_HANDLING,
    p.SPLIT_SENTENCES,
    p.MARKUP,
    p.MODEL_TYPE,
    p.TAG_HANDLING_VERSION,
    p.OWN_GLOSSARY,
    p.PRESERVE_FORMATTING,
    p.CONTEXT,
    p.SHOW_BILLED,
    p.BETA,
    *_STORED,
)


def _file_formats(given: Given) -> FileFormats:
    assert given.file
    name = checked_name(given[p.FILENAME] or given.file.name)
    format_ = find_format(name)
    output = format_.check(given[p.OUTPUT_FORMAT])
    translated = name if output == format_.name else f"{name.rpartition('.')[0]}.{output}"
    return FileFormats(translated, format_.name, output)


FILE_FORMATS = Rule(_file_formats)
UPLOAD = Parameters(
    p.SENTENCES,
    p.TARGET_LANG,
    replace(
        p.SOURCE_LANG, description="Language of the document; if absent, it is detected. A stored glossary needs it."
    ),
    p.DIFFERENT_LANGUAGES,
    p.STYLE_ID,
    p.CUSTOM_INSTRUCTIONS,
    FORMALITY,
    *_STORED,
    p.OUTPUT_FORMAT,
    p.FILENAME,
    FILE_FORMATS,
    p.OWN_GLOSSARY,
    REVIEW_BELOW,
    FOR_REVIEW,
)
DOCUMENT_KEY = Parameter(
    "document_key",
    str,
    "The key that came with the document's id.",
    read_text,
    is_required=True,
    limits={"min_length": 1},
    example="0CB0054F1C132C1625B392EADDA41CB754A742822F6877173029A6C487E7F60A",
)
DOCUMENT = Parameters(p.SENTENCES, DOCUMENT_KEY)
REPORT_FORMAT = p.choice("format", ("html", "csv"), "A page or a table.", default="html", example="csv")
REPORT = Parameters(p.SENTENCES, DOCUMENT_KEY, REPORT_FORMAT)

SIDE = p.choice("type", ("source", "target"), "Which languages.", default="source", example="source")
LANGUAGES = Parameters(p.SENTENCES, SIDE)
RESOURCE = p.choice("resource", p.RESOURCES, "The part of the API.", is_required=True, example="translate_text")
LANGUAGES_V3 = Parameters(
    p.SENTENCES._replace(missing=f"Parameter '{{}}' not specified; use one of {', '.join(p.RESOURCES)}."), RESOURCE
)
