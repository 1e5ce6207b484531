"""Quality checks: pure rules, one for each verdict, that find visibly wrong translations in any languages.

They find the known failures of neural models: loops, copies of the source, lost or invented text, changed numbers. Each
rule stays silent on more than 99 % of human translations (German-English, both directions; a test counts), so that a
verdict means something.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from enum import StrEnum

from languages.clock import AFTERNOON
from languages.language import Negations
from languages.numbers import NumberWords
from languages.registry import language_of
from languages.signs import CURRENCIES, STAND_INS

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NO_UNIT = re.compile(r"(?<![\w/])(?<!\d )[^\W\d_]{2,}(?:['’][^\W\d_]+)*")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+(?!\d)|\d+")
# Digits with points and commas between them, and those of them that are a number or a date in some language.
_MARKED = re.compile(r"(?<![\d.,])\d++(?:[.,]\d++)++")
_WELL_MARKED = re.compile(
    r"\d+[.,]\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,2}\.\d{1,2}\.\d{4}"
)
_LONGEST_PHRASE = 12  # tokens; a loop of longer phrases is rare, and too_long catches it
# A syllable three times in a row or a letter four times, inside a word or in a script without spaces.
_STUTTER = re.compile(r"([^\W\d_]{2,20}?)\1\1+|([^\W\d_])\2{3,}")
# A number up to twelve is often written as a word in one of the languages, but not where it is part of a score or time,
# or alone in brackets; larger ones where the source has no figures at all.
_LARGEST_SPELLED = 12
_LARGEST_SPELLED_OUT = 99
_WIDE = "\u1100"  # all characters that take the width of two come behind it
# The beginning of a word or number, or a placeholder, which stands for one.
_WORD_OR_NUMBER = re.compile(rf"[^\W_]|[{STAND_INS}]")
# A small number by itself.
_SMALL_NUMBER = re.compile(r"(?<![\w.,:/–-])(1[0-2]|[2-9])(?![\w:/–-]|[.,]\d| \d{3})")
_AMOUNT = re.compile(rf"[\d{CURRENCIES}]")
_GLUED = re.compile(rf"[{CURRENCIES}][^\W\d_]")
_NEVER_SPELLED = re.compile(r"(?<!\d)\d++(?:[:–-]\d+)+|(?<=[(\[])\d++(?=[)\]])")


class Verdict(StrEnum):
    """A quality check that the translation of a sentence fails."""

    REPETITION = "repetition"
    COPIED_SOURCE = "copied_source"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    DIGITS_CHANGED = "digits_changed"
    MALFORMED = "malformed"
    NEGATION_LOST = "negation_lost"
    TRUNCATED = "truncated"
    FORMALITY = "formality"


def judge(
    source: str, translation: str, *, truncated: bool = False, doubled: Collection[str] = ()
) -> tuple[Verdict, ...]:
    """Returns the quality checks that the translation of one sentence fails.

    Args:
        source: The sentence.
        translation: Its translation.
        truncated: The search was ended by a length limit, not by the model.
        doubled: Words that are no loop if said twice: "Ist das das Haus?"
    """
    found = [verdict for verdict, fails in CHECKS if fails(source, translation)]
    if _repeats_more(source, translation, 1, doubled):
        found.insert(0, Verdict.REPETITION)
    return (*found, Verdict.TRUNCATED) if truncated else tuple(found)


def doubled_in(languages: Iterable[str]) -> frozenset[str]:
    """The words of languages, given by their codes, that are no loop if said twice; for ``judge``."""
    return frozenset().union(*(language_of(code).writing.doubled for code in languages))


def is_useless(source: str, translation: str) -> bool:
    """Tells whether a translation is a loop, or has only punctuation where the source has words."""
    return loops(source, translation) or _says_nothing(source, translation)


def _says_nothing(source: str, translation: str) -> bool:
    return not _WORD_OR_NUMBER.search(translation) and _WORD_OR_NUMBER.search(source) is not None


def loops(source: str, translation: str) -> bool:
    """Tells whether a translation says a phrase three times in a row, or stutters for a third of its length.

    If it does so more than the source, it is useless. A name that stutters is a fault, but the sentence around it may
    be right: "Geoffrey ran Kamwororor".
    """
    return _repeats_more(source, translation, 2, least_stutter=len(translation) // 3)


def _repeats_more(
    source: str, translation: str, least: int, doubled: Collection[str] = (), *, least_stutter: int = 1
) -> bool:
    """Tells whether a translation repeats a phrase at least so often, or stutters so long, and more than the source."""
    repeats, stutter = _repeats(translation, doubled), _stutter(translation)
    return (repeats >= least and repeats > _repeats(source, doubled)) or (
        stutter >= least_stutter and stutter > 1.5 * _stutter(source)
    )


def _stutter(text: str) -> int:
    """Counts the letters of the longest stutter, such as "hahaha"."""
    return max((len(match[0]) for match in _STUTTER.finditer(text.casefold())), default=0)


def _repeats(text: str, doubled: Collection[str]) -> int:
    """Count how often a phrase follows itself directly: 1 in "a salad salad", 2 in "na na na", 0 in "die, die"."""
    tokens = _TOKEN.findall(text.casefold())
    if len(set(tokens)) == len(tokens):
        return 0
    places = defaultdict[str, list[int]](list)
    sizes = set()
    for place, token in enumerate(tokens):
        sizes |= {place - earlier for earlier in places[token][-_LONGEST_PHRASE:]}
        places[token].append(place)
    return max((_run(tokens, size, doubled) for size in sizes if size <= _LONGEST_PHRASE), default=0)


def _run(tokens: list[str], size: int, doubled: Collection[str]) -> int:
    """Counts the most repetitions in a row of any ``size`` tokens that are not only punctuation."""
    longest = same = 0
    for place in range(size, len(tokens)):
        if tokens[place] != tokens[place - size]:
            same = 0
            continue
        same += 1
        if size == same == 1 and tokens[place] in doubled and tokens[place + 1 : place + 2] != [tokens[place]]:
            continue
        if same // size > longest and any(map(str.isalnum, tokens[place - size : place])):
            longest = same // size
    return longest


def _is_copy(source: str, translation: str) -> bool:
    """Tell whether the translation contains most of the source's words, no names or units, and at least three."""
    words = {word for word in _NO_UNIT.findall(source) if word[0].islower()}
    return len(words) >= 3 and len(words & set(_WORD.findall(translation))) > 0.6 * len(words)


def _is_too_short(source: str, translation: str) -> bool:
    return _size(translation) < 0.3 * _size(source) - 5 or _says_nothing(source, translation)


def _is_too_long(source: str, translation: str) -> bool:
    return _size(translation) > 3 * _size(source) + 20


def _size(text: str) -> int:
    """Count characters; one of Chinese, Japanese or Korean counts as three, as it says as much as three letters."""
    if max(text, default="") < _WIDE:
        return len(text)
    return sum(3 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _digits_changed(source: str, translation: str) -> bool:
    if not (_AMOUNT.search(source) or _AMOUNT.search(translation)):
        return False
    # Versions and the like come back as they are; no translation makes up something like "4.763.13".
    marked = Counter(_MARKED.findall(translation)) - Counter(_MARKED.findall(source))
    if any(not _WELL_MARKED.fullmatch(digits) for digits in marked):
        return True
    before, after = _numbers(source), _numbers(translation)
    amounts = max(before.total(), after.total())
    if any(translation.count(sign) > max(source.count(sign), amounts) for sign in CURRENCIES):
        return True  # "€999 €"
    if len(_GLUED.findall(translation)) > len(_GLUED.findall(source)):
        return True  # "999 €t"
    fixed_before, fixed_after = _never_spelled(source), _never_spelled(translation)
    if AFTERNOON.search(source) or AFTERNOON.search(translation):
        for hour in range(1, 12):  # 15 Uhr is 3 p.m.
            for here, there in ((before, after), (after, before)):
                if here[hour + 12] and not there[hour + 12] and there[hour]:
                    for numbers in (here, fixed_before, fixed_after):
                        numbers[hour] += numbers.pop(hour + 12, 0)
    spelled = _LARGEST_SPELLED if before else _LARGEST_SPELLED_OUT
    if any(before[value] != after[value] for value in before | after if value > spelled):
        return True
    missing = (fixed_before - after) + (fixed_after - before)
    del missing[0]  # 15 Uhr is 15:00
    return bool(missing)


def loses_number(source: str, translation: str, numbers: NumberWords) -> bool:
    """Tells whether a number from 2 to 12 is missing in a translation, as figures and as a word.

    Silent on more than 99 % of human translations. In languages whose number words aren't known, always.

    Args:
        source: The sentence.
        translation: Its translation.
        numbers: The words of the language of the translation.
    """
    words = numbers.traces
    if not words:
        return False
    present = set(re.findall(r"\d+", translation))
    for number in {int(match[1]) for match in _SMALL_NUMBER.finditer(source)}:
        # In the afternoon, an hour may be twelve more.
        if present.isdisjoint((str(number), f"0{number}", str(number + 12))) and not re.search(
            words[number - 2], translation, re.IGNORECASE
        ):
            return True
    return False


def loses_negation(source: str, translation: str, here: Negations | None, there: Negations | None) -> bool:
    """Tells whether a sentence denies something and no word of its translation may: "Don't forget!", "Vergiss!".

    Silent on more than 99 % of human translations. Where the words of one language aren't known, always.

    Args:
        source: The sentence.
        translation: Its translation.
        here: The words of the sentence's language.
        there: The words of the language of the translation.
    """
    if here is None or there is None or not here.words.search(source):
        return False
    return there.traces.search(translation) is None


# ``int`` refuses thousands of digits, and takes time in their square.
def _numbers(text: str) -> Counter[int | Decimal]:
    """Return the numbers, without separators of thousands."""
    return Counter(Decimal(re.sub(r"\D", "", number)) for number in _NUMBER.findall(text))


def _never_spelled(text: str) -> Counter[int | Decimal]:
    """Finds the numbers that no language spells out: of scores, times and the like, and those in brackets."""
    return Counter(Decimal(number) for found in _NEVER_SPELLED.findall(text) for number in re.findall(r"\d+", found))


CHECKS: tuple[tuple[Verdict, Callable[[str, str], bool]], ...] = (
    (Verdict.COPIED_SOURCE, _is_copy),
    (Verdict.TOO_SHORT, _is_too_short),
    (Verdict.TOO_LONG, _is_too_long),
    (Verdict.DIGITS_CHANGED, _digits_changed),
)
"""The checks that need nothing but both texts, in the order in which they are reported, behind repetition."""
