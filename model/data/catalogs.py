"""Sentence pairs out of gettext catalogs: buttons, messages and settings of programs, with their translations."""

import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import polib

from model.data.pairs import Pair, PairsError

# Placeholders, markup, addresses, paths and line breaks: a sentence around them teaches the model nothing good.
_NO_TEXT = re.compile(r"[%{}<>\\\n\t@|#~^`]|://|\$\w|\w_\w|--|\w\.\w|\(s\)|&\w+;")
# GTK marks the letter of a keyboard shortcut with "_", Qt and KDE with "&"; some languages add it in brackets.
_SHORTCUT = re.compile(r"\s?\([_&]\w\)|[_&](?=\w)")


def read_catalogs(files: Iterable[Path]) -> Iterator[Pair]:
    """Yield (message, translation) of compiled catalogs, without marks of keyboard shortcuts.

    Messages with placeholders, markup or line breaks are left out, and so are untranslated messages. The
    pairs still have to be cleaned: see ``model.data.preparation.clean``.

    Args:
        files: ``.mo`` files of one language; programs have them in ``share/locale/LANGUAGE/LC_MESSAGES/NAME.mo``.

    Raises:
        PairsError: A file is missing or is no catalog.
    """
    for path in files:
        try:
            catalog = polib.mofile(str(path))
        except (OSError, ValueError, struct.error) as error:
            raise PairsError(f"{path} can't be read as a catalog: {error}") from error
        for entry in catalog:
            plural = entry.msgstr_plural
            found = [(entry.msgid, plural[0] if plural else entry.msgstr), (entry.msgid_plural, plural.get(1, ""))]
            for source, target in found:
                pair = _plain(source), _plain(target)
                if all(pair) and pair[0] != pair[1] and not any(map(_NO_TEXT.search, pair)):
                    yield pair


def _plain(text: str) -> str:
    return _SHORTCUT.sub("", text).replace("&&", "&")
