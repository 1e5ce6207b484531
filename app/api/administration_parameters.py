"""The parameters of the operator's endpoints, in the order of their checks."""

from collections.abc import Collection
from functools import partial
from typing import Any, Literal, get_args

from app.api.checks import check_text
from app.api.parameter import Given, Parameter, Parameters
from app.api.shared_parameters import OWN_SENTENCES, as_it_is, read_bounded
from app.engine.options import check_integer
from app.errors import InvalidRequest
from app.priority import Priority

State = Literal["pending", "accepted", "rejected"]
Decided = Literal["accepted", "rejected"]
PriorityName = Literal["interactive", "normal", "bulk"]

_MAX_NAME_CHARS = 100
_MAX_LIMIT = 10**9


def _read_limit(given: Given, name: str, value: object) -> int:
    check_integer(name, value, 1, _MAX_LIMIT)
    assert isinstance(value, int)
    return value


def _read_features(given: Given, name: str, value: object) -> list[str]:
    return [check_text(name, item, "a list of strings") for item in (value if isinstance(value, list) else [value])]


def _read_priority(given: Given, name: str, value: object) -> Priority:
    return Priority(_one_of(get_args(PriorityName), given, name, value))


def _one_of(choices: Collection[str], given: Given, name: str, value: object) -> Any:
    if value not in choices:
        raise given.wrong(name, f"one of {', '.join(choices)}")
    return value


def _read_number(given: Given, name: str, value: object) -> int:
    return suggestion_number(value)


def suggestion_number(value: object) -> int:
    """Reads the number of a suggestion.

    Raises:
        InvalidRequest: No suggestion can have it.
    """
    text = str(value)
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise InvalidRequest("No waiting suggestion has this number.")
    return int(text)


def _limit(name: str, description: str) -> Parameter[int | None]:
    # An empty value is a mistake: it doesn't say that there is no limit.
    return Parameter(name, int | None, description, _read_limit, limits={"ge": 1, "le": _MAX_LIMIT}, empty=(None,))


NAME = Parameter(
    "name",
    str,
    "Name of the key.",
    read_bounded(_MAX_NAME_CHARS),
    is_required=True,
    limits={"min_length": 1, "max_length": _MAX_NAME_CHARS},
)
CHARACTERS = _limit("monthly_characters", "Maximum characters in a month; no limit if absent.")
REQUESTS = _limit("requests_per_minute", "Maximum requests in a minute; no limit if absent.")
FEATURES = Parameter(
    "features",
    list[str] | None,
    "What it may do: `translate`, `detect`; all if absent.",
    _read_features,
    limits={"min_length": 1},
    empty=(None,),
)
PRIORITY = Parameter(
    "priority",
    PriorityName,
    "The highest priority that its requests may have.",
    _read_priority,
    absent=Priority.NORMAL,
    default="normal",
    empty=(None,),
)
NEW_KEY = Parameters(OWN_SENTENCES, NAME, CHARACTERS, REQUESTS, FEATURES, PRIORITY, is_strict=True)


STATE = Parameter[State](
    "state",
    State,
    "Which suggestions.",
    partial(_one_of, get_args(State)),
    absent="pending",
    default="pending",
    example="pending",
)
AFTER = Parameter(
    "after", int | None, "The suggestion before the first one.", _read_number, absent=0, limits={"ge": 0}, example=0
)
SUGGESTIONS = Parameters(OWN_SENTENCES, STATE, AFTER, is_strict=True)
DECIDED = Parameter("state", Decided, "The decision.", partial(_one_of, get_args(Decided)), is_required=True)
MEMORY_ID = Parameter("translation_memory_id", str | None, "Where it goes, if it is accepted.", as_it_is)
DECISION = Parameters(OWN_SENTENCES, DECIDED, MEMORY_ID, is_strict=True)
