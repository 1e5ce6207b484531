"""Turns the parameters of a request into a checked TranslationRequest. Pure: no I/O, no clock, no web framework.

The order of the checks, their texts and which value counts as missing are those of the LibreTranslate contract.
Parameters that are not known are ignored, because clients send extra ones.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from app.api.languages import find_served, languages_of, name_of
from app.engine.interface import Splitting
from app.engine.options import SearchOptions, check_integer
from app.errors import InvalidRequest, OptionOutOfRange, TextTooLong, UnsupportedPair
from app.settings import Settings
from app.text.markup.extraction import HTML, MARKDOWN, Rules
from app.text.protection.protected import Patterns, compile_patterns

AUTO = "auto"
MIN_BEAMS_WITH_ALTERNATIVES = 4
MAX_DEADLINE_MS = 86_400_000
FORMATS: dict[str, Rules | None] = {"text": None, "html": HTML, "markdown": MARKDOWN}
REPEATABLE = frozenset({"protect"})
"""Parameters that a form may hold more than once."""
WHOLE_OPTIONS = ("beam_size", "min_length", "max_length", "no_repeat_ngram")
DECIMAL_OPTIONS = ("beam_threshold", "length_penalty", "repetition_penalty")
_FLAG_VALUES = {"true": True, "1": True, "false": False, "0": False}
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
        deadline_s: Seconds until the client no longer wants the answer; None if that never happens.
        protected: What must not be translated.
        details: Whether the answer describes each sentence.
        stream: Whether the sentences are sent one by one.
    """

    texts: tuple[str, ...]
    is_list: bool
    source: str
    target: str
    markup: Rules | None
    splitting: Splitting
    alternatives: int
    options: SearchOptions
    deadline_s: float | None
    protected: Patterns | None = None
    details: bool = False
    stream: bool = False


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
    source = parse_language("source", values["source"], [AUTO, *languages])
    target = parse_language("target", values["target"], languages)
    markup = _parse_markup(values)
    if source != AUTO:
        check_pair(source, target, pairs)
    return TranslationRequest(
        texts=texts,
        is_list=is_list,
        source=source,
        target=target,
        markup=markup,
        splitting="sentences",
        alternatives=alternatives,
        # Alternatives of HTML would need the markup placed in each of them; the contract answers an empty list.
        options=_parse_options(values, settings.beam_size, 0 if markup else alternatives),
        deadline_s=_parse_deadline(values.get("deadline_ms"), settings.request_timeout_s),
        protected=_parse_protect(values.get("protect")),
        details=parse_flag(values, "details"),
        stream=parse_flag(values, "stream"),
    )


def parse_texts(values: Mapping[str, object], settings: Settings) -> tuple[tuple[str, ...], bool]:
    """The texts in ``q`` and whether they came as a list.

    Raises:
        InvalidRequest: ``q`` is missing or not made of strings that can be written as UTF-8.
        TextTooLong: Too many texts, or one that is too long.
    """
    value = _require(values, "q")
    items = value if isinstance(value, list) else [value]
    return check_texts("q", items, settings), items is value


def check_texts(name: str, items: Sequence[object], settings: Settings) -> tuple[str, ...]:
    """The texts to translate that a parameter holds.

    Raises:
        InvalidRequest: One isn't a string that can be written as UTF-8.
        TextTooLong: Too many texts, or one that is too long.
    """
    if len(items) > settings.max_texts:
        raise _over_limit(len(items), settings.max_texts)
    texts = tuple(check_text(name, item, "a string or a list of strings") for item in items)
    for text in texts:
        if len(text) > settings.max_text_chars:
            raise _over_limit(len(text), settings.max_text_chars)
    return texts


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


def check_text(name: str, value: object, expected: str = "a string") -> str:
    """The parameter as a string.

    Raises:
        InvalidRequest: It isn't one (the message says ``expected``), or can't be written as UTF-8 and read again.
    """
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
    if is_absent(value):
        return 0
    number = _to_integer(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidRequest("Invalid request: alternatives parameter is not a number")
    if number > limit:
        raise InvalidRequest(f"Invalid request: alternatives parameter must be <= {limit}")
    return max(0, number)


def parse_language(name: str, value: object, served: Collection[str]) -> str:
    """The code of a served language, as the pairs have it.

    Raises:
        InvalidRequest: It isn't a string.
        UnsupportedPair: It isn't served.
    """
    code = check_text(name, value)
    found = find_served(code, served)
    if found is None:
        raise UnsupportedPair(f"{_shortened(code)} is not supported")
    return found


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
        raise InvalidRequest(f"{_shortened(name)} format is not supported")
    return FORMATS[name]


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


def _parse_protect(value: object) -> Patterns | None:
    if is_absent(value):
        return None
    patterns = value if isinstance(value, list) else [value]
    return compile_patterns([check_text("protect", pattern, "a list of strings") for pattern in patterns])


def parse_flag(
    values: Mapping[str, object],
    name: str,
    *,
    default: bool = False,
    refusal: str = "Invalid request: {} parameter must be true or false",
) -> bool:
    """What a parameter says that is true or false.

    Raises:
        InvalidRequest: It is neither; ``refusal`` says so, with its name put in.
    """
    value = values.get(name)
    if is_absent(value):
        return default
    flag = _FLAG_VALUES.get(str(value).lower()) if isinstance(value, bool | int | str) else None
    if flag is None:
        raise InvalidRequest(refusal.format(name))
    return flag


def is_absent(value: object) -> bool:
    """Tells whether a parameter counts as not given: null, or nothing, as a string, as a list, or as forms send it."""
    return value is None or value in ("", [], [""])


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
