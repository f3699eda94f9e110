"""A setting that cannot be read is refused in a sentence that names it."""

import os
import subprocess
import sys

import pytest

from config import env
from config.env import BadSetting


@pytest.mark.parametrize("zone", ["Foo/Bar", "", "../etc/passwd", "Europe", "a\x00b"])
def test_a_time_zone_that_nobody_knows_is_refused(monkeypatch, zone):
    monkeypatch.setattr(env, "read_text", lambda name, default="": zone)
    with pytest.raises(BadSetting, match=r"ZONE is .*; write the name of a time zone"):
        env.read_time_zone("ZONE", "UTC")


@pytest.mark.parametrize("url", ["mysql://me:secret@host/x", "nonsense", "postgres://me:secret@host:port/x"])
def test_a_database_that_lesart_does_not_know_is_refused_without_its_password(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(BadSetting, match="DATABASE_URL cannot be read; write postgres") as refused:
        env.read_database("DATABASE_URL", "sqlite:///x")
    assert "secret" not in str(refused.value)


def test_without_an_address_the_database_is_the_file(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "")
    assert env.read_database("DATABASE_URL", "sqlite:////data/lesart.sqlite3")["NAME"] == "/data/lesart.sqlite3"


def test_a_data_folder_that_is_a_file_is_refused(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    (tmp_path / "data").write_text("")
    with pytest.raises(BadSetting, match="cannot be written to keep one"):
        env.read_secret("SECRET_KEY", tmp_path / "data" / "secret_key")


def test_a_key_is_made_once(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    made = env.read_secret("SECRET_KEY", tmp_path / "data" / "secret_key")
    assert len(made) > 40
    assert env.read_secret("SECRET_KEY", tmp_path / "data" / "secret_key") == made


@pytest.mark.parametrize("value", ["http://host", "host/path", "a, b c", "me:secret@host"])
def test_an_address_in_place_of_a_host_is_refused(monkeypatch, value):
    monkeypatch.setenv("HOSTS", value)
    with pytest.raises(BadSetting, match=r"HOSTS has .*; write HOST, without https:// and path"):
        env.read_hosts("HOSTS")


def test_hosts_may_be_of_any_kind_with_a_port_or_without(monkeypatch):
    hosts = ["*", ".example.org", "[::1]", "10.0.0.5:8000", "über.example"]
    monkeypatch.setenv("HOSTS", ", ".join(hosts))
    assert env.read_hosts("HOSTS") == hosts


@pytest.mark.parametrize("value", ["lesart.example.org", "https://host/path", "ftp://host"])
def test_an_origin_without_its_scheme_is_refused(monkeypatch, value):
    monkeypatch.setenv("ORIGINS", f"https://a.example,{value}")
    with pytest.raises(BadSetting, match=r"ORIGINS has .*; write https://HOST"):
        env.read_origins("ORIGINS")


def test_a_mail_server_is_read_with_its_password(monkeypatch):
    monkeypatch.setenv("MAIL", "smtp+tls://me%40x.org:p%3Aw@mail.example.org")
    assert env.read_mail_server("MAIL") == {
        "HOST": "mail.example.org", "PORT": 587, "HOST_USER": "me@x.org", "HOST_PASSWORD": "p:w",
        "USE_TLS": True, "USE_SSL": False,
    }  # fmt: skip
    monkeypatch.setenv("MAIL", "")
    assert env.read_mail_server("MAIL") == {}


@pytest.mark.parametrize("url", ["mail.example.org", "http://me:secret@host", "smtp://me:secret@host:port", "smtps://"])
def test_a_mail_server_that_cannot_be_read_is_refused_without_its_password(monkeypatch, url):
    monkeypatch.setenv("MAIL", url)
    with pytest.raises(BadSetting, match="MAIL cannot be read") as refused:
        env.read_mail_server("MAIL")
    assert "secret" not in str(refused.value)


def test_hsts_is_a_setting(tmp_path):
    """Settings are read once a process."""
    read = [sys.executable, "-c", "from config import settings; print(settings.SECURE_HSTS_SECONDS)"]
    given = os.environ | {"LESART_DATA": str(tmp_path), "LESART_HSTS_SECONDS": "3600"}
    assert subprocess.run(read, env=given, capture_output=True, text=True).stdout == "3600\n"
