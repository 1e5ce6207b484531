"""Extracts the translatable text of HTML and XML, and puts translations back; everything else stays unchanged.

The content of a block is one text. Inline elements, comments and untranslated parts are kept as objects in it, and word
alignment places them in the translation (``app.text.inline.placement``).
"""

import html
from collections.abc import Sequence
from functools import partial

from app.text.budget import checkpoint
from app.text.inline.objects import Inline, Part
from app.text.inline.placement import apply, place
from app.text.inline.target_tokens import Link
from app.text.markup.attributes import attribute_texts, replace_attributes
from app.text.markup.collector import TextCollector
from app.text.markup.document import Document, DocumentBuilder
from app.text.markup.html_tokenizer import Tokenizer
from app.text.markup.scope import HTML, Rules, splitting_names
from app.text.protection.patterns import NOTHING, Patterns


def extract_html(source: str, rules: Rules = HTML, protected: Patterns = NOTHING) -> Document:
    """Finds the translatable texts of a page or fragment; any string is accepted, in time linear in its length.

    Left alone: tags and (unless the rules say otherwise) their attributes, comments, declarations, CDATA; text without
    a letter or digit; in HTML the content of code, pre, kbd, samp, var, script, style, textarea and the like; the
    content of ``translate="no"``, of class ``notranslate``, and of the tags that the rules ignore. ``translate="yes"``
    inside turns translation on again, except in ignored tags and in those whose content is no markup (script, …).

    Args:
        source: HTML or XML, however malformed.
        rules: How to read it.
        protected: Patterns of text that stays unchanged.

    Raises:
        InvalidRequest: The search for protected spans takes too long.
    """
    builder = DocumentBuilder(source, protected)

    def emit(parts: Sequence[Part]) -> None:
        builder.add(parts, write_html, escape_html)

    tokens = Tokenizer(source, rules.syntax)
    collector = TextCollector(source, rules, splitting_names(source, tokens, rules), emit)
    for token in tokens:
        checkpoint()
        collector.take(token)
    collector.end_text()
    if not rules.translate_attributes:
        return builder.finish()
    builder.add_attributes(attribute_texts(source, rules))
    return builder.finish(partial(replace_attributes, rules))


def write_html(inline: Inline, run: str, translation: str, links: Sequence[Link]) -> tuple[str, tuple[str, ...]]:
    """Writes a translation as HTML or XML: see ``app.text.markup.document.Write``."""
    edits, lost = place(inline, translation, links)
    return apply(edits, translation, escape_html), lost


def escape_html(text: str) -> str:
    """Plain text as HTML or XML."""
    return html.escape(text, quote=False)
