"""Checks of parameters that the contracts share. Pure: no I/O, no clock, no web framework."""

from collections.abc import Collection, Sequence

from app.api.long_json import parse_json
from app.errors import InvalidGlossary, InvalidRequest, TextTooLong
from app.settings import Settings
from app.text.terms.entries import check_entries
from app.translation.languages import served_language


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


def parse_entries(value: object, most: int) -> dict[str, str] | None:
    """Reads the entries of a request's glossary, an object or a string of its JSON; None if there are none.

    Raises:
        InvalidGlossary: It isn't one, or has an entry that can't be used.
    """
    if value == {}:
        return None
    if isinstance(value, str):
        try:
            value = parse_json(value.encode())
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise InvalidGlossary("Invalid request: glossary parameter must be an object of source and target terms")
    return check_entries(value.items(), most)


def _over_limit(size: int, limit: int) -> TextTooLong:
    return TextTooLong(f"Invalid request: request ({size}) exceeds text limit ({limit})")
