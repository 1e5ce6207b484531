"""xcstrings: Apple's String Catalogs, JSON with all languages. Texts without a translation get one, for review.

https://developer.apple.com/documentation/xcode/localizing-and-varying-text-with-a-string-catalog
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import repeat
from typing import Any, NamedTuple

from app.documents.characters import Encoded
from app.documents.document import Document, bounded
from app.documents.json_places import Layout, Place, check, checked, located
from app.documents.marks import Marks
from app.errors import DamagedDocument, UnsupportedDocument
from app.fairness.budget import checkpoint
from app.text.data_values import is_data
from app.text.untranslated import Reason
from languages.neutral import locale_of

_MEMBERS_DEPTH = 3  # of a string's members: in the file, its strings, and one of them
_MAX_VARIATIONS = 8  # in each other; Apple's are two
_NOTHING_YET = "new"
_VALUE = re.compile(r"%(?:\d+\$)?(?:#@\w+@|[-+0#' ]*\d*(?:\.\d+)?(?:hh?|ll?|[qztjL])?[@a-zA-Z%])")  # of a program


class _Text(NamedTuple):
    """A string of the catalog.

    Attributes:
        place: Its object in the file.
        form: What the source language has for it, which the target's becomes: a text, or variations of one.
        units: Those parts of the form that are translated.
    """

    place: Place
    form: dict[str, Any]
    units: list[dict[str, str]]


def read(data: bytes) -> Document:
    """Reads a file. Of the translated file, only texts of the target that had no translation differ from it.

    Raises:
        DamagedDocument: It is no catalog.
    """
    file = Encoded(data)
    check(file.text)
    catalog, place = json.loads(file.text), located(file.text)
    if not isinstance(catalog, dict) or not isinstance(catalog.get("sourceLanguage"), str):
        raise DamagedDocument("The file is not a String Catalog: it names no sourceLanguage.")
    kept: Counter[Reason] = Counter()
    strings = [*_strings(catalog, place, kept)]
    texts = tuple(unit["value"] for unit in bounded(unit for each in strings for unit in each.units))

    def write(translations: Sequence[str], language: str, marks: Marks = None) -> bytes:
        if _same(language, catalog["sourceLanguage"]):
            raise UnsupportedDocument(
                f"The catalog's sourceLanguage is {language}; translate it into another language."
            )
        told = iter(zip(translations, marks or repeat(None), strict=marks is not None))
        layout, edits = Layout(file.text), list[tuple[int, int, str]]()
        for each in strings:
            checkpoint()
            for unit in each.units:
                unit["value"], mark = next(told)
                unit["state"] = "translated" if mark and not mark.reasons else "needs_review"
            if edit := _edit(each, language, file.text, layout):
                edits.append(edit)
        pieces, done = list[str](), 0
        for begin, end, text in sorted(edits):
            pieces += file.text[done:begin], text
            done = end
        return file.encoded("".join([*pieces, file.text[done:]]))

    return Document(texts=texts, markup=None, write=write, kept=kept, takes_marks=True)


def _strings(catalog: dict[str, Any], place: Place, kept: Counter[Reason]) -> Iterator[_Text]:
    """Yields the strings that are for translation; counts the others."""
    entries = _object(catalog.get("strings", {}))
    for key, entry in entries.items():
        checkpoint()
        if _object(entry).get("shouldTranslate") is False:
            kept[Reason.MARKUP] += 1
            continue
        form = _object(_object(entry.get("localizations", {})).get(catalog["sourceLanguage"], {}))
        units = list(_units(form)) or [form.setdefault("stringUnit", {"value": key})]
        checked(json.dumps(form, ensure_ascii=False))  # its other strings, which are written again
        worded = [unit for unit in units if _has_words(unit["value"]) and not is_data(unit["value"], "")]
        if any(is_data(unit["value"], "") for unit in units):
            kept[Reason.IDENTIFIER] += 1
        if worded:
            yield _Text(place.members["strings"].members[key], form, worded)


def _has_words(text: str) -> bool:
    return any(map(str.isalpha, _VALUE.sub("", text)))


def _units(form: dict[str, Any], depth: int = 0) -> Iterator[dict[str, str]]:
    """Yields the texts of a localization: its own, and those of its variations and substitutions, branch by branch."""
    if depth > _MAX_VARIATIONS:
        raise DamagedDocument("The catalog has variations of variations, more than there can be.")
    if "stringUnit" in form:
        unit = _object(form["stringUnit"])
        if not isinstance(unit.get("value"), str):
            raise DamagedDocument("A stringUnit of the catalog has no value that is text.")
        checked(unit["value"])
        yield unit
    for branches in _object(form.get("variations", {})).values():
        for branch in _object(branches).values():
            yield from _units(_object(branch), depth + 1)
    for substitution in _object(form.get("substitutions", {})).values():
        yield from _units(_object(substitution), depth + 1)


def _edit(string: _Text, language: str, source: str, layout: Layout) -> tuple[int, int, str] | None:
    """Returns the edit that adds the target's localization; None if it has a translation already."""
    localizations = string.place.members.get("localizations")
    targets = localizations.members if localizations else {}
    code = next((each for each in targets if _same(each, language)), language)
    target = targets.get(code)
    if target and any(
        unit.get("state") != _NOTHING_YET and unit["value"]
        for unit in _units(_object(json.loads(source[target.begin : target.end])))
    ):
        return None
    _complete(string.form, language)
    if target:
        return target.begin, target.end, layout.written(string.form, _MEMBERS_DEPTH + 1)
    if localizations:
        return layout.with_member(localizations, code, string.form, _MEMBERS_DEPTH + 1)
    return layout.with_member(string.place, "localizations", {code: string.form}, _MEMBERS_DEPTH)


def _complete(form: dict[str, Any], language: str) -> None:
    """Gives plural variations the categories of a language that the source has none of: each as ``other`` is."""
    locale = locale_of(language)
    for kind, branches in form.get("variations", {}).items():
        if kind == "plural" and "other" in branches and locale:
            for category in locale.plural_form.tags - branches.keys():
                branches[category] = deepcopy(branches["other"])
        for branch in branches.values():
            _complete(branch, language)
    for substitution in form.get("substitutions", {}).values():
        _complete(substitution, language)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DamagedDocument("The file is not a String Catalog: it has something else in place of an object.")
    return value


def _same(one: str, other: str) -> bool:
    return one.replace("_", "-").lower() == other.replace("_", "-").lower()
