"""Marks: quotation marks, those at the beginning and the end of a sentence, and those of footnotes."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from app.text.inline.placement import Edit
from app.translation.rules.pair import Direction, Pair
from languages.writing import Quotes

CLOSING = "\"'”“’‘»«›‹)]*"
"""Signs that may close a sentence behind its final mark."""
# The final punctuation, and closing signs after it.
# A full stop before another mark is that of a short form: "500 Stk.?"
_MARK = r"\.{3}|\. \. \.|(?!(?<!\.)\.[!?:])[.!?…:]+"
_END = re.compile(rf"(?P<mark>{_MARK})?(?P<closing>[{re.escape(CLOSING)}\s]*)$")
_INCHES = re.compile(r"\d\"")
_BEGINNING = re.compile(r"(?P<opening>[„“”»«\"'‘‚(\[]*)(?P<dots>\.{3}|…)?(?P<space>[ \u00a0]?)")
_CLOSED = re.compile(r"(?P<inside>[.!?…]*)(?P<sign>[„“”»«\"])(?P<outside>[.!?…]*)\Z")
_ASTERISKS = re.compile(r"\*{0,9}$")
_ELLIPSES = ("...", "…")
_ELLIPSIS = re.compile(r"(?<!\.)\.{3}(?!\.)|…")
_LAST = 80  # characters at the end that are looked at
# Curly marks, any double ones, and single ones that are no apostrophes, or double ones in the other half of the pair.
_CURLY = re.compile(r"[„“”»«]")
_CURLY_WITH_GAP = re.compile(r"[„“”]|«[\u00a0\u202f]?|[\u00a0\u202f]?»")
_STRAIGHT = re.compile(r"\"")
_DOUBLE = re.compile(r"[„“”»«\"]")
_SINGLE = re.compile(r"[„“”»«\"]|(?<![\w.,!?])['‘‚](?=\w)|(?<=[\w.,!?…])['’](?!\w)")
# Of a quotation, and of another one inside of it.
_LEVELS = re.compile(r"(?P<outer>[„“”»«\"])|(?P<inner>(?<![\w.,!?])['‘‚](?=\w)|(?<=[\w.,!?…])['’‘](?!\w))")
_SINGLE_MARKS = frozenset("'‘‚’")
_NESTED = re.compile(r"(?:o(?:ii)*o)*")
_SEPARATED = re.compile(r" [»«] ")
_SPACES = " \u00a0\u202f"


def quotation_marks(pair: Pair) -> list[Edit]:
    """Writes the quotation marks of the target language in place of the source's, which models copy.

    Straight marks stay straight, for models write now these and now others.
    """
    here, there = pair.here.writing.quotes, pair.there.writing.quotes
    if here is None or there is None or here == there:
        return []
    if nested := _nested(pair, there):
        return nested
    if _STRAIGHT.search(pair.source) and not _CURLY.search(pair.source):
        return [Edit(*match.span(), '"') for match in _CURLY_WITH_GAP.finditer(pair.translation)]
    quotation, mark = _expressions(here, there)
    translation, copied = pair.translation, set(mark.findall(pair.source))
    found = [
        match
        for match in quotation.finditer(translation)
        if copied.issuperset((match["opening"].strip(_SPACES), match["closing"].strip(_SPACES)))
    ]
    if found:
        return [
            Edit(*match.span(group), written)
            for match in found
            for group, written in (("opening", there.opened), ("closing", there.closed))
            if match[group] != written
        ]
    if others := _paired(pair, there) or _single(pair):
        return others
    marks = list(mark.finditer(translation))
    if len(marks) != 1 or marks[0][0] not in copied:
        return []
    # A quotation of several sentences has one mark in its first and one in its last.
    [(begin, end)] = (each.span() for each in marks)
    opens, closes = not translation[:begin].strip(), not translation[end:].strip()
    own = list(mark.finditer(pair.source))
    if opens == closes and len(own) == 1:
        opens = _opens(own[0])
        closes = not opens
    if opens == closes or (closes and translation[begin - 1 : begin].isdigit()):  # 27” is a length
        return []
    written = there.closed if closes else there.opened
    return [Edit(begin, end, written)] if translation[begin:end] != written else []


def lost_quotation_mark(pair: Pair) -> list[Edit]:
    """Opens or closes a quotation that begins or ends the sentence, if the translation has lost that mark."""
    source, translation = pair.source.strip(), pair.translation.rstrip()
    levels = "".join(str(match.lastgroup)[0] for match in _LEVELS.finditer(source))
    marks = _LEVELS if "i" in levels and _NESTED.fullmatch(levels) else _DOUBLE
    here, found = (list(marks.finditer(text)) for text in (source, translation))
    if len(here) % 2 or not here or len(found) != len(here) - 1 or _INCHES.search(source):
        return []
    quotes = pair.there.writing.quotes
    if quotes is None or any(_CURLY.match(match[0]) is None for match in (here[0], *found)):
        quotes = Quotes('"', '"')
    closed, there = _CLOSED.search(source, max(0, len(source) - _LAST)), _end(translation)
    if closed and closed.start("sign") == here[-1].start() and not _DOUBLE.search(there["closing"]):
        mark = there["mark"] or ""
        if not _same(mark, closed["inside"] + closed["outside"]):
            return []
        at = there.start() + (len(mark) if closed["inside"] else 0)
        return [Edit(at, at, quotes.closed)]
    begin = len(translation) - len(translation.lstrip())
    opens = here[0].start() == 0 and not (found and found[0].start() == begin)
    if not opens or not found or translation[found[0].start() - 1].isspace():
        return []
    return [Edit(begin, begin, quotes.opened)]


def lost_mark_of_part(pair: Pair) -> list[Edit]:
    """Opens or closes a quotation that goes on in other sentences, if the translation has lost its only mark."""
    source, translation = pair.source.strip(), pair.translation.rstrip()
    own = list(_DOUBLE.finditer(source))
    if len(own) != 1 or _DOUBLE.search(translation) or _INCHES.search(source) or not translation:
        return []
    [mark] = own
    quotes = (pair.there.writing.quotes if _CURLY.match(mark[0]) else None) or Quotes('"', '"')
    before, there = source[: mark.start()], _end(translation)
    if not _opens(mark):
        is_last = mark.end() == len(source) and not there["closing"].strip()
        is_same = _same(_end(before)["mark"] or "", there["mark"] or "")
        return [Edit(len(translation), len(translation), quotes.closed)] if is_last and is_same else []
    at = len(translation) - len(translation.lstrip())
    if before.endswith(": ") and translation.count(": ") == 1:
        at = translation.index(": ") + 2
    elif before:
        return []
    return [Edit(at, at, quotes.opened)]


def lost_bracket(pair: Pair) -> list[Edit]:
    """Closes the bracket at the end of the sentence if the translation has lost that: "(2019 est.)", "(est.)."."""
    if "(" not in pair.translation:
        return []
    source, translation = pair.source.rstrip(), pair.translation.rstrip()
    if [text.count("(") - text.count(")") for text in (source, translation)] != [0, 1]:
        return []
    here, there = _end(source), _end(translation)
    is_inside = source[: here.start()].endswith(")")
    at = there.start() if is_inside else there.end()
    is_closed = translation[: there.start()].endswith(")") or ")" in there["closing"]
    if is_closed or not (is_inside or here["closing"].endswith(")")):
        return []
    return [Edit(at, at, ")")]


def _paired(pair: Pair, there: Quotes) -> list[Edit]:
    """Writes the target's marks over as many other ones as the source has curly ones: models write straight marks."""
    here = list(_CURLY.finditer(pair.source))
    if len(here) < 2 or len(here) % 2 or _STRAIGHT.search(pair.source):
        return []
    for marks in (_DOUBLE, _SINGLE):
        found = list(marks.finditer(pair.translation))
        if len(found) == len(here):
            edits = (
                _over(pair.translation, match.span(), there, closes=index % 2 > 0) for index, match in enumerate(found)
            )
            return [edit for edit in edits if pair.translation[edit.begin : edit.end] != edit.replacement]
    return []


def _nested(pair: Pair, there: Quotes) -> list[Edit]:
    """Writes quotations with single marks as the source has them: models give them the marks of others.

    They are inside of other quotations, or the only ones.
    """
    if _SINGLE_MARKS.isdisjoint(pair.source):
        return []
    here, found = (list(_LEVELS.finditer(text)) for text in (pair.source, pair.translation))
    levels = [str(match.lastgroup) for match in here]
    if "inner" not in levels or len(found) != len(here):
        return []
    if _NESTED.fullmatch("".join(one[0] for one in levels)):
        is_curly = _CURLY.match(here[0][0]) is not None
    elif "outer" not in levels and all(_opens(match) == (index % 2 == 0) for index, match in enumerate(here)):
        is_curly = here[0][0] != "'"
    else:
        return []
    marks = (
        {"outer": there, "inner": there.inner} if is_curly else {"outer": Quotes('"', '"'), "inner": Quotes("'", "'")}
    )
    count = Counter[str]()
    edits = []
    for match, level in zip(found, levels, strict=True):
        edits.append(_over(pair.translation, match.span(), marks[level], closes=count[level] % 2 > 0))
        count[level] += 1
    return [edit for edit in edits if pair.translation[edit.begin : edit.end] != edit.replacement]


def _single(pair: Pair) -> list[Edit]:
    """Writes straight single marks for double ones, if the source has only those: »Yes!« for 'Yes!', and 'No."""
    if _DOUBLE.search(pair.source) or not any(m[0] == "'" and _opens(m) for m in _SINGLE.finditer(pair.source)):
        return []
    found = _DOUBLE.finditer(pair.translation)
    return [_over(pair.translation, match.span(), Quotes("'", "'"), closes=not _opens(match)) for match in found]


def _opens(mark: re.Match[str]) -> bool:
    """Tells a mark that opens a quotation from one that closes it, or an apostrophe."""
    return mark.string[mark.end() : mark.end() + 1].isalnum()


def _over(text: str, span: tuple[int, int], quotes: Quotes, *, closes: bool) -> Edit:
    """Writes a mark over another one, and over the space inside of it if the mark has one of its own.

    What opens a quotation gets a space behind a sentence, which models forget.
    """
    begin, end = span
    if quotes.gap and closes:
        begin -= text[max(0, begin - 1) : begin] in tuple(_SPACES)
    elif quotes.gap:
        end += text[end : end + 1] in tuple(_SPACES)
    space = "" if closes or text[max(0, begin - 1) : begin] not in tuple(".!?") else " "
    return Edit(begin, end, quotes.closed if closes else space + quotes.opened)


@lru_cache(maxsize=256)
def _expressions(here: Quotes, there: Quotes) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A quotation in the marks of one language, perhaps closed by the other's, and any mark of the two."""
    marks = "".join(sorted({here.opening, here.closing, there.opening, there.closing}))
    closing = here.closing + (there.closing if there.closing not in (here.opening, there.opening) else "")
    space = f"[{_SPACES}]?" if here.gap or there.gap else ""
    return (
        re.compile(rf"(?P<opening>{here.opening}{space})[^{marks}]*?(?P<closing>{space}[{closing}])"),
        re.compile(f"[{marks}]"),
    )


def marks_between(text: str, direction: Direction) -> Mapping[int, str]:
    """Returns the quotation marks of the target language for those of the source, for what is outside of sentences.

    Args:
        text: The text; if it has a mark that only the target language has, all stay.
        direction: Its language, and that of the translation.
    """
    own, other = direction.here.writing.quotes, direction.there.writing.quotes
    if own and other and own != other and "»" in text and not _SEPARATED.search(text) and "»" not in own + other:
        first, last = sorted("«»", key=text.find)
        return {ord(first): other.opened, ord(last): other.closed} if text.find(first) >= 0 else {}
    if own is None or other is None or own == other or not set(other[:2]).difference(own[:2]).isdisjoint(text):
        return {}
    return {ord(own.opening): other.opened, ord(own.closing): other.closed}


def ending(pair: Pair) -> list[Edit]:
    """Ends a translation as its source ends: with its final mark, and the asterisks of a footnote."""
    edits = _final_mark(pair) + _footnote_mark(pair)
    if len(edits) == 2 and edits[0][:2] == edits[1][:2]:
        return [edits[0]._replace(replacement=edits[0].replacement + edits[1].replacement)]
    return edits


def beginning(pair: Pair) -> list[Edit]:
    """Writes the dots with which a source begins, if the translation has lost them: "… und dann?"."""
    here, there = (_BEGINNING.match(text) for text in (pair.source, pair.translation))
    assert here and there  # both match the empty beginning
    if not here["dots"] or there["dots"] or pair.there.writing.own_marks or lost_quotation_mark(pair):
        return []
    at = there.end("opening")
    return [Edit(at, at, here["dots"] + here["space"])] if pair.translation[at:].strip() else []


def ellipses(pair: Pair) -> list[Edit]:
    """Writes the ellipses before the end as the source does: with one character or with three dots."""
    has_dots, has_one = (mark in pair.source for mark in _ELLIPSES)
    if has_dots == has_one:
        return []
    written = _ELLIPSES[has_one]
    found = _ELLIPSIS.finditer(pair.translation, 0, _end(pair.translation).start())
    return [Edit(*match.span(), written) for match in found if match[0] != written]


def _final_mark(pair: Pair) -> list[Edit]:
    """Ends a translation with the mark of its source, before the brackets and the like that close both."""
    if pair.there.writing.own_marks or not pair.translation.strip():
        return []
    source, translation = pair.source, pair.translation
    here, there = _end(source), _end(translation)
    mark, other = (here["mark"] or "").replace(". . .", "..."), there["mark"] or ""
    abbreviation = _abbreviation((*pair.here.writing.final_abbreviations, *pair.there.writing.final_abbreviations))
    at = len(translation) - len(there[0])
    if mark in _ELLIPSES and other in _ELLIPSES:
        return _ellipsis(pair, at, at + len(other), mark)
    if _same(mark, other):
        return _written(pair, at, at + len(other), other)
    is_short_form = abbreviation.search(source[: here.end("mark")][-_LAST:])
    if mark and (other or not is_short_form or pair.options.preserves_formatting):
        if not other and not (here["closing"].strip() and there["closing"].strip()):
            at = len(translation.rstrip())
        return _written(pair, at, at + len(other), mark)
    if not mark and other and not abbreviation.search(translation[-_LAST:].rstrip()):
        return [Edit(at, at + len(other), "")]
    return []


def _ellipsis(pair: Pair, begin: int, end: int, mark: str) -> list[Edit]:
    """Writes the source's dots over a range, without the space that models put before them: "Öffnen..." of a menu."""
    spaces = tuple(_SPACES)
    is_spaced = pair.source[: -len(_end(pair.source)[0])].endswith(spaces)
    begin -= pair.translation[:begin].endswith(spaces) and not is_spaced
    return [] if pair.translation[begin:end] == mark else [Edit(begin, end, mark)]


def _written(pair: Pair, begin: int, end: int, mark: str) -> list[Edit]:
    """Writes a mark over a range, with the space that the target language has before it."""
    space = pair.there.writing.space_before.get(mark[:1], "")
    if mark and begin and (space or mark[0] in pair.here.writing.space_before):
        begin -= pair.translation[begin - 1] in _SPACES
    else:
        space = ""
    return [] if pair.translation[begin:end] == space + mark else [Edit(begin, end, space + mark)]


def _end(text: str) -> re.Match[str]:
    match = _END.search(text, max(0, len(text) - _LAST))
    assert match  # it matches the empty end
    return match


def _same(mark: str, other: str) -> bool:
    return mark.replace("...", "…") == other.replace("...", "…")


@lru_cache(maxsize=256)
def _abbreviation(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:\w\.\s?\w|\b(?:{'|'.join((*map(re.escape, words), '[0-9]+'))}))\.$")


def _footnote_mark(pair: Pair) -> list[Edit]:
    """Keeps the asterisks at the end, as in "Preis***": models lose some."""
    source, translation = pair.source, pair.translation
    here, there = (_ASTERISKS.search(text, max(0, len(text) - _LAST)) for text in (source, translation))
    assert here and there  # both match the empty end
    if not here[0] or translation.count("*") >= source.count("*") or not translation.strip():
        return []
    return [Edit(there.start(), there.end(), here[0])]
