"""po: gettext catalogs. Untranslated and fuzzy messages are translated; plural forms that have a text keep it."""

import re
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

from babel.messages.plurals import get_plural

from app.documents.characters import Encoded
from app.documents.document import MAX_TEXTS, Document
from app.documents.marks import Marks
from app.documents.po_catalog import Catalog, Message
from app.errors import DocumentTooLarge
from app.fairness.budget import checkpoint
from languages.codes import as_named

_CONTENT_TYPE = "text/plain; charset=UTF-8"
_NAMED_CHARSET = re.compile(r"charset=(?!CHARSET\b)\w")
_PLURAL_FORMS = re.compile(r"nplurals\s*=\s*([1-6])\s*;")  # Arabic has six
_CHARSET = re.compile(rb"Content-Type:[^\n]*?charset=([\w-]+)")


def read(data: bytes) -> Document:
    """Reads a file. Of the translated file, only translations and fields of the header differ from it.

    Raises:
        DamagedDocument: It is no catalog.
    """
    file = Encoded(data, _declared(data))
    if file.text.count("msg") > 3 * MAX_TEXTS:
        raise DocumentTooLarge("The document has too many messages; divide it.")
    catalog = Catalog(file.text)
    messages = [message for message in catalog.messages if _is_open(message, catalog)]

    def write(translations: Sequence[str], language: str, marks: Marks = None) -> bytes:
        told = iter(zip(translations, marks or repeat(None), strict=marks is not None))
        plural = get_plural(language.replace("-", "_"))
        in_use = _forms_in_use(catalog)
        has_plurals = False
        for message in messages:
            checkpoint()
            doubts: list[str] = []
            found: dict[str, str] = {}
            for name in _needed(message, catalog):
                found[name], mark = next(told)
                doubts += [mark.note] if mark else []
            strings: Mapping[str, str | None] = {"msgstr": found.get("msgid")}
            if "msgid_plural" in found:
                has_plurals = True
                strings = _forms(found, in_use or plural.num_plurals, _staying(message, catalog))
            catalog.translate(message, strings, "; ".join(dict.fromkeys(filter(None, doubts))))
        fields = _completed(catalog.header, language, plural, changed=has_plurals and not in_use)
        if not file.has_all(catalog.written()):
            fields["Content-Type"] = _CONTENT_TYPE
        catalog.complete_header(fields)
        return file.encoded(catalog.written())

    texts = [message.texts[name] for message in messages for name in _needed(message, catalog)]
    return Document(texts=tuple(texts), markup=None, write=write, takes_marks=True)


def _forms_in_use(catalog: Catalog) -> int:
    """Returns the number of plural forms that the header says, if translations that stay have them; else 0."""
    number = _PLURAL_FORMS.match(catalog.header.get("Plural-Forms", ""))
    plurals = (message for message in catalog.messages if "msgid_plural" in message.texts)
    is_used = any(_staying(message, catalog) for message in plurals)
    return int(number[1]) if number and is_used else 0


def _declared(data: bytes) -> str | None:
    """Returns the encoding that the header names; templates have the word CHARSET in its place."""
    match = _CHARSET.search(data, 0, 1 << 16)
    return match[1].decode() if match and match[1] != b"CHARSET" else None


def _completed(header: Mapping[str, str], language: str, plural: Any, *, changed: bool) -> dict[str, str]:
    """Returns what readers need to know of a translated catalog: without an encoding, Python's takes it for ASCII.

    Args:
        header: The fields of the header.
        language: A tag, such as ``en-GB``.
        plural: The language's plural forms, as Babel has them.
        changed: There are messages with new plural forms.
    """
    fields = {"Language": as_named(header.get("Language", ""), language).replace("-", "_")}
    if not _NAMED_CHARSET.search(header.get("Content-Type", "")):
        fields["Content-Type"] = _CONTENT_TYPE
    usual = {"MIME-Version": "1.0", "Content-Transfer-Encoding": "8bit"}
    fields |= {name: value for name, value in usual.items() if name not in header}
    if changed or "nplurals=INTEGER" in header.get("Plural-Forms", "nplurals=INTEGER"):
        fields["Plural-Forms"] = plural.plural_forms
    return fields


def _is_open(message: Message, catalog: Catalog) -> bool:
    """Tells whether a message needs a translation. One without a text has nothing to translate."""
    return bool(message.texts["msgid"]) and (catalog.is_fuzzy(message) or not all(message.translations))


def _needed(message: Message, catalog: Catalog) -> list[str]:
    """Returns the keywords of the texts that are translated: not ``msgid`` if its plural forms alone need it."""
    plural = ["msgid_plural"] if message.texts.get("msgid_plural") else []
    return plural if plural and "msgstr[0]" in _staying(message, catalog) else ["msgid", *plural]


def _staying(message: Message, catalog: Catalog) -> list[str]:
    """Returns the keywords of the translations that somebody has made."""
    filled = [name for name, text in message.texts.items() if name.startswith("msgstr") and text]
    return [] if catalog.is_fuzzy(message) else filled


def _forms(found: Mapping[str, str], count: int, staying: Sequence[str]) -> dict[str, str | None]:
    """Returns the plural forms of a message by keyword; None for one that stays.

    Args:
        found: The translations of its texts.
        count: The number of forms. Where there is one, it is for all numbers: the plural.
        staying: The keywords of the translations that somebody has made.
    """
    forms = {f"msgstr[{number}]": found["msgid_plural"] for number in range(count)}
    if count > 1 and "msgid" in found:
        forms["msgstr[0]"] = found["msgid"]
    return {**forms, **dict.fromkeys(staying)}
