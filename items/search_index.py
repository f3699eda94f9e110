"""The full-text index of texts, questions and options: FTS5 tables on SQLite, GIN indexes on PostgreSQL.

The database itself updates it, so that it stays correct however a row is written, including bulk inserts, packs, moved
rows and deletions. It is created after each migration (`items.apps`) rather than by one, because SQLite drops the
triggers of a table that a migration rewrites.
"""

from collections.abc import Iterator
from string import ascii_letters, digits
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

# The searchable columns, by table.
INDEXED = {
    "items_text": ("title", "body"),
    "items_item": ("stem", "expected_answer"),
    "items_option": ("text",),
}
# PostgreSQL reads words joined by these signs as an address, a path or a number; FTS5 splits words at them.
SIGNS = "".join(sign for sign in map(chr, range(33, 127)) if sign not in ascii_letters + digits)


def ensure_search_index(connection: BaseDatabaseWrapper) -> None:
    """Create the missing parts of the index."""
    made = set(connection.introspection.table_names())
    for table in INDEXED.keys() & made:
        make = ensure_gin_index if connection.vendor == "postgresql" else ensure_fts_table
        make(connection, table)


def ensure_gin_index(connection: BaseDatabaseWrapper, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE INDEX IF NOT EXISTS {table}_words ON {table} USING gin ({build_vector(table)})", [])


def ensure_fts_table(connection: BaseDatabaseWrapper, table: str) -> None:
    """Create the FTS5 table, which holds no copy of the rows, and the triggers that update it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
        known = {name for (name,) in cursor.fetchall()}
        triggers = dict(build_triggers(table))
        if triggers.keys() <= known:
            return
        columns = ", ".join(INDEXED[table])
        cursor.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {table}_words USING fts5({columns}, content='{table}', "
            "content_rowid='id', tokenize='unicode61 remove_diacritics 0')"
        )
        for name, statement in triggers.items():
            if name not in known:
                cursor.execute(statement)
        cursor.execute(f"INSERT INTO {table}_words({table}_words) VALUES ('rebuild')")


def build_triggers(table: str) -> Iterator[tuple[str, str]]:
    """(name, statement) of each trigger of a table. To delete words, FTS5 needs the old values of the row."""
    index, columns = f"{table}_words", INDEXED[table]
    names = ", ".join(columns)
    new, old = (", ".join(f"{row}.{column}" for column in columns) for row in ("new", "old"))
    add = f"INSERT INTO {index}(rowid, {names}) VALUES (new.id, {new});"
    forget = f"INSERT INTO {index}({index}, rowid, {names}) VALUES ('delete', old.id, {old});"
    events = {"insert": ("INSERT", add), "delete": ("DELETE", forget), "update": (f"UPDATE OF {names}", forget + add)}
    for name, (event, statements) in events.items():
        trigger = f"{index}_{name}"
        yield trigger, f"CREATE TRIGGER {trigger} AFTER {event} ON {table} BEGIN {statements} END"


def build_vector(table: str) -> str:
    """The expression for the words of a row: the same in the index and in queries, so that PostgreSQL uses the
    index."""
    joined = " || ' ' || ".join(INDEXED[table])
    signs = SIGNS.replace("'", "''").replace("%", "%%")
    return f"to_tsvector('simple', translate({joined}, '{signs}', '{' ' * len(SIGNS)}'))"


def build_match(vendor: str, table: str, word: str) -> tuple[str, list[Any]]:
    """SQL for the ids of the rows with a word that begins with `word`, and its parameters; `word`: letters and digits
    only."""
    if vendor == "postgresql":
        return f"SELECT id FROM {table} WHERE {build_vector(table)} @@ to_tsquery('simple', %s)", [f"{word}:*"]
    return f"SELECT rowid FROM {table}_words WHERE {table}_words MATCH %s", [f'"{word}"*']
