"""The parameters of LibreTranslate's contract and of Dragoman's additions to it; ``endpoints`` orders them.

The contract defines the texts, and which values count as missing. Parameters that are not known are ignored, because
clients send extra ones.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field

from app.api.checks import check_language, check_text, check_texts
from app.api.parameter import Given, Parameter, Rule
from app.api.shared_parameters import MAX_DETAILS_CHARS, as_it_is, flag, read_bounded, read_flag
from app.engine.options import RANGES, SearchOptions, check_integer
from app.errors import InvalidRequest, OptionOutOfRange, TextTooLong, shortened
from app.text.markup.extraction import HTML, MARKDOWN, Rules
from app.text.protection.patterns import MAX_PATTERN_CHARS, MAX_PATTERNS, check_patterns
from app.translation.languages import check_pair
from app.translation.request import AUTO

MIN_BEAMS_WITH_ALTERNATIVES = 4
MAX_DEADLINE_MS = 86_400_000
MAX_PREFIX_CHARS = 2_000
MAX_CONTEXT_CHARS = 2_000
FORMATS: dict[str, Rules | None] = {"text": None, "html": HTML, "markdown": MARKDOWN}

_REQUIRED_EMPTY: tuple[object, ...] = (None, "", [])
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")
_Pattern = Annotated[str, Field(min_length=1, max_length=MAX_PATTERN_CHARS)]


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


def _read_texts(given: Given, name: str, value: object) -> tuple[str, ...]:
    return check_texts(name, value if isinstance(value, list) else [value], given.settings)


def _read_language(given: Given, name: str, value: object) -> str:
    return check_language(name, value, given.served)


def _read_source(given: Given, name: str, value: object) -> str:
    return check_language(name, value, [AUTO, *given.served])


def _read_alternatives(given: Given, name: str, value: object) -> int:
    number, limit = _to_integer(value), given.settings.alternatives_limit
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidRequest(f"Invalid request: {name} parameter is not a number")
    if number > limit:
        shown = shortened(str(number))
        raise InvalidRequest(f"Invalid request: {name} parameter must be <= {limit}, and >= 0; it is {shown}")
    return max(0, number)  # the contract: a negative number is none


def _read_format(given: Given, name: str, value: object) -> Rules | None:
    markup = check_text(name, value)
    if markup not in FORMATS:
        raise InvalidRequest(f"{shortened(markup)} format is not supported")
    return FORMATS[markup]


def _read_prefix(given: Given, name: str, value: object) -> str:
    check_text(name, value)
    if is_list(given) or given[MARKUP]:
        raise InvalidRequest("Invalid request: prefix parameter needs q to be one plain text, not a list or markup")
    return read_bounded(MAX_PREFIX_CHARS)(given, name, value)


def _read_details(given: Given, name: str, value: object) -> bool:
    details = read_flag(given, name, value)
    if details and sum(map(len, given[Q])) > MAX_DETAILS_CHARS:
        raise TextTooLong(f"details describes at most {MAX_DETAILS_CHARS} characters; use stream for longer texts.")
    return details


def _read_deadline(given: Given, name: str, value: object) -> float:
    deadline_ms = _to_integer(value)
    check_integer(name, deadline_ms, 1, MAX_DEADLINE_MS)
    assert isinstance(deadline_ms, int)
    return deadline_ms / 1000


def _read_protect(given: Given, name: str, value: object) -> tuple[str, ...]:
    patterns = value if isinstance(value, list) else [value]
    return check_patterns([check_text(name, pattern, "a list of strings") for pattern in patterns])


def _option(name: str, kind: Any, default: float | None, description: str) -> Parameter[object]:
    """A search option. Its range is that of ``SearchOptions``, which refuses other values with a sentence."""
    lowest, highest = RANGES[name]
    to_number = _to_number if kind is float else _to_integer
    return Parameter(
        name,
        kind,
        description,
        lambda given, name, value: to_number(value),
        default=default,
        limits={"ge": lowest, "le": highest},
    )


API_KEY = Parameter(
    "api_key", str | None, "API key, if the server uses keys; or `Authorization: Bearer`.", as_it_is, example=""
)
Q = Parameter(
    "q",
    str | list[str],
    "Text to translate, or a list of texts.",
    _read_texts,
    is_required=True,
    empty=_REQUIRED_EMPTY,
    limits={"min_length": 1},
    example="Guten Morgen!",
)
SOURCE = Parameter(
    "source",
    str,
    "Code of the language of the text, or `auto`.",
    _read_source,
    is_required=True,
    empty=_REQUIRED_EMPTY,
    example="auto",
    fills="source",
)
TARGET = Parameter(
    "target",
    str,
    "Code of the language to translate into.",
    _read_language,
    is_required=True,
    empty=_REQUIRED_EMPTY,
    example="en",
    fills="target",
)
ALTERNATIVES = Parameter(
    "alternatives",
    int,
    "Number of other translations to return; there may be fewer. A negative number counts as 0.",
    _read_alternatives,
    absent=0,
    default=0,
    limits={"ge": 0},
)
FORMAT = Parameter(
    "format",
    Literal["text", "html", "markdown"],
    "Format of the text; `html` and `markdown` keep the markup.",
    _read_format,
    default="text",
    guide="markup",
)
TRANSLATE_ATTRIBUTES = flag(
    "translate_attributes",
    "With `html`, translate `title`, `alt`, `placeholder`, `aria-label`, descriptions in `meta` and the like, too.",
)
PREFIX = Parameter(
    "prefix",
    str | None,
    "How the translation of `q` begins; the model continues it. `q` counts as one sentence. The `alternatives` then "
    "differ in the first word after the prefix or in a part of that word, even after an empty prefix. End it after a "
    "whole word. Scores and confidence take it as certain. Not for a list or markup.",
    _read_prefix,
    limits={"max_length": MAX_PREFIX_CHARS},
    empty=(None,),
    guide="completions",
)
OPTIONS_IN_ORDER = (
    _option(
        "beam_size",
        int | None,
        None,
        "Hypotheses kept for each sentence; 1 is greedy search, the fastest. It must be greater than "
        "`alternatives`. If absent, the operator's setting, or more if the alternatives need it.",
    ),
    _option(
        "min_length",
        int,
        0,
        "Minimum tokens of a translated sentence. The translation of a label, such as *Save*, may be shorter.",
    ),
    _option(
        "max_length",
        int | None,
        None,
        "Maximum tokens of a translated sentence; depends on the source if absent.",
    ),
    _option("no_repeat_ngram", int, 0, "No sequence of this many tokens occurs twice; 0 is off."),
    _option(
        "beam_threshold",
        float,
        2.0,
        "A hypothesis is dropped when it falls behind the best by more than this, in natural logarithms of "
        "probability. 100 keeps the whole beam, and so does `alternatives`.",
    ),
    _option("length_penalty", float, 1.0, "Higher values favour longer translations; 0 is off."),
    _option("repetition_penalty", float, 1.0, "Factor that lowers the score of repeated tokens; 1 is off."),
)
DETAILS = replace(
    flag(
        "details",
        "Describe each sentence: positions, score, verdicts, word alignment. For at most 500,000 characters of text; "
        "`stream` describes the sentences of longer texts.",
    ),
    read=_read_details,
    guide="details",
)
STREAM = replace(
    flag("stream", "Send each sentence as soon as it is translated, as server-sent events."), guide="streaming"
)
DEADLINE = Parameter(
    "deadline_ms",
    int | None,
    "The request fails with status 504 after this many milliseconds.",
    _read_deadline,
    limits={"ge": 1, "le": MAX_DEADLINE_MS},
)
PROTECT = Parameter(
    "protect",
    _Pattern | Annotated[list[_Pattern], Field(max_length=MAX_PATTERNS)] | None,
    "Spans to keep unchanged: strings, or RE2 regular expressions after `regex:`. JSON takes a list; a form repeats "
    "the field.",
    _read_protect,
    repeats=True,
    guide="protected-spans",
    fills="protect",
)
CONTEXT = Parameter(
    "context",
    str | None,
    "Text that comes before `q`, or before each text of a list, in the same language. A model with a memory translates "
    "its last sentences first, for pronouns and forms of address; for others it has no effect.",
    read_bounded(MAX_CONTEXT_CHARS),
    absent="",
    limits={"max_length": MAX_CONTEXT_CHARS},
    guide="context",
    fills="context",
)


def is_list(given: Given) -> bool:
    """Tells whether the client sent a list of texts and so gets lists back."""
    return isinstance(given.values[Q.name], list)


def _markup(given: Given) -> Rules | None:
    markup = given[FORMAT]
    if not given[TRANSLATE_ATTRIBUTES]:
        return markup
    if markup != HTML:
        raise InvalidRequest("Invalid request: translate_attributes parameter needs the format html")
    return replace(HTML, translate_attributes=True)


def _served_pair(given: Given) -> None:
    if given[SOURCE] != AUTO:
        check_pair(given[SOURCE], given[TARGET], given.pairs)


_OPTION_NAMES = frozenset(each.name for each in OPTIONS_IN_ORDER)


def _options(given: Given) -> SearchOptions:
    # Alternatives of HTML would need the markup placed in each of them; the contract answers an empty list.
    alternatives = 0 if given[MARKUP] else given[ALTERNATIVES]
    sent = () if given.values.keys().isdisjoint(_OPTION_NAMES) else OPTIONS_IN_ORDER
    asked: dict[str, Any] = {each.name: given[each] for each in sent if not each.is_absent(given.values)}
    width = asked.get("beam_size")
    if type(width) is int and 1 <= width <= alternatives:
        raise OptionOutOfRange(f"beam_size is {width}; it must be greater than alternatives, which is {alternatives}.")
    beam_size = given.settings.beam_size
    if alternatives:
        beam_size = max(beam_size, MIN_BEAMS_WITH_ALTERNATIVES, alternatives + 1)
    if not asked and given[PREFIX] is None:
        return _usual_options(beam_size, alternatives + 1)
    return SearchOptions(**{"beam_size": beam_size, **asked}, n_best=alternatives + 1, prefix=given[PREFIX])


@lru_cache(maxsize=64)
def _usual_options(beam_size: int, n_best: int) -> SearchOptions:
    """The options of nearly all requests, whose checks are a hundredth of what one costs outside of the model."""
    return SearchOptions(beam_size=beam_size, n_best=n_best)


MARKUP = Rule(_markup)
SERVED_PAIR = Rule(_served_pair)
OPTIONS = Rule(_options, fills="options")
