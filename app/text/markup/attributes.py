"""The attributes of HTML that readers see: where they are, and how translations are put into them."""

import html
import re
from collections.abc import Callable, Iterator, Mapping

from app.fairness.budget import checkpoint
from app.text.data_values import is_data
from app.text.inline.placement import Edit, apply
from app.text.markup.collector import decode_html
from app.text.markup.html_tokenizer import Token, Tokenizer, TokenKind
from app.text.markup.scope import ATTRIBUTE, HTML, Rules, Scope, attribute_values, primary
from app.text.untranslated import Reason
from languages.registry import language_of

# The attributes that people write sentences into, of the translatable ones in the HTML standard (section 3.2.6.2).
_READ = frozenset(
    "alt aria-description aria-label aria-placeholder aria-roledescription aria-valuetext placeholder title".split()
)
_READ_OF = {"optgroup": "label", "option": "label", "track": "label", "th": "abbr", "table": "summary"}
_BUTTONS = frozenset({"button", "reset", "submit"})  # of <input>, whose value is the text of the button
# What a page says about itself, for search engines and for cards in social networks.
_META = frozenset(
    """abstract apple-mobile-web-app-title dc.description dc.title dcterms.abstract dcterms.description dcterms.title
    description headline keywords og:description og:image:alt og:title title twitter:description twitter:image:alt
    twitter:title""".split()
)
_LANGUAGE = re.compile(r"lang\s*+=", re.IGNORECASE)
_NAMES_LANGUAGE = re.compile(r"<html\b[^>]{0,2000}\blang", re.IGNORECASE)
_BLANK = re.compile(r"[\W\d_]*")


def attribute_texts(source: str, rules: Rules, keep: Callable[[int, int, Reason], None]) -> tuple[str, ...]:
    """Returns the distinct values to translate, decoded, in order: values with a letter, where text is translated.

    Args:
        source: The page.
        rules: How to read it.
        keep: Called with begin and end of each value that stays as it is on purpose, and the reason.
    """
    texts: dict[str, None] = {}
    for begin, end, text in _find(source, rules):
        if is_data(text):
            keep(begin, end, Reason.IDENTIFIER)
        else:
            texts[text] = None
    return tuple(texts)


def replace_attributes(rules: Rules, source: str, translations: Mapping[str, str]) -> str:
    """Replaces the values in a page; a value without a translation stays as it is written."""
    edits: list[Edit] = []
    for begin, end, text in _find(source, rules):
        if translations.get(text, text) != text:
            quote = "'" if source[begin] == "'" else '"'
            edits.append(Edit(begin, end, f"{quote}{html.escape(translations[text])}{quote}"))
    return apply(edits, source)


def _find(source: str, rules: Rules) -> Iterator[tuple[int, int, str]]:
    """Yields begin and end of each value, its quotes included, and the decoded value."""
    scope = Scope(rules)
    for token in Tokenizer(source, rules.syntax):
        checkpoint()
        if token.kind is TokenKind.END:
            scope.close(token.name)
        elif token.kind is TokenKind.START:
            scope.open(token)
            if not scope.translates_attributes(token):
                continue
            read = _names(token)
            first = token.end - 1 - len(token.attributes)
            seen: set[str] = set()
            for match in ATTRIBUTE.finditer(token.attributes):
                name = match[1].lower()
                group = next((number for number in (2, 3, 4) if match[number]), 0)
                text = decode_html(match[group]) if group else ""
                # The second of two attributes of one name has no effect.
                if name in read and name not in seen and not _BLANK.fullmatch(text):
                    quoted = group != 4
                    yield first + match.start(group) - quoted, first + match.end(group) + quoted, text
                seen.add(name)


def _names(token: Token) -> frozenset[str]:
    """Returns the attributes of an element that readers see."""
    if token.name == "meta":
        values = attribute_values(token)
        is_read = (values.get("name") or values.get("property") or "").lower() in _META
        return frozenset({"content"}) if is_read else frozenset()
    if token.name == "input" and attribute_values(token).get("type", "").lower() in _BUTTONS:
        return _READ | {"value"}
    return _READ | {_READ_OF[token.name]} if token.name in _READ_OF else _READ


def in_language(page: str, language: str) -> str:
    """Names the language of a translated page in its root, and in the elements that were translated with it.

    The root also gets the direction of a language from right to left, or another one if it names one. A page that names
    no language stays unchanged.

    Args:
        page: The translated page.
        language: A tag, such as ``en-GB``.
    """
    if not _NAMES_LANGUAGE.search(page):
        return page
    scope = Scope(HTML)
    direction = "rtl" if language_of(language).right_to_left else "ltr"
    # Most pages name a language in their root alone.
    last = max((match.start() for match in _LANGUAGE.finditer(page)), default=-1)
    pieces: list[str] = []
    done, old = 0, ""
    for token in Tokenizer(page, "html"):
        checkpoint()
        if token.start > last:
            break
        if token.kind is TokenKind.END:
            scope.close(token.name)
        if token.kind is not TokenKind.START:
            continue
        scope.open(token)
        if "lang" not in token.attributes.lower():
            continue
        named = attribute_values(token).get("dir") if token.name == "html" else direction
        first = token.end - 1 - len(token.attributes)
        for match in ATTRIBUTE.finditer(token.attributes):
            group = next((number for number in (2, 3, 4) if match[number]), 0)
            name = match[1].lower()
            if name == "dir" and group and named and named.lower() != direction:
                pieces += page[done : first + match.start(group)], direction
                done = first + match.end(group)
            if not group or name not in ("lang", "xml:lang"):
                continue
            own = primary(match[group])
            if token.name == "html":
                old = old or own
            if own == old and (token.name == "html" or scope.translates_attributes(token)):
                pieces += page[done : first + match.start(group)], language
                done = first + match.end(group)
                if named is None and direction == "rtl":
                    named = direction
                    pieces += page[done : first + match.end()], ' dir="rtl"'
                    done = first + match.end()
    return "".join([*pieces, page[done:]])
