"""The attributes of HTML that readers see: where they are, and how translations are put into them."""

import html
import re
from collections.abc import Iterator, Mapping

from app.text.budget import checkpoint
from app.text.markup.collector import decode_html
from app.text.markup.html_tokenizer import Tokenizer, TokenKind
from app.text.markup.scope import ATTRIBUTE, Rules, Scope

# The attributes that people write sentences into, of the translatable ones in the HTML standard (section 3.2.6.2).
_READ = frozenset({"alt", "aria-label", "placeholder", "title"})
_BLANK = re.compile(r"[\W\d_]*")


def attribute_texts(source: str, rules: Rules) -> tuple[str, ...]:
    """Returns the distinct values to translate, decoded, in order: values with a letter, where text is translated."""
    return tuple(dict.fromkeys(text for _, _, text in _find(source, rules)))


def replace_attributes(rules: Rules, source: str, translations: Mapping[str, str]) -> str:
    """Replaces the values in a page; a value without a translation stays as it is written."""
    pieces: list[str] = []
    done = 0
    for begin, end, text in _find(source, rules):
        if translations.get(text, text) != text:
            quote = "'" if source[begin] == "'" else '"'
            pieces += source[done:begin], quote, html.escape(translations[text]), quote
            done = end
    return "".join([*pieces, source[done:]])


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
            first = token.end - 1 - len(token.attributes)
            seen: set[str] = set()
            for match in ATTRIBUTE.finditer(token.attributes):
                name = match[1].lower()
                group = next((number for number in (2, 3, 4) if match[number]), 0)
                text = decode_html(match[group]) if group else ""
                # The second of two attributes of one name has no effect.
                if name in _READ and name not in seen and not _BLANK.fullmatch(text):
                    quoted = group != 4
                    yield first + match.start(group) - quoted, first + match.end(group) + quoted, text
                seen.add(name)
