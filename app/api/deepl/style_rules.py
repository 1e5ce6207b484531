"""What DeepL's configured rules mean here: how the reader is addressed, and the region whose notation is written.

CLDR knows how each region writes numbers, amounts and dates, and ``languages`` how it spells. A list of rules stands
for the first region of its language that writes as all of them say. What no region or no model here does is refused by
name. The names are those of DeepL's OpenAPI document.
"""

from collections.abc import Callable, Mapping

from app.errors import InvalidRequest, shortened
from app.text.register import Register, has_register
from languages.language import Language
from languages.notation import Notation, notation_of
from languages.registry import language_of

Writes = Callable[[Notation, Language], bool]
StyleRules = Mapping[str, Mapping[str, str]]
"""Options by the names of their rules, by the names of groups of rules."""

_SPACES = frozenset("\u00a0\u202f ")
_NUMBERS: Mapping[str, Mapping[str, Writes]] = {
    "decimal_separator": {
        "use_comma_as_decimal_separator": lambda n, _: n.decimal == ",",
        "use_period_as_decimal_separator": lambda n, _: n.decimal == ".",
    },
    "thousands_separator": {
        "use_comma": lambda n, _: n.group == ",",
        "use_comma_to_separate_large_numbers_into_units_of_three": lambda n, _: n.group == ",",
        "use_period": lambda n, _: n.group == ".",
        "use_period_as_thousands_separator": lambda n, _: n.group == ".",
        "use_space": lambda n, _: n.group in _SPACES,
        "use_space_as_thousands_separator": lambda n, _: n.group in _SPACES,
        "use_space_to_separate_large_numbers_into_units_of_three": lambda n, _: n.group in _SPACES,
    },
    "numbers_of_5_digits_or_more": {
        "use_comma_as_decimal_separator_and_period_as_thousands_separator": lambda n, _: n.decimal + n.group == ",.",
        "use_period_as_decimal_separator_and_comma_as_thousands_separator": lambda n, _: n.decimal + n.group == ".,",
        "use_comma_as_decimal_separator_and_space_as_thousands_separator": lambda n, _: (
            n.decimal == "," and n.group in _SPACES
        ),
    },
    "currency_format": {
        "use_amount_followed_by_space_then_currency_symbol": lambda n, _: not n.symbol_first and n.symbol_gap != "",
        "use_currency_symbol_followed_by_amount_without_space": lambda n, _: n.symbol_first and not n.symbol_gap,
        "use_currency_symbol_followed_by_space_then_amount": lambda n, _: n.symbol_first and n.symbol_gap != "",
    },
    "percentage_format": {
        "use_arabic_numerals_followed_by_percent_symbol_without_space": lambda n, _: not n.percent_gap,
        "use_numerals_followed_by_percent_symbol": lambda n, _: not n.percent_gap,
        "use_numerals_followed_by_space_then_percent_symbol": lambda n, _: n.percent_gap != "",
    },
}
# Leading zeros are as in the text.
_DAY_FIRST: Mapping[str, Writes] = {
    "use_dd_period_mm_period_yyyy": lambda n, _: n.date in ("d.M.y", "dd.MM.y"),
    "use_dd_slash_mm_slash_yyyy": lambda n, _: n.date in ("d/M/y", "dd/MM/y"),
}
_DATES: Mapping[str, Mapping[str, Writes]] = {
    "date_format": _DAY_FIRST,
    "dates_in_numerical_form": _DAY_FIRST,
    "time_format": {
        "use_24_hour_clock": lambda n, _: not n.half_days,
        "use_12_hour_clock_and_uppercase_am_or_pm_without_periods": lambda n, _: n.half_days,
    },
}
_SPELLING: Mapping[str, Mapping[str, Writes]] = {
    "eszett": {"replace_eszett_with_ss": lambda _, language: "ß" in language.letters}
}
WRITTEN = {"dates_and_times": _DATES, "numbers": _NUMBERS, "spelling_and_grammar": _SPELLING}
"""What tells whether a region writes as an option says, by group, rule and option."""

REGISTERS = {
    "formality": {"use_formal_tone": Register.FORMAL, "use_casual_tone": Register.INFORMAL},
    "addressing_the_reader": {
        "use_formal_french_word_vous": Register.FORMAL,
        "use_informal_french_word_tu": Register.INFORMAL,
    },
}
"""The rules of the group ``style_and_tone``."""


def check_rules(rules: object, language: str) -> StyleRules:
    """Returns the rules of a list, if this server can follow them in the language.

    Raises:
        InvalidRequest: One can't be followed, or not together with another; the text names it.
    """
    if not isinstance(rules, dict) or not all(isinstance(group, dict) for group in rules.values()):
        raise InvalidRequest("Value for 'configured_rules' not supported; use an object of groups of rules.")
    for name, group in rules.items():
        for rule, option in group.items():
            known = REGISTERS if name == "style_and_tone" and has_register(language) else WRITTEN.get(name, {})
            if not isinstance(option, str) or option not in known.get(rule, {}):
                shown = f"{shortened(str(name))}.{shortened(str(rule))}: {shortened(str(option))}"
                raise InvalidRequest(f"The style rule {shown} is not available on this server; leave it out.")
    if len(_registers(rules)) > 1:
        raise InvalidRequest("The style rules ask for a formal tone and an informal one; leave one of them out.")
    if _is_regional(rules) and not _regions(rules, language):
        raise InvalidRequest(f"No region of {language_of(language).name} is written by all these rules; leave one out.")
    return rules


def meaning(rules: StyleRules, language: str, locale: str | None) -> tuple[Register | None, str | None]:
    """Returns the register and the locale that rules ask for; None for any.

    Args:
        rules: Those of a list.
        language: Its language.
        locale: That of the request, such as en-GB; None without one.

    Raises:
        InvalidRequest: The request's region doesn't write so.
    """
    register = next(iter(_registers(rules)), None)
    if not _is_regional(rules):
        return register, locale
    regions = _regions(rules, language)
    if locale and locale not in regions:
        raise InvalidRequest(f"The style rules are not those of {locale}; use {' or '.join(regions) or 'others'}.")
    return register, locale or next(iter(regions), None)


def _registers(rules: StyleRules) -> set[Register]:
    return {REGISTERS[rule][option] for rule, option in rules.get("style_and_tone", {}).items()}


def _is_regional(rules: StyleRules) -> bool:
    return any(rules.get(name) for name in WRITTEN)


def _regions(rules: StyleRules, language: str) -> list[str]:
    """Returns the locales of a language that write as the rules say. That of the language itself comes first."""
    wanted = [
        WRITTEN[name][rule][option]
        for name, group in rules.items()
        for rule, option in group.items()
        if name in WRITTEN
    ]
    usual = language_of(language).regions
    found = []
    for locale in (f"{language}-{region}" for region in sorted(usual, key=lambda code: code.lower() != language)):
        notation = notation_of(locale)
        if notation and all(writes(notation, language_of(locale)) for writes in wanted):
            found.append(locale)
    return found
