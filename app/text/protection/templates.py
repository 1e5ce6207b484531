"""Variables and tags of template languages and message catalogs, in plain text as well as in markup."""

import re

from app.text.protection.expressions import Braces, Checked, Expressions, NumberedTags, compiled

# "$CAN 5", "in $bn": money.
_MONEY = frozenset(
    "a an au aud bn c ca cad can hk hkd k m mio mn mrd nt nz nzd s sg sgd t tn tr us usd "
    "bil billion billions mil million millions mln mm thousand thousands trillion trillions tsd "
    "milliarden millionen tausend".split()
)
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

# A message with ICU's choices by number or gender is kept whole, as in documents of JSON: words of its syntax and of
# the language stand side by side.
_ICU = (
    r"\{\s{0,99}+\w{1,99}+\s{0,99}+,\s{0,99}+"
    r"(?:plural|select|selectordinal|number|date|time|ordinal|spellout|duration)\s{0,99}+[,}]"
)


def _is_variable(name: str) -> bool:
    return name[1:].lower() not in _MONEY


def _is_colon_variable(name: str) -> bool:
    return "_" in name or name.endswith(":") or name[1:] in _USUAL_NAMES


def _writes_nothing(tag: str) -> bool:
    return not re.match(r"<\?php\s+(?:echo|print)\b", tag)


VARIABLES: Expressions = [
    *compiled(
        {
            r"<%[=-](?s:.)*?%>": "<%",
            r"<\?(?:php\s+(?:echo|print)\b|=)(?s:.)*?\?>": "<?",
            r"\*\|[^|*\n]+\|\*": "*|",  # Mailchimp
            r"\[\[\s?[\w.:-]+\s?\]\]": "[[",
            r"@@\w+@@": "@@",
            r"%%\w+%%|%[A-Za-z_][\w.-]*%(?:\\[\p{L}\p{N}_.-]*[\p{L}\p{N}_])*": "%",  # %APPDATA%\x
        }
    ),
    ("{", Braces(r"[$#@]\{|\{\{")),
    (",", Braces(_ICU)),
    ("$", Checked(_SHELL, _is_variable)),
    (":", Checked(_COLON, _is_colon_variable)),
]
# What makes no word of its own: conditions, loops, comments, colours of a terminal.
MARKS: Expressions = [
    *compiled(
        {
            r"\{%(?s:.)*?%\}": "{%",
            r"\{#-?\s[^{}]*\s-?#\}": "{#",
            r"<%(?:[^=-](?s:.)*?)?%>": "<%",
            r"<\d{1,3}\s*/>": "/>",
            r"\x1b\[[0-9;]*[A-Za-z]": "\x1b",
        }
    ),
    ("<?", Checked(r"(<\?(?:php|xml)\b(?s:.)*?\?>)", _writes_nothing)),
    ("</", NumberedTags()),
]
