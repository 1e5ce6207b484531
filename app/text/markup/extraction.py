"""Marked-up text: what of it to translate, and how it is put together again. The door to HTML, XML and Markdown."""

from app.text.markup.document import Document, Rebuilt
from app.text.markup.html import extract_html
from app.text.markup.markdown import extract_markdown
from app.text.markup.scope import HTML, MARKDOWN, Rules
from app.text.protection.patterns import NOTHING, Patterns

__all__ = ["HTML", "MARKDOWN", "Document", "Rebuilt", "Rules", "extract"]


def extract(source: str, rules: Rules = HTML, protected: Patterns = NOTHING) -> Document:
    """Finds the translatable texts of a document; any string is accepted.

    Args:
        source: HTML, XML or Markdown, as the rules say.
        rules: How to read it.
        protected: Patterns of text that stays unchanged.

    Raises:
        InvalidRequest: The search for protected spans takes too long.
    """
    if rules.syntax == "markdown":
        return extract_markdown(source, protected)
    return extract_html(source, rules, protected)
