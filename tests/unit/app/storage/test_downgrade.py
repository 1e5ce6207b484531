"""Back to the schema of an older program, and forth again: nothing that both know is lost."""

import pytest
from sqlalchemy import MetaData, inspect, select

from app.errors import ConfigurationError
from app.priority import Priority
from app.storage import database
from app.storage.document_files import FILES
from app.storage.document_rows import DOCUMENTS
from app.storage.glossaries import GlossaryStore
from app.storage.keys import KeyStore
from app.storage.memories import MemoryStore
from app.storage.migrations import DOWNGRADES, MIGRATIONS
from app.storage.suggestions import SuggestionStore

NEWEST = len(MIGRATIONS)


def schema(opened_database):
    """Columns and indexes of all tables."""
    with opened_database.transaction() as connection:
        found = inspect(connection)
        return {
            table: (
                [(column["name"], str(column["type"]), column["nullable"]) for column in found.get_columns(table)],
                sorted(str(index["column_names"]) for index in found.get_indexes(table)),
            )
            for table in found.get_table_names()
        }


def rows(opened_database, columns):
    """What the tables hold in the columns that are named."""
    with opened_database.transaction() as connection:
        made = MetaData()
        made.reflect(connection)
        return {
            name: sorted(map(str, connection.execute(select(*(table.c[column[0]] for column in columns[name][0])))))
            for name, table in made.tables.items()
            if name in columns
        }


def fill(opened_database):
    key = KeyStore(opened_database).find(KeyStore(opened_database).add("shop"))
    glossaries, memories = GlossaryStore(opened_database), MemoryStore(opened_database)
    glossaries.add(key.id, "Pub", [("de", "en", {"Bier": "beer"})])
    memory = memories.add(key.id, "Site", "de", "en")
    memories.put(key.id, memory.id, [("Über uns", "About us")], "edit")
    SuggestionStore(opened_database).add(key.id, "de", "en", "Ja", "Yes")
    fields = {"name": "a.txt", "wanted": "{}", "status": "queued", "translated": 0, "attempts": 0, "created_at": 1.0}
    with opened_database.transaction() as connection:
        connection.execute(DOCUMENTS.insert().values(id="A1", **fields))
        connection.execute(FILES.insert().values(document_id="A1", kind="original", size=5, content=b"Hallo"))


def test_the_last_three_versions_can_be_gone_back_to():
    assert set(DOWNGRADES) == set(range(NEWEST - len(DOWNGRADES) + 1, NEWEST + 1)) and len(DOWNGRADES) >= 3


@pytest.mark.parametrize("version", range(NEWEST - 3, NEWEST))
def test_there_and_back(opened, monkeypatch, version):
    newest = opened()
    fill(newest)
    newest.downgrade(version)
    monkeypatch.setattr(database, "MIGRATIONS", MIGRATIONS[:version])
    old = opened()  # which refuses a database that is newer
    columns = schema(old)
    columns.pop("schema_version", None)  # PostgreSQL has it in a table
    kept = rows(old, columns)
    monkeypatch.undo()
    renewed = opened()
    assert rows(renewed, columns) == kept
    [(key, _)] = KeyStore(renewed).list()
    [memory] = MemoryStore(renewed).list(key.id)
    assert (key.name, key.priority) == ("shop", Priority.NORMAL)
    assert MemoryStore(renewed).entry(key.id, memory.id, "Über uns").target == "About us" and memory.size


@pytest.mark.parametrize("version", range(NEWEST - 3, NEWEST))
def test_the_schema_is_that_of_the_older_program(tmp_path, monkeypatch, version):
    monkeypatch.setattr(database, "MIGRATIONS", MIGRATIONS[:version])
    fresh = schema(database.Database(tmp_path / "fresh"))
    monkeypatch.undo()
    newest = database.Database(tmp_path / "newest")
    newest.downgrade(version)
    assert schema(newest) == fresh


@pytest.mark.parametrize("version", [NEWEST - len(DOWNGRADES) - 1, NEWEST + 1, -1])
def test_versions_that_are_too_old_or_newer_are_refused(opened, version):
    newest = opened()
    before = schema(newest)
    with pytest.raises(ConfigurationError, match="can go back to versions"):
        newest.downgrade(version)
    assert schema(newest) == before
