"""Extracts the translatable text of HTML and XML, and puts translations back; everything else stays unchanged.

The content of a block is one text. Inline elements, comments and untranslated parts are kept as objects in it, and word
alignment places them in the translation (``app.text.inline.placement``).
"""

import html
from collections.abc import Iterator, Sequence
from functools import partial

from app.fairness.budget import checkpoint
from app.text.data_values import is_data
from app.text.inline.objects import Inline, Kind, Part
from app.text.inline.placement import apply, place
from app.text.inline.target_tokens import Link
from app.text.markup.attributes import attribute_texts
from app.text.markup.collector import TextCollector
from app.text.markup.document import DocumentBuilder
from app.text.markup.html_tokenizer import Token, Tokenizer, TokenKind
from app.text.markup.scope import Rules, splitting_names
from app.text.pieces import PIECE_CHARS, pieces
from app.text.protection.patterns import Patterns, find
from app.text.untranslated import Reason


def read_html(source: str, rules: Rules, builder: DocumentBuilder) -> Iterator[None]:
    """Finds the translatable texts of a page or fragment; any string is accepted, in time linear in its length.

    Left alone: tags and (unless the rules say otherwise) their attributes, comments, declarations, CDATA; text without
    a letter or digit; in HTML the content of code, pre, kbd, samp, var, script, style, textarea and the like; the
    content of ``translate="no"``, of class ``notranslate``, and of the tags that the rules ignore. ``translate="yes"``
    inside turns translation on again, except in ignored tags and in those whose content is no markup (script, …).

    Args:
        source: HTML or XML, however malformed.
        rules: How to read it.
        builder: Takes the texts in. After every yield there may be more of them.

    Raises:
        InvalidRequest: The search for protected spans takes too long.
    """
    name = ""  # of the last start tag

    def emit(parts: Sequence[Part]) -> None:
        if rules.keeps_data and _is_data(parts, name):
            builder.keep(parts[0].begin, parts[-1].end, Reason.IDENTIFIER)
        else:
            builder.add(parts, write_html, escape_html)

    tokens = Tokenizer(source, rules.syntax)
    collector = TextCollector(source, rules, splitting_names(source, tokens, rules), emit)
    for token in tokens:
        for piece in _pieces(source, token, builder.protected):
            checkpoint()
            collector.take(piece)
            yield
        if token.kind is TokenKind.START:
            name = token.name
    collector.finish()
    yield
    if rules.translate_attributes:
        for value in attribute_texts(source, rules, builder.keep):
            checkpoint()
            builder.add_attribute(value)
            yield


def _is_data(parts: Sequence[Part], name: str) -> bool:
    """Tells whether a text is for programs; ``name`` is that of its element if it has no markup."""
    return all(part.kind is Kind.TEXT for part in parts) and is_data("".join(part.content for part in parts), name)


def _pieces(source: str, token: Token, protected: Patterns) -> Iterator[Token]:
    """Yields a token; splits a long text into several tokens."""
    if token.kind is not TokenKind.TEXT or token.end - token.start <= PIECE_CHARS:
        yield token
        return
    for begin, end in pieces(source, begin=token.start, end=token.end, kept=partial(find, patterns=protected)):
        yield Token(TokenKind.TEXT, begin, end)


def write_html(inline: Inline, run: str, translation: str, links: Sequence[Link]) -> tuple[str, tuple[str, ...]]:
    """Writes a translation as HTML or XML: see ``app.text.markup.document.Write``."""
    edits, lost = place(inline, translation, links)
    return apply(edits, translation, escape_html), lost


def escape_html(text: str) -> str:
    """Escapes plain text for HTML or XML."""
    return html.escape(text, quote=False)
