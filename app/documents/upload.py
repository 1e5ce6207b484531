"""A file that somebody wants to be translated, as a contract hands it over."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.text.formality import Register

Outcome = Literal["done", "refused", "failed"]
"""How a document ended: translated, refused because of what it is, or not translated by a fault of the server."""


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A checked upload.

    Attributes:
        content: The file.
        name: What the translated file is called.
        input: Name of the file's format.
        output: Name of the translation's format.
        source: Code of the language, or ``auto``.
        target: Code of the language to translate into.
        locale: The target with its region; None without one.
        glossary: Source and target terms; None if there are none.
        glossary_ids: The stored glossaries to use, the most important first.
        memory: Id of the translation memory to use and minimum score of its matches; None for none.
        register: How the reader must be addressed; None for any way.
        review_below: As of ``app.documents.translation.DocumentRequest``.
        beam_size: Beam width; 1 is greedy search.
    """

    content: bytes
    name: str
    input: str
    output: str
    source: str
    target: str
    locale: str | None
    glossary: Mapping[str, str] | None = None
    glossary_ids: tuple[str, ...] = ()
    memory: tuple[str, int] | None = None
    register: Register | None = None
    review_below: float | None = None
    beam_size: int
