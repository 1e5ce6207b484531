"""xcstrings: Apple's String Catalogs, JSON with all languages. Texts without a translation get one, for review.

https://developer.apple.com/documentation/xcode/localizing-and-varying-text-with-a-string-catalog
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
from app.text.inline.placement import apply
from app.text.untranslated import Reason
from languages.neutral import locale_of

_MEMBERS_DEPTH = 3  # of a string's members: in the file, its strings, and one of them
_MAX_VARIATIONS = 8  # in each other; Apple's are two
_NOTHING_YET = "new"
_VALUE = re.compile(r"%(?:\d+\$)?(?:#@\w+@|[-+0#' ]*\d*(?:\.\d+)?(?:hh?|ll?|[qztjL])?[@a-zA-Z%])")  # of a program


class _Text(NamedTuple):
    """A string of the catalog.

    Attributes:
        units: What is translated for it: texts of the source language.
        edit: Returns the edit that writes them into the file, for a target: where it begins and ends, and the text.
    """

    units: list[dict[str, str]]
    edit: Callable[[Layout, str], tuple[int, int, str]]


def read(data: bytes, target: str = "") -> Document:
    """Reads a file. Of the translated file, only texts of the target that had no translation differ from it.

    Args:
        data: The file.
        target: The target as a locale; without one, no text has a translation yet.

    Raises:
        DamagedDocument: It is no catalog.
        UnsupportedDocument: The target is its source language.
    """
    file = Encoded(data)
    check(file.text)
    catalog, place = json.loads(file.text), located(file.text)
    if not isinstance(catalog, dict) or not isinstance(catalog.get("sourceLanguage"), str):
        raise DamagedDocument("The file is not a String Catalog: it names no sourceLanguage.")
    if _same(target, catalog["sourceLanguage"]):
        raise UnsupportedDocument(f"The catalog's sourceLanguage is {target}; translate it into another language.")
    kept: Counter[Reason] = Counter()
    strings = [*_strings(catalog, place, target, kept)]
    texts = tuple(unit["value"] for unit in bounded(unit for each in strings for unit in each.units))

    def write(translations: Sequence[str], language: str, marks: Marks = None) -> bytes:
        told = iter(zip(translations, marks or repeat(None), strict=marks is not None))
        layout, edits = Layout(file.text), list[tuple[int, int, str]]()
        for each in strings:
            checkpoint()
            for unit in each.units:
                unit["value"], mark = next(told)
                unit["state"] = "translated" if mark and not mark.reasons else "needs_review"
            edits.append(each.edit(layout, language))
        return file.encoded(apply(sorted(edits), file.text))

    return Document(texts=texts, markup=None, write=write, kept=kept, takes_marks=True)


def _strings(catalog: dict[str, Any], place: Place, target: str, kept: Counter[Reason]) -> Iterator[_Text]:
    """Yields the strings that need a translation, and counts the strings that get none on purpose."""
    for key, entry in _object(catalog.get("strings", {})).items():
        checkpoint()
        if _object(entry).get("shouldTranslate") is False:
            kept[Reason.MARKUP] += 1
            continue
        localizations = _object(entry.get("localizations", {}))
        form = _object(localizations.get(catalog["sourceLanguage"], {}))
        if not list(_units(form)):  # all of them, which checks them
            form["stringUnit"] = {"value": key}
        string = place.members["strings"].members[key]
        code = next((each for each in localizations if _same(each, target)), None)
        existing = _object(localizations[code]) if code else {}
        units = list(_units(existing))  # likewise
        if code is None or all(map(_is_open, units)):
            yield from _whole(string, code, form, kept)
        else:
            yield from _gaps(existing, string.members["localizations"].members[code], form, _MEMBERS_DEPTH + 1)


def _whole(string: Place, code: str | None, form: dict[str, Any], kept: Counter[Reason]) -> Iterator[_Text]:
    """Yields a string without a translation: what the source language has for it is translated.

    Args:
        string: Where the string is.
        code: Which of its localizations, without a translation yet, is that of the target; None if there is none.
        form: What the source language has.
        kept: Counts the texts that get none on purpose.
    """
    checked(json.dumps(form, ensure_ascii=False))  # its other strings, which are written again
    units = list(_units(form))
    if any(is_data(unit["value"], "") for unit in units):
        kept[Reason.IDENTIFIER] += 1
    localizations = string.members.get("localizations")

    def edit(layout: Layout, language: str) -> tuple[int, int, str]:
        _complete(form, language)
        if localizations is None:
            return layout.with_member(string, "localizations", {language: form}, _MEMBERS_DEPTH)
        if code is None:
            return layout.with_member(localizations, language, form, _MEMBERS_DEPTH + 1)
        begin, end, _ = localizations.members[code]
        return begin, end, layout.written(form, _MEMBERS_DEPTH + 1)

    if worded := list(filter(_is_worded, units)):
        yield _Text(worded, edit)


def _gaps(form: dict[str, Any], place: Place, source: dict[str, Any], depth: int) -> Iterator[_Text]:
    """Yields the parts of a localization that have no translation, in one of which other parts have one.

    Args:
        form: The localization, or a branch of it.
        place: Where it is in the file.
        source: What the source language has in its place.
        depth: The number of objects around it.
    """
    original = source.get("stringUnit")
    if "stringUnit" in form and _is_open(form["stringUnit"]) and original and _is_worded(original):
        unit = {**form["stringUnit"], **original}
        checked(json.dumps(unit, ensure_ascii=False))
        begin, end, _ = place.members["stringUnit"]
        yield _Text([unit], lambda layout, _: (begin, end, layout.written(unit, depth + 1)))
    for kind, branches in form.get("variations", {}).items():
        of_kind = source.get("variations", {}).get(kind)
        places = place.members["variations"].members[kind].members
        for name, branch in branches.items():
            branch_source = source if of_kind is None else of_kind.get(name, of_kind.get("other", {}))
            yield from _gaps(branch, places[name], branch_source, depth + 3)
    for name, substitution in form.get("substitutions", {}).items():
        of_same_name = source.get("substitutions", {}).get(name, {})
        yield from _gaps(substitution, place.members["substitutions"].members[name], of_same_name, depth + 2)


def _is_open(unit: dict[str, str]) -> bool:
    """Tells whether a unit has no translation. ``needs_review`` is one that a person is to look at."""
    return unit.get("state") == _NOTHING_YET or not unit["value"]


def _is_worded(unit: dict[str, str]) -> bool:
    return _has_words(unit["value"]) and not is_data(unit["value"], "")


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
