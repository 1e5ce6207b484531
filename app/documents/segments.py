"""Documents made of many small texts; each translation is written back to the position of its text."""

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from babel.core import get_global

from app.documents.document import Document, bounded
from app.documents.inline import INLINE
from app.documents.marks import Mark, Marks
from app.documents.package import Package
from app.documents.safe_xml import serialize, writable
from app.fairness.budget import checkpoint


class Segment(Protocol):
    """A paragraph, cell or title."""

    @property
    def markup(self) -> str:
        """The content as inline markup."""

    @property
    def is_translatable(self) -> bool:
        """Whether the content has a letter or digit."""

    def write(self, markup: str, language: str) -> None:
        """Replaces the content by a translation of ``markup``; the language has a region, such as ``en-GB``."""


class PlainText:
    """The unformatted text of an element or of one of its attributes.

    Args:
        element: The element.
        attribute: The attribute's name; None for the text.
        read: Returns the text that is written there.
        written: Writes a text.
    """

    def __init__(
        self,
        element: Any,
        attribute: str | None = None,
        *,
        read: Callable[[str], str] = str,
        written: Callable[[str], str] = writable,
    ) -> None:
        self._element, self._attribute, self._written = element, attribute, written
        text = read((element.get(attribute) if attribute else element.text) or "")
        self.markup = html.escape(text, quote=False)
        self.is_translatable = any(map(str.isalnum, text))

    def write(self, markup: str, language: str) -> None:
        """See ``Segment.write``."""
        text = self._written(html.unescape(markup))
        if self._attribute:
            self._element.set(self._attribute, text)
        else:
            self._element.text = text


def package_document(
    package: Package,
    trees: Mapping[str, Any],
    segments: Iterator[Segment],
    finish: Callable[[str], None] = lambda language: None,
    annotate: Callable[[Segment, Mark], None] | None = None,
) -> Document:
    """Returns the document of a package whose parts contain segments.

    Args:
        package: The file.
        trees: The root elements of the parts that may change, by name.
        segments: All texts; those without a letter or digit stay as they are.
        finish: Called with the target language and its region when all translations are written.
        annotate: Called with each segment that a person should look at; None if the format has no place for that.
    """
    found = []
    for segment in bounded(segments):
        if segment.is_translatable:
            found.append(segment)

    def write(translations: Sequence[str], language: str, marks: Marks = None) -> bytes:
        tag = _with_region(language)
        for segment, translation in zip(found, translations, strict=True):
            checkpoint()
            segment.write(translation, tag)
        for segment, mark in zip(found, marks or (), strict=False):
            if annotate and mark.reasons:
                annotate(segment, mark)
        finish(tag)
        return package.rewritten({name: serialize(root) for name, root in trees.items()})

    texts = tuple(segment.markup for segment in found)
    return Document(texts=texts, markup=INLINE, write=write, takes_marks=annotate is not None)


def _with_region(language: str) -> str:
    """Adds a region to a language tag, as spelling checkers need it: the region with the most speakers by default."""
    if "-" in language:
        return language
    likely = get_global("likely_subtags").get(language, "").split("_")
    return f"{language}-{likely[-1]}" if len(likely) > 1 else language
