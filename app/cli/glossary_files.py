"""The files of glossaries: TSV and CSV, which have one pair of languages, and TBX."""

from collections.abc import Mapping
from pathlib import Path

from app.documents import term_files
from app.documents.characters import Encoded
from app.text.terms.entries import FORMATS, check_entries

EXTENSIONS = tuple(term_files.WRITERS)


def is_glossary(file: Path) -> bool:
    """Tells by its name whether a file is a glossary."""
    return _form(file) in EXTENSIONS


def read_glossary(file: Path, source: str, target: str) -> dict[str, str]:
    """Returns the translations of terms in a file.

    Raises:
        InvalidRequest: It is no glossary, or has no terms in these languages.
    """
    form, data = _form(file), file.read_bytes()
    return check_entries(
        FORMATS[form](Encoded(data).text) if form in FORMATS else term_files.read(data, source, target)
    )


def write_glossary(file: Path, entries: Mapping[str, str], source: str, target: str) -> bytes:
    """Returns the content of a file with a glossary, as the file's name asks for it."""
    form = _form(file)
    text = term_files.WRITERS[form](entries, source, target)
    return (f"{text}\n" if form == "tsv" else text).encode()


def _form(file: Path) -> str:
    return file.suffix.lower().lstrip(".")
