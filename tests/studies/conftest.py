import sqlite3
from contextlib import closing

import pytest
from django.db import connection


@pytest.fixture
def real_database(transactional_db, tmp_path):
    """On SQLite a file, as in the product: in memory all share one lock, and nobody waits for it."""
    if connection.vendor != "sqlite":
        yield
        return
    file = tmp_path / "burst.sqlite3"
    with closing(sqlite3.connect(file)) as copy:
        connection.connection.backup(copy)
    name, memory = connection.settings_dict["NAME"], connection.connection
    connection.settings_dict["NAME"], connection.connection = str(file), None
    yield
    connection.close()
    connection.settings_dict["NAME"], connection.connection = name, memory
