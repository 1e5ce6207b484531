"""The entries of a glossary, checked; and the formats in which they are sent."""

import unicodedata
from collections.abc import Iterable

from app.errors import InvalidGlossary
from app.text.budget import checkpoint
from app.text.inline.objects import TOKEN

MAX_ENTRIES = 50_000
MAX_TERM_CHARS = 500
MAX_TERM_WORDS = 20
_FORBIDDEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, separators of lines


def check_entries(entries: Iterable[tuple[object, object]], most: int = MAX_ENTRIES) -> dict[str, str]:
    """Target terms by source terms, without white space around them.

    Args:
        entries: Source and target terms.
        most: The number of entries allowed.

    Raises:
        InvalidGlossary: There are none, or too many; a term is empty, too long, no string, or has a character that no
            term may have; or two entries have the same source term. The message names the entry by its number from 0.
    """
    found: dict[str, str] = {}
    places: dict[str, int] = {}
    for index, (source, target) in enumerate(entries):
        checkpoint()
        if index >= most:
            raise InvalidGlossary(f"Invalid glossary entries provided: more than {most:,} entries.")
        term = _term(source, "source", index)
        if term in places:
            raise InvalidGlossary(
                f"Invalid glossary entries provided: key with the index {index} duplicates key with the index "
                f"{places[term]}."
            )
        places[term] = index
        found[term] = _term(target, "target", index)
    if not found:
        raise InvalidGlossary("Invalid glossary entries provided: there are none.")
    return found


def _term(value: object, side: str, index: int) -> str:
    def refuse(reason: str) -> InvalidGlossary:
        return InvalidGlossary(f"Invalid glossary entries provided: the {side} term with the index {index} {reason}.")

    if not isinstance(value, str):
        raise refuse("is no string")
    term = value.strip()
    if not term:
        raise refuse("is empty")
    if len(term) > MAX_TERM_CHARS:
        raise refuse(f"has more than {MAX_TERM_CHARS} characters")
    if sum(1 for _ in TOKEN.finditer(term)) > MAX_TERM_WORDS:
        raise refuse(f"has more than {MAX_TERM_WORDS} words and signs")
    if any(unicodedata.category(character) in _FORBIDDEN for character in term):
        raise refuse("has a tab, line break or other control character")
    return term
