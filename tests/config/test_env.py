"""A setting that cannot be read is refused in a sentence that names it."""

import pytest

from config import env
from config.env import BadSetting


@pytest.mark.parametrize("zone", ["Foo/Bar", "", "../etc/passwd", "Europe", "a\x00b"])
def test_a_time_zone_that_nobody_knows_is_refused(monkeypatch, zone):
    monkeypatch.setattr(env, "text", lambda name, default="": zone)
    with pytest.raises(BadSetting, match=r"ZONE is .*; write the name of a time zone"):
        env.time_zone("ZONE", "UTC")


@pytest.mark.parametrize("url", ["mysql://me:secret@host/x", "nonsense", "postgres://me:secret@host:port/x"])
def test_a_database_that_lesart_does_not_know_is_refused_without_its_password(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(BadSetting, match="DATABASE_URL cannot be read; write postgres") as refused:
        env.database("DATABASE_URL", "sqlite:///x")
    assert "secret" not in str(refused.value)


def test_without_an_address_the_database_is_the_file(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "")
    assert env.database("DATABASE_URL", "sqlite:////data/lesart.sqlite3")["NAME"] == "/data/lesart.sqlite3"


def test_a_data_folder_that_is_a_file_is_refused(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    (tmp_path / "data").write_text("")
    with pytest.raises(BadSetting, match="cannot be written to keep one"):
        env.secret("SECRET_KEY", tmp_path / "data" / "secret_key")


def test_a_key_is_made_once(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    made = env.secret("SECRET_KEY", tmp_path / "data" / "secret_key")
    assert len(made) > 40
    assert env.secret("SECRET_KEY", tmp_path / "data" / "secret_key") == made
