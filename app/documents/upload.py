"""A file that somebody wants to be translated, as a contract hands it over."""

from dataclasses import dataclass
from typing import Literal

from app.translation.request import Wish

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
        wish: How to translate it.
    """

    content: bytes
    name: str
    input: str
    output: str
    wish: Wish
