"""Splits text into gap / sentence / gap / … / gap.

Only sentences are translated. Gaps hold everything else (white space, line breaks, list markers, emoji, numbers alone,
lines of dashes) and come back byte for byte, so joining the untranslated sentences gives back any text.

``sentencex`` (MIT, Wikimedia) finds the ends inside a line. Measured on version 1.0.32, hence the care in ``_ends``:

* it panics (a Rust panic, not an ``Exception``) on "B", a white-space character of several bytes, "." - so also on
  "Plan B" + no-break space + ". "; we show it a copy in which every white-space character is a plain space;
* an unclosed quotation mark makes it quadratic: 6 s for 500,000 characters; we show it a window at a time.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import chain

import sentencex  # type: ignore[import-untyped]

from app.fairness.budget import checkpoint
from app.fairness.windows import search
from app.text.numerals.words import words_of
from app.text.separators import LINE_MARKS, separators
from languages.language import Language
from languages.registry import language_of
from languages.signs import CLOSING, DOUBLE, STAND_INS

_WINDOW_CHARS = 8192
_CONTEXT_CHARS = 40  # how far the exceptions below look around a sentence end

_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SOFT_BREAKS = frozenset({"\n", "\r\n", "\r"})

_LIST_MARKER = (
    r"(?:[-*+•‣◦▪▸●○·–—]"
    r"|\(?\d{{1,3}}(?:\.\d{{1,3}}){{0,8}}+(?:\.\)|[.)]{no_ordinal})"
    r"|\(?[a-zA-Z]\.?\)"
    r"|(?:{letters})\.(?=\s+(?!\w\.)[^\s\d])"  # not "i. e.", "p. 5"
    r"|\[[ xX]\])"
)

_FOOTNOTE = r"(?:\*{1,3}+(?=[^\W\d_][^*]*\Z))"  # "*Schüler mit Ausweis"; not "*lacht* Ja."
# Never part of a sentence at its ends: white space, control and zero-width characters, emoji with their selectors.
_EDGE = re.compile(r"[\s\x00-\x1f\x7f\u200b-\u200f\u2060\ufeff\ufe0e\ufe0f\u2600-\u27bf\U0001f000-\U0001faff]")
_TRIPLE = re.compile(r"\"{3}|'{3}")  # of a string in Python, of bold words in a wiki
# One word between two marks, or several in brackets. Models copy "(Hello)" or misspell it: their pieces of words begin
# with a space. A button, "[Accept all]", may be a label.
_WRAPPED = re.compile(
    r"\([^\W\d_][^\[\]()]*\)|\[[^\W\d_]{2}[^\[\]()]*\]|"
    + "|".join(
        rf"{re.escape(opening)}[\"']?[^\W\d_]{{2,}}[.!?…]?[\"']?{re.escape(closing)}"
        for opening, closing in ("()", "[]", '""', "''", "“”", "‘’", "„“", "‚‘", "«»", "»«")
    )
)
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{2}|(?![a-zA-Z])[^\W\d_]")  # or a letter that may be a word in its script
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_WHITE_SPACE = re.compile(r"\s")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_STAND_IN = "字"
_PRIVATE = re.compile(f"[{STAND_INS}]")

_SHORT_NUMBER = re.compile(r"\b\d{1,3}\.\s+$")
_SHORT_DATE = r"\b\d{1,2}\.\d{1,2}\.\s+$"
_LISTED_NUMBER = re.compile(r"[^\W\d_], \d{1,2}\.\s+$")
# "der max. Abstand", and "Max. Abstand" where a line begins: elsewhere, a capital may be that of a name.
_SHORT_ADJECTIVE = re.compile(r"(?:\A|(?<!\d )\b(?![A-Z]))[^\W\d_]{2,}\.\s+$")
_ROMAN = re.compile(r"[IVX]{2,}(?!\w)")
# The library sees a number that begins a quotation as a word.
_QUOTED_NUMBER = re.compile(r"(?<=[\"„“»‚])\d")
_QUOTATION = re.compile(rf"(?:^|(?<=[\s(]))[{DOUBLE}](?P<inside>[^{DOUBLE}]{{80,}})[{DOUBLE}]\s*\Z")
_OPENING, _CLOSING = frozenset("„‚([{¿¡"), re.compile(f"[{CLOSING}]")
_NEVER = re.compile("(?!)")


class _Ends:
    """How one language tells the end of a sentence from a full stop inside of it.

    Args:
        language: The language.

    Attributes:
        code: As the library knows the language.
        line_start: What stands before the first sentence of a line: white space, marks of mail and rows, list markers.
        abbreviation: Matches before an end of the library's, where the sentence goes on.
        before_small: Likewise, if a small letter or a stand-in follows.
        capital_nouns: All nouns have a capital.
        counted: Likewise, if a word with a capital follows that isn't common: a number and a unit.
        final: Matches short forms that may end a sentence, before a capital: "etc.", "v. Chr.", "Pius IX.", "5 km."
        common: Common words, in small letters.
        ordinal: Likewise, whatever follows.
        after_number: What follows a number with a dot that is an ordinal.
        has_ordinals: Numbers with a dot may be ordinals.
    """

    def __init__(self, language: Language) -> None:
        ordinals = language.dotted_ordinals
        self.code, self.has_ordinals = language.code, ordinals is not None
        no_ordinal = rf"(?!\s+(?:{ordinals.after}))" if ordinals else ""
        marker = _LIST_MARKER.format(no_ordinal=no_ordinal, letters=language.listed_letters or "(?!)")
        self.line_start = re.compile(rf"[\s\ufeff]*+(?:{LINE_MARKS}|{marker}\s++)*+{_FOOTNOTE}?")
        self.abbreviation = _before_space(language.abbreviations)
        self.before_small = _before_space(language.abbreviations_before_small)
        self.capital_nouns = language.writing.capital_nouns
        self.counted = _counted(language)
        short = "|".join(map(re.escape, language.writing.final_abbreviations)) or "(?!)"
        self.final = re.compile(
            rf"(?:\b(?:{short}|[IVX]{{2,}})|(?:(?<=\b[^\W\d_]\.)|(?<=\b[^\W\d_]\. ))[A-Z]\w{{0,2}}|\d [^\W\d_]{{1,3}})"
            r"\.\s+(?=[^\W\d_a-z])"
        )
        self.common = language.common_words | language.writing.small_words
        self.ordinal = self.after_number = _NEVER
        if ordinals:
            after_word = rf"\b(?:{'|'.join(ordinals.before)})\s+\d{{1,2}}\.\s+$|" if ordinals.before else ""
            self.ordinal = re.compile(after_word + _SHORT_DATE, re.IGNORECASE)
            self.after_number = re.compile(ordinals.after)


@lru_cache(maxsize=64)
def _ends_of(code: str) -> _Ends:
    return _Ends(language_of(code))


def _before_space(abbreviations: Collection[str]) -> re.Pattern[str]:
    words = (re.escape(word).replace(r"\ ", " ?") for word in abbreviations)
    either = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" if word[0].islower() else word for word in words)
    return re.compile(rf"\b(?:{either})\.\s+$") if either else _NEVER


def _counted(language: Language) -> re.Pattern[str]:
    """Matches a number and a unit; one that may end a sentence only where a line begins: "20 Min. Fußweg"."""
    if not language.abbreviations_before_noun:
        return _NEVER
    within, first = (
        "|".join(map(re.escape, words))
        for words in (language.abbreviations_before_noun, language.abbreviations_before_small)
    )
    return re.compile(rf"\d ?(?:{within})\.\s+$|\A[\d.,–-]+ ?(?:{first})\.\s+$")


def has_words(text: str) -> bool:
    """Tells whether there is something to translate: "a € © b" and "A/B" are names, "a" alone may be a word."""
    if search(_WORD, text, 0):
        return True
    letter = search(_LETTER, text, 0)
    return letter is not None and search(_LETTER, text, letter.end()) is None


def spans(text: str, *, language: str, newlines: bool = True) -> Iterator[tuple[int, int]]:
    """Yields begin and end of each sentence, in order: each has a letter.

    Takes time in proportion to the text, as the spans are asked for. Lone surrogates are allowed.

    Args:
        text: Any string.
        language: Code of the text's language, such as ``de`` or ``en-GB``; an unknown one gets general rules.
        newlines: Whether each line break and tab ends a sentence. If not, only blank lines and list items do, and a
            sentence that runs over a line break keeps it inside.
    """
    rules = _ends_of(language)
    blocks = _lines(text, rules) if newlines else _paragraphs(text, rules)
    for block_start, block_end in chain.from_iterable(_cells(text, *block, tabs=newlines) for block in blocks):
        start = _content_start(text, block_start, block_end, rules)
        for end in _ends(text[block_start:block_end], rules):
            first, last = _trim(text, start, block_start + end)
            start = block_start + end
            if _LETTER.search(text, first, last):
                yield first, last


def _lines(text: str, rules: _Ends) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of each line that has something after its indentation and list markers."""
    for line in _LINE.finditer(text):
        checkpoint()
        yield _content_start(text, *line.span(), rules), line.end()


def _cells(text: str, begin: int, end: int, *, tabs: bool) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of what is between the separators of a line or paragraph."""
    done = begin
    for first, last in separators(text[begin:end], tabs=tabs):
        if done < begin + first:
            yield done, begin + first
        done = begin + last
    if done < end:
        yield done, end


def _paragraphs(text: str, rules: _Ends) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of each run of lines between blank lines; a list marker begins a new run."""
    start = end = 0
    for line in _LINE.finditer(text):
        checkpoint()
        content = _content_start(text, *line.span(), rules)
        goes_on = end > start and text[end : line.start()] in _SOFT_BREAKS
        blank = content == line.end()
        marked = bool(text[line.start() : content].strip())
        if goes_on and not blank and not marked:
            end = line.end()
            continue
        if end > start:
            yield start, end
        start, end = content, line.end()
    if end > start:
        yield start, end


def _content_start(text: str, begin: int, end: int, rules: _Ends) -> int:
    """Returns where a line or cell has something after its indentation and list markers."""
    marker = rules.line_start.match(text, begin, end)
    content = marker.end() if marker else begin
    is_number = text[content : content + 1].isdecimal()
    return words_of(rules.code).end_of_clause(text, content, end) if is_number else content


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (edge := _EDGE.match(text, start) or _TRIPLE.match(text, start, end)):
        start = edge.end()
    while start < end and (_EDGE.match(text, end - 1) or _TRIPLE.match(text, max(start, end - 3), end)):
        end -= 3 if text[end - 1] in "\"'" else 1
    while _WRAPPED.fullmatch(text, start, end):
        start, end = start + 1, end - 1
    return start, end


def _ends(block: str, rules: _Ends) -> Iterator[int]:
    """Yields where the sentences of a block end: the library's ends less our exceptions, and the block's end."""
    windows = (block[place : place + _WINDOW_CHARS] for place in range(0, len(block), _WINDOW_CHARS))
    shown = "".join(map(_shown, windows))
    begin = 0
    while begin < len(shown):
        checkpoint()
        window_end = begin + _WINDOW_CHARS
        pieces = _library_pieces(shown[begin:window_end], rules)
        if window_end < len(shown):
            # The last piece may go on after the window. If it is the only one, this sentence is longer than a window.
            if len(pieces) == 1:
                begin = window_end
                continue
            pieces.pop()
        for piece in pieces:
            inner = {*_inner_ends(piece, rules), *_ends_in_quotation(piece, rules)}
            yield from (begin + place for place in sorted(inner))
            begin += len(piece)
            before, after = shown[max(0, begin - _CONTEXT_CHARS) : begin], shown[begin : begin + _CONTEXT_CHARS]
            if begin == len(shown) or not _goes_on(before, after, rules):
                yield begin


def _shown(window: str) -> str:
    """Returns the part of a window that the library gets: on a whole megabyte it would block all other threads."""
    checkpoint()
    shown = _LONE_SURROGATE.sub("\ufffd", _WHITE_SPACE.sub(" ", window))
    return _PRIVATE.sub(_STAND_IN, shown)  # a placeholder is a word, and a word of one letter would be an abbreviation


def _library_pieces(window: str, rules: _Ends) -> list[str]:
    """Returns pieces with the lengths of the window's sentences; the window itself where the library fails."""
    if rules.has_ordinals:
        window = _QUOTED_NUMBER.sub("X", window)
    try:
        pieces = [piece for piece in sentencex.segment(rules.code, window) if piece]
    except BaseException as error:  # a Rust panic is no Exception, and its class can't be imported
        if type(error).__name__ != "PanicException":
            raise
        return [window]
    return pieces if "".join(pieces) == window else [window]


def _inner_ends(piece: str, rules: _Ends) -> Iterator[int]:
    """Yields where a short form ends a sentence: "Brot usw. Die Leute" has a common word with a capital."""
    for match in rules.final.finditer(piece):
        word = _FIRST_WORD.match(piece, match.end())
        if word and word[0].lower() in rules.common:
            yield match.end()


def _ends_in_quotation(piece: str, rules: _Ends) -> Iterator[int]:
    """Yields where sentences end inside of a long quotation that ends the piece: the library keeps them together."""
    quotation = _QUOTATION.search(piece)
    if quotation is None:
        return
    place, text = quotation.start("inside"), quotation["inside"]
    end = 0
    for sentence in _library_pieces(text, rules)[:-1]:
        end += len(sentence)
        if not _goes_on(text[max(0, end - _CONTEXT_CHARS) : end], text[end : end + _CONTEXT_CHARS], rules):
            yield place + end


def _goes_on(before: str, after: str, rules: _Ends) -> bool:
    """Tells from the text around an end that the library found whether the sentence goes on."""
    if not before[-1].isspace():
        # A quotation mark parted from its sentence; or "example.Com", "Dipl.-Ing.", "8 Tabl./Tag"
        quotation = before[-1] in _OPENING or _CLOSING.match(after) is not None or after[0] in ",;:"
        return quotation or (before[-1] == "." and (after[0].isalnum() or after[0] in "-/"))
    if rules.abbreviation.search(before):
        return True
    word = _FIRST_WORD.match(after)
    is_common = word is not None and word[0].lower() in rules.common
    if after[0].islower() or after[0] == _STAND_IN or _ROMAN.match(after):
        if rules.before_small.search(before):
            return True
    elif after[0].isupper() and not is_common:
        # "max. Abstand", "20 Min. Fußweg", "Liga A, 9. Spieltag"
        if rules.capital_nouns and _SHORT_ADJECTIVE.search(before) and rules.before_small.search(before):
            return True
        if rules.counted.search(before) or (rules.has_ordinals and _LISTED_NUMBER.search(before)):
            return True
    if _SHORT_NUMBER.search(before):  # rule SB8 of UAX 29: no break before a small letter
        if after[0].islower() or rules.after_number.match(after):
            return True
        return not is_common and rules.ordinal.search(before) is not None
    return False
