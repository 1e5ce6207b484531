"""Times of day in words: each language reads its own phrases to a time, and writes a time in its own words.

German reads "um halb acht" to half past seven with "at", and English writes "at half past seven". So no table has pairs
of languages.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

AFTERNOON = re.compile(r"\d\s?p\.?\s?m\b", re.IGNORECASE)
"""A number with "p.m.", which is Latin: whatever language counts half days may write it."""
Search = Callable[[re.Pattern[str], str], Iterable[re.Match[str]]]


class SpokenTime(NamedTuple):
    """A time on a dial of twelve hours.

    Attributes:
        hour: 1 to 12.
        minute: 15, 30 or 45.
        in_figures: The hour was written in figures: "halb 8".
        has_at: The preposition came with it: "um halb acht".
    """

    hour: int
    minute: int
    in_figures: bool = False
    has_at: bool = False


class FoundTime(NamedTuple):
    """A time in a text.

    Attributes:
        begin: Its first character, in code points.
        end: The one after its last.
        time: The time.
        is_capital: It begins a sentence: its first letter is one that would be small elsewhere.
    """

    begin: int
    end: int
    time: SpokenTime
    is_capital: bool


class Phrase(NamedTuple):
    """A way to say a quarter of an hour.

    Attributes:
        words: The words, as a regular expression in small letters. The hour follows, or stands at "{hour}".
        minute: The minute that they mean.
        needs: What must stand before them, because they also mean something else ("das Viertel vor acht Jahren"):
            nothing, the preposition, or that or another of ``Clock.before``.
        is_coming: The hour named is the next one: "halb acht" is half past seven.
        is_noun: The first word is written with a capital anyway.
    """

    words: str
    minute: int
    needs: Literal["nothing", "at", "before"] = "nothing"
    is_coming: bool = False
    is_noun: bool = False


class Wording(NamedTuple):
    """How a minute is written: the words, as of ``Phrase``, and whether the hour is the next one."""

    words: str
    is_coming: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Clock:
    """How a language tells the time.

    Attributes:
        at: The preposition before a time of day: "um", "at".
        at_one: The preposition before one o'clock, if that is another one: "à uma", "às duas".
        hours: The words for 1 to 12.
        units: What follows the hour in words, with its space, for one and for several: " heure", " heures".
        phrases: What it reads, in the order of the search.
        wordings: What it writes, by minute: 15, 30, 45. A minute that is missing stays as it is.
        before: Words that stand before a time of day.
        not_hours: What stands behind a number that is no hour ("8 Jahre"), as a regular expression.
        hour_word: What stands behind the figures of a time of day, with its space: " Uhr".
        before_first: What stands before the first of two times, "from 2 to 5 pm", as a regular expression.
        before_half: What stands before a time that ends no sentence, as a regular expression: "the 8 a.m. Mass", "At 5
            p.m. Tom left".
        behind_half: What goes on with the sentence behind "p.m.", though it has a capital, as a regular expression:
            days, time zones.
    """

    at: str
    at_one: str = ""
    hours: tuple[str, ...] = ()
    units: tuple[str, str] = ("", "")
    phrases: tuple[Phrase, ...] = ()
    wordings: Mapping[int, Wording]
    before: tuple[str, ...] = ()
    not_hours: str = ""
    hour_word: str = ""
    before_first: str = ""
    before_half: str = ""
    behind_half: str = ""

    def read(self, text: str, search: Search = re.Pattern.finditer) -> Iterator[FoundTime]:
        """Finds the times in a text, phrase by phrase.

        Args:
            text: The text.
            search: Finds the matches of an expression, in a long text perhaps window by window.
        """
        for expression, phrase in self._expressions:
            for match in search(expression, text):
                hour = match["hour"].lower()
                hours = _FIGURES if hour.isdecimal() else self.hours
                if hour not in hours:  # "ſechs": in any letter case, a long s or a Turkish i matches, too
                    continue
                number = (hours.index(hour) - phrase.is_coming) % 12 + 1
                is_capital = match[0][0].isupper() and (match["at"] is not None or not phrase.is_noun)
                time = SpokenTime(number, phrase.minute, hours is _FIGURES, match["at"] is not None)
                yield FoundTime(*match.span(), time, is_capital)

    def write(self, time: SpokenTime) -> str | None:
        """Writes a time in words; None if the language has none for it."""
        wording = self.wordings.get(time.minute)
        if wording is None:
            return None
        number = (time.hour - 1 + wording.is_coming) % 12
        hour = (_FIGURES if time.in_figures else self.hours)[number] + self.units[number > 0]
        written = _with_hour(wording.words, hour)
        at = self.at_one if self.at_one and number == 0 else self.at
        return f"{at} {written}" if time.has_at else written

    @cached_property
    def hint(self) -> re.Pattern[str]:
        """Matches the words beside an hour: where there are none, there is nothing to read."""
        return re.compile(
            "|".join(rf"\b{phrase.words.replace('{hour}', '').strip()}\b" for phrase in self.phrases) or "(?!)",
            re.IGNORECASE,
        )

    @cached_property
    def _expressions(self) -> tuple[tuple[re.Pattern[str], Phrase], ...]:
        figure = r"(?:1[0-2]|[1-9])\b(?![.:,]\d|\s?[-–/]\s?\d|\s?%" + (
            rf"|\s?(?:{self.not_hours}))" if self.not_hours else ")"
        )
        behind = rf"(?:{re.escape(self.hour_word)}\b)?" if self.hour_word else ""
        units = "|".join(map(re.escape, dict.fromkeys(self.units)))
        hour = rf"(?P<hour>{'|'.join(self.hours)}|{figure})\b(?:{units}){behind}"
        at = rf"(?P<at>{'|'.join(filter(None, (self.at, self.at_one)))})"
        before = "".join(rf"|(?<=\b{word} )" for word in self.before)
        needed = {
            "nothing": rf"(?:{at} )?",
            "at": rf"{at} ",
            "before": rf"(?:{at} {before})",
        }
        return tuple(
            (re.compile(rf"\b{needed[phrase.needs]}{_with_hour(phrase.words, hour)}", re.IGNORECASE), phrase)
            for phrase in self.phrases
        )


def _with_hour(words: str, hour: str) -> str:
    return words.replace("{hour}", hour) if "{hour}" in words else f"{words} {hour}"


_FIGURES = tuple(map(str, range(1, 13)))
