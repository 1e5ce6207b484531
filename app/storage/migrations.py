"""The schema, as the numbered scripts that made it: a database of version n has had the first n scripts.

A script that was released is never changed; every change gets a script of its own. The scripts are SQL that SQLite and
PostgreSQL both understand, except for the words in braces, which ``WORDS`` translates. Braces occur nowhere else.
"""

import sqlite3
from collections.abc import Iterator

MIGRATIONS = (
    """
    CREATE TABLE keys (
        id {id},
        hash TEXT NOT NULL UNIQUE,        -- SHA-256 of the key, which is random and too long to be guessed
        hint TEXT NOT NULL,               -- its last characters, to tell keys apart
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,         -- ISO 8601, UTC
        monthly_characters {integer},     -- NULL: no limit; likewise below
        requests_per_minute {integer},
        features TEXT NOT NULL            -- separated by commas
    ){strict};
    CREATE TABLE usage (
        key_id {integer} NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
        month TEXT NOT NULL,              -- 2026-11, UTC
        characters {integer} NOT NULL,
        PRIMARY KEY (key_id, month)
    ){strict_without_rowid};
    CREATE TABLE requests (
        client TEXT NOT NULL,             -- "key 7", or an address
        minute {integer} NOT NULL,        -- since 1970
        number {integer} NOT NULL,
        PRIMARY KEY (client, minute)
    ){strict_without_rowid};
    """,
    """
    CREATE TABLE documents (
        id TEXT PRIMARY KEY,
        secret_hash TEXT,                 -- SHA-256 of the document's key; NULL: its id is enough
        key_id {integer} REFERENCES keys (id) ON DELETE CASCADE,
        name TEXT NOT NULL,               -- of the translated file
        wanted TEXT NOT NULL,             -- formats, languages and options: JSON
        status TEXT NOT NULL,             -- queued, translating, done, error or downloaded
        characters {integer},             -- NULL: not counted yet
        translated {integer} NOT NULL,    -- characters
        error TEXT,
        error_code TEXT,
        attempts {integer} NOT NULL,
        worker TEXT,                      -- who translates it
        lease_until {real},               -- seconds since 1970; after it, another may
        created_at {real} NOT NULL,
        started_at {real},
        finished_at {real}
    ){strict};
    CREATE TABLE document_files (
        document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,               -- original or translation
        size {integer} NOT NULL,
        content {bytes} NOT NULL,
        PRIMARY KEY (document_id, kind)
    ){strict};
    """,
    """
    CREATE TABLE glossaries (
        id TEXT PRIMARY KEY,              -- a UUID
        key_id {integer} REFERENCES keys (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL          -- ISO 8601, UTC
    ){strict};
    CREATE TABLE dictionaries (
        glossary_id TEXT NOT NULL REFERENCES glossaries (id) ON DELETE CASCADE,
        source TEXT NOT NULL,             -- codes of languages
        target TEXT NOT NULL,
        number {integer} NOT NULL,        -- their order
        entry_count {integer} NOT NULL,
        entries TEXT NOT NULL,            -- a line for each: source term, tab, target term
        version TEXT NOT NULL,            -- another one after each change
        PRIMARY KEY (glossary_id, source, target)
    ){strict};
    """,
    """
    CREATE TABLE memories (
        id TEXT PRIMARY KEY,              -- a UUID
        key_id {integer} REFERENCES keys (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        source TEXT NOT NULL,             -- codes of languages
        target TEXT NOT NULL,
        created_at TEXT NOT NULL,         -- ISO 8601, UTC
        updated_at TEXT NOT NULL,
        version TEXT NOT NULL             -- another one after each change
    ){strict};
    CREATE TABLE memory_entries (
        id {id},
        memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
        hash TEXT NOT NULL,               -- of the source text without differences in white space
        source TEXT NOT NULL,             -- texts
        target TEXT NOT NULL,
        origin TEXT NOT NULL,             -- import, edit or suggestion
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (memory_id, hash)
    ){strict};
    CREATE INDEX memory_entries_in_order ON memory_entries (memory_id, id);
    CREATE TABLE suggestions (
        id {id},
        key_id {integer} REFERENCES keys (id) ON DELETE SET NULL,
        source TEXT NOT NULL,             -- codes of languages
        target TEXT NOT NULL,
        text TEXT NOT NULL,
        translation TEXT NOT NULL,
        state TEXT NOT NULL,              -- pending, accepted or rejected
        created_at TEXT NOT NULL
    ){strict};
    """,
    """
    -- What the glossary and the translation memory did: JSON.
    ALTER TABLE documents ADD COLUMN report TEXT;
    """,
    """
    ALTER TABLE document_files ADD COLUMN name TEXT;  -- in the storage of DRAGOMAN_DOCUMENT_FILES; NULL: it is here
    """,
    """
    ALTER TABLE documents ADD COLUMN client TEXT;  -- who shares the room with others: a key, or an address without one
    """,
    """
    -- In small letters, to search in.
    ALTER TABLE memory_entries ADD COLUMN source_lower TEXT NOT NULL DEFAULT '';
    ALTER TABLE memory_entries ADD COLUMN target_lower TEXT NOT NULL DEFAULT '';
    UPDATE memory_entries SET source_lower = lower(source), target_lower = lower(target);
    -- Bytes of the texts in UTF-8, for the limits.
    ALTER TABLE memories ADD COLUMN size {integer} NOT NULL DEFAULT 0;
    UPDATE memories SET size = coalesce((
        SELECT sum(octet_length(source) + octet_length(target)) FROM memory_entries WHERE memory_id = memories.id
    ), 0);
    ALTER TABLE dictionaries ADD COLUMN size {integer} NOT NULL DEFAULT 0;
    UPDATE dictionaries SET size = octet_length(entries);
    ALTER TABLE suggestions ADD COLUMN size {integer} NOT NULL DEFAULT 0;
    UPDATE suggestions SET size = octet_length(text) + octet_length(translation);
    """,
    """
    ALTER TABLE keys ADD COLUMN priority TEXT NOT NULL DEFAULT 'normal';  -- the highest that its requests may have
    """,
    """
    CREATE TABLE memory_jobs (
        id TEXT PRIMARY KEY,              -- a UUID
        secret TEXT NOT NULL,             -- in the address of its file, for as long as the job is kept
        key_id {integer} REFERENCES keys (id) ON DELETE CASCADE,
        operation TEXT NOT NULL,          -- import or export
        name TEXT NOT NULL,               -- of the memory
        memory_id TEXT REFERENCES memories (id) ON DELETE CASCADE,
        status TEXT NOT NULL,             -- awaiting_input, completed or failed
        error TEXT,
        skipped {integer},
        created_at {real} NOT NULL        -- seconds since 1970
    ){strict};
    """,
    """
    ALTER TABLE memories ADD COLUMN adapts {integer} NOT NULL DEFAULT 0;  -- 1: translations learn from its entries
    """,
    """
    CREATE TABLE styles (
        id TEXT PRIMARY KEY,              -- a UUID
        key_id {integer} REFERENCES keys (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        language TEXT NOT NULL,           -- code of the language that is written so
        rules TEXT NOT NULL,              -- JSON: options by rules by groups
        version {integer} NOT NULL,       -- one more with each change
        created_at TEXT NOT NULL,         -- ISO 8601, UTC
        updated_at TEXT NOT NULL
    ){strict};
    """,
)

DOWNGRADES = {
    12: """
    DROP TABLE styles;
    """,
    11: """
    ALTER TABLE memories DROP COLUMN adapts;
    """,
    10: """
    DROP TABLE memory_jobs;
    """,
    9: """
    ALTER TABLE keys DROP COLUMN priority;
    """,
    8: """
    ALTER TABLE memory_entries DROP COLUMN source_lower;
    ALTER TABLE memory_entries DROP COLUMN target_lower;
    ALTER TABLE memories DROP COLUMN size;
    ALTER TABLE dictionaries DROP COLUMN size;
    ALTER TABLE suggestions DROP COLUMN size;
    """,
    7: """
    ALTER TABLE documents DROP COLUMN client;
    """,
}
"""What takes a script back, by the version that it made: the last three at least, for an older program."""

WORDS = {
    "sqlite": {
        "id": "INTEGER PRIMARY KEY",
        "integer": "INTEGER",
        "real": "REAL",
        "bytes": "BLOB",
        "strict": " STRICT",
        "strict_without_rowid": " STRICT, WITHOUT ROWID",
    },
    "postgresql": {
        "id": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        "integer": "BIGINT",
        "real": "DOUBLE PRECISION",
        "bytes": "BYTEA",
        "strict": "",
        "strict_without_rowid": "",
    },
}


def statements(script: str, dialect: str) -> Iterator[str]:
    """Yields the statements of a script one by one: SQLite's ``executescript`` would end the transaction.

    Args:
        script: One of ``MIGRATIONS``. A statement ends with a semicolon at the end of a line.
        dialect: ``sqlite`` or ``postgresql``.
    """
    statement = ""
    for line in script.format_map(WORDS[dialect]).splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
