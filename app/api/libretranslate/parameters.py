"""Turns the parameters of a request into a checked request. Pure: no I/O, no clock, no web framework.

The LibreTranslate contract defines the order of the checks, their texts, and which values count as missing.
Parameters that are not known are ignored, because clients send extra ones.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.api.checks import (
    check_language,
    check_text,
    check_texts,
    is_absent,
    parse_flag,
    parse_glossary,
    parse_glossary_ids,
    parse_memory,
)
from app.engine.options import SearchOptions, check_integer
from app.errors import InvalidRequest, OptionOutOfRange, TextTooLong, shortened
from app.settings import Settings
from app.text.formality import FORMALITIES, Register, choose_register
from app.text.markup.extraction import HTML, MARKDOWN, Rules
from app.text.protection.patterns import check_patterns
from app.translation.languages import check_pair, languages_of, locale_of, name_of
from app.translation.request import AUTO, TranslationRequest

MIN_BEAMS_WITH_ALTERNATIVES = 4
MAX_DEADLINE_MS = 86_400_000
MAX_PREFIX_CHARS = 2_000
MAX_CONTEXT_CHARS = 2_000
# The description of a sentence takes some 200 bytes a character, as objects and as JSON.
MAX_DETAILS_CHARS = 500_000
FORMATS: dict[str, Rules | None] = {"text": None, "html": HTML, "markdown": MARKDOWN}
REPEATABLE = frozenset({"protect", "glossary_ids"})
"""Parameters that a form may hold more than once."""
WHOLE_OPTIONS = ("beam_size", "min_length", "max_length", "no_repeat_ngram")
DECIMAL_OPTIONS = ("beam_threshold", "length_penalty", "repetition_penalty")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")


@dataclass(frozen=True, kw_only=True)
class LibreTranslateRequest:
    """A request that passed every check.

    Attributes:
        translation: What to translate, and how.
        is_list: True if the client sent a list and so gets lists back.
        details: Whether the answer describes each sentence.
        stream: Whether the sentences are sent one by one.
        glossary_ids: The stored glossaries to use, the most important first.
        memory: Id of the translation memory to use and minimum score of its matches; None for none.
    """

    translation: TranslationRequest
    is_list: bool
    details: bool = False
    stream: bool = False
    glossary_ids: tuple[str, ...] = ()
    memory: tuple[str, int] | None = None


def parse_translation(
    values: Mapping[str, object], *, settings: Settings, pairs: frozenset[tuple[str, str]]
) -> LibreTranslateRequest:
    """Checks the parameters of a translation.

    Args:
        values: Parameters by name: JSON values, or strings where they came from a form or the query.
        settings: For the limits and the default beam width.
        pairs: Source and target codes that can be translated.

    Raises:
        InvalidRequest: With the contract's text for the first check that failed, or a subclass of it.
    """
    for name in ("q", "source", "target"):
        _require(values, name)
    alternatives = _parse_alternatives(values.get("alternatives"), settings.alternatives_limit)
    texts, is_list = parse_texts(values, settings)
    source, target = _parse_languages(values, languages_of(pairs))
    markup = _parse_markup(values)
    prefix = _parse_prefix(values.get("prefix"), is_plain_text=not is_list and markup is None)
    if source != AUTO:
        check_pair(source, target, pairs)
    # Alternatives of HTML would need the markup placed in each of them; the contract answers an empty list.
    options = replace(_parse_options(values, settings.beam_size, 0 if markup else alternatives), prefix=prefix)
    details, stream = _parse_details(values, texts), parse_flag(values, "stream")
    translation = TranslationRequest(
        texts=texts,
        source=source,
        target=target,
        locale=locale_of(str(values["target"])),
        options=options,
        markup=markup,
        splitting="sentences" if prefix is None else "off",
        alternatives=alternatives,
        deadline_s=_parse_deadline(values.get("deadline_ms"), settings.request_timeout_s),
        protect=_parse_protect(values.get("protect")),
        register=parse_formality(values.get("formality"), target),
        glossary=parse_glossary(values.get("glossary")),
        details=details,
        alignment=details or stream,
        tokens=stream,
        context=_parse_context(values.get("context")),
        skips_unsupported=is_list,
    )
    return LibreTranslateRequest(
        translation=translation,
        is_list=is_list,
        details=details,
        stream=stream,
        glossary_ids=parse_glossary_ids(values),
        memory=parse_memory(values),
    )


def parse_texts(values: Mapping[str, object], settings: Settings) -> tuple[tuple[str, ...], bool]:
    """Returns the texts in ``q``, and whether they came as a list.

    Raises:
        InvalidRequest: ``q`` is missing or not made of strings that can be written as UTF-8.
        TextTooLong: Too many texts, or one that is too long.
    """
    value = _require(values, "q")
    items = value if isinstance(value, list) else [value]
    return check_texts("q", items, settings), items is value


def parse_formality(value: object, target: str) -> Register | None:
    """Returns the register that ``formality`` asks for; None for any.

    Raises:
        InvalidRequest: The value is no formality, or the target language has no such forms.
    """
    if is_absent(value):
        return None
    formality = check_text("formality", value)
    if formality not in FORMALITIES:
        raise InvalidRequest(f"Invalid request: formality parameter must be one of {', '.join(FORMALITIES)}")
    try:
        return choose_register(formality, target)
    except ValueError:
        raise InvalidRequest(f"formality is not supported for {name_of(target)} ({target})") from None


def _require(values: Mapping[str, object], name: str) -> object:
    value = values.get(name)
    if value is None or value in ("", []):
        raise InvalidRequest(f"Invalid request: missing {name} parameter")
    return value


def _parse_languages(values: Mapping[str, object], served: list[str]) -> tuple[str, str]:
    source = check_language("source", values["source"], [AUTO, *served])
    return source, check_language("target", values["target"], served)


def _parse_alternatives(value: object, limit: int) -> int:
    if is_absent(value):
        return 0
    number = _to_integer(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidRequest("Invalid request: alternatives parameter is not a number")
    if number > limit:
        raise InvalidRequest(f"Invalid request: alternatives parameter must be <= {limit}")
    return max(0, number)


def _parse_markup(values: Mapping[str, object]) -> Rules | None:
    markup = _parse_format(values.get("format"))
    if not parse_flag(values, "translate_attributes"):
        return markup
    if markup != HTML:
        raise InvalidRequest("Invalid request: translate_attributes parameter needs the format html")
    return replace(HTML, translate_attributes=True)


def _parse_format(value: object) -> Rules | None:
    if is_absent(value):
        return None
    name = check_text("format", value)
    if name not in FORMATS:
        raise InvalidRequest(f"{shortened(name)} format is not supported")
    return FORMATS[name]


def _parse_details(values: Mapping[str, object], texts: Sequence[str]) -> bool:
    details = parse_flag(values, "details")
    if details and sum(map(len, texts)) > MAX_DETAILS_CHARS:
        raise TextTooLong(f"details describes at most {MAX_DETAILS_CHARS} characters; use stream for longer texts.")
    return details


def _parse_prefix(value: object, *, is_plain_text: bool) -> str | None:
    if value is None:
        return None
    prefix = check_text("prefix", value)
    if not is_plain_text:
        raise InvalidRequest("Invalid request: prefix parameter needs q to be one plain text, not a list or markup")
    if len(prefix) > MAX_PREFIX_CHARS:
        raise InvalidRequest(f"Invalid request: prefix parameter is longer than {MAX_PREFIX_CHARS} characters")
    return prefix


def _parse_context(value: object) -> str:
    if is_absent(value):
        return ""
    context = check_text("context", value)
    if len(context) > MAX_CONTEXT_CHARS:
        raise InvalidRequest(f"Invalid request: context parameter is longer than {MAX_CONTEXT_CHARS} characters")
    return context


def _parse_options(values: Mapping[str, object], default_beam_size: int, alternatives: int) -> SearchOptions:
    given = {name: _to_integer(values[name]) for name in WHOLE_OPTIONS if not is_absent(values.get(name))}
    given |= {name: _to_number(values[name]) for name in DECIMAL_OPTIONS if not is_absent(values.get(name))}
    wanted = given.get("beam_size")
    if type(wanted) is int and 1 <= wanted <= alternatives:
        raise OptionOutOfRange(f"beam_size is {wanted}; it must be greater than alternatives, which is {alternatives}.")
    beam_size = default_beam_size
    if alternatives:
        beam_size = max(beam_size, MIN_BEAMS_WITH_ALTERNATIVES, alternatives + 1)
    # A value of the wrong type goes through as it is, and SearchOptions refuses it with a sentence: hence the ignore.
    return SearchOptions(**{"beam_size": beam_size, "n_best": alternatives + 1} | given)  # type: ignore[arg-type]


def _parse_deadline(value: object, longest_s: float) -> float:
    if is_absent(value):
        return longest_s
    deadline_ms = _to_integer(value)
    check_integer("deadline_ms", deadline_ms, 1, MAX_DEADLINE_MS)
    assert isinstance(deadline_ms, int)
    return min(longest_s, deadline_ms / 1000)


def _parse_protect(value: object) -> tuple[str, ...] | None:
    if is_absent(value):
        return None
    patterns = value if isinstance(value, list) else [value]
    return check_patterns([check_text("protect", pattern, "a list of strings") for pattern in patterns])


def _to_integer(value: object) -> object:
    """Returns the whole number that a JSON number or a form's string contains; any other value unchanged."""
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _to_number(value: object) -> object:
    """Returns the number that a form's string contains; any other value unchanged."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    return value
