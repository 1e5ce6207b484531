"""The entries of a glossary, checked; and the formats in which they are sent."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from app.errors import InvalidGlossary
from app.fairness.budget import checkpoint
from app.text.inline.objects import TOKEN

MAX_ENTRIES = 50_000
MAX_ENTRIES_CHARS = 10 * 1024 * 1024  # of all terms together
MAX_TERM_CHARS = 500
MAX_TERM_WORDS = 20
_FORBIDDEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, separators of lines


def check_entries(entries: Iterable[tuple[object, object]], most: int = MAX_ENTRIES) -> dict[str, str]:
    """Checks entries; returns target terms by source terms, without white space around them.

    Args:
        entries: Source and target terms.
        most: The number of entries allowed.

    Raises:
        InvalidGlossary: There are none, or too many; a term is empty, too long, no string, or has a character that no
            term may have; or two entries have the same source term. The message names the entry by its number from 0.
    """
    found: dict[str, str] = {}
    size = 0
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
        size += len(term) + len(found[term])
        if size > MAX_ENTRIES_CHARS:
            raise InvalidGlossary(f"Invalid glossary entries provided: more than {MAX_ENTRIES_CHARS:,} characters.")
    if not found:
        raise InvalidGlossary("Invalid glossary entries provided: there are none.")
    return found


def from_tsv(text: str) -> Iterator[tuple[str, str]]:
    """Reads entries from lines of two columns with a tab between them; empty lines are skipped.

    Raises:
        InvalidGlossary: A line has more or fewer columns.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            columns = line.split("\t")
            if len(columns) != 2:
                raise InvalidGlossary(f"Invalid glossary entries provided: line {number} doesn't have two columns.")
            yield columns[0], columns[1]


def from_csv(text: str) -> Iterator[tuple[str, str]]:
    """Reads entries from rows (RFC 4180) of two columns, or of four, the last two of which are language codes.

    Raises:
        InvalidGlossary: A row has another number of columns, or a quotation mark is out of place.
    """
    rows = csv.reader(io.StringIO(text), strict=True)
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                if len(row) not in (2, 4):
                    raise InvalidGlossary(
                        f"Invalid glossary entries provided: line {rows.line_num} doesn't have two columns."
                    )
                yield row[0], row[1]
    except csv.Error:
        raise InvalidGlossary(
            f"Invalid glossary entries provided: line {rows.line_num} can't be read as CSV."
        ) from None


def to_csv(entries: Mapping[str, str]) -> str:
    """Writes entries as rows (RFC 4180) of two columns."""
    written = io.StringIO()
    csv.writer(written).writerows(entries.items())
    return written.getvalue()


FORMATS = {"tsv": from_tsv, "csv": from_csv}


def to_tsv(entries: Mapping[str, str]) -> str:
    """Writes entries as lines of two columns with a tab between them."""
    return "\n".join(f"{source}\t{target}" for source, target in entries.items())


def _term(value: object, side: str, index: int) -> str:
    def refuse(reason: str) -> InvalidGlossary:
        return InvalidGlossary(f"Invalid glossary entries provided: the {side} term with the index {index} {reason}.")

    if not isinstance(value, str):
        raise refuse("is not a string")
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
