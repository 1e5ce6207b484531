"""po: gettext catalogs. Untranslated and fuzzy messages are translated; the others keep their translations."""

import re
from collections.abc import MutableMapping, Sequence
from typing import Any

import polib
from babel.messages.plurals import get_plural

from app.documents.characters import Encoded
from app.documents.document import MAX_TEXTS, Document
from app.errors import DamagedDocument, DocumentTooLarge
from app.text.budget import checkpoint

# The library adds line by line to a string, each time to a copy. In a file of 16 MB, 200,000 lines of messages of 60
# lines make copies of 480 million characters; a message of a million lines would take minutes.
_MAX_COPIED_CHARS = 2_000_000_000
_CONTENT_TYPE = "text/plain; charset=UTF-8"
_DAMAGED = "The file is damaged or not a message catalog."
# A line with a string; it may be one of an old message (#~) or tell what a message was before (#|).
_WITH_STRING = re.compile(r'(?:#[~|]++\s*+)*+(?="|msg)')
_CHARSET = re.compile(rb"Content-Type:[^\n]*?charset=([\w-]+)")
_STRING = re.compile(r'(?:msg(?:ctxt|id(?:_plural)?|str(?:\[[0-9]++\])?)\s*+)?"(?:[^"\\]|\\.)*+"')


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: It is no catalog.
    """
    file = Encoded(data, _declared(data))
    if file.text.count("msg") > 3 * MAX_TEXTS:
        raise DocumentTooLarge("The document has too many messages; divide it.")
    catalog = _catalog(file.text)
    entries = [entry for entry in catalog if _is_open(entry)]
    line_end = "\r\n" if 2 * file.text.count("\r\n") > file.text.count("\n") else "\n"

    def write(translations: Sequence[str], language: str) -> bytes:
        rest = iter(translations)
        plural = get_plural(language.replace("-", "_"))
        for entry in entries:
            checkpoint()
            if entry.msgid_plural:
                one, other = next(rest), next(rest)
                entry.msgstr_plural = {number: other if number else one for number in range(plural.num_plurals)}
            else:
                entry.msgstr = next(rest)
            entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]
            entry.previous_msgid = entry.previous_msgid_plural = entry.previous_msgctxt = None
        _complete(catalog.metadata, language, plural, changed=any(entry.msgid_plural for entry in entries))
        catalog.metadata_is_fuzzy = False  # readers skip a fuzzy header
        written = _written(catalog)
        if not file.has_all(written):
            catalog.metadata["Content-Type"] = _CONTENT_TYPE
            written = _written(catalog)
        return file.encoded(written.replace("\n", line_end))

    texts = [text for entry in entries for text in (entry.msgid, entry.msgid_plural) if text]
    return Document(texts=tuple(texts), markup=None, write=write)


def _declared(data: bytes) -> str | None:
    """Returns the encoding that the header names; templates have the word CHARSET in its place."""
    match = _CHARSET.search(data, 0, 1 << 16)
    return match[1].decode() if match and match[1] != b"CHARSET" else None


def _complete(header: MutableMapping[str, str], language: str, plural: Any, *, changed: bool) -> None:
    """Writes what readers need to know of a translated catalog: without an encoding, Python's takes it for ASCII.

    Args:
        header: The fields of the header.
        language: A tag, such as ``en-GB``.
        plural: The language's plural forms, as Babel has them.
        changed: There are messages with new plural forms.
    """
    header["Language"] = language.replace("-", "_")
    if "charset=" not in header.get("Content-Type", "").replace("charset=CHARSET", ""):
        header["Content-Type"] = _CONTENT_TYPE
    header.setdefault("MIME-Version", "1.0")
    header.setdefault("Content-Transfer-Encoding", "8bit")
    if changed or "nplurals=INTEGER" in header.setdefault("Plural-Forms", "nplurals=INTEGER"):
        header["Plural-Forms"] = plural.plural_forms


def _written(catalog: polib.POFile) -> str:
    """Returns the catalog as text. The library writes an empty comment for a header without one."""
    text = str(catalog)
    return text if catalog.header else text.removeprefix("#\n")


def _catalog(source: str) -> polib.POFile:
    _check_lines(source)
    try:
        # The library takes a text that is the name of a file for that file; no file's name ends in a line break.
        catalog = polib.pofile(source + "\n", wrapwidth=78)
    except (OSError, ValueError, IndexError, KeyError, UnicodeError) as error:
        raise DamagedDocument(_DAMAGED) from error
    if catalog and catalog.metadata_is_fuzzy == 0:  # no list of flags: there is no header
        # The library takes the first comment for the header's all the same.
        first = catalog[0]
        first.tcomment = "\n".join(filter(None, (catalog.header, first.tcomment)))
        catalog.header = ""
    return catalog


def _check_lines(source: str) -> None:
    """Refuses strings and comments that the library misreads, or joins in quadratic time.

    Raises:
        DamagedDocument: A string doesn't end with its line; the library takes the last character for the end.
        DocumentTooLarge: A message or its comments have too many lines.
    """
    copied = string = comment = 0
    for raw in source.splitlines():
        checkpoint()
        line = raw.strip()
        begin = _WITH_STRING.match(line)
        if begin and not _STRING.fullmatch(line, begin.end()):
            raise DamagedDocument(_DAMAGED)
        if begin and line.startswith("msg", begin.end()):
            string = comment = 0
        elif begin:
            string += len(line)
            copied += string
        else:
            comment += len(line)
            copied += comment
        if copied > _MAX_COPIED_CHARS:
            raise DocumentTooLarge("The document has messages or comments of too many lines; divide it.")


def _is_open(entry: polib.POEntry) -> bool:
    """Tells whether a message needs a translation. One without a text has nothing to translate."""
    return bool(entry.msgid) and not entry.obsolete and (entry.fuzzy or not entry.translated())
