"""The sentences of ``benchmarks.numbers``, and all spellings that their values may have in a translation."""

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import NamedTuple

from babel.dates import format_date
from babel.numbers import format_currency, format_decimal


class Case(NamedTuple):
    """A sentence and, for each value in it, the spellings that a translation may have, as regular expressions."""

    kind: str
    text: str
    accepted: list[list[str]]


class Value(NamedTuple):
    """A value as the source writes it, and the spellings accepted in the target."""

    text: str
    accepted: list[str]


# For each kind: German sentences, English sentences.
_SENTENCES: dict[str, tuple[list[str], list[str]]] = {
    "whole numbers": (
        ["In der Stadt leben {} Menschen.", "Die Bibliothek hat {} Bücher.", "Es kamen {} Besucher zum Fest."],
        ["The city has {} inhabitants.", "The library owns {} books.", "We counted {} visitors at the festival."],
    ),
    "decimals": (
        ["Der Fluss ist {} km lang.", "Das Paket wiegt {} kg.", "Die Platte ist {} Meter breit."],
        ["The river is {} km long.", "The parcel weighs {} kg.", "She ran for {} hours."],
    ),
    "amounts": (
        ["Das Auto kostet {}.", "Er bezahlte {} für das Haus.", "Die Rechnung beträgt {}.", "Ich habe {} gespart."],
        ["The car costs {}.", "They paid {} for the house.", "The bill comes to {}.", "I saved {} last year."],
    ),
    "amounts in words": (
        ["Das Haus wurde für {} Euro verkauft.", "Der Schaden beträgt {} Dollar.", "Sie verdient {} Euro im Monat."],
        ["The house was sold for {} euros.", "The damage amounts to {} dollars.", "She earns {} euros a month."],
    ),
    "percentages": (
        ["Die Preise stiegen um {}.", "Der Anteil liegt bei {}.", "Nur {} der Wähler stimmten zu."],
        ["Prices rose by {}.", "The share is {}.", "Only {} of the voters agreed."],
    ),
    "dates": (
        ["Er wurde am {} geboren.", "Die Frist endet am {}.", "Das Gesetz vom {} gilt noch.", "Am {} begann der Kurs."],
        ["He was born on {}.", "The deadline is {}.", "The law of {} is still in force.", "The course began on {}."],
    ),
    "dates in words": (
        ["Sie heirateten am {}.", "Der Vertrag wurde am {} unterschrieben.", "Seit dem {} ist er krank."],
        ["They married on {}.", "The contract was signed on {}.", "He has been ill since {}."],
    ),
    "times": (
        ["Der Zug fährt um {} ab.", "Wir treffen uns um {} vor dem Kino.", "Das Geschäft öffnet um {}."],
        ["The train leaves at {}.", "We meet at {} in front of the cinema.", "The shop opens at {}."],
    ),
    "hours": (
        ["Der Zug fährt um {} ab.", "Ab {} ist das Büro besetzt.", "Der Kurs endet um {}.", "Es ist {}."],
        ["The train leaves at {}.", "Shall we meet at {}?", "The office closes at {} on Fridays.", "It is {}."],
    ),
    "opening hours": (
        ["Die Bank ist {} geöffnet.", "Sie erreichen uns {}.", "Der Markt ist heute {} offen."],
        ["The bank is open {}.", "You can reach us {}.", "Today the market is open {}."],
    ),
    "half hours": (
        ["Wir treffen uns um {} vor dem Kino.", "Es ist {}.", "Der Film beginnt um {}.", "Wir warten bis {}."],
        ["Let's meet at {}.", "It's {}.", "The film starts at {}.", "The shop closes at {}."],
    ),
    "ordinals": (
        ["Er wurde im {} Stock gesehen.", "Das ist ihr {} Buch.", "Im {} Jahrhundert war das üblich."],
        ["He was seen on the {} floor.", "This is her {} book.", "It was common in the {} century."],
    ),
    "years": (
        ["Die Firma wurde {} gegründet.", "Im Sommer {} war es heiß.", "Seit {} wohnt sie in Berlin."],
        ["The company was founded in {}.", "The summer of {} was hot.", "She has lived in Berlin since {}."],
    ),
    "small numbers": (
        ["Wir haben {} Stühle gekauft.", "Der Bus kommt in {} Minuten.", "Auf Seite {} steht die Antwort."],
        ["We bought {} chairs.", "The bus comes in {} minutes.", "The answer is on page {}."],
    ),
    "ranges": (
        ["Das dauert {} Stunden.", "Die Fische werden {} kg schwer.", "Man braucht {} Liter Wasser."],
        ["It takes {} hours.", "The fish weigh {} kg.", "You need {} litres of water."],
    ),
    "temperatures": (
        ["Am Morgen waren es {} °C.", "Das Wasser hatte {} °C.", "Bei {} °C friert es."],
        ["In the morning it was {} °C.", "The water had {} °C.", "It freezes at {} °C."],
    ),
    "telephone numbers": (
        ["Bitte rufen Sie {} an.", "Meine Nummer ist {}.", "Unter {} erreichen Sie uns."],
        ["Please call {}.", "My number is {}.", "You can reach us at {}."],
    ),
    "ISBNs": (
        ["Das Buch hat die ISBN {}.", "Bestellen Sie {} im Laden.", "Die Nummer {} steht hinten."],
        ["The book has the ISBN {}.", "Order {} in the shop.", "The number {} is on the back."],
    ),
    "versions": (
        ["Version {} ist da.", "Wir haben auf Version {} aktualisiert.", "Der Fehler ist in {} behoben."],
        ["Version {} is here.", "We updated to version {}.", "The bug is fixed in {}."],
    ),
}  # fmt: skip
KINDS = tuple(_SENTENCES)


def make_cases(source: str, target: str, number: int, random: Random) -> list[Case]:
    """As many sentences of every kind; every tenth has a second clause with another value."""
    cases = []
    for index in range(number):
        kind = KINDS[index % len(KINDS)]
        parts = [_filled(kind, source, target, random)]
        if index % 10 == 9:
            parts.append(_filled(random.choice(KINDS), source, target, random))
        cases.append(Case(kind, " ".join(text for text, _ in parts), [accepted for _, accepted in parts]))
    return cases


def _filled(kind: str, source: str, target: str, random: Random) -> tuple[str, list[str]]:
    value = _MAKERS[kind](source, target, random)
    sentence = random.choice(_SENTENCES[kind][source == "en"])
    if kind == "versions" and value.text.count(".") == 1:
        sentence = _SENTENCES[kind][source == "en"][0]  # alone it would be a decimal number
    return sentence.format(value.text), [*value.accepted, _plain(value.text)]


def is_right(case: Case, translation: str) -> bool:
    """Has an accepted spelling of every value, each once, and no other digit."""
    rest = translation
    for accepted in case.accepted:
        pattern = "|".join(sorted((form.replace(" ", r"\s?") for form in accepted), key=len, reverse=True))
        rest, found = re.subn(rf"(?<![\d.,])(?:{pattern})(?![.,]?\d)", "", rest, count=1, flags=re.IGNORECASE)
        if not found:
            return False
    return not any(map(str.isdecimal, rest))


def _plain(text: str) -> str:
    return re.escape(text.replace("\u00a0", " ").replace("\u202f", " ").replace("’", "'")).replace("\\ ", " ")


def _decimal(random: Random, digits: int, places: int) -> Decimal:
    return Decimal(random.randint(10 ** (digits - 1), 10**digits - 1)).scaleb(-places)


def _number(source: str, target: str, number: Decimal) -> Value:
    shown = f"#,##0.{'0' * -int(number.as_tuple().exponent)}"
    return Value(format_decimal(number, shown, locale=source), [_plain(format_decimal(number, shown, locale=target))])


def _whole(source: str, target: str, random: Random) -> Value:
    return _number(source, target, _decimal(random, random.randint(4, 8), 0))


def _fraction(source: str, target: str, random: Random) -> Value:
    places = random.randint(1, 2)
    return _number(source, target, _decimal(random, random.randint(places + 1, 7), places))


_CURRENCIES = {"EUR": ("€", "Euros?"), "USD": (r"\$", "(?:US-?)?(?:Dollars?)"), "GBP": ("£", "(?:Pfund|pounds?)")}


def _amount(source: str, target: str, random: Random) -> Value:
    code = random.choice(tuple(_CURRENCIES))
    number = _decimal(random, random.randint(4, 9), 2)
    symbol, word = _CURRENCIES[code]
    written = _plain(format_decimal(number, "#,##0.00", locale=target))
    accepted = [
        f"{symbol} {written}",
        f"{written} {symbol}",
        f"{written} {word}",
        f"{written} {code}",
        f"{code} {written}",
    ]
    return Value(format_currency(number, code, locale=source), accepted)


def _percentage(source: str, target: str, random: Random) -> Value:
    number = _decimal(random, random.randint(2, 3), 1)
    here, there = (format_decimal(number, "#,##0.0", locale=locale) for locale in (source, target))
    return Value(
        f"{here} %" if source == "de" else f"{here}%",
        [f"{_plain(there)} %", f"{_plain(there)} (?:percent|per cent|Prozent)"],
    )


def _day(random: Random) -> datetime.date:
    return datetime.date(1950, 1, 1) + datetime.timedelta(days=random.randrange(29_000))


def _worded(day: datetime.date, target: str) -> list[str]:
    month, ordinal = format_date(day, "MMMM", locale=target), "(?:st|nd|rd|th)?"
    if target == "de":
        return [rf"{day.day}\. {month} {day.year}"]
    return [rf"{day.day}{ordinal}(?: of)? {month},? {day.year}", rf"{month} (?:the )?{day.day}{ordinal},? {day.year}"]


def _date(source: str, target: str, random: Random) -> Value:
    day = _day(random)
    text = format_date(day, "dd.MM.yyyy" if source == "de" else "MM/dd/yyyy", locale=source)
    numeric = ["dd.MM.yyyy", "d.M.yyyy"] if target == "de" else ["dd/MM/yyyy"] if day.day > 12 else []
    return Value(text, [*_worded(day, target), *(_plain(format_date(day, form, locale=target)) for form in numeric)])


def _date_in_words(source: str, target: str, random: Random) -> Value:
    day = _day(random)
    return Value(format_date(day, "long", locale=source), _worded(day, target))


def _time(source: str, target: str, random: Random) -> Value:
    hour, minute = random.randint(0, 23), random.choice((5, 10, 15, 20, 25, 35, 40, 45, 50, 55))
    half = "p" if hour >= 12 else "a"
    halved = rf"{hour % 12 or 12}[:.]{minute:02} {half}\.?m\.?"
    if source == "de":
        return Value(f"{hour}:{minute:02} Uhr", [halved, f"0?{hour}:{minute:02}"])
    text = f"{hour % 12 or 12}:{minute:02} {half}.m."
    return Value(text, [rf"0?{hour}[:.]{minute:02} Uhr", halved])


def _hours_of(hour: int, language: str) -> str:
    """The spellings of a whole hour, as a regular expression."""
    halved = rf"{hour % 12 or 12}(?::00)? {'p' if hour >= 12 else 'a'}\.?m\.?"
    return rf"0?{hour}(?:[:.]00)?(?: Uhr)?|{halved}" if language == "en" else rf"0?{hour}(?:[:.]00)? Uhr"


def _written_hour(hour: int, language: str) -> str:
    return f"{hour} Uhr" if language == "de" else f"{hour % 12 or 12} {'p' if hour >= 12 else 'a'}.m."


def _hour(source: str, target: str, random: Random) -> Value:
    hour = random.randint(1, 23)
    return Value(_written_hour(hour, source), [_hours_of(hour, target)])


def _opening_hours(source: str, target: str, random: Random) -> Value:
    first, last = random.randint(6, 11), random.randint(13, 22)
    if source == "de":
        text = f"von {first} bis {last} Uhr"
    else:
        text = f"from {_written_hour(first, source)} to {_written_hour(last, source)}"
    begin = rf"0?{first}(?: a\.?m\.?)?(?:[:.]00)?(?: Uhr)?"
    return Value(text, [rf"{begin}[^\d]{{1,12}}(?:{_hours_of(last, target)})"])


def _half_hour(source: str, target: str, random: Random) -> Value:
    hour = random.randint(0, 11)
    words = {"de": f"halb {_HOUR_WORDS['de'][(hour + 1) % 12]}", "en": f"half past {_HOUR_WORDS['en'][hour]}"}
    return Value(words[source], [words[target], rf"{hour or 12}[:.]30", rf"{hour + 12}[:.]30"])


# From twelve on.
_HOUR_WORDS = {
    "en": "twelve one two three four five six seven eight nine ten eleven".split(),
    "de": "zwölf eins zwei drei vier fünf sechs sieben acht neun zehn elf".split(),
}


def _ordinal(source: str, target: str, random: Random) -> Value:
    number = random.randint(13, 29)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number > 20 else 0, "th")
    words = _ORDINAL_WORDS[target][number - 13]
    if source == "de":
        return Value(f"{number}.", [f"{number}{ending}", words])
    return Value(f"{number}{ending}", [rf"{number}\.", words + "\\w*"])


_ORDINAL_WORDS = {
    "en": """thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
        twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth
        twenty-ninth""".split(),
    "de": """dreizehnte vierzehnte fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste einundzwanzigste
        zweiundzwanzigste dreiundzwanzigste vierundzwanzigste fünfundzwanzigste sechsundzwanzigste
        siebenundzwanzigste achtundzwanzigste neunundzwanzigste""".split(),
}


def _range(source: str, target: str, random: Random) -> Value:
    low = _decimal(random, 2, 1)
    first, last = (_number(source, target, end) for end in (low, low + _decimal(random, 2, 1)))
    return Value(f"{first.text}–{last.text}", [f"{first.accepted[0]} (?:–|-|to|bis) {last.accepted[0]}"])


def _temperature(source: str, target: str, random: Random) -> Value:
    value = _number(source, target, _decimal(random, random.randint(2, 3), 1))
    return Value(f"-{value.text}", [f"[-−–]{form}" for form in value.accepted])


def _same(text: str) -> Value:
    return Value(text, [])


def _telephone(source: str, target: str, random: Random) -> Value:
    forms = ("+49 ## #######", "+44 20 #### ####", "0##/#######", "0### #######", "+1 ###-###-####", "(0##) ######")
    return _same(_digits(random.choice(forms), random))


def _digits(form: str, random: Random) -> str:
    return re.sub("#", lambda _: str(random.randint(1, 9)), form)


def _isbn(source: str, target: str, random: Random) -> Value:
    return _same(
        _digits(random.choice(("978-3-##-######-#", "978-0-###-#####-#", "3-###-#####-X", "978#########0")), random)
    )


def _version(source: str, target: str, random: Random) -> Value:
    return _same(_digits(random.choice(("#.#.#", "#.##", "v#.#.##", "1#.0.#", "#.#.#-rc#", "#.#")), random))


def _year(source: str, target: str, random: Random) -> Value:
    return _same(str(random.randint(1800, 2026)))


def _small(source: str, target: str, random: Random) -> Value:
    return _same(str(random.randint(13, 999)))


_MAKERS: dict[str, Callable[[str, str, Random], Value]] = dict(
    zip(
        KINDS,
        (
            _whole, _fraction, _amount, _fraction, _percentage, _date, _date_in_words, _time, _hour, _opening_hours,
            _half_hour, _ordinal, _year, _small, _range, _temperature, _telephone, _isbn, _version,
        ),
        strict=True,
    )
)  # fmt: skip
