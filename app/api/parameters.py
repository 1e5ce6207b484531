"""Turns the parameters of a request into a checked TranslationRequest. Pure: no I/O, no clock, no web framework.

The order of the checks, their texts and which value counts as missing are those of the LibreTranslate contract.
Parameters that are not known are ignored, because clients send extra ones.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.api.languages import languages_of, name_of
from app.engine.translation import SearchOptions, Splitting, check_integer
from app.errors import InvalidRequest, TextTooLong, UnsupportedPair
from app.settings import Settings
from app.text.markup import HTML, Rules

AUTO = "auto"
MIN_BEAMS_WITH_ALTERNATIVES = 4
MAX_DEADLINE_MS = 86_400_000
WHOLE_OPTIONS = ("beam_size", "min_length", "max_length", "no_repeat_ngram")
DECIMAL_OPTIONS = ("length_penalty", "repetition_penalty")
_MAX_ECHO_CHARS = 40  # longer than any language code; the rest of a wrong value is not repeated back
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")


@dataclass(frozen=True, kw_only=True)
class TranslationRequest:
    """A request that passed every check.

    Attributes:
        texts: What to translate, at least one text.
        is_list: True if the client sent a list and so gets lists back.
        source: A served language code, or ``auto``.
        target: A served language code.
        markup: How the texts are marked up; None for plain text.
        splitting: What ends a sentence.
        alternatives: Further translations wanted for each text.
        options: How to search; ``n_best`` covers the alternatives.
        deadline_s: Seconds until the client no longer wants the answer.
    """

    texts: tuple[str, ...]
    is_list: bool
    source: str
    target: str
    markup: Rules | None
    splitting: Splitting
    alternatives: int
    options: SearchOptions
    deadline_s: float


def parse_translation(
    values: Mapping[str, object], *, settings: Settings, pairs: frozenset[tuple[str, str]]
) -> TranslationRequest:
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
    languages = languages_of(pairs)
    source = _parse_language(values, "source", [AUTO, *languages])
    target = _parse_language(values, "target", languages)
    is_html = _parse_format(values.get("format"))
    if source != AUTO:
        check_pair(source, target, pairs)
    return TranslationRequest(
        texts=texts,
        is_list=is_list,
        source=source,
        target=target,
        markup=HTML if is_html else None,
        splitting="sentences",
        alternatives=alternatives,
        # Alternatives of HTML would need the markup placed in each of them; the contract answers an empty list.
        options=_parse_options(values, settings.beam_size, 0 if is_html else alternatives),
        deadline_s=_parse_deadline(values.get("deadline_ms"), settings.request_timeout_s),
    )


def parse_texts(values: Mapping[str, object], settings: Settings) -> tuple[tuple[str, ...], bool]:
    """The texts in ``q`` and whether they came as a list.

    Raises:
        InvalidRequest: ``q`` is missing or not made of strings that can be written as UTF-8.
        TextTooLong: Too many texts, or one that is too long.
    """
    value = _require(values, "q")
    if isinstance(value, list):
        if len(value) > settings.max_texts:
            raise _over_limit(len(value), settings.max_texts)
        texts = tuple(_check_text("q", item, "a string or a list of strings") for item in value)
    else:
        texts = (_check_text("q", value, "a string or a list of strings"),)
    for text in texts:
        if len(text) > settings.max_text_chars:
            raise _over_limit(len(text), settings.max_text_chars)
    return texts, isinstance(value, list)


def check_pair(source: str, target: str, pairs: frozenset[tuple[str, str]]) -> None:
    """Refuses a pair that no model translates; a language into itself needs none.

    Raises:
        UnsupportedPair: With the contract's text.
    """
    if source != target and (source, target) not in pairs:
        raise UnsupportedPair(
            f"{name_of(target)} ({target}) is not available as a target language from {name_of(source)} ({source})"
        )


def _require(values: Mapping[str, object], name: str) -> object:
    value = values.get(name)
    if value is None or value in ("", []):
        raise InvalidRequest(f"Invalid request: missing {name} parameter")
    return value


def _check_text(name: str, value: object, expected: str = "a string") -> str:
    if not isinstance(value, str):
        raise InvalidRequest(f"Invalid request: {name} parameter must be {expected}")
    if "\0" in value:
        raise InvalidRequest(f"Invalid request: {name} parameter holds a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        # JSON can spell half of a UTF-16 pair ("\ud800"); no answer could repeat it.
        raise InvalidRequest(f"Invalid request: {name} parameter holds an unpaired surrogate") from None
    return value


def _over_limit(size: int, limit: int) -> TextTooLong:
    return TextTooLong(f"Invalid request: request ({size}) exceeds text limit ({limit})")


def _parse_alternatives(value: object, limit: int) -> int:
    if _is_absent(value):
        return 0
    number = _to_integer(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidRequest("Invalid request: alternatives parameter is not a number")
    if number > limit:
        raise InvalidRequest(f"Invalid request: alternatives parameter must be <= {limit}")
    return max(0, number)


def _parse_language(values: Mapping[str, object], name: str, served: list[str]) -> str:
    code = _check_text(name, values[name])
    if code.lower() not in served:
        raise UnsupportedPair(f"{_shortened(code)} is not supported")
    return code.lower()


def _parse_format(value: object) -> bool:
    if _is_absent(value):
        return False
    name = _check_text("format", value)
    if name not in ("text", "html"):
        raise InvalidRequest(f"{_shortened(name)} format is not supported")
    return name == "html"


def _parse_options(values: Mapping[str, object], default_beam_size: int, alternatives: int) -> SearchOptions:
    given = {name: _to_integer(values[name]) for name in WHOLE_OPTIONS if not _is_absent(values.get(name))}
    given |= {name: _to_number(values[name]) for name in DECIMAL_OPTIONS if not _is_absent(values.get(name))}
    beam_size = max(MIN_BEAMS_WITH_ALTERNATIVES, alternatives + 1) if alternatives else default_beam_size
    # A value of the wrong type goes through as it is, and SearchOptions refuses it with a sentence: hence the ignore.
    return SearchOptions(**{"beam_size": beam_size, "n_best": alternatives + 1} | given)  # type: ignore[arg-type]


def _parse_deadline(value: object, longest_s: float) -> float:
    if _is_absent(value):
        return longest_s
    deadline_ms = _to_integer(value)
    check_integer("deadline_ms", deadline_ms, 1, MAX_DEADLINE_MS)
    assert isinstance(deadline_ms, int)
    return min(longest_s, deadline_ms / 1000)


def _is_absent(value: object) -> bool:
    return value is None or value == ""


def _to_integer(value: object) -> object:
    """The whole number that a JSON number or a form's string stands for; anything else unchanged."""
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _to_number(value: object) -> object:
    """The number that a form's string stands for; anything else unchanged."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    return value


def _shortened(value: str) -> str:
    return value if len(value) <= _MAX_ECHO_CHARS else value[:_MAX_ECHO_CHARS] + "…"
