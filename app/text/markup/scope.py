"""Decides by the names and attributes of elements which parts of a page are translated and where a sentence ends."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from app.fairness.budget import checkpoint
from app.text.markup.html_tokenizer import VOID, Syntax, Token, TokenKind

# How the base text beside them is pronounced; they stay beside it.
ANNOTATIONS = frozenset({"rt", "rtc", "rp"})
_UNTRANSLATED = frozenset({"code", "pre", "kbd", "samp", "var", "math"}) | ANNOTATIONS
# Elements that end a sentence: the text before and after them is never one sentence. All others are inline, as unknown
# elements are in HTML; so is script, which is invisible.
_BLOCKS = frozenset(
    """address area article aside audio base blockquote body br button canvas caption center col colgroup datalist
    dd details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
    head header hgroup hr html iframe label legend li link main map menu meta nav noembed noframes noscript object
    ol optgroup option p param pre search section select slot source summary svg table tbody td template textarea
    tfoot th thead title tr track ul video xmp""".split()
)
# Elements whose end tag is often omitted, and the tags that end them. Otherwise one notranslate item would swallow the
# list.
_ENDED_BY_START_OF = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "rt": frozenset({"rb", "rt", "rtc", "rp"}),
    "rp": frozenset({"rb", "rt", "rtc", "rp"}),
    "option": frozenset({"option", "optgroup"}),
    "optgroup": frozenset({"optgroup"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "tr": frozenset({"tr", "tbody", "tfoot"}),
    "p": frozenset(
        {"address", "article", "aside", "blockquote", "details", "div", "dl", "fieldset", "figure", "footer", "form"}
        | {"h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "menu", "nav", "ol", "p", "pre", "section"}
        | {"table", "ul"}
    ),
}

# These name the language of a page, often wrongly, and these name no language.
_ROOTS = frozenset({"html", "body"})
_NO_LANGUAGE = frozenset({"", "und", "mul"})

ATTRIBUTE = re.compile(r"""([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""")


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How to read markup; the four in the middle are DeepL's parameters of the same names.

    Attributes:
        syntax: ``html`` knows the elements of HTML, and so does ``markdown``, which has no other rules; in ``xml``
            every element is inline unless a rule says otherwise.
        ignore_tags: Elements whose content comes back unchanged.
        splitting_tags: Elements that end a sentence.
        non_splitting_tags: Elements that don't.
        outline_detection: In XML, find out which elements split from how they are used; needless where the rules above
            say it.
        line_breaks_split: In HTML, a line break in the source ends a sentence, as it does in plain text.
        translate_attributes: In HTML, translate the attributes that readers see, too.
        language: In HTML, the language of the text: an element whose ``lang`` is another one stays as it is, except for
            the root, as pages are often declared wrong. "" to translate all languages.
        keeps_data: A text that is only a value for programs stays, see ``app.text.data_values``.
        has_empty_words: An empty element where a word would be is like a word: ``at most <max/> letters``; in HTML, a
            picture, icon or field before a mark: ``Press <img>, then``.
    """

    syntax: Syntax = "html"
    ignore_tags: frozenset[str] = frozenset()
    splitting_tags: frozenset[str] = frozenset()
    non_splitting_tags: frozenset[str] = frozenset()
    outline_detection: bool = True
    line_breaks_split: bool = False
    translate_attributes: bool = False
    language: str = ""
    keeps_data: bool = False
    has_empty_words: bool = True


_MARKS = frozenset(".,;:!?)")

HTML = Rules()
MARKDOWN = Rules(syntax="markdown")


def splitting_names(source: str, tokens: Iterable[Token], rules: Rules) -> frozenset[str]:
    """Names of the elements that end a sentence where they begin and where they end.

    In XML these are the elements that never have text beside them: the outline of the document.
    """
    names: frozenset[str] = frozenset()
    if rules.syntax != "xml":
        names = _BLOCKS
    elif rules.outline_detection:
        names = _outline(source, tokens)
    return (names - rules.non_splitting_tags) | rules.splitting_tags


def _outline(source: str, tokens: Iterable[Token]) -> frozenset[str]:
    seen: set[str] = set()
    beside_text: set[str] = set()
    children: list[set[str]] = [set()]  # of each open element, and of the document
    has_text = [False]
    names: list[str] = []
    for token in tokens:
        checkpoint()
        if token.kind is TokenKind.TEXT:
            has_text[-1] = has_text[-1] or not source[token.start : token.end].isspace()
        elif token.kind is TokenKind.START:
            seen.add(token.name)
            children[-1].add(token.name)
            if not token.is_self_closed:
                names.append(token.name)
                children.append(set())
                has_text.append(False)
        elif token.kind is TokenKind.END and names and names[-1] == token.name:
            names.pop()
            inside = children.pop()
            beside_text |= inside if has_text.pop() else set()
    for inside, text in zip(children, has_text, strict=True):
        beside_text |= inside if text else set()
    return frozenset(seen - beside_text)


class Choice(Enum):
    """Whether text is translated; NEVER can't be undone by an element inside."""

    YES = auto()
    NO = auto()
    FOREIGN = auto()  # text in another language than the source's, until an element names that again
    NEVER = auto()


class Scope:
    """The open elements, and whether text inside them is translated."""

    def __init__(self, rules: Rules) -> None:
        """Starts outside of all elements."""
        self._is_html = rules.syntax != "xml"
        self._ignored, self._language = rules.ignore_tags, primary(rules.language)
        self._choice = Choice.YES
        self._open: list[tuple[str, Choice]] = []  # name, and the choice around the element
        self._count: Counter[str] = Counter()  # so that a stray end tag costs no search

    @property
    def translated(self) -> bool:
        """Whether text here is translated."""
        return self._choice is Choice.YES

    def open(self, token: Token) -> bool:
        """Enters an element, after leaving the elements that its start ends; False if it is void or self-closed."""
        if self._is_html:
            while self._open and token.name in _ENDED_BY_START_OF.get(self._open[-1][0], ()):
                self._leave()
        if token.is_self_closed or (self._is_html and token.name in VOID):
            return False
        self._open.append((token.name, self._choice))
        self._count[token.name] += 1
        self._choice = self._choose(token)
        return True

    def translates_attributes(self, token: Token) -> bool:
        """Tells whether the attributes of an element that was just opened, or is void, are translated."""
        return self._choose(token) is Choice.YES

    def close(self, name: str) -> None:
        """Leaves the innermost element of this name and all inside it; a stray end tag changes nothing."""
        if not self._count[name]:
            return
        while self._leave() != name:
            pass

    def _leave(self) -> str:
        name, self._choice = self._open.pop()
        self._count[name] -= 1
        return name

    def _choose(self, token: Token) -> Choice:
        if self._choice is Choice.NEVER or token.name in self._ignored:
            return Choice.NEVER
        values: dict[str, str] = {}
        attributes = token.attributes.lower()
        if "translat" in attributes or "lang" in attributes:
            values = attribute_values(token)
        wish = values.get("translate", "inherit").lower()
        if not self._is_html and values.get("translatable") == "false":  # in resources of Android
            return Choice.NO
        if wish in ("yes", ""):
            return Choice.YES
        if wish == "no" or "notranslate" in values.get("class", "").split():
            return Choice.NO
        if self._is_html and token.name in _UNTRANSLATED:
            return Choice.NO
        if self._language and self._choice in (Choice.YES, Choice.FOREIGN) and token.name not in _ROOTS:
            named = values.get("lang") or values.get("xml:lang") or ""
            language = primary(named)
            if language == self._language:
                return Choice.YES
            # Word and Outlook write "EN-US" around whatever was typed on such a keyboard.
            if language not in _NO_LANGUAGE and not (token.name == "span" and named.isupper()):
                return Choice.FOREIGN
        return self._choice


def attribute_values(token: Token) -> dict[str, str]:
    """Returns the attributes of a start tag by their names in lower-case; the first one of a name counts."""
    values: dict[str, str] = {}
    for match in ATTRIBUTE.finditer(token.attributes):
        values.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
    return values


def is_place_of_word(before: str, after: str) -> bool:
    """Tells whether what stands behind these two characters and before that one stands for a word of a sentence.

    A mark stands directly behind a word, and a space stands before a word: ``Press <x/>, then``. Between two spaces
    there may be a decoration as well.
    """
    return len(before) == 2 and before[1] == " " and before[0] not in " >\n" and after in _MARKS


def primary(language: str) -> str:
    """Returns the language of a tag without region or script."""
    return language.strip().lower().replace("_", "-").partition("-")[0]
