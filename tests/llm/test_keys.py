"""Keys: encrypted where they lie, in no log, error or reply."""

import logging

import pytest

from llm import keys
from llm.models import Endpoint
from llm.services.draining import drain_here
from llm.services.endpoints import save_endpoint
from tests.mock_server import Planned, error

KEY = "sk-test-0123456789abcdefghijklmnop"


def test_a_stored_key_is_not_the_key_and_comes_back():
    stored = keys.encrypt(KEY)
    assert KEY not in stored
    assert keys.decrypt(stored) == KEY
    assert keys.encrypt("") == keys.decrypt("") == ""


def test_a_changed_secret_key_reads_old_keys_through_the_fallback(settings):
    stored = keys.encrypt(KEY)
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another secret key, long and random"
    with pytest.raises(keys.UnreadableKey):
        keys.decrypt(stored)
    settings.SECRET_KEY_FALLBACKS = [old]
    assert keys.decrypt(stored) == KEY


def test_redacting_takes_out_the_key_and_what_looks_like_one():
    text = keys.redact(f"bad key {KEY}; Authorization: Bearer abcdef123456; sk-proj-AAAAAAAAAAAAAAAAAAAAAAAA", KEY)
    assert text == "bad key [key]; Authorization: [key]; [key]"


@pytest.mark.database
@pytest.mark.django_db
def test_a_server_that_echoes_the_key_puts_it_nowhere(serve_model, make_run, caplog):
    caplog.set_level(logging.DEBUG)
    echoes = [error(400, f"Incorrect key {KEY}"), Planned(f"R {KEY}"), Planned(raw=f"<p>Bearer {KEY}</p>".encode())]
    run = make_run(serve_model(lambda request: echoes[request.number % 3]), 3, params={"as_published": True})
    Endpoint.objects.update(encrypted_key=keys.encrypt(KEY))
    run.endpoint.refresh_from_db()
    run = drain_here(run)
    for call in run.calls.values():
        assert KEY not in str(call)
    assert KEY not in run.reason
    assert KEY not in caplog.text


def test_a_key_is_found_as_json_and_addresses_write_it():
    key = 'ab/cd"ef+0123456789'
    body = r'{"a": "ab/cd\"ef+0123456789", "b": "ab\/cd", "c": "ab%2Fcd%22ef%2B0123456789"}'
    assert keys.remove_key(body, key) == r'{"a": "[key]", "b": "ab\/cd", "c": "[key]"}'
    assert keys.remove_key(r"ab\/cd", "ab/cd") == "[key]"


@pytest.mark.database
@pytest.mark.django_db
def test_no_field_of_a_reply_carries_the_key_into_the_ledger(serve_model, make_run):
    escaped = "".join(f"\\u{ord(char):04x}" for char in KEY)
    body = (
        '{"model": "KEY", "choices": [{"finish_reason": "KEY", "message": {"content": "R"}, "logprobs":'
        ' {"content": [{"token": "KEY", "logprob": 0, "top_logprobs": [{"token": "KEY", "logprob": 0}]}]}}]}'
    ).replace("KEY", escaped)
    run = make_run(serve_model(Planned(raw=body.encode())), 1)
    Endpoint.objects.update(encrypted_key=keys.encrypt(KEY))
    run.endpoint.refresh_from_db()
    call = drain_here(run).calls.get()
    assert call.returned_model == "[key]"
    assert call.finish_reason == "[key]"
    assert call.logprobs == [["[key]", 0.0, [["[key]", 0.0]]]]


@pytest.mark.database
@pytest.mark.django_db
def test_the_key_goes_to_its_endpoint(serve_model, make_run, monkeypatch):
    server = serve_model("R")
    seen = []
    note = server._note
    monkeypatch.setattr(
        server, "_note", lambda path, headers, body: (seen.append(headers), note(path, headers, body))[1]
    )
    run = make_run(server, 1)
    Endpoint.objects.update(encrypted_key=keys.encrypt(KEY))
    run.endpoint.refresh_from_db()
    drain_here(run)
    assert seen[0]["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in server.requests[0].headers


@pytest.mark.django_db
def test_a_changed_base_url_drops_the_key():
    fields = {"name": "a", "base_url": "https://api.example.org/v1", "model": "m"}
    endpoint = save_endpoint(Endpoint(), key=KEY, **fields)
    save_endpoint(endpoint, key="", **fields | {"model": "n"})
    assert keys.decrypt(Endpoint.objects.get().encrypted_key) == KEY
    save_endpoint(endpoint, key="", **fields | {"base_url": "https://other.example.org/v1"})
    assert not Endpoint.objects.get().has_key


@pytest.mark.django_db
def test_a_key_that_cannot_be_read_pauses_the_run(serve_model, make_run):
    run = make_run(serve_model("R"), 1)
    Endpoint.objects.update(encrypted_key="gAAAA-not-a-token")
    run.endpoint.refresh_from_db()
    run = drain_here(run)
    assert (run.state, run.reason) == ("paused", "key_unreadable")
