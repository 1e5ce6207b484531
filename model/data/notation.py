"""Numbers, amounts and dates in the notation of each language, for training pairs whose conversion is exact.

German writes 4.763,13 and 25. Juli 1982 where English writes 4,763.13 and July 25, 1982. Text that people wrote has
too few of them to learn the rule from: a model trained without these pairs turned $4,763.13 into $4.763.13.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random

from babel import Locale

from languages.notation import Notation, notation_of
from languages.registry import language_of
from model.data.pairs import Pair

# A whole number that is no part of a longer one, of a word, a date or a time.
_INTEGER = re.compile(r"(?<![\w.,:/\-–+])\d{1,3}(?![\w]|[.,:/\-–]\d|\.\s)")


def _notation(language: str) -> Notation:
    found = notation_of(language)
    assert found  # of languages with frames
    return found


def decimal(value: float, digits: int, language: str) -> str:
    """A number with this many digits after the decimal separator, as CLDR has it for the language."""
    whole, _, fraction = f"{value:.{digits}f}".partition(".")
    return _notation(language).number(whole, fraction, grouped=True)


def supports(languages: tuple[str, str]) -> bool:
    """Return whether both languages have frames, and so a notation that is known."""
    return bool(_frames(languages))


@lru_cache(maxsize=8)
def _frames(languages: tuple[str, str]) -> tuple[Pair, ...]:
    """The frames that both languages have; the slots are filled alike on both sides."""
    first, second = (language_of(code).frames() for code in languages)
    return tuple((first[name], second[name]) for name in first if name in second)


def replace_number(pair: Pair, languages: tuple[str, str], rng: Random) -> Pair | None:
    """The pair with a whole number that both sides have once replaced by one with separators; None without one."""
    numbers = [_INTEGER.findall(text) for text in pair]
    common = [number for number in numbers[0] if [side.count(number) for side in numbers] == [1, 1]]
    if not common:
        return None
    number = rng.choice(common)
    write = _number(rng)
    whole = re.compile(_INTEGER.pattern.replace(r"\d{1,3}", number))
    first, second = (whole.sub(write(language), text) for text, language in zip(pair, languages, strict=True))
    return first, second


def notation_pairs(languages: tuple[str, str], count: int, rng: Random) -> Iterator[Pair]:
    """Generated pairs around amounts, numbers, dates, times and codes.

    Args:
        languages: Languages of the two sides; their rooms have frames.
        count: Pairs.
        rng: Source of random numbers.
    """
    for _ in range(count):
        frame = rng.choice(_frames(languages))
        slots = {name: make(rng) for name, make in _SLOTS.items()}
        first, second = (
            side.format(**{name: write(language) for name, write in slots.items()})
            for side, language in zip(frame, languages, strict=True)
        )
        yield first, second


Write = Callable[[str], str]
"""Language -> the same value in that language's notation."""


def _number(rng: Random) -> Write:
    """A number with at least one separator."""
    kind = rng.random()
    if kind < 0.35:
        value, digits = rng.uniform(0, 10 ** rng.randint(1, 3)), rng.choice((1, 1, 2, 3))
    elif kind < 0.75:
        return _whole(rng)
    else:
        value, digits = 10 ** rng.uniform(3, 8), rng.choice((1, 2, 2))
    return lambda language: decimal(value, digits, language)


def _whole(rng: Random) -> Write:
    whole = int(10 ** rng.uniform(3, 9))
    return lambda language: decimal(whole, 0, language)


def _decimal(rng: Random) -> Write:
    value, digits = 10 ** rng.uniform(-1, 4), rng.choice((1, 1, 2, 3))
    return lambda language: decimal(value, digits, language)


def _amount(rng: Random) -> Write:
    value, digits = 10 ** rng.uniform(0, 7), rng.choice((0, 2, 2, 2))
    sign, words = rng.choice((("€", "Euro euros"), ("€", "Euro euros"), ("$", "Dollar dollars"), ("£", "Pfund pounds")))
    style = rng.random()

    def write(language: str) -> str:
        number = decimal(value, digits, language)
        if style < 0.35:
            return f"{number} {words.split()[language == 'en']}"
        if style < 0.45:
            return f"{number} {dict(zip('€$£', ('EUR', 'USD', 'GBP'), strict=True))[sign]}"
        return _plain(_notation(language).amount(number, sign))

    return write


def _plain(text: str) -> str:
    """The text as people type it: a space is a space."""
    return text.replace("\u00a0", " ")


def _percent(rng: Random) -> Write:
    value, digits, sign = rng.uniform(0, 100), rng.choice((0, 1, 1, 2)), rng.random() < 0.5

    def write(language: str) -> str:
        number = decimal(value, digits, language)
        if sign:
            return _plain(f"{number}{_notation(language).percent_gap}%")
        return f"{number} {'percent' if language == 'en' else 'Prozent'}"

    return write


def _date(rng: Random) -> Write:
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1900, 2040)
    style = rng.random()

    def write(language: str) -> str:
        if style < 0.4:  # 07/08 may be July or August: it is not converted
            return f"{day:02d}.{month:02d}.{year}"
        if style < 0.5:
            return f"{year}-{month:02d}-{day:02d}"
        return _notation(language).date_in_words(day, month, str(year) if style < 0.8 else "")

    return write


def _time(rng: Random) -> Write:
    text = f"{rng.randint(0, 23)}:{rng.randrange(60):02d}"
    return lambda _: text


def _weekday(rng: Random) -> Write:
    day = rng.randrange(7)
    return lambda language: Locale(language).days["format"]["wide"][day]


def _same(make: Callable[[Random], str]) -> Callable[[Random], Write]:
    """A value that both languages write in the same way."""

    def slot(rng: Random) -> Write:
        text = make(rng)
        return lambda _: text

    return slot


_SLOTS: dict[str, Callable[[Random], Write]] = {
    "amount": _amount,
    "number": _whole,
    "number2": _whole,
    "decimal": _decimal,
    "percent": _percent,
    "date": _date,
    "time": _time,
    "time2": _time,
    "weekday": _weekday,
    "version": _same(lambda rng: ".".join(str(rng.randrange(30)) for _ in range(rng.randint(2, 4)))),
    "phone": _same(lambda rng: f"+{rng.randint(1, 99)} {rng.randint(30, 999)} {rng.randint(10000, 9999999)}"),
    "code": _same(lambda rng: f"{''.join(rng.choices('ABCDEFGHKLMNPRSTUVWXYZ', k=2))}-{rng.randint(1000, 999999)}"),
    "score": _same(lambda rng: f"{rng.randrange(8)}:{rng.randrange(8)}"),
}
