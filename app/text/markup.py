"""Takes the translatable text out of HTML and puts translations back, leaving every other byte as it was.

For now a text run is what stands between two tags, translated on its own: a sentence with a link in it becomes three
runs. Moving inline tags by word alignment will replace the runs by whole blocks; the tokens and the rules about what is
translatable stay.

The tokenizer is ours because ``html.parser`` drops or rewrites malformed parts, which then can't be given back as they
were. It follows the HTML standard's tokenizer where a page can tell the difference, never fails, and looks at every
character a bounded number of times.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal, NamedTuple

# Their content is no markup: it ends at the first end tag of the same name.
_RAW_TEXT = frozenset({"script", "style", "textarea", "xmp", "iframe", "noembed", "noframes"})
_UNTRANSLATED = frozenset({"code", "pre", "kbd", "samp", "var"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
# Elements whose end tag is often left out, and what ends them; without it one notranslate item would swallow the list.
_ENDED_BY_START_OF = {
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
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

# A start or end tag. Quotes hide ">" only right after "=", as in the standard.
_TAG = re.compile(r"""</?+([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+)>""")
_TAG_WITHOUT_QUOTES = re.compile(r"</?+([a-zA-Z][^\s/>]*+)([^>]*+)>")
_TAG_OPENING = re.compile(r"</?+[a-zA-Z]")
_OTHER_OPENING = re.compile(r"<[!?/]")
_COMMENT_END = re.compile(r"--!?>")
_RAW_TEXT_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW_TEXT}
_ATTRIBUTE = re.compile(r"""([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+""")
_DECIMAL_REFERENCE = re.compile(r"&#(0*+)([0-9]*+)")
_NO_BREAK_SPACES = ("&nbsp;", "&#160;", "&#xa0;", "&#xA0;")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How to read markup; the last four are DeepL's parameters of the same names.

    Attributes:
        syntax: ``html`` knows the elements of HTML; in ``xml`` every element is inline unless a rule says otherwise.
        ignore_tags: Elements whose content is given back as it is.
        splitting_tags: Elements that end a sentence.
        non_splitting_tags: Elements that don't.
        outline_detection: In XML, find out which elements split from how they are used; needless where the rules above
            say it.
    """

    syntax: Literal["html", "xml"] = "html"
    ignore_tags: frozenset[str] = frozenset()
    splitting_tags: frozenset[str] = frozenset()
    non_splitting_tags: frozenset[str] = frozenset()
    outline_detection: bool = True


HTML = Rules()


@dataclass(frozen=True, slots=True)
class Document:
    """A page taken apart: skeleton, run, skeleton, …, run, skeleton are the source, byte for byte.

    Attributes:
        texts: The translatable runs as a reader sees them, entities decoded, without white space at their ends.
        runs: The same runs as the source writes them.
        skeleton: All the rest; one more than there are runs.
    """

    texts: tuple[str, ...]
    runs: tuple[str, ...]
    skeleton: tuple[str, ...]

    def rebuild(self, translations: Sequence[str]) -> str:
        """Puts one translation per text into the page, with ``&``, ``<`` and ``>`` escaped.

        A run whose translation equals its text is put back as the source wrote it, so ``rebuild(texts)`` is the source.

        Raises:
            ValueError: if there isn't exactly one translation per text.
        """
        if len(translations) != len(self.texts):
            raise ValueError(f"expected {len(self.texts)} translations, got {len(translations)}")
        parts = [self.skeleton[0]]
        for translation, text, run, rest in zip(translations, self.texts, self.runs, self.skeleton[1:], strict=True):
            parts += run if translation == text else html.escape(translation, quote=False), rest
        return "".join(parts)


def extract(source: str, rules: Rules = HTML) -> Document:
    """Finds the translatable text of an HTML page or fragment; any string is accepted, in time linear in its length.

    Left alone: tags and their attributes, comments, declarations, CDATA; text without a letter or digit; the content of
    code, pre, kbd, samp, var, script, style, textarea and the like, of ``translate="no"`` and of class ``notranslate``.
    ``translate="yes"`` inside turns translation on again, except in those whose content is no markup (script, …).
    """
    texts: list[str] = []
    runs: list[str] = []
    skeleton: list[str] = []
    scope = _Scope()
    done = 0
    for token in _Tokenizer(source):
        if token.kind is _Kind.START:
            scope.open(token.name, token.attributes)
        elif token.kind is _Kind.END:
            scope.close(token.name)
        elif token.kind is _Kind.TEXT and scope.translated:
            start, end = _trim(source, token.start, token.end)
            text = _decode(source[start:end])
            if _LETTER_OR_DIGIT.search(text):
                texts.append(text)
                runs.append(source[start:end])
                skeleton.append(source[done:start])
                done = end
    skeleton.append(source[done:])
    return Document(tuple(texts), tuple(runs), tuple(skeleton))


class _Kind(Enum):
    TEXT = auto()
    START = auto()
    END = auto()
    OTHER = auto()  # comments, declarations, CDATA, the content of scripts and the like


class _Token(NamedTuple):
    kind: _Kind
    start: int
    end: int
    name: str = ""  # lower case
    attributes: str = ""  # what stands between the name and ">", as written


class _Tokenizer:
    """Cuts a page into tokens that cover it without a gap; neighbouring texts aren't joined."""

    def __init__(self, source: str) -> None:
        self._source = source
        # No search for an end is started where none is left: on "<![CDATA[" * n it would take n searches to the end.
        self._last_close = source.rfind(">")
        self._last_cdata_end = source.rfind("]]>")
        self._tag = _TAG

    def __iter__(self) -> Iterator[_Token]:
        source = self._source
        done = position = 0
        while (opening := source.find("<", position)) >= 0:
            token = self._markup_at(opening)
            if token is None:  # just a "<"
                position = opening + 1
                continue
            if done < opening:
                yield _Token(_Kind.TEXT, done, opening)
            yield token
            done = position = token.end
            if token.kind is _Kind.START and token.name in _RAW_TEXT:
                end_tag = _RAW_TEXT_END[token.name].search(source, done)
                done = position = end_tag.start() if end_tag else len(source)
                yield _Token(_Kind.OTHER, token.end, done)
        if done < len(source):
            yield _Token(_Kind.TEXT, done, len(source))

    def _markup_at(self, start: int) -> _Token | None:
        source = self._source
        if source.startswith("<!--", start):
            comment_end = _COMMENT_END.search(source, start + 2)  # "<!-->" is a comment too
            return _Token(_Kind.OTHER, start, comment_end.end() if comment_end else len(source))
        if source.startswith("<![CDATA[", start) and start < self._last_cdata_end:
            return _Token(_Kind.OTHER, start, source.index("]]>", start) + 3)
        if start > self._last_close:
            return None
        if _TAG_OPENING.match(source, start):
            return self._tag_at(start)
        if _OTHER_OPENING.match(source, start):
            return _Token(_Kind.OTHER, start, source.index(">", start) + 1)
        return None

    def _tag_at(self, start: int) -> _Token | None:
        tag = self._tag.match(self._source, start)
        if tag is None:
            # A quote that is never closed hides all that follows. Believe no quote from here on: looking again for
            # each tag would be quadratic, and a browser would drop the rest of the page.
            self._tag = _TAG_WITHOUT_QUOTES
            tag = self._tag.match(self._source, start)
        if tag is None:
            return None
        kind = _Kind.END if self._source.startswith("</", start) else _Kind.START
        return _Token(kind, start, tag.end(), tag[1].lower(), tag[2])


class _Scope:
    """The open elements, and whether text inside them is translated."""

    def __init__(self) -> None:
        self.translated = True
        self._open: list[tuple[str, bool]] = []  # name, and whether text around the element is translated
        self._count: Counter[str] = Counter()  # so that a stray end tag costs no search

    def open(self, name: str, attributes: str) -> None:
        """Enters an element, after leaving those that its start ends; void and self-closed ones have no inside."""
        while self._open and name in _ENDED_BY_START_OF.get(self._open[-1][0], ()):
            self._leave()
        if name in _VOID or _is_self_closed(attributes):
            return
        self._open.append((name, self.translated))
        self._count[name] += 1
        self.translated = _translates(name, attributes, self.translated)

    def close(self, name: str) -> None:
        """Leaves the innermost element of this name and all inside it; a stray end tag changes nothing."""
        if not self._count[name]:
            return
        while self._leave() != name:
            pass

    def _leave(self) -> str:
        name, self.translated = self._open.pop()
        self._count[name] -= 1
        return name


def _is_self_closed(attributes: str) -> bool:
    # In <a href=x/> the slash belongs to the address.
    return attributes.endswith("/") and (len(attributes) == 1 or attributes[-2].isspace() or attributes[-2] in "\"'")


def _translates(name: str, attributes: str, outside: bool) -> bool:
    """Tells whether the text directly inside an element is translated, given whether the text around it is."""
    values: dict[str, str] = {}
    if "translate" in attributes.lower():
        for match in _ATTRIBUTE.finditer(attributes):
            values.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
    choice = values.get("translate", "inherit").lower()
    if choice in ("yes", ""):
        return True
    if choice == "no" or name in _UNTRANSLATED or "notranslate" in values.get("class", "").split():
        return False
    return outside


def _trim(source: str, start: int, end: int) -> tuple[int, int]:
    """Moves the ends of a run inwards over white space, written plainly or as a no-break space's entity."""
    while start < end:
        if source[start].isspace():
            start += 1
        elif source.startswith(_NO_BREAK_SPACES, start, end):
            start = source.index(";", start) + 1
        else:
            break
    while start < end:
        if source[end - 1].isspace():
            end -= 1
        elif source.endswith(_NO_BREAK_SPACES, start, end):
            end = source.rindex("&", start, end)
        else:
            break
    return start, end


def _decode(run: str) -> str:
    # html.unescape raises on numbers of more than 4300 digits; from eight on they are all out of range alike.
    return html.unescape(_DECIMAL_REFERENCE.sub(lambda match: "&#" + (match[2][:8] or match[1][:1]), run))
