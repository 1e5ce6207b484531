"""Blocks of Markdown that CommonMark doesn't know, as rules for ``markdown-it-py``.

Definition lists and footnotes come from ``mdit-py-plugins``. Others are blocks that stay as they are: formulas, lines
of template tags (Hugo, Jekyll, Liquid, Jinja, ERB), attribute lists (kramdown, Pandoc), commands of LaTeX, grid tables,
and MDX's ``import``, ``export`` and comments. They may interrupt a paragraph, as a fenced code block does.
"""

import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

VERBATIM = "verbatim"
"""The type of the tokens of blocks and spans that stay as they are."""
MDX = "mdx"
"""The name in the parser's environment that tells that a document is MDX, where braces have JavaScript in them."""

_MOST_LINES = 200  # of a block, so that no end is looked for all over the document
_ENDS_BEFORE = frozenset({"paragraph", "reference", "blockquote", "list"})

# What may stand behind a formula: its number, or attributes.
_LABEL = r"(?:\s*+(?:\([\w:.-]++\)|\{[^{}\n]*+\}))?+\s*+"
_FORMULA_LINE = re.compile(rf"\$\$(?!\$)[^$]++\$\$[.,;]?{_LABEL}|\\\\?\[.*\\\\?\][.,;]?\s*+")
_FORMULA_END = re.compile(rf"[^$]*+\$\$[.,;]?{_LABEL}")
_BRACKET_END = re.compile(r".*\\\\?\][.,;]?\s*+")
_ENVIRONMENT = re.compile(r"\\begin\{([\w*]{1,30})\}")
_COMMANDS = re.compile(
    r"(?:\\(?:appendix|backmatter|bibliography|bigskip|centering|clear(?:double)?page|frontmatter|hspace|include|input"
    r"|label|listof(?:figures|tables)|mainmatter|maketitle|medskip|newpage|noindent|pagebreak|printindex|set(?:counter"
    r"|length)|smallskip|tableofcontents|vfill|vspace)\b\*?+(?:\[[^\]\n]*+\]|\{[^{}\n]*+\})*+\s*+)++"
)
_ATTRIBUTE = r"""(?:[#.][\w:-]++|=\w++|[\w:-]++=(?:"[^"\n]*+"|'[^'\n]*+'|[^\s"'{}]++))"""
ATTRIBUTE_LIST = re.compile(rf"\{{(?:::?/?+[^{{}}\n]{{0,500}}|[ ]*+{_ATTRIBUTE}(?:[ ]++{_ATTRIBUTE})*+[ ]*+)\}}")
"""Attributes of kramdown, ``{: .class #id key="value"}``, or of Pandoc and others, which have no colon."""
_TAG = r"\{\{[<%](?s:.){0,2000}?[%>]\}\}|\{\{/\*(?s:.){0,2000}?\*/\}\}|\{%(?s:.){0,2000}?%\}|\{#(?s:.){0,2000}?#\}"
_COMMENT = r"\{/\*(?s:.){0,2000}?\*/\}"
_TAGS = re.compile(rf"(?:(?:{_TAG}|{_COMMENT}|{ATTRIBUTE_LIST.pattern}|<%(?!=)(?s:.){{0,2000}}?%>)\s*+)++")
# The content of these is code or a comment, up to their end.
_CODE_TAG = re.compile(
    r"\{(?:%|\{[<%])-?\s*+(code|codeblock|comment|highlight|katex|math|mermaid|raw|schema|script|style|verbatim)\b"
)
_CODE_END = r"\{{(?:%|\{{[<%])-?\s*+(?:end\s?{0}|/\s*+{0})\s*+-?[%>]"
# Lines of one kind: tables of contents, definitions of links whose address is a template, included files, targets.
_OTHER_LINE = re.compile(
    r"\[(?:(?i:TOC|\[_?TOC_?\])\]|[^\[\]\n]++\]:[ ]++\S*?\{[{%].*)\s*+|--8<--.*|<<<\s.*|\([\w:-]++\)=\s*+"
)
_GRID = re.compile(r"\+(?:[-=:]++\+)++\s*+")

# ECMAScript's modules; "export all data" is a sentence.
_MODULE = re.compile(
    r"""import\s++(?:["'{*]|type\s|[\w$]++\s*+,|[\w$]++\s++from\b)
    |export\s++(?:(?:const|let|var|function|class|async|type|interface|enum)\s++[\w$]|default\s++(?:(?:async|class|function|new)\b|[{(\["'`<]
    |[\w$.]++(?:\(.*|\s*+=>.*)?;?\s*+\Z)|[{*])""",
    re.VERBOSE,
)

# A term of a definition list, above another term; the library knows one term for a definition.
_TERM = re.compile(r"[^\W\d_](?:[^\n]{0,80}[^\s,;:])?\s*+")
_DEFINITION = re.compile(r"[:~][ \t]+\S")
_MOST_TERMS = 10

# Containers with indented content: admonitions, details and tabs of Python-Markdown and its extensions.
_CONTAINER = re.compile(
    r"""(?:!!!|\?\?\?\+?)[ ](?:abstract|attention|bug|caution|danger|error|example|failure|hint|important|info|note
    |question|quote|success|summary|tip|todo|warning)(?:[ ][\w-]++)*+(?:[ ]++"[^"\n]*+")?[ ]*+
    |===[+!]?[ ]"[^"\n]*+"[ ]*+""",
    re.VERBOSE,
)


def add_blocks(parser: MarkdownIt) -> None:
    """Adds the rules to a parser for CommonMark."""
    deflist_plugin(parser)
    footnote_plugin(parser, inline=False, move_to_end=False)
    parser.inline.ruler.disable("footnote_ref")  # a mark may be of a footnote elsewhere
    parser.block.ruler.before("deflist", "term", _term)
    parser.block.ruler.before("table", VERBATIM, _verbatim, {"alt": [*_ENDS_BEFORE]})
    parser.block.ruler.before("table", "indented_container", _container, {"alt": [*_ENDS_BEFORE]})


def _verbatim(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    line = _line(state, start)
    find = _FINDERS.get(line[:1])
    behind = find(state, line, start, end) if find else None
    if behind is None:
        return False
    if not silent:
        token = state.push(VERBATIM, "", 0)
        token.map = [start, behind]
        state.line = behind
    return True


def _container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start) or not _CONTAINER.fullmatch(_line(state, start)):
        return False
    if silent:
        return True
    indent = state.blkIndent + 4
    behind = start + 1
    while behind < end and (state.isEmpty(behind) or state.sCount[behind] >= indent):
        behind += 1
    outer = state.parentType, state.lineMax, state.blkIndent
    state.parentType, state.lineMax, state.blkIndent = "container", behind, indent
    state.push("container_open", "div", 1).map = [start, behind]
    if title := "".join(_line(state, start).split('"')[1:2]).strip():
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = title, [start, start + 1], []
    state.md.block.tokenize(state, start + 1, behind)
    state.push("container_close", "div", -1)
    state.parentType, state.lineMax, state.blkIndent = outer
    state.line = behind
    return True


def _term(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    last = start
    while last < min(end - 1, start + _MOST_TERMS) and _TERM.fullmatch(_line(state, last + 1)):
        last += 1
    if silent or last == start or last + 1 >= end or not _TERM.fullmatch(_line(state, start)):
        return False
    if not any(_DEFINITION.match(_line(state, number)) for number in range(last + 1, min(end, last + 3))):
        return False
    state.push("dt_open", "dt", 1).map = [start, start + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = _line(state, start).strip(), [start, start + 1], []
    state.push("dt_close", "dt", -1)
    state.line = start + 1
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _following(state: StateBlock, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yields the lines behind the first one of a block, with their numbers, while they are in the same container."""
    for number in range(start + 1, min(end, start + _MOST_LINES)):
        if not state.isEmpty(number) and state.sCount[number] < state.blkIndent:
            return
        yield number, _line(state, number)


def _until(state: StateBlock, start: int, end: int, ends: Callable[[str], object]) -> int | None:
    """Returns the number behind the first following line that ends the block."""
    return next((number + 1 for number, line in _following(state, start, end) if ends(line)), None)


def _formula(state: StateBlock, line: str, start: int, end: int) -> int | None:
    if not line.startswith("$$"):
        return None
    if _FORMULA_LINE.fullmatch(line):
        return start + 1
    if "$" in line[2:]:
        return None
    behind = _until(state, start, end, lambda other: "$$" in other)
    return behind if behind and _FORMULA_END.fullmatch(_line(state, behind - 1)) else None


def _latex(state: StateBlock, line: str, start: int, end: int) -> int | None:
    if _FORMULA_LINE.fullmatch(line) or _COMMANDS.fullmatch(line):
        return start + 1
    if environment := _ENVIRONMENT.match(line):
        closing = f"\\end{{{environment[1]}}}"
        return start + 1 if closing in line else _until(state, start, end, lambda other: closing in other)
    if line.rstrip() in ("\\[", "\\\\["):
        return _until(state, start, end, _BRACKET_END.fullmatch)
    return None


def _tags(state: StateBlock, line: str, start: int, end: int) -> int | None:
    if code := _CODE_TAG.match(line):
        closing = re.compile(_CODE_END.format(code[1]))
        if closing.search(line):
            return start + 1 if line.rstrip()[-1] == "}" else None
        behind = _until(state, start, end, closing.search)
        if behind:
            return behind
    if _TAGS.fullmatch(line):
        return start + 1
    if not line.startswith(("{{<", "{{%", "{{/*", "{%", "{/*", "{#", "<%")) or line.startswith("<%="):
        return None
    text = line  # a tag of several lines
    for number, other in _following(state, start, min(end, start + 50)):
        text += "\n" + other
        if other.rstrip().endswith(("}", "%>")):
            return number + 1 if _TAGS.fullmatch(text) else None
    return None


def _other_line(state: StateBlock, line: str, start: int, end: int) -> int | None:
    return start + 1 if _OTHER_LINE.fullmatch(line) else None


def _grid_table(state: StateBlock, line: str, start: int, end: int) -> int | None:
    if not _GRID.fullmatch(line):
        return None
    lines = list(_following(state, start, end))
    behind = next((number for number, other in lines if other[:1] not in ("|", "+")), start + 1 + len(lines))
    return behind if behind > start + 1 else None


def _module(state: StateBlock, line: str, start: int, end: int) -> int | None:
    """Finds statements of MDX: up to a blank line outside of brackets."""
    if state.blkIndent or state.sCount[start] or not _MODULE.match(line):
        return None
    state.env[MDX] = True
    depth = _depth(line)
    for number, other in _following(state, start, end):
        if depth <= 0 and not other.strip():
            return number
        depth += _depth(other)
    behind = start + 1
    while behind < end and not state.isEmpty(behind):
        behind += 1
    return behind


def _depth(line: str) -> int:
    return sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))


_FINDERS: dict[str, Callable[[StateBlock, str, int, int], int | None]] = {
    "$": _formula,
    "\\": _latex,
    "{": _tags,
    "<": lambda *args: _other_line(*args) or _tags(*args),
    "[": _other_line,
    "-": _other_line,
    "(": _other_line,
    "+": _grid_table,
    "i": _module,
    "e": _module,
}
