"""The front matter of Markdown, in YAML or TOML: the values that readers see, such as the title, are texts.

Only keys at the top are looked at, and only strings on their own. Everything else stays as it is.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from app.text.data_values import is_data
from app.text.inline.objects import Inline, Kind, Part
from app.text.inline.placement import apply, place
from app.text.inline.target_tokens import Link
from app.text.markup.document import DocumentBuilder
from app.text.untranslated import Reason

FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*(?:\r\n?|\n).*?^(?:\1|\.{3})[ \t]*$", re.DOTALL | re.MULTILINE)
"""The front matter of a document, with the lines around it."""

# Of Jekyll, Hugo, Docusaurus, VitePress, Astro and others.
_READ = frozenset(
    """title description subtitle summary excerpt abstract lead tagline headline caption linktitle shorttitle
    navtitle sidebarlabel sidebartitle pagetitle seotitle seodescription metatitle metadescription ogtitle
    ogdescription""".split()
)
_YAML = re.compile(r"^([A-Za-z_-]+)[ \t]*:[ \t]+(?=\S)", re.MULTILINE)
_TOML = re.compile(r"^([A-Za-z_-]+)[ \t]*=[ \t]*(\"(?:[^\"\\\r\n]|\\.)*+\"|'[^'\r\n]*+')[ \t]*(?:#.*)?$", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_DOUBLE = re.compile(r'("(?:[^"\\\r\n]|\\.)*+")[ \t]*(?:#.*)?$', re.MULTILINE)
_SINGLE = re.compile(r"('(?:[^'\r\n]|'')*+')[ \t]*(?:#.*)?$", re.MULTILINE)
_BLOCK = re.compile(r"([|>])[-+0-9]*[ \t]*\r?\n((?:[ \t]+\S.*(?:\r?\n|\Z)|[ \t]*\r?\n)+)")
_PARAGRAPH = re.compile(r"[ \t]*(\S.*(?:\r?\n[ \t]+\S.*)*)")
_LINE = re.compile(r"[ \t]*(\S.*)")
# A string without quotation marks, up to the end of the line; it goes on in lines that are indented.
_PLAIN = re.compile(r"(?![-?:][ \t])[^\s\[\]{}&*!|>'\"%@`#,][^\r\n]*+(?:\r?\n[ \t]+[^\s#][^\r\n]*+)*+")
_COMMENT = re.compile(r"[ \t]#")
# What would be no string without quotation marks, or end one.
_TO_QUOTE = re.compile(
    r"[\s\[\]{}&*!|>'\"%@`#,]|[-?:](?:\s|\Z)|.*(?::(?:\s|\Z)|\s#|\s\Z)|(?i:true|false|yes|no|on|off|null|~|\.nan|[-+]?\.inf)\Z"
    r"|[-+.]?\d[\d_.,:eExXoa-fA-F+-]*\Z|(?:---|\.\.\.)(?:\s|\Z)|=\Z",
    re.DOTALL,
)


class _Value(NamedTuple):
    begin: int
    end: int
    text: str
    written: Callable[[str], str]


def read_front_matter(source: str, end: int, builder: DocumentBuilder) -> None:
    """Takes in the values of the front matter that readers see.

    Args:
        source: The document.
        end: Where its front matter ends.
        builder: Takes the texts in.
    """
    values = _toml_values(source, end) if source.startswith("+++") else _yaml_values(source, end)
    for value in values:
        if is_data(value.text):
            builder.keep(value.begin, value.end, Reason.IDENTIFIER)
        elif any(map(str.isalpha, value.text)):
            part = Part(Kind.TEXT, value.text, begin=value.begin, end=value.end)
            builder.add([part], partial(_write, value.written), str)


def _write(
    written: Callable[[str], str], inline: Inline, run: str, translation: str, links: Sequence[Link]
) -> tuple[str, tuple[str, ...]]:
    edits, lost = place(inline, translation, links)
    return written(" ".join(apply(edits, translation).split())), lost


def _is_read(key: str) -> bool:
    return re.sub("[_-]", "", key).lower() in _READ


def _toml_values(source: str, end: int) -> Iterator[_Value]:
    table = _TABLE.search(source, 0, end)
    for match in _TOML.finditer(source, 0, table.start() if table else end):
        if _is_read(match[1]):
            yield from _quoted(match[2], match.start(2), _toml_literal)


def _yaml_values(source: str, end: int) -> Iterator[_Value]:
    for match in _YAML.finditer(source, 0, end):
        if not _is_read(match[1]):
            continue
        at = match.end()
        if quoted := _DOUBLE.match(source, at, end) or _SINGLE.match(source, at, end):
            yield from _quoted(quoted[1], at, _yaml_single)
        elif block := _BLOCK.match(source, at, end):
            for part in (_PARAGRAPH if block[1] == ">" else _LINE).finditer(source, block.start(2), block.end(2)):
                text = part[1].rstrip()
                yield _Value(part.start(1), part.start(1) + len(text), " ".join(text.split()), str)
        elif (plain := _PLAIN.match(source, at, end)) and not _COMMENT.search(plain[0]):
            text = plain[0].rstrip()
            yield _Value(at, at + len(text), " ".join(text.split()), _yaml_plain)


def _quoted(literal: str, begin: int, single: Callable[[str], str]) -> Iterator[_Value]:
    """Yields the value of a string in quotation marks, unless it has escapes that JSON doesn't know."""
    if literal[0] == "'":
        yield _Value(begin, begin + len(literal), literal[1:-1].replace("''", "'"), single)
        return
    try:
        text = json.loads(literal)
    except ValueError:
        return
    yield _Value(begin, begin + len(literal), text, _double)


def _double(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _yaml_single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _toml_literal(text: str) -> str:
    return f"'{text}'" if "'" not in text else _double(text)


def _yaml_plain(text: str) -> str:
    return _double(text) if not text or _TO_QUOTE.match(text) else text
