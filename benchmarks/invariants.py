"""Properties of the source that any good translation keeps: rules that need no reference.

They are the benchmarks' own, apart from those by which the service judges itself (app.text.quality_checks).
"""

import re
from collections import Counter
from collections.abc import Mapping

_THOUSANDS = re.compile(r"(?<=\d)[.,'’\u00a0\u202f](?=\d{3}(?!\d))")
_MARKED = re.compile(r"(?<![\d.,])\d++(?:[.,]\d++)++(?! Uhr)")
_NUMBERS: Mapping[str, re.Pattern[str]] = {  # with marks, as each language writes them
    "de": re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+|\d{1,2}\.\d{1,2}\.(?:\d{4}|\d\d)"),
    "en": re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+"),
}
_DIGITS = re.compile(r"\d+")
_FULL_HOUR = re.compile(r"(?<![\d:.])0?(\d{1,2})(?::00(?![\d:])|[:.]00(?= Uhr))")
_MONTHS = "jan|jän feb mar|mär apr may|mai jun jul aug sep oct|okt nov dec|dez".split()  # beginnings, in both languages
_NAMED = rf"(?:{'|'.join(_MONTHS)})[a-z]*"
_DATE = re.compile(r"(?<![\d.])0?(\d{1,2})\.\s?(0?[1-9]|1[0-2])\.\s?(?=\d{4})")
_ZERO_OF_A_DAY = re.compile(rf"\b0(?=\d\.? {_NAMED})|(?<= )0(?=\d, \d{{4}})", re.IGNORECASE)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BROKEN = re.compile(r"[\ufffd\ue000-\uf8ff]")
_LONGEST_PHRASE = 10  # tokens
_ENDINGS = (("?!", "?!"), ("!?", "?!"), ("...", "…"), ("…", "…"), ("?", "?"), ("!", "!"), (":", ":"), (".", "."))
_CLOSING = "\"'”“’‘»«)]* "

# Beginnings of the words for the numbers up to twelve; one language may write "3" where the other writes "three".
_SPELLED: Mapping[str, Mapping[str, str]] = {
    "de": {
        "0": "null",
        "1": "ein|erst|eins",
        "2": "zwei|zwo|beide|zweit|doppel|halb",
        "3": "drei|dritt",
        "4": "vier",
        "5": "fünf",
        "6": "sechs",
        "7": "sieb",
        "8": "acht",
        "9": "neun",
        "10": "zehn",
        "11": "elf",
        "12": "zwölf",
    },
    "en": {
        "0": "zero|nil|no",
        "1": "one|an?|first|once|single",
        "2": "two|second|twice|both|double|half",
        "3": "three|third|triple",
        "4": "four|quarter",
        "5": "five|fifth",
        "6": "six",
        "7": "seven",
        "8": "eight",
        "9": "nine|ninth",
        "10": "ten",
        "11": "eleven",
        "12": "twel",
    },
}


def digit_groups(text: str) -> Counter[str]:
    """Runs of digits, without what separates thousands: "1,234.50" and "1.234,50" both have 1234 and 50."""
    return Counter(_DIGITS.findall(_THOUSANDS.sub("", text)))


def keeps_digits(source: str, translation: str, languages: tuple[str, str]) -> bool:
    """Has the same digit groups, save for numbers up to twelve that one side has as a word.

    What separates digits must be as the target language has it, or as the source does. "10 Uhr" may be "10:00", and
    "04.05.2018" may be "4 May 2018".

    Args:
        source: The text.
        translation: Translation of the text.
        languages: Languages of the two texts.
    """
    marked = set(_MARKED.findall(translation)) - set(_MARKED.findall(source))
    if not all(map(_NUMBERS[languages[1]].fullmatch, marked)):
        return False
    simplified = _simplified(source, translation), _simplified(translation, source)
    return any(_same_digits(*texts, languages) for texts in ((source, translation), simplified))


def _same_digits(source: str, translation: str, languages: tuple[str, str]) -> bool:
    before, after = digit_groups(source), digit_groups(translation)
    return all(_is_spelled(number, translation, languages[1]) for number in before - after) and all(
        _is_spelled(number, source, languages[0]) for number in after - before
    )


def _simplified(text: str, other: str) -> str:
    """Full hours without minutes; days without a zero, and without the month in figures if the other text names it."""

    def named(match: re.Match[str]) -> str:
        day, month = match[1], _MONTHS[int(match[2]) - 1]
        there = rf"\b0?{day}(?:\.|st|nd|rd|th)? (?:{month})|\b(?:{month})[a-z]* 0?{day}\b"
        return f"{day} " if re.search(there, other, re.IGNORECASE) else match[0]

    return _ZERO_OF_A_DAY.sub("", _DATE.sub(named, _FULL_HOUR.sub(r"\1", text)))


def _is_spelled(number: str, text: str, language: str) -> bool:
    words = _SPELLED.get(language, {}).get(number.lstrip("0") or "0")
    return words is not None and re.search(rf"\b(?:{words})", text.lower()) is not None


def loops(source: str, translation: str) -> bool:
    """Repeats something three times in a row although the source repeats nothing, or is far too long."""
    return len(translation) > 3 * len(source) + 60 or (
        _most_repetitions(translation) >= 3 and _most_repetitions(source) < 3
    )


def is_broken(source: str, translation: str) -> bool:
    """Has bytes that make no character, or a placeholder, where the source has none."""
    return any(mark not in source for mark in _BROKEN.findall(translation))


def _most_repetitions(text: str) -> int:
    """How often the same comes in a row: of words, or of syllables inside a word or a script without spaces."""
    tokens = _TOKEN.findall(text.lower())
    most = 1
    for size in range(1, min(_LONGEST_PHRASE, len(tokens) // 2) + 1):
        same = 0
        for place in range(size, len(tokens)):
            same = same + 1 if tokens[place] == tokens[place - size] else 0
            if any(map(str.isalnum, tokens[place - size : place])):  # "!!!" is no loop
                most = max(most, same // size + 1)
    # Two letters at the least, since "aaaa" is a word like "haaallo".
    syllables = max(
        (len(match[0]) // len(match[1]) for match in re.finditer(r"(\w{2,12}?)\1+", text.lower())), default=1
    )
    return max(most, syllables)


def keeps_capitals(source: str, translation: str) -> bool:
    """All letters are capitals, as in the source; ß has no capital that people use."""
    return not any(character.islower() for character in translation.replace("ß", ""))


def keeps_title_case(source: str, translation: str) -> bool:
    """All words begin with a capital, as in the source, but for one that may not."""
    return sum(word[0].islower() for word in _WORD.findall(translation)) <= 1


def ending(text: str) -> str:
    """The final punctuation, in one spelling; "" if there is none."""
    text = text.rstrip(_CLOSING)
    return next((mark for written, mark in _ENDINGS if text.endswith(written)), "")


def keeps_ending(source: str, translation: str) -> bool:
    """Ends with the same punctuation mark, inside or outside of quotation marks."""
    return ending(source) == ending(translation)
