"""Turns the parameters of the DeepL contract into a checked request. Pure: no I/O, no clock, no web framework.

A parameter is implemented, or refused if it asks for what this server can't do, or ignored where the contract lets a
server be without: ``enable_beta_languages``, and ``context`` for models without a memory. The texts that the official
clients look for are those of the contract.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NoReturn

from app.api.checks import (
    check_text,
    check_texts,
    is_absent,
    parse_flag,
    parse_glossary,
    parse_glossary_ids,
    parse_memory,
)
from app.documents.translation import EQUAL_LANGUAGES
from app.engine.interface import Splitting
from app.engine.options import SearchOptions
from app.errors import InvalidRequest, UnsupportedPair
from app.settings import Settings
from app.text.formality import FORMALITIES, Register, choose_register
from app.text.markup.extraction import Rules
from app.translation.languages import find_served, languages_of, locale_of
from app.translation.request import AUTO, TranslationRequest

MAX_BODY_BYTES = 128 * 1024
"""The contract's limit for a translation request."""

MAX_CONTEXT_CHARS = 2_000
"""Of a longer context the end is read; the contract has no limit."""

REPEATABLE = frozenset({"text", "glossary_ids", "ignore_tags", "splitting_tags", "non_splitting_tags"})
"""Parameters that a form may hold several times."""

SPLITTING: dict[str, Splitting] = {"0": "off", "1": "sentences", "nonewlines": "no_newlines"}
MODEL_TYPES = ("quality_optimized", "latency_optimized", "prefer_quality_optimized")
RESOURCES = (
    "translate_text", "translate_document", "glossary", "voice", "write", "style_rules", "translation_memory",
)  # fmt: skip
# Targets that the contract splits by region. The model doesn't tell them apart; numbers and dates are written for each.
VARIANTS = {
    "en": {"en-GB": "English (British)", "en-US": "English (American)"},
    "pt": {"pt-BR": "Portuguese (Brazilian)", "pt-PT": "Portuguese (European)"},
}

_UNAVAILABLE = {
    "style_id": "Style rules",
    "custom_instructions": "Custom instructions",
}
_QUALITY_BEAM_SIZE = 4

_parse_flag = partial(parse_flag, refusal="Value for '{}' not supported; use true or false.")


@dataclass(frozen=True, kw_only=True)
class DeepLRequest:
    """A request that passed every check.

    Attributes:
        translation: What to translate, and how.
        show_billed_characters: Whether the answer counts the characters.
        model_type_used: Answered if the request chose a model type.
        tag_handling_version: Answered if the request has tag handling.
        glossary_ids: The stored glossaries to use, the most important first.
        memory: Id of the translation memory to use and minimum score of its matches; None for none.
    """

    translation: TranslationRequest
    show_billed_characters: bool
    model_type_used: Literal["quality_optimized", "latency_optimized"] | None
    tag_handling_version: str | None
    glossary_ids: tuple[str, ...]
    memory: tuple[str, int] | None


def parse_translation(
    values: Mapping[str, object], *, settings: Settings, pairs: frozenset[tuple[str, str]]
) -> DeepLRequest:
    """Checks the parameters of a translation.

    Args:
        values: Parameters by name: JSON values, or strings (lists of strings for ``REPEATABLE``) from a form.
        settings: For the limits and the default beam width.
        pairs: Source and target codes that can be translated.

    Raises:
        InvalidRequest: For the first check that failed, or a subclass of it; the text names the parameter.
    """
    texts = _parse_texts(values.get("text"), settings)
    source, target = _parse_pair(values, pairs)
    _refuse_unavailable(values)
    register = _parse_formality(values, target)
    markup = _parse_markup(values)
    html = markup if markup and markup.syntax == "html" else None
    splitting = _parse_choice(values, "split_sentences", SPLITTING, "nonewlines" if html else "1")
    if html:
        markup = replace(html, line_breaks_split=splitting == "1")
    model_type = _parse_choice(values, "model_type", MODEL_TYPES, "")
    is_greedy = model_type == "latency_optimized"
    version = _parse_choice(values, "tag_handling_version", ("v1", "v2"), "v2")
    return DeepLRequest(
        translation=TranslationRequest(
            texts=texts,
            source=source,
            target=target,
            locale=locale_of(str(values["target_lang"])),
            markup=markup,
            splitting=SPLITTING[splitting],
            options=SearchOptions(beam_size=_beam_size(model_type, settings.beam_size)),
            deadline_s=settings.request_timeout_s,
            glossary=parse_glossary(values.get("glossary")),
            register=register,
            preserves_formatting=_parse_flag(values, "preserve_formatting"),
            context=_parse_context(values.get("context")),
        ),
        show_billed_characters=_parse_flag(values, "show_billed_characters"),
        model_type_used=("latency_optimized" if is_greedy else "quality_optimized") if model_type else None,
        tag_handling_version=version if markup else None,
        glossary_ids=_parse_glossary_ids(values),
        memory=_parse_memory(values),
    )


@dataclass(frozen=True, kw_only=True)
class DocumentParameters:
    """Parameters of a document that passed every check; as in ``app.documents.upload.Upload``."""

    source: str
    target: str
    locale: str | None
    register: Register | None
    glossary_ids: tuple[str, ...]
    memory: tuple[str, int] | None
    output: str | None


def parse_document(values: Mapping[str, object], *, pairs: frozenset[tuple[str, str]]) -> DocumentParameters:
    """Checks the parameters that come with a document.

    Args:
        values: The fields of the form.
        pairs: Source and target codes that can be translated.

    Raises:
        InvalidRequest: For the first check that failed, or a subclass of it.
    """
    source, target = _parse_pair(values, pairs)
    if source == target:
        raise InvalidRequest(EQUAL_LANGUAGES)
    _refuse_unavailable(values)
    register = _parse_formality(values, target)
    output = values.get("output_format")
    return DocumentParameters(
        source=source,
        target=target,
        locale=locale_of(str(values["target_lang"])),
        register=register,
        glossary_ids=_parse_glossary_ids(values),
        memory=_parse_memory(values),
        output=None if is_absent(output) else check_text("output_format", output).lower(),
    )


def parse_language_type(values: Mapping[str, object]) -> str:
    """Checks the ``type`` of the wanted languages: ``source`` or ``target``.

    Raises:
        InvalidRequest: It is something else.
    """
    return _parse_choice(values, "type", ("source", "target"), "source")


def parse_resource(values: Mapping[str, object]) -> str:
    """Checks the ``resource`` whose languages are wanted, one of ``RESOURCES``.

    Raises:
        InvalidRequest: It is missing or something else.
    """
    if is_absent(values.get("resource")):
        raise InvalidRequest(f"Parameter 'resource' not specified; use one of {', '.join(RESOURCES)}.")
    return _parse_choice(values, "resource", RESOURCES, "")


def _parse_texts(value: object, settings: Settings) -> tuple[str, ...]:
    if value in (None, "", []):
        raise InvalidRequest("Parameter 'text' not specified")
    return check_texts("text", value if isinstance(value, list) else [value], settings)


def _parse_pair(values: Mapping[str, object], pairs: frozenset[tuple[str, str]]) -> tuple[str, str]:
    if is_absent(values.get("target_lang")):
        raise InvalidRequest("Parameter 'target_lang' not specified")
    target = _parse_language(values, "target_lang", languages_of(pairs))
    if is_absent(values.get("source_lang")):
        return AUTO, target
    source = _parse_language(values, "source_lang", languages_of(pairs))
    if source != target and (source, target) not in pairs:
        raise UnsupportedPair(f"Value for 'target_lang' not supported with source_lang '{source.upper()}'.")
    return source, target


def _parse_language(values: Mapping[str, object], name: str, served: Collection[str]) -> str:
    code = check_text(name, values[name])
    found = find_served(code, served)
    if found is None:
        raise UnsupportedPair(f"Value for '{name}' not supported.")
    return found


def _refuse_unavailable(values: Mapping[str, object]) -> None:
    for name, feature in _UNAVAILABLE.items():
        if not is_absent(values.get(name)):
            raise InvalidRequest(f"{feature} are not available on this server; leave out '{name}'.")


def _parse_glossary_ids(values: Mapping[str, object]) -> tuple[str, ...]:
    glossary_ids = parse_glossary_ids(values)
    if glossary_ids and is_absent(values.get("source_lang")):
        raise InvalidRequest("Parameter 'source_lang' is required with a glossary")
    return glossary_ids


def _parse_memory(values: Mapping[str, object]) -> tuple[str, int] | None:
    memory = parse_memory(values, "Value for '{}' not supported; use {}.")
    if memory is None and not is_absent(values.get("translation_memory_threshold")):
        raise InvalidRequest("Parameter 'translation_memory_threshold' needs 'translation_memory_id'.")
    return memory


def _parse_formality(values: Mapping[str, object], target: str) -> Register | None:
    try:
        return choose_register(_parse_choice(values, "formality", FORMALITIES, "default"), target)
    except ValueError:
        code = str(values["target_lang"]).upper()
        raise InvalidRequest(f"Target language '{code}' doesn't support formality.") from None


def _parse_context(value: object) -> str:
    return "" if is_absent(value) else check_text("context", value)[-MAX_CONTEXT_CHARS:]


def _parse_markup(values: Mapping[str, object]) -> Rules | None:
    is_outlined = _parse_flag(values, "outline_detection", default=True)
    names = [_parse_tags(values, name) for name in ("ignore_tags", "splitting_tags", "non_splitting_tags")]
    syntax = _parse_choice(values, "tag_handling", ("xml", "html"), "")
    if not syntax:
        return None
    if syntax == "html":
        names = [frozenset(map(str.lower, tags)) for tags in names]
    ignored, splitting, non_splitting = names
    return Rules(
        syntax="html" if syntax == "html" else "xml",
        ignore_tags=ignored,
        splitting_tags=splitting,
        non_splitting_tags=non_splitting,
        outline_detection=is_outlined,
    )


def _parse_tags(values: Mapping[str, object], name: str) -> frozenset[str]:
    value = values.get(name)
    if is_absent(value):
        return frozenset()
    lists = value if isinstance(value, list) else [value]
    tags = (tag.strip() for item in lists for tag in check_text(name, item, "a list of strings").split(","))
    return frozenset(tag for tag in tags if tag)


def _beam_size(model_type: str, default: int) -> int:
    if model_type == "latency_optimized":
        return 1
    return max(default, _QUALITY_BEAM_SIZE) if model_type else default


def _parse_choice(values: Mapping[str, object], name: str, choices: Iterable[str], default: str) -> str:
    value = values.get(name)
    if is_absent(value):
        return default
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # "split_sentences": 1
    if not isinstance(value, str) or value.lower() not in choices:
        _refuse(name, f"use one of {', '.join(choices)}")
    return value.lower()


def _refuse(name: str, advice: str) -> NoReturn:
    raise InvalidRequest(f"Value for '{name}' not supported; {advice}.")
