"""Spaces and dashes that keep signs apart or together."""

import re

from app.text.inline.placement import Edit
from app.translation.rules.pair import Pair
from languages.notation import notation_of
from languages.signs import CLOSING, CURRENCIES, OPENING_QUOTES, SPACES, STAND_INS

# A no-break space, and the word or sign on each side. A match begins where a word does: otherwise a word of 50,000
# letters took 20 s.
_NO_BREAK = re.compile(r"((?<!\w)\w++\.?|[^\w\s])([\u00a0\u202f])(?=(\w+|[^\w\s]))")
# A currency or the like, and another sign behind a space; a number that is divided, or has a unit.
APART = f"{CURRENCIES}©®™°§"
_SYMBOL = f"[{APART}]"
_APART = re.compile(
    rf"(?=({_SYMBOL}) ([^\w\s])|([^\w\s.,;:!?]) ({_SYMBOL})"
    rf"|(?<![\w.,])(\d{{1,9}}) (: (?=\d)|[^\W\d_]{{1,3}}(?!\w)|°[CFK]))"
)
# A space that some languages write before a mark; the end of a sentence is that of ``marks``.
_GOES_ON = rf"[{SPACES}]{{1,3}}[^\s{CLOSING}*]"
_BEFORE_MARK = re.compile(rf"(?<=[\w%€$»”\")])(?P<space>[{SPACES}]?)(?P<mark>[?!;:]++)(?={_GOES_ON})")
# "„ Hallo", "( Hallo": a space behind a sign that opens; the last of straight single marks closes.
_INSIDE = re.compile(rf"(?:(?:^|(?<=[\s(]))(?!'[^']*\Z)[{OPENING_QUOTES}](?P<gap>[{SPACES}])|[(\[](?P<space> ))(?=\w)")
_GAP = re.compile(rf"[{OPENING_QUOTES}][\u00a0\u202f]")
_JOINED = re.compile(r"(?<![^\s(„“\"])(?P<word>[^\W\d_]{2,40})(?P<number>\d{1,9})(?=\s)")
_AS_ONE = re.compile(r"[^\W\d_]{2,40}\d{1,9}")  # "MP3"
_ALONE = re.compile(r"(?<!\S)\d{1,9}(?!\w)")
_SPAN = re.compile(r"(?<![\w.,–-])(\w{1,12})–(\w{1,12})(?![\w–]|[.,]\d)")
_PART = re.compile(r"(?<![\w.,–-])(\d{1,9})-(\d{1,9}) \w{1,12} (?:\w{1,12} )?(\d{1,9})(?![\w–-]|[.,]\d)")
_FROM_TO = re.compile(
    r"(?:(?<!\w)(?P<before>[^\W\d_]{2,20})\.? )?(?<![\w.,:–-])(?P<first>\d{1,3})-(?P<last>\d{1,3})(?![\w–-]|[.,:]\d)"
    r"(?: (?P<behind>[^\W\d_]{2,20}))?"
)

_SIGN_OF_UNIT = re.compile(rf"[\d{STAND_INS}](?=(?P<sign>°[CF]|%)(?![\w%-]))")
_LOOSE_HYPHEN = re.compile(r"(?<!\S)-(?!\S)|(?<=\()-(?=[^\W\d_])")
_LOOSE_DASH = re.compile(r"(?<!\S)[–—](?!\S)|(?<=\()–(?=[^\W\d_])")
_LOOSE_MARK = re.compile(rf"{_LOOSE_DASH.pattern}|{_LOOSE_HYPHEN.pattern}|(?<!\S)--(?!\S)")
_DASH = re.compile(rf"{_LOOSE_DASH.pattern}|(?<=[^\W\d_])(?:—|--)(?=[^\W\d_])|(?<=\S)(?: -- |-- )(?=\S)")
_SIGNS = re.compile("[:–-]")
# Sets of a match: "7-6 (7-3), 6-4".
_SCORES = re.compile(r"(?<![\w.,:–-])\d{1,2}[:–-]\d{1,2}(?:(?:, ?| ?\()\d{1,2}[:–-]\d{1,2}\)?){1,9}+(?![\w:–-])")


def inside(pair: Pair) -> list[Edit]:
    """Removes spaces behind opening brackets and quotation marks, which models write before words they don't know."""
    quotes = pair.here.writing.quotes, pair.there.writing.quotes
    own = {str(match.lastgroup) for match in _INSIDE.finditer(pair.source)}
    if any(one and one.gap for one in quotes) or _GAP.search(pair.source):
        own.add("gap")
    found = ((match, str(match.lastgroup)) for match in _INSIDE.finditer(pair.translation))
    return [Edit(*match.span(kind), "") for match, kind in found if kind not in own]


def before_numbers(pair: Pair) -> list[Edit]:
    """Writes the spaces that models forget before numbers: "Mindestens7" for "at least 7"."""
    found = list(_JOINED.finditer(pair.translation))
    if not found:
        return []
    joined, alone = set(_AS_ONE.findall(pair.source)), set(_ALONE.findall(pair.source))
    ends = [match.end("word") for match in found if match[0] not in joined and match["number"] in alone]
    return [Edit(end, end, " ") for end in ends]


def spans(pair: Pair) -> list[Edit]:
    """Keeps the sign of "3–5", "Mo–Fr", "1-10 of 57" and "1-2 weeks", for which models write another one."""
    edits = {}
    found = [(first, last, "–") for first, last in _SPAN.findall(pair.source)]
    found += [(first, last, "-") for first, last, total in _PART.findall(pair.source) if _is_part(first, last, total)]
    found += [(match["first"], match["last"], "-") for match in _FROM_TO.finditer(pair.source) if _counts(match, pair)]
    for first, last, sign in dict.fromkeys(found):
        if f"{first}{sign}{last}" not in pair.translation:
            other = re.search(rf"(?<![\w.,:-]){first}(\s?[-:]\s?){last}(?![\w:-]|[.,]\d)", pair.translation)
            if other:
                edits[other.start(1)] = Edit(*other.span(1), sign)
    return [edits[place] for place in sorted(edits)]


def dashes(pair: Pair) -> list[Edit]:
    """Keeps the dashes beside words, for which models write hyphens or others: "er kam – und ging", "(–Juli)"."""
    found = list(_LOOSE_MARK.finditer(pair.translation))
    if not found:
        return []
    if _LOOSE_HYPHEN.search(pair.source):
        return [Edit(*match.span(), "-") for match in found if match[0] == "--" and "--" not in pair.source]
    if len(found) > len(_DASH.findall(pair.source)):
        return []
    own, written = {*_LOOSE_DASH.findall(pair.source)}, _LOOSE_DASH.findall(pair.translation)
    sign = written[0] if written and own != {"–"} else "–"
    return [Edit(*match.span(), sign) for match in found if match[0] != sign]


def scores(pair: Pair) -> list[Edit]:
    """Gives all scores of a match the same sign, where models have changed that of some: "7:6 (7-3), 6:4"."""
    before = {re.sub(r"\D", " ", match[0]): set(_SIGNS.findall(match[0])) for match in _SCORES.finditer(pair.source)}
    edits = []
    for match in _SCORES.finditer(pair.translation):
        signs = set(_SIGNS.findall(match[0]))
        others = signs - before.get(re.sub(r"\D", " ", match[0]), signs)
        if len(signs) > 1 and len(others) == 1:
            [sign] = others
            places = (match.start() + each.start() for each in _SIGNS.finditer(match[0]) if each[0] != sign)
            edits += [Edit(place, place + 1, sign) for place in places]
    return edits


def _is_part(first: str, last: str, total: str) -> bool:
    """Tells a range of a whole from the score of a game."""
    return int(first) < int(last) <= int(total)


def _counts(match: re.Match[str], pair: Pair) -> bool:
    """Tells a range, which stands beside a plural, from the score of a game."""
    if int(match["first"]) >= int(match["last"]):
        return False
    nouns = pair.here.writing.capital_nouns
    words = {word.lower() for word in match.group("before", "behind") if word and (word[0].isupper() or not nouns)}
    words -= pair.here.common_words | pair.here.writing.small_words
    return any(len(set(pair.here.bases(word))) > 1 for word in words)


def before_signs(pair: Pair) -> list[Edit]:
    """Writes the space before "°C" and "%" that the target has, and models forget."""
    found = list(_SIGN_OF_UNIT.finditer(pair.translation))
    if not found or (notation := notation_of(pair.there.code)) is None:
        return []
    gaps = ((match.end(), notation.percent_gap if match["sign"] == "%" else notation.degree_gap) for match in found)
    return [Edit(place, place, gap) for place, gap in gaps if gap]


def before_marks(pair: Pair) -> list[Edit]:
    """Writes the spaces before marks inside of a sentence as the target does: French has no-break spaces there."""
    here, there = pair.here.writing.space_before, pair.there.writing.space_before
    if here == there:
        return []
    edits = []
    for match in _BEFORE_MARK.finditer(pair.translation):
        space = there.get(match["mark"][0], "")
        if match["space"] != space and (space or match["mark"][0] in here):
            edits.append(Edit(*match.span("space"), space))
    return edits


def no_break(pair: Pair) -> list[Edit]:
    """Keeps on one line what the source does, as in "10 €": models know only one kind of space."""
    source, translation = pair.source, pair.translation
    quotes = pair.here.writing.quotes
    with_space = {*pair.here.writing.space_before, *pair.there.writing.space_before}
    edits: dict[int, Edit] = {}
    # Equal pairs have the same place; a search for each took time quadratic in the text.
    for left, space, right in dict.fromkeys(_NO_BREAK.findall(source)):
        if right in with_space or (quotes and quotes.gap and (left == quotes.opening or right == quotes.closing)):
            continue  # the language has it there, whatever the writer wants
        place = translation.find(f"{left} {right}") + len(left)
        if place < len(left):
            place = _beside(left, right, translation)
        if place >= 0 and translation[place + 1 : place + 2] not in with_space:
            edits.setdefault(place, Edit(place, place + 1, space))
    return list(edits.values())


def between_signs(pair: Pair) -> list[Edit]:
    """Keeps signs apart that the source keeps apart, as in "10 € / 12 $" and "12 : 4": models join them."""
    source, translation = pair.source, pair.translation
    edits = {}
    for groups in dict.fromkeys(_APART.findall(source)):
        left, right = filter(None, groups)
        place = translation.find(left + right)
        if place >= 0 and f"{left} {right}" not in translation:
            end = place + len(left)
            edits[end] = Edit(end, end, " ")
    return list(edits.values())


def _beside(left: str, right: str, translation: str) -> int:
    """Finds the space beside the number or name that the translation has unchanged; -1 if it has neither."""
    if any(map(str.isdigit, left)):
        found = re.search(rf"(?<![\w.,]){re.escape(left)} (?=\S)", translation)
        return found.end() - 1 if found else -1
    if len(right) > 1 or right.isdigit():
        # A space behind a quotation mark or an opening bracket belongs to that.
        found = re.search(rf"(?<=[^\s„“«»\"‘‚(\[]) {re.escape(right)}(?!\w)", translation)
        return found.start() if found else -1
    return -1
