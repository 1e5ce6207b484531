"""Tells whether a result has the amounts, numbers, marks and placeholders of its source: all of them, by value.

    faults("Preis: 1.500 €<sup>1</sup>", "Price: €1.500<sup>1</sup>", german, english) == [Fault.NUMBER]

It looks at both texts as they are sent, with tags, and knows nothing of how the result was made. So it also finds what
the code that protects and restores has got wrong. Words are left to the quality checks.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from app.text.markup.collector import decode_html
from app.text.markup.html_tokenizer import VOID
from app.text.numerals.writing import read_number
from app.text.usual_spelling import usual
from languages.language import Language
from languages.notation import notation_of
from languages.signs import CURLY, CURRENCIES

# Elements, numbered tags of catalogs, codes of subtitles; attributes may be translated.
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]*|\d{1,3})(?P<rest>[^<>]*)>")
_EMPTY = VOID | {"x"}  # of HTML, and of XLIFF
# What programs read: printf's directives, braces, shell and template variables, escapes, references, calls, shortcodes.
_PLACEHOLDER = re.compile(
    r"%%+|(?:(?<!\d)(?<!\d[ \u00a0\u202f])%(?:\d+\$|\(\w+\))?[-+#0,' ]*|%[-+#0']*)"  # "at 5% a year" has none
    r"(?:\*|\d+)?(?:\.\d+)?(?:hh|ll|[hlLzjtq])?[diouxXeEfFgGaAcspn@](?![A-Za-z])"
    r"|\$?\{\{?[^{}\n]{0,80}\}?\}|\$t\(|\\[nrtN\\]|&(?:#\d+|#x[0-9a-fA-F]+|[a-z]+);|§[0-9a-fk-or](?=\S)"
    r"|\*\[[\w:.-]+\]|\[(?:/[\w:.-]+|[\w:.-]+=[^\[\]\s]*+|[\w:.-]+(?=\][^\n]*\[/))\]|(?<!\w)&(?=\w)|(?<=\w)&(?=[^\W\d_A-Z])|<\d\d:[\d:.]+>"
    r"|\d\d:\d\d[:.,\d]*(?= --> )"
)
# An escaped mark goes with its word, which a translation may leave out: "Don\'t" is "Nicht".
_ESCAPED = re.compile(r"\\(['\"])")
# Signs that no translation adds, leaves out or moves to or from its neighbours, whatever the words are.
_SIGN = re.compile(
    r"(?P<behind>(?<=\s))?(?P<sign>[\\{}\[\]<>|~^_@#☐☑☒⁰-₎¹²³⁺-⁾¼-¾⅐-⅞\u200e\u200f\u2190-\u2bff\U0001f000-\U0001faff]"
    r"|:[()]|!{2,}\d?|»(?=\s)(?<=\s»)|-{2,})(?P<before>(?=\s))?"
)
# A slash between words; a translation may put spaces around it, or make one word of both: "deutsch-türkisch".
_SLASH = re.compile(r"(?<=[^\W\d_])/(?=[^\W\d_])")
_JOINED = re.compile(rf"(?<=[\w{CURRENCIES}])(?: ?/ ?|[-–])(?=\w)")
_NUMBER = re.compile(r"(?<![\w.,])\d++(?:[.,\u00a0\u202f'’ ]\d{3}(?!\d))*+(?:[.,]\d++)?(?![.,]?\d)")
_GROUP_SPACE = re.compile(r"[\u00a0\u202f'’ ](?=\d{3})")  # between thousands, in any language
# A DOI, a version; neither a date nor a number with separators of thousands.
_IDENTIFIER = re.compile(
    r"(?<![\w.,])10\.\d{4,9}/\w[^\s<]*\w"
    r"|(?<![\w.,])(?!\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})(?!\w|\.\w)|\d{1,3}(?:\.\d{3})+(?!\w|\.\d))\d+(?:\.\d+){2,}"
)
# An amount, or one up to another: "$5", "$5–$10".
_AMOUNT = re.compile(
    rf"(?P<before>[{CURRENCIES}])\s?\d[\d.,]*+(?:\s?[–-]\s?[{CURRENCIES}]?\d[\d.,]*+)?|(?<=\d)\s?(?P<behind>[{CURRENCIES}])(?![\d\w])"
)
_RUN = re.compile(r"(?<=\S) {2,}(?=\S)|\.{4,}|-{2,}|_{3,}|={4,}")
_MARK = re.compile(
    rf"(?P<before>[\d{CURRENCIES}%])\s?(?:</[^<>]+>)*<(?P<name>sup|a)\b[^<>]*>(?P<text>[^<>]{{1,6}})</(?P=name)>"
)
# A line that is no prose's: the speaker of a subtitle, a rule, a definition.
_LINE = re.compile(r"(?m)^(?:(?P<speaker>[A-Z\u00c0-\u00d6\u00d8-\u00de]{2,}:)|(?P<sign>: |\$\$)|[^\n]*\S)")
ITEMS = re.compile(r"(?<!\S)\((?:[a-z]|[ivx]{2,4}|\d{1,2})\)(?=[\s,])", re.IGNORECASE)
"""What stands before the items of a list inside of a sentence: "(a) the first and (b) the second"."""
SIGNS = re.compile(rf"[\\{{}}\[\]<>|~^_@#⁰-₎¹²³⁺-⁾¼-¾⅐-⅞]+|{ITEMS.pattern}")
"""Runs of signs that are kept as they are in a second attempt."""
_BESIDE = re.compile(rf"{ITEMS.pattern}\s+{ITEMS.pattern}", re.IGNORECASE)
# Without one of these, a text has nothing that could be damaged.
_SUSPICIOUS = re.compile(
    r"[^\w\s.,;:!?'()/-]|\d[.,]\d|\S  |\.{4}|--|_|[⁰-₎¹²³⁺-⁾¼-¾⅐-⅞]|:[()]|!!|\w/\w|\n|(?<!\S)\(\w{1,4}\)"
)
_CURLY = re.compile(f"[{CURLY}]")


class Fault(StrEnum):
    """What a result has lost or changed."""

    TAG = "tag"
    PLACEHOLDER = "placeholder"
    SIGN = "sign"
    NUMBER = "number"
    MARK = "mark"
    SPACES = "spaces"
    LINES = "lines"
    ITEMS = "items"
    QUOTES = "quotes"


_STYLE = frozenset({Fault.SPACES, Fault.LINES})


def faults(source: str, result: str, here: Language, there: Language) -> list[Fault]:
    """Compares a text with what comes back for it.

    Args:
        source: The text, in any markup.
        result: Its translation, with everything restored.
        here: The language of the source.
        there: The language of the result.
    """
    found = list(_faults(source, result, here, there))
    return [*found, Fault.QUOTES] if _loses_quotes(source, result, there) else found


def _faults(source: str, result: str, here: Language, there: Language) -> Iterator[Fault]:
    """Yields all faults but those of quotation marks."""
    if not (_SUSPICIOUS.search(source) or _SUSPICIOUS.search(result)):
        return
    checks: dict[Fault, Callable[[], bool]] = {
        Fault.TAG: lambda: Counter(_tags(source)) != Counter(_tags(result)) or not _is_nested(source, result),
        Fault.PLACEHOLDER: lambda: (
            _differs(_count(_PLACEHOLDER, source), _count(_PLACEHOLDER, result)) or _breaks_escapes(source, result)
        ),
        Fault.SIGN: lambda: _changes_sign(_plain(source), _plain(result)),
        Fault.NUMBER: lambda: any(
            fails(_without_tags(source), _without_tags(result), here, there)
            for fails in (_changes_value, _loses_currency)
        ),
        Fault.MARK: lambda: _moves_mark(source, result),
        Fault.SPACES: lambda: _count(_RUN, source) != _count(_RUN, result),
        Fault.LINES: lambda: "\n" in source + result and _lines(source) != _lines(result),
        Fault.ITEMS: lambda: _mixes_items(source, result),
    }
    yield from (fault for fault, fails in checks.items() if fails())


def is_malformed(source: str, result: str, here: Language, there: Language) -> bool:
    """Tells whether a model's translation has faults. Quotation marks are corrected afterwards, so they are none yet.

    Signs of an unusual spelling, such as the one in "Leser_in", may be missing.
    """

    def differs(text: str) -> bool:
        return next(_faults(text, result, here, there), None) is not None

    return differs(source) and differs(usual(source, here))


def is_malformed_markup(source: str, result: str, here: Language, there: Language, syntax: str) -> bool:
    """Tells whether a block of HTML, XML or Markdown has faults, whatever its white space and references are."""
    source, result = (" ".join(decode_html(text).split()) for text in (source, result))
    found = set(_faults(source, result, here, there))
    # Markdown escapes signs that would be markup beside other words.
    return not found.isdisjoint({Fault.TAG, Fault.NUMBER, Fault.MARK} if syntax == "markdown" else set(Fault) - _STYLE)


def _count(expression: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(match[0] for match in expression.finditer(text))


def _differs(before: Counter[str], after: Counter[str]) -> bool:
    """Tells whether something of the source is lost or doubled; what is new altogether is the model's."""
    return any(after[one] != count for one, count in before.items())


def _breaks_escapes(source: str, result: str) -> bool:
    """Tells whether the result has a bare mark of a kind that the source escapes, or a backslash without its mark."""
    marks = {*_ESCAPED.findall(source)}
    before, after = (_ESCAPED.sub("", text) for text in (source, result))
    return bool(marks) and any(after.count(mark) > before.count(mark) for mark in (*marks, "\\"))


def _changes_sign(source: str, result: str) -> bool:
    """Tells whether a sign of the source is lost, doubled, or has come to touch another neighbour."""
    slashes = len(_SLASH.findall(source))
    if slashes and slashes > len(_JOINED.findall(result)):
        return True
    before, after = _signs(source), _signs(result)
    kinds = {sign for _, sign, _ in before}
    return before != Counter({one: count for one, count in after.items() if one[1] in kinds})


def _signs(text: str) -> Counter[tuple[bool, str, bool]]:
    """Counts the signs, each with whether white space stands on its sides."""
    padded = f" {text} "
    return Counter(
        (match["behind"] is not None, match["sign"], match["before"] is not None) for match in _SIGN.finditer(padded)
    )


def _lines(text: str) -> list[str]:
    """The kinds of lines that are none of prose, whatever their speakers are called; other lines only count."""
    return [match.lastgroup or "" for match in _LINE.finditer(text)]


def _mixes_items(source: str, result: str) -> bool:
    """Tells whether items of a list are lost, doubled or mixed, or one has come to stand directly before another."""
    before, after = ([match[0].lower() for match in ITEMS.finditer(text)] for text in (source, result))
    if len(before) < 2 or before == after == []:
        return False
    return before != after or _BESIDE.search(result) is not None


def _tags(text: str) -> Iterator[str]:
    for tag in _TAG.finditer(text):
        yield tag["close"] + tag["name"]


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", _without_tags(text))


def _without_tags(text: str) -> str:
    return _TAG.sub(" ", text)


def _is_nested(source: str, result: str) -> bool:
    """Tells whether elements of the result open before they close and none is empty, if that holds for the source."""
    return _nesting(result) or not _nesting(source)


def _nesting(text: str) -> bool:
    open_: list[tuple[str, int]] = []
    for tag in _TAG.finditer(text):
        name = tag["name"]
        if tag["close"]:
            if not open_ or open_[-1][0] != name or not text[open_.pop()[1] : tag.start()].strip():
                return False
        elif name.lower() not in _EMPTY and not tag["rest"].endswith("/"):
            open_.append((name, tag.end()))
    return not open_


class _Number(NamedTuple):
    """A number with separators, and its value; None if it is none in its language, but a version: "3.0" in German."""

    written: str
    value: Decimal | None

    def differs(self, other: "_Number") -> bool:
        is_name = self.value is None or other.value is None
        return self.written != other.written if is_name else self.value != other.value


def _values(text: str, language: Language) -> dict[str, _Number]:
    """The numbers with separators, by their digits."""
    notation = notation_of(language.code)
    found: dict[str, _Number] = {}
    for match in _NUMBER.finditer(_IDENTIFIER.sub(" ", text)):
        if match[0].isdecimal() or notation is None:
            continue
        written = _GROUP_SPACE.sub("", match[0])
        number = read_number(written, notation.decimal, notation.group)
        found[re.sub(r"\D", "", written)] = _Number(written, number.value if number else None)
    return found


def _changes_value(source: str, result: str, here: Language, there: Language) -> bool:
    """Tells whether an identifier is gone, or a number with the same digits has another value in the other notation."""
    if any(match[0] not in result for match in _IDENTIFIER.finditer(source)):
        return True
    before, after = _values(source, here), _values(result, there)
    return any(number.differs(before.get(digits, number)) for digits, number in after.items())


def _loses_currency(source: str, result: str, here: Language, there: Language) -> bool:
    """Tells whether an amount has neither the sign of its currency any more nor its name."""
    amounts = Counter(match["before"] or match["behind"] for match in _AMOUNT.finditer(source))

    def named(text: str, language: Language, sign: str) -> int:
        notation = notation_of(language.code)
        names = notation.currency_names(sign) if notation else ""
        return len(re.findall(names, text, re.IGNORECASE)) if names else 0

    return any(
        result.count(sign) < count
        and result.count(sign) + named(result, there, sign) - named(source, here, sign) < count
        for sign, count in amounts.items()
    )


def _moves_mark(source: str, result: str) -> bool:
    """Tells whether the marks of footnotes behind amounts and numbers are no longer there."""

    def marks(text: str) -> Counter[str]:
        return Counter(match["text"] for match in _MARK.finditer(text))

    return bool(marks(source)) and marks(source) != marks(result)


def _loses_quotes(source: str, result: str, there: Language) -> bool:
    """Tells whether curly marks have become straight, are no pairs any more, or are not those of the language."""
    before, after = _CURLY.findall(source), _CURLY.findall(result)
    if len(before) < 2 or len(before) % 2 or before[0] == before[1]:  # the last: "Start » Bread » Rolls"
        return False
    own = there.writing.quotes
    return len(before) != len(after) or (own is not None and not set(own[:2]).issuperset(after))
