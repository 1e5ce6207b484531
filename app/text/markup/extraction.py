"""Takes marked-up text apart and puts it together again: the entry point to HTML, XML and Markdown."""

from collections.abc import Iterator, Sequence

from app.text.markup.attributes import replace_attributes
from app.text.markup.document import Document, DocumentBuilder, Rebuilt
from app.text.markup.html import read_html
from app.text.markup.markdown import read_markdown
from app.text.markup.scope import HTML, MARKDOWN, Rules
from app.text.protection.patterns import NOTHING, Patterns

__all__ = ["HTML", "MARKDOWN", "Document", "Rebuilt", "Rules", "extract", "extract_parts", "joined"]


def extract(source: str, rules: Rules = HTML, protected: Patterns = NOTHING) -> Document:
    """Finds the translatable texts of a document; any string is accepted. ``joined`` completes their translation.

    Args:
        source: HTML, XML or Markdown, as the rules say.
        rules: How to read it.
        protected: Patterns of text that stays unchanged.

    Raises:
        TextTooLong: Markdown has more characters, or a paragraph of it, than its parser is given.
        InvalidRequest: The search for protected spans takes too long.
    """
    [document] = extract_parts(source, rules, protected, size=None)
    return document


def extract_parts(
    source: str, rules: Rules = HTML, protected: Patterns = NOTHING, *, size: int | None
) -> Iterator[Document]:
    """Yields the same document in parts, one at a time; ``joined`` joins their translations.

    Args:
        source: As of ``extract``.
        rules: As of ``extract``.
        protected: As of ``extract``.
        size: Characters that a part has at least, except the last one; None for a single part.

    Raises:
        InvalidRequest: As ``extract``.
    """
    builder = DocumentBuilder(source, protected)
    steps = read_markdown(source, builder) if rules.syntax == "markdown" else read_html(source, rules, builder)
    for _ in steps:
        if size is not None and builder.size >= size:
            yield builder.take()
    yield builder.finish()


def joined(rules: Rules, parts: Sequence[Rebuilt]) -> Rebuilt:
    """Joins the parts of a document that were translated one by one."""
    text = "".join(part.text for part in parts)
    lost = tuple(span for part in parts for span in part.lost)
    values = {old: new for part in parts for old, new in part.values.items()}
    return Rebuilt(replace_attributes(rules, text, values) if values else text, lost, {})
