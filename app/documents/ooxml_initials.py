"""Initials: the first letter of a paragraph in a format of its own, which belongs to the letter and not to its word."""

import re
from collections.abc import Sequence
from typing import Any

from app.documents.inline import Event, Kind

_FIRST_LETTER = re.compile(r"[^\w\s]*+\w")


def take_initial(items: list[Any], text: type) -> tuple[Any] | None:
    """Gives the first letter the format of the text that it touches.

    Args:
        items: Of a paragraph; changed.
        text: The class of items with text.

    Returns:
        The properties of the initial; None if the paragraph has none.
    """
    if len(items) < 2 or not (isinstance(items[0], text) and isinstance(items[1], text)):
        return None
    first: Any
    second: Any
    first, second = items[:2]
    is_letter = len(first.content) == 1 and first.content.isalpha() and second.content[:1].isalpha()
    if first.key == second.key or not is_letter:
        return None
    items[0] = first._replace(key=second.key, properties=second.properties)
    return (first.properties,)


def with_initial(events: Sequence[Event], style: Any) -> list[Event]:
    """Returns the events of a translation with this style for its first letter."""
    place = next((place for place, event in enumerate(events) if event.kind is Kind.TEXT), None)
    found = None if place is None else _FIRST_LETTER.match(events[place].text)
    if place is None or found is None:
        return list(events)
    text = events[place].text
    initial = [Event(Kind.OPEN, "", style), Event(Kind.TEXT, found[0]), Event(Kind.CLOSE, "", style)]
    rest = [Event(Kind.TEXT, text[found.end() :])] if found.end() < len(text) else []
    return [*events[:place], *initial, *rest, *events[place + 1 :]]
