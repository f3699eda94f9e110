"""The thread of the wire: it is up before anything is sent, and its end is noticed."""

import json
import time

import pytest

from llm import wire
from llm.models import Endpoint
from llm.prompts import Prompt, hash_request, make_content_key
from llm.registry import Request, hash_text, to_canonical_json
from llm.wire import ConnectionConfig, Wire
from tests.patience import PATIENCE

CONFIG = ConnectionConfig("http://127.0.0.1:9/v1", "", 1, 2)
ASKED = Request([{"role": "user", "content": "Größe?"}], {"temperature": 0, "max_tokens": 4})


def test_a_wire_that_could_not_start_is_an_error_and_no_endless_wait(monkeypatch):
    def fail(*arguments):
        raise RuntimeError("no client")

    monkeypatch.setattr(wire, "make_client", fail)
    monkeypatch.setattr("threading.excepthook", lambda arguments: None)
    with Wire(CONFIG) as mine:
        mine._thread.join(PATIENCE)
        with pytest.raises(RuntimeError, match="has ended"):
            mine.collect(0.05)


def test_what_is_still_out_at_the_end_is_given_up(allow_loopback, serve_model):
    server = serve_model("R", latency=3 * PATIENCE)
    began = time.monotonic()
    with Wire(ConnectionConfig(server.base_url, "", 2 * PATIENCE, 2)) as mine:
        mine.send([(1, Prompt(ASKED, ASKED.params).body("m"))])
        assert mine.collect(0.2) == []
    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize("params", [{}, {"max_tokens": 4, "temperature": 0}])
def test_the_body_is_the_model_the_messages_and_the_parameters(params):
    body = Prompt(Request(ASKED.messages, params), params).body("m")
    assert json.loads(body) == {"model": "m", "messages": ASKED.messages, **params}


def test_hashes_are_those_of_the_whole_in_canonical_form():
    """What was stored by earlier versions is found again."""
    endpoint = Endpoint(base_url="https://api.example.org/v1", model="m")
    whole = [7, endpoint.base_url, "m", ASKED.messages, ASKED.params, 2]
    assert make_content_key(7, endpoint, Prompt(ASKED, ASKED.params), 2) == hash_text(to_canonical_json(whole))
    assert hash_request(ASKED) == hash_text(to_canonical_json([ASKED.messages, ASKED.params]))
