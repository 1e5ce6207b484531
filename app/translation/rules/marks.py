"""Marks: quotation marks, those at the beginning and the end of a sentence, and those of footnotes."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from app.text.inline.placement import Edit
from app.translation.rules.pair import Direction, Pair
from languages.signs import CLOSING, CLOSING_QUOTES, CURLY, DOUBLE, ELLIPSIS, OPENING, SPACED_DOTS, SPACES
from languages.writing import Quotes

# The final punctuation, and closing signs after it.
# A full stop before another mark is that of a short form: "500 Stk.?"
_MARK = rf"\.{{3}}|{SPACED_DOTS}|(?!(?<!\.)\.[!?:])[.!?…:]+"
_END = re.compile(rf"(?P<mark>{_MARK})?(?P<closing>[{CLOSING}*\s]*)$")
_INCHES = re.compile(r"\d\"")
_BEGINNING = re.compile(rf"(?P<opening>[{OPENING}]*)(?P<dots>{ELLIPSIS})?(?P<space>[ \u00a0]?)")
_CLOSED = re.compile(rf"(?P<inside>[.!?…]*)(?P<sign>[{DOUBLE}])(?P<outside>[.!?…]*)\Z")
_ASTERISKS = re.compile(r"\*{0,9}$")
_ELLIPSES = ("...", "…")
_ELLIPSIS = re.compile(ELLIPSIS)
_LAST = 80  # characters at the end that are looked at
# Double marks, and single ones that are no apostrophes: of a quotation, and of another one inside of it, or alone.
_SINGLE = r"[‹›]|(?<![\w.,!?])['‘‚](?=\w)|(?<=[\w.,!?…])['’‘](?!\w)"
_LEVELS = re.compile(rf"(?P<outer>[{DOUBLE}])|(?P<inner>{_SINGLE})")
_OUTER = re.compile(f"[{DOUBLE}]")
_EITHER = re.compile(rf"[{DOUBLE}]|{_SINGLE}")
_CURLY_WITH_GAP = re.compile(r"[„“”]|«[\u00a0\u202f]?|[\u00a0\u202f]?»")
_NESTED = re.compile(r"(?:o(?:ii)*o|ii)*")
# What opens and closes a quotation in some language; models mix straight marks with curly ones.
_PAIRS = frozenset('„“ „” “” ”” «» »« »» "" „" “" "“ "” ‚‘ ‚’ ‘’ ’’ ‹› ›‹ ›› \'\''.split())
# Behind a mark: what may end a text, and what ends a clause. Beside it: what joins words, and what tells nothing.
_LAST_SIGNS = re.compile(r"[.!?…)\]}* ]*")
_PAUSE = re.compile(rf"(?!{ELLIPSIS})[.,;:!?)]+(?:[\s)]|$)")
_JOINTS = "-–—/*" + CLOSING_QUOTES
_EITHER_SIDE = _JOINTS + ")]}.,;:!?…"
_SEPARATED = re.compile(r"(?<!:) [»«] ")
_STRAIGHT, _STRAIGHT_INNER = Quotes('"', '"'), Quotes("'", "'")


class _Mark(NamedTuple):
    """A quotation mark: its place, the mark, and whether it closes a quotation, or is a single one."""

    begin: int
    sign: str
    closes: bool
    is_inner: bool


def _read(text: str, marks: re.Pattern[str]) -> list[_Mark]:
    """Reads the marks of a text: double ones, and by themselves single ones, the group ``inner`` of ``marks``.

    They open and close in turn, if none stands where it can't, and both ends of each quotation are a pair of some
    language; if their number is odd, the first may close what another sentence has opened. Otherwise a mark does what
    its place tells. Where that doesn't tell, as with a space on both sides, it closes the open quotation if the two
    are a pair, or else opens one.
    """
    found: list[_Mark] = []
    for level in (None, "outer", "inner"):
        if own := [match for match in marks.finditer(text) if match.lastgroup == level]:
            places = [_closes(text, *match.span()) for match in own]
            signs = [match[0] for match in own]
            roles = _in_turn(signs, places) or _by_place(signs, places)
            found += (_Mark(m.start(), m[0], closes, level == "inner") for m, closes in zip(own, roles, strict=True))
    return sorted(found)


def _in_turn(signs: Sequence[str], places: Sequence[bool | None]) -> list[bool]:
    """Whether each mark closes, if they open and close in turn; nothing if they can't."""
    for first in (False, True)[: 1 + len(signs) % 2]:
        roles = [(index % 2 > 0) != first for index in range(len(signs))]
        if all(place in (None, role) for place, role in zip(places, roles, strict=True)) and _PAIRS.issuperset(
            map("".join, zip(signs[first::2], signs[first + 1 :: 2], strict=False))
        ):
            return roles
    return []


def _by_place(signs: Sequence[str], places: Sequence[bool | None]) -> list[bool]:
    """Whether each mark closes: what its place tells, or else whether it and the last open one are a pair."""
    roles, opened = list[bool](), list[str]()
    for sign, place in zip(signs, places, strict=True):
        closes = bool(opened) and opened[-1] + sign in _PAIRS if place is None else place
        if not closes:
            opened.append(sign)
        elif opened:
            opened.pop()
        roles.append(closes)
    return roles


def _closes(text: str, begin: int, end: int) -> bool | None:
    """Whether a mark closes a quotation, by what stands beside it; None if that doesn't tell."""
    last, behind = text[begin - 1 : begin] if begin else "", text[end : end + _LAST]
    first = behind[:1]
    if _LAST_SIGNS.fullmatch(behind):
        return True if text[max(0, begin - _LAST) : begin].strip() else None
    if not last or last.isspace() or last in "([{":
        if last and _PAUSE.match(behind):
            return True
        return None if first.isspace() or first in _EITHER_SIDE else False
    if first.isspace() or first in ".,;:!?…)":  # "l’« Ours »" opens
        return None if last in "-/*" or (last in "'’" and text[begin] in "«»") else True
    if last in _JOINTS and first.isalnum():
        return False
    return True if first in _JOINTS and (last.isalnum() or last in ".!?…%)") else None


def quotation_marks(pair: Pair) -> list[Edit]:
    """Writes the quotation marks of the target language in place of the source's, which models copy.

    Straight marks stay straight, for models write now these and now others.
    """
    here, there = pair.here.writing.quotes, pair.there.writing.quotes
    source, translation = pair.source, pair.translation
    if here is None or there is None or here == there:
        return []
    own = _read(source, _LEVELS)
    levels = _leveled(own)
    if _has_inner(levels) and len(own) == len(found := _read(translation, _LEVELS)):
        return _over_all(pair, found, levels)
    if all(mark.sign not in CURLY for mark in own):
        if any(mark.sign == '"' for mark in own):
            return [Edit(*match.span(), '"') for match in _CURLY_WITH_GAP.finditer(translation)]
        if any(mark.sign == "'" and not mark.closes for mark in own):  # »Yes!« for 'Yes!', and 'No.
            found = _read(translation, _OUTER)
            return _over_all(pair, found, [mark._replace(sign="'", is_inner=True) for mark in found])
        return []
    own = [mark for mark in own if not mark.is_inner]
    own = _without_lengths(source, own) or own
    if len({mark.sign for mark in own}) == 1 and _SEPARATED.search(source):  # "Start » Bread » Rolls"
        return []
    outer, either = (_without_lengths(translation, _read(translation, marks)) for marks in (_OUTER, _EITHER))
    for found in (outer, either):
        if len(found) == len(own):
            return _over_all(pair, found, own)
    copied = {mark.sign for mark in own}
    found = [mark for mark in outer if mark.sign in copied]
    return _over_all(pair, found, [mark._replace(sign=there.opening) for mark in found])


def _without_lengths(text: str, marks: Sequence[_Mark]) -> list[_Mark]:
    """Leaves out signs of inches, "27”": they stand behind a digit, and would close what nothing has opened."""
    depth, kept = 0, list[_Mark]()
    for mark in marks:
        if not mark.closes or depth or not text[max(0, mark.begin - 1) : mark.begin].isdigit():
            depth = max(0, depth + (-1 if mark.closes else 1))
            kept.append(mark)
    return kept


def _leveled(marks: Sequence[_Mark]) -> list[_Mark]:
    """Takes for inner ones also double marks in a quotation with other ones: "« Je lis “Ça” »"."""
    opened, leveled = list[_Mark](), list[_Mark]()
    for mark in marks:
        if not mark.closes:
            is_other = bool(opened) and mark.sign in CURLY and mark.sign != opened[0].sign
            opened.append(mark._replace(is_inner=mark.is_inner or is_other))
        level = opened[-1] if opened else mark
        if mark.closes and opened:
            opened.pop()
        leveled.append(mark._replace(is_inner=mark.is_inner or level.is_inner))
    return leveled


def _has_inner(marks: Sequence[_Mark]) -> bool:
    """Tells whether the text has single marks, and all are those of quotations.

    These are inside of other quotations or beside them. An apostrophe would be a mark that nothing opens.
    """
    levels = "".join("oi"[mark.is_inner] for mark in marks)
    roles = [mark.closes for mark in marks if mark.is_inner]
    return roles != [] and roles == [False, True] * (len(roles) // 2) and _NESTED.fullmatch(levels) is not None


def _over_all(pair: Pair, found: Sequence[_Mark], own: Sequence[_Mark]) -> list[Edit]:
    """Writes marks of the translation as others are: curly ones as those of its language, straight ones straight."""
    here, there, text = pair.here.writing.quotes, pair.there.writing.quotes, pair.translation
    assert here and there
    gaps = tuple(SPACES if here.gap or there.gap else "")
    is_curly = any(mark.sign not in "'\"" for mark in own)
    edits = []
    levels = found if sorted(mark.is_inner for mark in found) == sorted(mark.is_inner for mark in own) else own
    for mark, other, level in zip(found, own, levels, strict=True):
        if level.is_inner:
            quotes = there.inner if is_curly else _STRAIGHT_INNER
        else:
            quotes = _STRAIGHT if other.sign == '"' else there
        edits.append(_over(text, mark.begin, quotes, gaps, closes=other.closes))
    return [edit for edit in edits if text[edit.begin : edit.end] != edit.replacement]


def lost_quotation_mark(pair: Pair) -> list[Edit]:
    """Writes the mark that opens or closes a quotation at an end of the sentence, if the translation has lost it.

    The quotation may go on in other sentences, which have the other mark.
    """
    source, translation = pair.source.strip(), pair.translation.rstrip()
    levels = _read(source, _LEVELS)
    if not levels:
        return []
    marks = _LEVELS if any(mark.is_inner for mark in levels) and _has_inner(levels) else _OUTER
    own, found = (_read(text, marks) for text in (source, translation))
    is_part = len(own) == 1
    if not own or (len(own) % 2 and not is_part) or len(found) != len(own) - 1 or _INCHES.search(source):
        return []
    quotes = pair.there.writing.quotes
    if quotes is None or any(mark.sign not in CURLY for mark in (own[0], *found)):
        quotes = _STRAIGHT
    closed, there = _CLOSED.search(source, max(0, len(source) - _LAST)), _end(translation)
    is_last = closed is not None and closed.start("sign") == own[-1].begin and own[-1].closes
    if closed and is_last and not _OUTER.search(there["closing"]):
        mark = there["mark"] or ""
        at = there.start() + (len(mark) if closed["inside"] else 0)
        return [Edit(at, at, quotes.closed)] if _same(mark, closed["inside"] + closed["outside"]) else []
    if own[0].closes or not translation or (not found and not is_part):
        return []
    begin = len(translation) - len(translation.lstrip())
    if found and (found[0].begin == begin or translation[found[0].begin - 1].isspace()):
        return []
    before = source[: own[0].begin]
    if is_part and before.endswith(": ") and translation.count(": ") == 1:
        begin = translation.index(": ") + 2
    elif before:
        return []
    return [Edit(begin, begin, quotes.opened)]


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


def _over(text: str, begin: int, quotes: Quotes, gaps: tuple[str, ...], *, closes: bool) -> Edit:
    """Writes a mark over another one, and over a gap inside of it.

    What opens a quotation gets a space behind a sentence, which models forget.
    """
    end = begin + 1
    if closes:
        begin -= text[max(0, begin - 1) : begin] in gaps
    else:
        end += text[end : end + 1] in gaps
    space = "" if closes or text[max(0, begin - 1) : begin] not in tuple(".!?") else " "
    return Edit(begin, end, quotes.closed if closes else space + quotes.opened)


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
    at = len(translation) - len(there[0])
    if mark in _ELLIPSES and other in _ELLIPSES:
        return _ellipsis(pair, at, at + len(other), mark)
    if _same(mark, other):
        return _written(pair, at, at + len(other), other)
    abbreviation = _abbreviation((*pair.here.writing.final_abbreviations, *pair.there.writing.final_abbreviations))
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
    spaces = tuple(SPACES)
    is_spaced = pair.source[: -len(_end(pair.source)[0])].endswith(spaces)
    begin -= pair.translation[:begin].endswith(spaces) and not is_spaced
    return [] if pair.translation[begin:end] == mark else [Edit(begin, end, mark)]


def _written(pair: Pair, begin: int, end: int, mark: str) -> list[Edit]:
    """Writes a mark over a range, with the space that the target language has before it."""
    space = pair.there.writing.space_before.get(mark[:1], "")
    if mark and begin and (space or mark[0] in pair.here.writing.space_before):
        begin -= pair.translation[begin - 1] in SPACES
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
    if "*" not in pair.source:
        return []
    source, translation = pair.source, pair.translation
    here, there = (_ASTERISKS.search(text, max(0, len(text) - _LAST)) for text in (source, translation))
    assert here and there  # both match the empty end
    if not here[0] or translation.count("*") >= source.count("*") or not translation.strip():
        return []
    return [Edit(there.start(), there.end(), here[0])]
