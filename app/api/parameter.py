"""A parameter is written once. Its parser, its schema, its row in the documentation and the fuzzer's values follow.

An endpoint names its parameters in the order of its checks; the first check that fails decides the answer. A rule is a
check of several parameters, or what they say together. Pure: no I/O, no clock, no web framework.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, Field, create_model

from app.errors import InvalidRequest
from app.settings import Settings
from app.translation.languages import languages_of

if TYPE_CHECKING:
    from app.api.request_body import FilePart

Value_co = TypeVar("Value_co", covariant=True)
_NOTHING: Any = None

ABSENT: tuple[object, ...] = (None, "", [], [""])
"""Values that count as missing: null, an empty string or an empty list (a form sends ``[""]``)."""

_NAME_CHARS_SHOWN = 50


class Sentences(NamedTuple):
    """How a contract words its refusals.

    Attributes:
        missing: A parameter is missing; ``{}`` is its name.
        wrong: A parameter has another value than expected; the two ``{}`` are its name and what is expected.
    """

    missing: str
    wrong: str


class Given:
    """The parameters of a request, checked one after the other.

    Attributes:
        values: As they came: JSON values, or strings (and lists of them) from a form or the query.
        parameters: Those of the endpoint.
        settings: For limits and defaults.
        pairs: Source and target codes that can be translated.
        file: The file that came with them; None if there was none.
        wish: What was read so far of what they wish for, by the fields of ``Wish``.
    """

    def __init__(
        self,
        values: Mapping[str, object],
        parameters: "Parameters",
        settings: Settings,
        pairs: frozenset[tuple[str, str]],
        file: "FilePart | None",
    ) -> None:
        self.values, self.parameters, self.settings, self.pairs = values, parameters, settings, pairs
        self.file = file
        self.wish: dict[str, Any] = {}
        self._checked: dict[object, Any] = {}

    def __getitem__(self, asked: "Parameter[Value_co] | Rule[Value_co]") -> Value_co:
        """Returns what was read. A parameter that the endpoint doesn't have counts as absent."""
        value: Value_co = self._checked.get(asked.key, asked.absent)
        return value

    def check(self, asked: "Parameter[Any] | Rule[Any]") -> None:
        """Reads a parameter, or checks a rule.

        Raises:
            InvalidRequest: It isn't what it must be.
        """
        value = self._checked[asked.key] = asked.check(self)
        if asked.fills:
            self.wish[asked.fills] = value

    @cached_property
    def served(self) -> list[str]:
        """Returns the codes of all languages that are translated from or into."""
        return languages_of(self.pairs)

    def missing(self, name: str) -> InvalidRequest:
        """Returns the refusal of a request that lacks a parameter."""
        return InvalidRequest(self.parameters.sentences.missing.format(name))

    def wrong(self, name: str, expected: str) -> InvalidRequest:
        """Returns the refusal of a value."""
        return InvalidRequest(self.parameters.sentences.wrong.format(name, expected))


@dataclass(frozen=True, eq=False)
class Parameter(Generic[Value_co]):
    """One parameter of a contract.

    Attributes:
        name: Its name.
        type: What JSON may hold, as an annotation of Python. Forms hold strings.
        description: For the OpenAPI document and the table of the documentation. Without one, it isn't documented.
        read: Checks a value and returns what it says; raises ``InvalidRequest``. It gets what was read so far, the
            name, and the value.
        absent: What it says if the request lacks it.
        default: The same as the documentation shows it; None to show none.
        limits: Of its values, as ``pydantic.Field`` calls them: ``ge``, ``le``, ``min_length``, ``max_length``.
        is_required: A request must have it.
        empty: Values that count as missing.
        repeats: A form may hold it several times.
        guide: The section of docs/api.md that says more.
        example: A value for forms and tests.
        fills: The field of ``app.translation.request.Wish`` that it fills; empty if it fills none.
    """

    name: str
    type: Any
    description: str
    read: Callable[[Given, str, object], Value_co]
    absent: Value_co = _NOTHING
    default: Any = None
    limits: Mapping[str, Any] = field(default_factory=dict)
    is_required: bool = False
    empty: tuple[object, ...] = ABSENT
    repeats: bool = False
    guide: str = ""
    example: Any = None
    fills: str = ""

    @cached_property
    def key(self) -> object:
        """Returns what ``Given`` finds it by: copies with another description are the same parameter."""
        return self.name

    @cached_property
    def must_be_checked(self) -> bool:
        """Returns whether a request is refused that doesn't name it."""
        return self.is_required

    def is_absent(self, values: Mapping[str, object]) -> bool:
        """Tells whether a request lacks it."""
        return values.get(self.name) in self.empty

    def check(self, given: Given) -> Value_co:
        """Reads it from a request.

        Raises:
            InvalidRequest: The request lacks it and must have it, or its value is wrong.
        """
        if not self.is_absent(given.values):
            return self.read(given, self.name, given.values[self.name])
        if self.is_required:
            raise given.missing(self.name)
        return self.absent


@dataclass(frozen=True, eq=False)
class Rule(Generic[Value_co]):
    """A check of several parameters, or what they say together.

    Attributes:
        check: Returns it; raises ``InvalidRequest``.
        absent: What an endpoint without this rule has.
        fills: As of ``Parameter``.
    """

    check: Callable[[Given], Value_co]
    absent: Value_co = _NOTHING
    fills: str = ""

    must_be_checked: ClassVar[bool] = True

    @cached_property
    def key(self) -> object:
        """Returns what ``Given`` finds it by."""
        return self


class Parameters:
    """The parameters of an endpoint.

    Args:
        sentences: How the contract words its refusals.
        order: Parameters and rules, in the order of the checks.
        is_strict: Refuse parameters that nothing reads: a misspelt limit must not become no limit. Only for contracts
            of our own; the clients of the others send parameters that we don't have.

    Attributes:
        sentences: How the contract words its refusals.
        all: The parameters in the order of their checks.
        required: The parameters that a request must have.
        repeatable: Names that a form may repeat.
    """

    def __init__(self, sentences: Sentences, *order: Parameter[Any] | Rule[Any], is_strict: bool = False) -> None:
        self.sentences, self._order, self._is_strict = sentences, order, is_strict
        self._always = tuple(each for each in order if each.must_be_checked)
        self._optional = frozenset(each.key for each in order if not each.must_be_checked)
        self.all = tuple(each for each in order if isinstance(each, Parameter))
        self.required = tuple(each for each in self.all if each.is_required)
        self.repeatable = frozenset(each.name for each in self.all if each.repeats)

    @property
    def documented(self) -> tuple[Parameter[Any], ...]:
        """Returns what the documentation shows: what a request must have comes first."""
        shown = [each for each in self.all if each.description]
        return tuple(sorted(shown, key=lambda each: not each.is_required))

    def read(
        self,
        values: Mapping[str, object],
        *,
        settings: Settings,
        pairs: frozenset[tuple[str, str]],
        file: "FilePart | None" = None,
    ) -> Given:
        """Checks the parameters of a request.

        Raises:
            InvalidRequest: With the contract's sentence for the first check that failed, or a subclass of it.
        """
        if self._is_strict:
            check_names(values, [each.name for each in self.all])
        given = Given(values, self, settings, pairs, file)
        # What is optional and wasn't sent is nearly everything, and has nothing to be checked.
        sent = self._optional.intersection(values)
        for each in self._order if sent else self._always:
            if each.must_be_checked or each.key in sent:
                given.check(each)
        return given

    def model(self, name: str, description: str) -> type[BaseModel]:
        """Returns their schema. It only documents: order, texts and the many ways to send them have none."""
        fields: dict[str, Any] = {
            each.name: (
                each.type,
                Field(... if each.is_required else each.default, description=each.description, **each.limits),
            )
            for each in self.documented
        }
        return create_model(name, __doc__=description, **fields)


def _all_present(given: Given) -> None:
    for each in given.parameters.required:
        if each.is_absent(given.values):
            raise given.missing(each.name)


ALL_PRESENT = Rule(_all_present)
"""The request has all that it must have; where it stands first, that is checked before any value."""


def check_names(values: Mapping[str, object], known: Collection[str]) -> None:
    """Refuses parameters that nothing reads.

    Raises:
        InvalidRequest: There is such a parameter; the message names it and the known ones.
    """
    for name in values:
        if name not in known:
            shown = name[:_NAME_CHARS_SHOWN].encode(errors="replace").decode()  # JSON can spell half of a character
            raise InvalidRequest(f"Invalid request: unknown parameter {shown}; known parameters: {', '.join(known)}")
