"""The service knows no language: German and English words, umlauts and codes lie in ``languages/``."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from languages.language import Language
from languages.registry import language_of

APP = Path(__file__).parents[3] / "app"
CODE = re.compile(r"(?:de|en)(?:[-_][A-Za-z]{2})?", re.IGNORECASE)
UMLAUT = re.compile("[äöüÄÖÜßẞ]")
# Places that name a language, each with the reason.
ALLOWED = {
    "api/deepl/glossary_openapi.py": "examples",
    "api/deepl/memories_openapi.py": "examples",
    "api/deepl/openapi.py": "examples",
    "api/deepl/stored_parameters.py": "examples",
    "api/deepl/parameters.py": "DeepL's names of the regions that it tells apart",
    "api/deepl/style_rules.py": "the letter that a rule of DeepL's names",
    "api/deepl/styles_openapi.py": "examples",
    "api/libretranslate/inspection_openapi.py": "examples",
    "api/libretranslate/openapi.py": "examples",
    "api/libretranslate/parameters.py": "examples",
    "api/libretranslate/routes.py": "LibreTranslate's page begins with English as its target",
    "api/libretranslate/suggestions_openapi.py": "examples",
    "api/openapi.py": "examples",
    "api/response_headers.py": "examples",
    "api/schemas.py": "examples",
    "api/suggestion_administration_openapi.py": "examples",
    "documents/formats/stringsdict.py": "names of plural forms in CLDR",
    "documents/memory_files.py": "the language of a TMX file's own words, which the format asks for",
    "settings.py": "the default of the language between two models",
    "text/detection.py": "undetectable text is English, as with LibreTranslate",
    "text/protection/escapes.py": "commands of LaTeX",
    "text/protection/terminal.py": "words that runtimes print in stack traces: at, caused by",
    "text/protection/templates.py": "control words of template languages: for, if, with",
}


def words_of(language: Language) -> set[str]:
    numbers, writing = language.numbers, language.writing
    tables = (
        language.common_words,
        language.conjunctions,
        numbers.cardinals,
        numbers.large_numbers,
        writing.small_words,
    )
    return {word for table in tables for word in table if len(word) > 1}


WORDS = words_of(language_of("de")) | words_of(language_of("en"))
TECHNICAL = {"dir", "und", "version", "was"}  # words of XML, BCP 47, English
ONLY_GERMAN = words_of(language_of("de")) - words_of(language_of("en")) - TECHNICAL


def constants(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yields the line and value of each string that is no docstring, and whether it is a list of words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    split = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "split"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value, id(node) in split or "|" in node.value


@cache
def findings() -> list[tuple[str, int, str]]:
    """Path, line and text of every string that names a language."""
    found = []
    for path in sorted(APP.rglob("*.py")):
        for line, text, is_list in constants(path):
            words = WORDS.intersection(re.findall(r"[^\W\d_]{2,}", re.sub("#.*", "", text)))
            is_german = text.lower() in ONLY_GERMAN
            if CODE.fullmatch(text) or UMLAUT.search(text) or is_german or (is_list and len(words) > 1):
                found.append((str(path.relative_to(APP)), line, text))
    return found


def test_no_language_lies_in_the_service() -> None:
    found = [finding for finding in findings() if finding[0] not in ALLOWED]
    assert found == []


def test_every_exception_is_needed() -> None:
    assert ALLOWED.keys() <= {path for path, _, _ in findings()}
