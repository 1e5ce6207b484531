"""The parameters of requests about glossaries and translation memories, in the order of their checks."""

from dataclasses import replace
from typing import Any, Literal

from app.api.checks import check_text
from app.api.deepl.parameters import CUSTOM_INSTRUCTIONS, SENTENCES, choice, read_language
from app.api.deepl.style_rules import StyleRules, check_rules
from app.api.parameter import Given, Parameter, Parameters, Rule
from app.api.shared_parameters import ENTRY_LIMITS, flag, read_entry, read_flag, read_text
from app.errors import InvalidRequest, UnsupportedPair
from app.text.memory.entries import MAX_ENTRY_CHARS
from app.translation.languages import find_served

MAX_NAME_CHARS = 1_024


def _read_name(given: Given, name: str, value: object) -> str:
    text = check_text(name, value).strip()
    if not 1 <= len(text) <= MAX_NAME_CHARS:
        raise given.wrong(name, f"1 to {MAX_NAME_CHARS:,} characters")
    return text


def _find_language(given: Given, name: str, value: object) -> str | None:
    return find_served(check_text(name, value), given.served)


def _pair_of(thing: str) -> Rule[tuple[str, str]]:
    """The two languages, without regions; a model must translate one into the other."""

    def check(given: Given) -> tuple[str, str]:
        source, target = given[SOURCE_LANG], given[TARGET_LANG]
        if source is None or target is None or (source, target) not in given.pairs:
            raise UnsupportedPair(f"Unsupported {thing} source and target language pair")
        return source, target

    return Rule(check)


NAME = Parameter("name", str, "Its name.", _read_name, is_required=True, limits={"min_length": 1})
SOURCE_LANG = Parameter(
    "source_lang", str, "Language of the texts; a region is dropped.", _find_language, is_required=True, example="de"
)
TARGET_LANG = Parameter(
    "target_lang", str, "Language of the translations, likewise.", _find_language, is_required=True, example="en"
)
PAIRS = {thing: _pair_of(thing) for thing in ("glossary", "translation memory")}
GLOSSARY_PAIR = (SOURCE_LANG, TARGET_LANG, PAIRS["glossary"])
ENTRIES_FORMAT = choice("entries_format", ("tsv", "csv", "tbx"), "Format of the entries.", is_required=True)
ENTRIES = Parameter(
    "entries",
    str,
    "TSV: lines of source term, tab, target term. CSV: rows of these two, or of four columns, of which the last two "
    "are languages. TBX: the XML, of whose languages only the pair counts; DeepL doesn't have it.",
    read_text,
    is_required=True,
    empty=(None,),
)
DICTIONARY = Parameters(SENTENCES, *GLOSSARY_PAIR, ENTRIES_FORMAT, ENTRIES)
DICTIONARY_PAIR = Parameters(SENTENCES, *GLOSSARY_PAIR)
ANSWERED_FORMAT = choice(
    ENTRIES_FORMAT.name, ("tsv", "csv", "tbx"), "Format of the entries.", default="tsv", example="tsv"
)
DICTIONARY_ENTRIES = Parameters(SENTENCES, *GLOSSARY_PAIR, ANSWERED_FORMAT)


def _read_dictionaries(given: Given, name: str, value: object) -> list[dict[str, object]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise given.wrong(name, "a list of objects")
    return value


_NewDictionary: Any = DICTIONARY.model("NewDictionary", "The entries of a pair of languages.")
DICTIONARIES = Parameter(
    "dictionaries",
    list[_NewDictionary],
    "A dictionary for each pair of languages.",
    _read_dictionaries,
    is_required=True,
    limits={"min_length": 1},
)
NEW_GLOSSARY = Parameters(SENTENCES, *GLOSSARY_PAIR, ENTRIES_FORMAT, ENTRIES, NAME)
NEW_GLOSSARY_V3 = Parameters(SENTENCES, DICTIONARIES, NAME)
ADAPT = Parameter(
    "adapt",
    bool | None,
    "Sentences without a match learn from the translations of similar ones in the memory.",
    read_flag,
    guide="adaptation",
    example=True,
)
MEMORY_NAME = Parameters(SENTENCES, NAME)
NEW_MEMORY = Parameters(SENTENCES, NAME, SOURCE_LANG, TARGET_LANG, PAIRS["translation memory"], ADAPT)


def _any_change(given: Given) -> None:
    if given[NAME] is None and given[ADAPT] is None:
        raise given.missing("name' or 'adapt")


_OTHER_NAME = replace(NAME, type=str | None, is_required=False, limits={})
MEMORY_CHANGE = Parameters(SENTENCES, _OTHER_NAME, ADAPT, Rule(_any_change))


def _name_or_dictionary(given: Given) -> None:
    if given[NAME] is None and not given[DICTIONARIES]:
        raise given.missing(NAME.name)


GLOSSARY_CHANGE = Parameters(
    SENTENCES,
    replace(
        DICTIONARIES,
        type=list[_NewDictionary] | None,
        description="Entries to add, of one pair.",
        is_required=False,
        limits={"max_length": 1},
    ),
    _OTHER_NAME,
    Rule(_name_or_dictionary),
)

SOURCE_TEXT = Parameter("source_text", str, "A text.", read_entry, is_required=True, limits=ENTRY_LIMITS)
TARGET_TEXT = Parameter("target_text", str, "Its translation.", read_entry, is_required=True, limits=ENTRY_LIMITS)
NEW_ENTRY = Parameters(SENTENCES, SOURCE_TEXT, TARGET_TEXT)


def _one_text(given: Given) -> None:
    if given[SOURCE_TEXT] is None and given[TARGET_TEXT] is None:
        raise given.missing("source_text' or 'target_text")


_MAY_LACK: dict[str, Any] = {"type": str | None, "is_required": False, "limits": {"max_length": MAX_ENTRY_CHARS}}
ENTRY_CHANGE = Parameters(
    SENTENCES, replace(SOURCE_TEXT, **_MAY_LACK), replace(TARGET_TEXT, **_MAY_LACK), Rule(_one_text)
)

MAX_MEMORIES_OF_PAGE, MAX_ENTRIES_OF_PAGE = 25, 100
LARGEST_ID = 2**63 - 1
_MIN_FILTER_CHARS = 2


def _number(name: str, description: str, default: int, least: int, most: int, example: int) -> Parameter[int]:
    def read(given: Given, name: str, value: object) -> int:
        text = str(value)
        if not (text.isascii() and text.isdecimal() and len(text) < 20 and least <= int(text) <= most):
            raise InvalidRequest(f"Value for '{name}' not supported; it must be a whole number from {least} to {most}.")
        return int(text)

    limits = {"ge": least, "le": most}
    return Parameter(name, int | None, description, read, absent=default, limits=limits, example=example)


def _read_filter(given: Given, name: str, value: object) -> str:
    text = check_text(name, value)
    if len(text) < _MIN_FILTER_CHARS:
        raise InvalidRequest(f"Value for '{name}' not supported; use at least {_MIN_FILTER_CHARS} characters.")
    return text


MEMORIES_SIZE = _number("page_size", "Maximum number of memories.", MAX_MEMORIES_OF_PAGE, 1, MAX_MEMORIES_OF_PAGE, 25)
PAGE = _number("page", "Number of the page, from 0.", 0, 0, 1_000_000, 0)
MEMORY_LIST = Parameters(SENTENCES, MEMORIES_SIZE, PAGE)
ENTRIES_SIZE = _number("page_size", "Maximum number of entries; 50 if absent.", 50, 1, MAX_ENTRIES_OF_PAGE, 50)
CURSOR = _number("page_cursor", "The `next_page_cursor` of the page before.", 0, 0, LARGEST_ID, 17)
FILTER = Parameter(
    "filter_text",
    str | None,
    "What the text or its translation must have.",
    _read_filter,
    limits={"min_length": _MIN_FILTER_CHARS},
    example="Bahnhof",
)
MATCH_CASE = replace(flag("filter_case_sensitive", "Whether capitals and small letters differ."), example=False)
MEMORY_ENTRIES = Parameters(SENTENCES, ENTRIES_SIZE, CURSOR, FILTER, MATCH_CASE)
FILE_FORMAT = Parameter(
    "format",
    Literal["tmx", "tsv"] | None,
    "`tmx` or `tsv`; `tmx` if absent.",
    lambda given, name, value: check_text(name, value).lower(),
    absent="tmx",
    example="tmx",
)
MEMORY_FILE = Parameters(SENTENCES, FILE_FORMAT)


def _read_rules(given: Given, name: str, value: object) -> StyleRules:
    return check_rules(value, given[STYLE_LANGUAGE])


STYLE_LANGUAGE = Parameter(
    "language", str, "The target language that is written so.", read_language, is_required=True, example="de"
)
CONFIGURED_RULES: Parameter[StyleRules] = Parameter(
    "configured_rules",
    dict[str, dict[str, str]] | None,
    "Options by rules by groups, as DeepL names them; none if absent.",
    _read_rules,
    absent={},
    empty=(None, ""),
)
NEW_STYLE = Parameters(SENTENCES, NAME, STYLE_LANGUAGE, CONFIGURED_RULES, CUSTOM_INSTRUCTIONS)
STYLE_NAME = Parameters(SENTENCES, NAME)
STYLES_SIZE = _number("page_size", "Maximum number of lists; 10 if absent.", 10, 1, MAX_MEMORIES_OF_PAGE, 10)
DETAILED = replace(flag("detailed", "Return the rules of the lists, too."), example=True)
STYLE_LIST = Parameters(SENTENCES, STYLES_SIZE, PAGE, DETAILED)
