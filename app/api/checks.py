"""Checks of parameters that the contracts share. Pure: no I/O, no clock, no web framework."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from app.api.long_json import parse_json
from app.errors import InvalidGlossary, InvalidRequest, TextTooLong
from app.settings import Settings
from app.storage.identifiers import checked_id
from app.text.memory.matching import DEFAULT_THRESHOLD
from app.text.terms.entries import check_entries
from app.text.terms.glossary import Glossary
from app.translation.languages import served_language

MAX_INLINE_ENTRIES = 5_000
"""Entries of a glossary that comes with a request."""

MAX_GLOSSARIES = 5
"""Stored glossaries of a request; the DeepL contract's limit."""

_NAME_CHARS_SHOWN = 50
_FLAG_VALUES = {"true": True, "1": True, "false": False, "0": False}


def is_absent(value: object) -> bool:
    """Tells whether a parameter counts as missing: null, an empty string or an empty list (a form sends ``[""]``)."""
    return value is None or value in ("", [], [""])


def check_text(name: str, value: object, expected: str = "a string") -> str:
    """Checks that a parameter is a string, and returns it.

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


def check_names(values: Mapping[str, object], known: Collection[str]) -> None:
    """Refuses parameters that nothing reads: a misspelt limit must not become no limit.

    Only for contracts of our own; the clients of the others send parameters that we don't have.

    Raises:
        InvalidRequest: There is such a parameter; the message names it and the known ones.
    """
    for name in values:
        if name not in known:
            shown = name[:_NAME_CHARS_SHOWN].encode(errors="replace").decode()  # JSON can spell half of a character
            raise InvalidRequest(f"Invalid request: unknown parameter {shown}; known parameters: {', '.join(known)}")


def check_texts(name: str, items: Sequence[object], settings: Settings) -> tuple[str, ...]:
    """Checks the texts to translate in a parameter, and returns them.

    Raises:
        InvalidRequest: One isn't a string that can be written as UTF-8.
        TextTooLong: Too many texts, or one that is too long.
    """
    if len(items) > settings.max_texts:
        raise _over_limit(len(items), settings.max_texts)
    for item in items:
        if isinstance(item, str) and len(item) > settings.max_text_chars:
            raise _over_limit(len(item), settings.max_text_chars)
    return tuple(check_text(name, item, "a string or a list of strings") for item in items)


def check_language(name: str, value: object, served: Collection[str]) -> str:
    """Checks a language code; returns it as the served pairs spell it.

    Raises:
        InvalidRequest: It isn't a string.
        UnsupportedPair: It isn't served.
    """
    return served_language(check_text(name, value), served)


def parse_glossary(value: object) -> Callable[[str, str], Glossary] | None:
    """Reads the glossary of a request as ``parse_entries`` does; returns a function that compiles it.

    Raises:
        InvalidGlossary: It isn't one, or has an entry that can't be used.
    """
    entries = parse_entries(value)
    return partial(Glossary, entries) if entries else None


def parse_entries(value: object) -> dict[str, str] | None:
    """Reads the entries of a request's glossary, an object or a string of its JSON; None if the request has none.

    Raises:
        InvalidGlossary: It isn't one, or has an entry that can't be used.
    """
    if is_absent(value) or value == {}:
        return None
    if isinstance(value, str):
        try:
            value = parse_json(value.encode())
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise InvalidGlossary("Invalid request: glossary parameter must be an object of source and target terms")
    return check_entries(value.items(), MAX_INLINE_ENTRIES)


def parse_glossary_ids(values: Mapping[str, object]) -> tuple[str, ...]:
    """Checks ``glossary_id`` or ``glossary_ids`` of a request: the stored glossaries to use, the most important first.

    In a form, ``glossary_ids`` may be repeated or separated by commas.

    Raises:
        InvalidRequest: They are no UUIDs or too many, or a glossary came with the request, too.
    """
    given = [name for name in ("glossary", "glossary_id", "glossary_ids") if not is_absent(values.get(name))]
    if len(given) > 1:
        raise InvalidRequest(f"Use either '{given[0]}' or '{given[1]}'.")
    if given in ([], ["glossary"]):
        return ()
    [name] = given
    value = values[name]
    lists = value if isinstance(value, list) else [value]
    ids = [id_.strip() for each in lists for id_ in check_text(name, each).split(",")]
    if len(ids) > MAX_GLOSSARIES or (len(ids) > 1 and name == "glossary_id"):
        raise InvalidRequest(f"Value for '{name}' not supported; 'glossary_ids' takes up to {MAX_GLOSSARIES}.")
    return tuple(dict.fromkeys(checked_id(id_, name) for id_ in ids))


def parse_memory(
    values: Mapping[str, object], refusal: str = "Invalid request: {} parameter must be {}"
) -> tuple[str, int] | None:
    """Checks ``translation_memory_id`` and ``translation_memory_threshold``; None if no memory is named.

    Raises:
        InvalidRequest: One is not what it must be; ``refusal`` is the message about the threshold.
    """
    memory_id, threshold = (values.get(f"translation_memory_{name}") for name in ("id", "threshold"))
    if is_absent(threshold):
        threshold = DEFAULT_THRESHOLD
    elif isinstance(threshold, str) and threshold.isascii() and threshold.isdecimal() and len(threshold) < 4:
        threshold = int(threshold)
    if isinstance(threshold, bool) or not isinstance(threshold, int) or not 0 <= threshold <= 100:
        raise InvalidRequest(refusal.format("translation_memory_threshold", "a whole number from 0 to 100"))
    if is_absent(memory_id):
        return None
    return checked_id(check_text("translation_memory_id", memory_id), "translation_memory_id"), threshold


def parse_flag(
    values: Mapping[str, object],
    name: str,
    *,
    default: bool = False,
    refusal: str = "Invalid request: {} parameter must be true or false",
) -> bool:
    """Checks a parameter that is true or false.

    Raises:
        InvalidRequest: It is neither; ``refusal`` is the message, and ``{}`` in it the parameter's name.
    """
    value = values.get(name)
    if is_absent(value):
        return default
    flag = _FLAG_VALUES.get(str(value).lower()) if isinstance(value, bool | int | str) else None
    if flag is None:
        raise InvalidRequest(refusal.format(name))
    return flag


def _over_limit(size: int, limit: int) -> TextTooLong:
    return TextTooLong(f"Invalid request: request ({size}) exceeds text limit ({limit})")
