"""The glossary and the translation memory of ``dragoman translate``: files, or names in a database."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import typer

from app.cli.glossary_files import is_glossary, read_glossary
from app.cli.memory import find_memory
from app.cli.stores import open_database
from app.documents.memory_files import FORMS, find_form, read_file
from app.storage.identifiers import checked_id
from app.text.memory.matching import TranslationMemory
from app.text.terms.glossary import Glossary
from app.translation.stored_glossaries import Glossaries
from app.translation.stored_memories import Memories

Pair = tuple[str, str]


@contextmanager
def opened_glossary(name: str | None, pair: Pair | None) -> Iterator[Callable[[str, str], Glossary] | None]:
    """Returns a function that opens the glossary for a pair of languages; None without a name.

    Args:
        name: A file, or the id of a stored glossary.
        pair: The languages, if they are known.

    Raises:
        InvalidRequest: The file is no glossary, or there is none for the languages.
        GlossaryNotFound: There is no such glossary.
    """
    if name is None:
        yield None
    elif is_glossary(Path(name)):
        if pair:  # an error of the file is told before the models are loaded
            read_glossary(Path(name), *pair)
        yield cache(lambda source, target: Glossary(read_glossary(Path(name), source, target), source, target))
    else:
        with open_database() as database:
            glossaries = Glossaries(database)
            assert glossaries.store
            glossary_id = checked_id(name, "glossary")
            yield asyncio.run(glossaries.find(glossaries.store.owner(glossary_id), [glossary_id], pair))


@contextmanager
def opened_memory(
    name: str | None, pair: Pair | None, threshold: int
) -> Iterator[Callable[[str, str], TranslationMemory | None] | None]:
    """Returns a function that opens the translation memory for a pair of languages; None without a name.

    Args:
        name: A file, or the name or id of a stored memory.
        pair: The languages, if they are known.
        threshold: Minimum score of a match, from 0 to 100.

    Raises:
        BadParameter: There is no such memory, or it is a file and the languages are not known.
        InvalidRequest: The file is no memory, or the memory is for other languages.
        ExtraMissing: A library is not installed.
    """
    if name is None:
        yield None
        return
    is_file = Path(name).suffix.lower().removeprefix(".") in FORMS
    if is_file and pair is None:
        raise typer.BadParameter("a file needs --from, the language of its texts", param_hint="--memory")
    from app.storage.database import Database  # here, for most commands need no SQLAlchemy

    with closing(Database(None)) if is_file else open_database() as database:
        memories = Memories(database)
        assert memories.store
        if is_file and pair:
            read = read_file(Path(name).read_bytes(), find_form(name), *pair)
            found = memories.store.add(None, name, *pair)
            memories.store.put(None, found.id, read.pairs, "import")
        else:
            found = find_memory(memories.store, name)
        yield asyncio.run(memories.find(found.key_id, found.id, threshold, pair))
