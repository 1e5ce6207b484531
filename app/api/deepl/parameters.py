"""The parameters of the DeepL contract; ``endpoints`` orders them. Pure: no I/O, no clock, no web framework.

A parameter is implemented, or refused if it asks for what this server can't do, or ignored where the contract lets a
server be without: ``enable_beta_languages``, and ``context`` for models without a memory. The texts that the official
clients look for are those of the contract.
"""

from dataclasses import replace
from typing import Any, Literal, NoReturn, get_args

from app.api.checks import check_text, check_texts
from app.api.parameter import Given, Parameter, Rule, Sentences
from app.api.shared_parameters import (
    GLOSSARY,
    MEMORY_ID,
    STORED_GLOSSARIES,
    THRESHOLD,
    flag,
    read_text,
)
from app.documents.translation import EQUAL_LANGUAGES
from app.engine.interface import Splitting
from app.errors import InvalidRequest, UnsupportedPair
from app.text.markup.extraction import Rules
from app.translation.languages import find_served
from app.translation.request import AUTO

MAX_BODY_BYTES = 128 * 1024
"""The contract's limit for a translation request."""

MAX_CONTEXT_CHARS = 2_000
"""Of a longer context the end is read; the contract has no limit."""

SPLITTING: dict[str, Splitting] = {"0": "off", "1": "sentences", "nonewlines": "no_newlines"}
RESOURCES = (
    "translate_text", "translate_document", "glossary", "voice", "write", "style_rules", "translation_memory",
)  # fmt: skip
# Targets that the contract splits by region. The model doesn't tell them apart; numbers and dates are written for each.
VARIANTS = {
    "en": {"en-GB": "English (British)", "en-US": "English (American)"},
    "pt": {"pt-BR": "Portuguese (Brazilian)", "pt-PT": "Portuguese (European)"},
}
SENTENCES = Sentences("Parameter '{}' not specified", "Value for '{}' not supported; use {}.")

ModelType = Literal["quality_optimized", "latency_optimized", "prefer_quality_optimized"]


def choice(
    name: str, choices: tuple[str, ...], description: str, *, default: str = "", **others: Any
) -> Parameter[str]:
    """A parameter that has one of some values, in any case; without a default, a request need not have it."""

    def read(given: Given, name: str, value: object) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)  # "split_sentences": 1
        if not isinstance(value, str) or value.lower() not in choices:
            raise given.wrong(name, f"one of {', '.join(choices)}")
        return value.lower()

    kind: Any = Literal[choices]
    may_lack = not default and not others.get("is_required")
    return Parameter(
        name,
        kind | None if may_lack else kind,
        description,
        read,
        absent=default,
        default=default or None,
        **others,
    )


def _read_texts(given: Given, name: str, value: object) -> tuple[str, ...]:
    return check_texts(name, value if isinstance(value, list) else [value], given.settings)


def read_language(given: Given, name: str, value: object) -> str:
    """Reads the code of a language that is served.

    Raises:
        UnsupportedPair: It isn't served.
        InvalidRequest: It is no string.
    """
    found = find_served(check_text(name, value), given.served)
    if found is None:
        choices = ", ".join(code.upper() for code in given.served)
        raise UnsupportedPair(f"Value for '{name}' not supported; use one of {choices}.")
    return found


def _read_source(given: Given, name: str, value: object) -> str:
    source, target = read_language(given, name, value), given[TARGET_LANG]
    if source != target and (source, target) not in given.pairs:
        raise UnsupportedPair(f"Value for 'target_lang' not supported with source_lang '{source.upper()}'.")
    return source


def _read_context(given: Given, name: str, value: object) -> str:
    return check_text(name, value)[-MAX_CONTEXT_CHARS:]


def _read_tags(given: Given, name: str, value: object) -> frozenset[str]:
    lists = value if isinstance(value, list) else [value]
    tags = (tag.strip() for item in lists for tag in check_text(name, item, "a list of strings").split(","))
    return frozenset(tag for tag in tags if tag)


def _read_output(given: Given, name: str, value: object) -> str:
    return check_text(name, value).lower()


def _unavailable(name: str, feature: str) -> Parameter[None]:
    def refuse(given: Given, name: str, value: object) -> NoReturn:
        raise InvalidRequest(f"{feature} are not available on this server; leave out '{name}'.")

    return Parameter(name, str, "", refuse)


def _tags(name: str, description: str) -> Parameter[frozenset[str]]:
    return Parameter(name, list[str], description, _read_tags, absent=frozenset(), default=[], repeats=True)


TEXT = Parameter(
    "text",
    list[str],
    "Texts to translate, each on its own; a single string is accepted, too.",
    _read_texts,
    limits={"min_length": 1},
    is_required=True,
    empty=(None, "", []),
    repeats=True,
    example=["Guten Morgen!"],
)
TARGET_LANG = Parameter(
    "target_lang",
    str,
    "Language to translate into: `DE`, `EN-GB`, `EN-US` or `EN`, in any case.",
    read_language,
    is_required=True,
    example="EN",
    fills="target",
)
SOURCE_LANG = Parameter(
    "source_lang",
    str | None,
    "Language of the texts; if absent or empty, it is detected for each text. A stored glossary needs it.",
    _read_source,
    absent=AUTO,
    example="DE",
    fills="source",
)
STYLE_ID = Parameter(
    "style_id",
    str | None,
    "Id of a list of style rules: how readers are addressed, and the notation of a region. `formality` counts more.",
    read_text,
    example="a74d88fb-ed2a-4943-a664-a4512398b994",
)
CUSTOM_INSTRUCTIONS = _unavailable("custom_instructions", "Custom instructions")
OUTLINE_DETECTION = flag("outline_detection", "In XML, detect which tags end a sentence.", default=True)
IGNORE_TAGS = _tags("ignore_tags", "Tags whose content comes back unchanged.")
SPLITTING_TAGS = _tags("splitting_tags", "Tags that end a sentence.")
NON_SPLITTING_TAGS = _tags("non_splitting_tags", "Tags that don't end a sentence.")
TAG_HANDLING = choice("tag_handling", ("xml", "html"), "Markup of the texts; plain text if absent.", guide="markup")
SPLIT_SENTENCES = choice(
    "split_sentences",
    tuple(SPLITTING),
    "What ends a sentence: `1` punctuation and line breaks, `nonewlines` punctuation, `0` nothing. The default is "
    "`nonewlines` for HTML, otherwise `1`.",
)
MODEL_TYPE = choice(
    "model_type",
    get_args(ModelType),
    "`latency_optimized` is greedy search, the others beam search; if absent, as configured.",
)
TAG_HANDLING_VERSION = choice(
    "tag_handling_version", ("v1", "v2"), "Has no effect; the response repeats it.", default="v2"
)
OWN_GLOSSARY = replace(GLOSSARY, description=f"{GLOSSARY.description} DeepL doesn't have this.")
PRESERVE_FORMATTING = flag(
    "preserve_formatting",
    "First letters and final punctuation are those of the text without exception, even where the target language has a "
    "rule of its own: a German noun begins with a small letter if the text does.",
    fills="preserves_formatting",
)
CONTEXT = Parameter(
    "context",
    str | None,
    "Text that comes before each text. A model with a memory translates its last sentences first; for others it has no "
    "effect.",
    _read_context,
    absent="",
    guide="context",
    fills="context",
)
SHOW_BILLED = flag("show_billed_characters", "Return `billed_characters`; nobody is billed.")
BETA = replace(flag("enable_beta_languages", "Has no effect."), read=lambda given, name, value: False)
FILENAME = Parameter("filename", str | None, "Name of the file, if the form names another.", read_text)
OUTPUT_FORMAT = Parameter(
    "output_format",
    str | None,
    "Extension of the translated file, if it can differ: html for pdf.",
    _read_output,
)


def _markup(given: Given) -> Rules | None:
    syntax = given[TAG_HANDLING]
    if not syntax:
        return None
    is_html = syntax == "html"
    tags = [given[each] for each in (IGNORE_TAGS, SPLITTING_TAGS, NON_SPLITTING_TAGS)]
    ignored, splitting, non_splitting = (frozenset(map(str.lower, each)) if is_html else each for each in tags)
    return Rules(
        syntax="html" if is_html else "xml",
        ignore_tags=ignored,
        splitting_tags=splitting,
        non_splitting_tags=non_splitting,
        outline_detection=given[OUTLINE_DETECTION],
        line_breaks_split=is_html and given[SPLIT_SENTENCES] == "1",
    )


def _different_languages(given: Given) -> None:
    if given[SOURCE_LANG] == given[TARGET_LANG]:
        raise InvalidRequest(EQUAL_LANGUAGES)


def _glossary_has_source(given: Given) -> None:
    if given[STORED_GLOSSARIES] and SOURCE_LANG.is_absent(given.values):
        raise InvalidRequest("Parameter 'source_lang' is required with a glossary")


def _threshold_has_memory(given: Given) -> None:
    if MEMORY_ID.is_absent(given.values) and not THRESHOLD.is_absent(given.values):
        raise InvalidRequest(f"Parameter '{THRESHOLD.name}' needs '{MEMORY_ID.name}'.")


MARKUP = Rule(_markup)
DIFFERENT_LANGUAGES = Rule(_different_languages)
GLOSSARY_HAS_SOURCE = Rule(_glossary_has_source)
THRESHOLD_HAS_MEMORY = Rule(_threshold_has_memory)
