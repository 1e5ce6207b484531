"""Variables and control tags of template languages.

Sources: the references of Mustache, Handlebars, Jinja, Django, Liquid, Twig, Smarty, FreeMarker, ERB, PHP, Mailchimp,
Laravel, Rails, Ruby, Kotlin, Swift, JavaScript, and POSIX shells.

What puts a value into the text is like a word. What controls the output parts texts: "{% else %}". Comments and the
like are marks between words.
"""

import re
from collections.abc import Iterator

from app.fairness.windows import finditer
from app.text.protection.expressions import Braces, Checked, Expressions, Finder, Searched, Span, Tag, compiled
from languages.registry import large_numbers, scales

# "$CAN 5", "in $mm": money; and so is "in $bn", with a power of ten of a language.
_MONEY = frozenset("a au aud bil c ca cad can hk hkd k m mil mln mm nt nz nzd s sg sgd t tr us usd".split())
_BEFORE = r"(?:^|[^\p{L}\p{N}_$])"
# $name, $HOME/bin, $_GET['id'], $user->name
_SHELL = rf"{_BEFORE}(\$[A-Za-z_]\w*(?:->\w+|\[['\"]?\w+['\"]?\]|/[\w.-]*\w)*)"

# :name of Laravel and Rails, :first_name, :smile: of chats. Other words are prose with its space before the colon:
# "Er sagte :bitte komm".
_COLON = r"(?:^|[\s(\[])(:[a-z][a-z_]*[a-z]:?)"
_USUAL_NAMES = frozenset(
    "amount attribute count date day days email field hours id key length limit link max min minutes model name number "
    "other page password seconds size status time title total type url user username value values version".split()
)
_CONTROL = (
    r"(?:if|elif|elseif|elsif|else|unless|ifchanged|ifequal|case|when|for|empty|block|blocktrans|blocktranslate|plural|with"
    r"|filter|set|macro|call|autoescape|spaceless|switch|each|foreach|while|section|endif|fi)"
)
_BLOCK_TAG = re.compile(rf"\{{%-?\s*(?:end\w{{0,30}}|{_CONTROL})\b")
_SERVER_TAG = re.compile(
    rf"<%-?\s*(?:end\b|{_CONTROL}\b|\}})|<%[^=][^%]{{0,900}}(?:\{{|\bdo(?:\s*\|[^|]{{0,99}}\|)?)\s*-?%>"
    rf"|<\?php\s+(?:end\w{{1,30}}|{_CONTROL}|\}})"
)


def _is_variable(name: str) -> bool:
    word = name[1:].lower()
    return word not in _MONEY | scales() and not any(
        word.startswith(large) and len(word) <= len(large) + 2 for large in large_numbers()
    )


def _is_colon_variable(name: str) -> bool:
    return "_" in name or name.endswith(":") or name[1:] in _USUAL_NAMES


def _writes_nothing(tag: str) -> bool:
    return not re.match(r"<\?php\s+(?:echo|print)\b", tag)


def _is_comment(tag: str) -> bool:
    """Whether a tag, which puts no value into the text, controls nothing either."""
    return _writes_nothing(tag) and not (_BLOCK_TAG.match(tag) or _SERVER_TAG.match(tag))


def _controls(tag: str) -> bool:
    return bool(_BLOCK_TAG.match(tag) or _SERVER_TAG.match(tag))


class BraceVariables(Finder[Span]):
    """Variables such as ``{name}`` and ``${name}``, but for the tags of ``BraceTags``."""

    _variable = re.compile(r"[$#%!]?\{(/?)([^\s{}]{1,900}+)\}")

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the variables, in order."""
        closed = {match[2] for match in finditer(self._variable, text) if match[1]}
        for match in finditer(self._variable, text):
            if not closed or match[2].partition("=")[0] not in closed:
                yield Span(*match.span())


class BraceTags(Finder[Tag]):
    """Pairs such as ``{b}`` and ``{/b}`` of Ren'Py and Smarty; a tag whose other tag is missing is none."""

    _tag = re.compile(r"\{(/?)([a-z][a-z0-9_-]{0,30})(?:[ =][^{}\n]{0,200})?\}")

    def finditer(self, text: str) -> Iterator[Tag]:
        """Yields the tags, in order."""
        closed = {match[2]: match.start() for match in finditer(self._tag, text) if match[1]}
        for match in finditer(self._tag, text):
            if match.start() <= closed.get(match[2], -1):
                yield Tag(*match.span(), f"{{{match[2]}", -1 if match[1] else 1)


# Sections of Mustache and Handlebars, and comments: {{#items}}, {{^items}}, {{else}}, {{/items}}.
_SECTION = r"\{\{~?\s{0,9}(?:[#/^!]|else\b)"
_TAG = r"(\{%(?s:.)*?%\}|<%(?:[^=-](?s:.)*?|-[^\s\w](?s:.)*?)?%>|<\?(?:php|xml)\b(?s:.)*?\?>)"

VARIABLES: Expressions = [
    *compiled(
        {
            r"<%[=-](?s:.)*?%>": "<%",
            r"<\?(?:php\s+(?:echo|print)\b|=)(?s:.)*?\?>": "<?",
            r"\*\|[^|*\n]+\|\*": "*|",  # Mailchimp
            r"\[\[\s?[\w.:-]+\s?\]\]": "[[",
            r"@@\w+@@": "@@",
            r"%%\w+%%|%[A-Za-z_][\w.-]*%(?:\\[\p{L}\p{N}_.-]*[\p{L}\p{N}_])*": "%",  # %APPDATA%\x
            r"\[X\d+X\]": "[X",  # Weblate's stand-ins
        }
    ),
    ("{", BraceVariables()),
    ("{", Braces(r"[$#@]!?\{|\{\{(?!~?\s{0,9}(?:[#/^!]|else\b))")),
    ("\\(", Searched(re.compile(r"(?<!\\)\\\((?=[A-Za-z_])[\w.?!\[\]\"', :+-]{1,200}\)(?!\\)"))),  # \(name) of Swift
    ("$", Checked(_SHELL, _is_variable)),
    (":", Checked(_COLON, _is_colon_variable)),
]
MARKS: Expressions = [
    *compiled({r"\{#-?\s[^{}]*\s-?#\}": "{#"}),
    ("%", Checked(_TAG, _is_comment)),
    ("<?", Checked(_TAG, _is_comment)),
]
BREAKS: Expressions = [
    ("%", Checked(_TAG, _controls)),
    ("<?", Checked(_TAG, _controls)),
    ("{{", Braces(_SECTION)),
    *compiled({r"</?#[a-z]+[^<>]*>": "#"}),  # FreeMarker
]
TAGS: Expressions = [("{/", BraceTags())]
