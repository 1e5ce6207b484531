"""Spans of Markdown that stay as they are, as rules for ``markdown-it-py``: formulas, template tags, attributes, MDX.

They are read before CommonMark's own rules, for which a backslash in a formula is an escape, and an underscore in the
path of a template is emphasis.
"""

import re

from markdown_it.rules_inline import StateInline, link

from app.text.markup.markdown_blocks import ATTRIBUTE_LIST, MDX, VERBATIM

POINT, ATOM, ATTRIBUTES = "point", "atom", "attributes"
"""What a span is in its sentence: nothing, a word, or a part of the object before it."""

# What only a formula has, or a few single letters and figures. "$5 and 10$" are prices.
_IN_FORMULA = re.compile(r"[\\^_={}]")
_SHORT_FORMULA = re.compile(r"(?:[^\W\d_](?![^\W\d_])|[\d\s+*/<>|()-]){1,20}")
_FORMULA = re.compile(
    r"\$`[^`\n]{1,500}+`\$|\$\$(?P<block>[^$]{1,2000}+)\$\$"
    r"|\$(?=[^\s$.,-])(?P<line>(?:[^$\\]|\\.){1,1000}+)(?<!\s)\$"
    r"|\\\((?P<round>[^\n]{1,500}?)\\\)|\\\\\([^\n]{1,500}?\\\\\)|\\\\\[[^\n]{1,500}?\\\\\]"
)
_TAG = re.compile(
    r"\{\{[<%](?s:.){1,1000}?[%>]\}\}|\{%(?s:.){1,1000}?%\}|\{#(?=[\s-])(?s:.){1,500}?[\s-]#\}|\{/\*(?s:.){0,1000}?\*/\}"
)
_VALUE = re.compile(r"\{\{(?![<%])(?s:.){1,500}?\}\}\}?")
_BRACES = re.compile(r"\{[^{}]{1,500}+(?:\{[^{}]{0,200}+\}[^{}]{0,200}+){0,5}\}")
_ROLE = re.compile(r"\{[\w:+-]{1,40}\}(?=`)")  # MyST's, as in {ref}`name`
_TEMPLATE_DESTINATION = re.compile(
    rf"\]\((?=[^()\s]{{0,500}}\{{)(?:{_TAG.pattern}|{_VALUE.pattern}|[^(){{}}\s])++(?:\s++\"[^\"\n]*+\")?+\)"
)
_TEMPLATE_BEGINS = re.compile(r"\]\([^()\s]{0,500}\{[{%]")
_LOOKED = -1  # in the parser's cache, whose other keys are positions
_STARTS = frozenset("$\\{")


def is_formula(text: str) -> bool:
    """Tells a formula, with or without its dollars, from amounts of money."""
    content = text.strip("$")
    if not content or content[-1] in "+-–*/<>|(":  # $5m-$10m
        return False
    has_letter = any(map(str.isalpha, content)) or content.isdecimal()
    return bool(_IN_FORMULA.search(content) or (has_letter and _SHORT_FORMULA.fullmatch(content)))


def find_verbatim(state: StateInline, silent: bool) -> bool:
    """Reads a span that stays as it is; its token's ``markup`` is ``POINT``, ``ATOM`` or ``ATTRIBUTES``."""
    if state.src[state.pos] not in _STARTS:
        return False
    end, kind = _span(state)
    if not end or end > state.posMax:
        return False
    if not silent:
        token = state.push(f"{VERBATIM}_inline", "", 0)
        token.content, token.markup = state.src[state.pos : end], kind
    state.pos = end
    return True


def _span(state: StateInline) -> tuple[int, str]:
    """Returns where the span ends that begins at the position, and its kind; 0 if none begins there."""
    text, begin = state.src, state.pos
    if text[begin] != "{":
        before = text[begin - 1] if begin else " "
        match = _FORMULA.match(text, begin)
        if not match or (text[begin] == "$" and (before.isalnum() or before in "$\\")):
            return 0, ""
        content = match["block"] or match["line"] or match["round"]
        return (match.end(), ATOM) if content is None or is_formula(content) else (0, "")
    for pattern, kind in ((ATTRIBUTE_LIST, ATTRIBUTES), (_TAG, POINT), (_VALUE, ATOM), (_ROLE, POINT), (_BRACES, ATOM)):
        if (match := pattern.match(text, begin)) and (pattern is not _BRACES or state.env.get(MDX)):
            return match.end(), kind
    return 0, ""


def _has_template_links(state: StateInline) -> bool:
    """Looks for addresses that are templates, once for all brackets of a paragraph."""
    if _LOOKED not in state.cache:
        state.cache[_LOOKED] = _TEMPLATE_BEGINS.search(state.src) is not None
    return bool(state.cache[_LOOKED])


def find_link(state: StateInline, silent: bool) -> bool:
    """Reads a link, also one whose address is a template with spaces: ``[text]({{< ref "page.md" >}})``."""
    if link(state, silent):
        return True
    if state.src[state.pos] != "[" or not _has_template_links(state):
        return False
    begin, most = state.pos, state.posMax
    label_end = state.md.helpers.parseLinkLabel(state, begin, True)
    match = _TEMPLATE_DESTINATION.match(state.src, label_end, most) if label_end >= 0 else None
    if not match:
        return False
    if not silent:
        state.pos, state.posMax = begin + 1, label_end
        state.push("link_open", "a", 1).attrs = {"href": match[0][2:-1]}
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.push("link_close", "a", -1)
    state.pos, state.posMax = match.end(), most
    return True
