"""The small local model: a server of our own that only its key opens, and that is gone when we are."""

import json
import urllib.error
import urllib.request

import pytest

from config.cli import model

pytestmark = pytest.mark.slow

needs_it = pytest.mark.skipif(model.find_obstacle() is not None, reason=f"{model.find_obstacle()}")


def ask(url: str, key: str, body: dict) -> dict:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


@needs_it
def test_it_answers_with_log_probabilities_and_the_same_words_again():
    body = {
        "model": model.MODEL, "messages": [{"role": "user", "content": "Name a river."}], "temperature": 0,
        "max_tokens": 6, "logprobs": True, "top_logprobs": 5,
    }  # fmt: skip
    with model.run_model() as (url, key):
        first, second = ask(url, key, body), ask(url, key, body)
    assert first["choices"][0]["message"]["content"] == second["choices"][0]["message"]["content"] != ""
    assert len(first["choices"][0]["logprobs"]["content"][0]["top_logprobs"]) == 5


@needs_it
def test_only_the_key_opens_it_and_afterwards_it_is_gone():
    with model.run_model() as (url, key):
        assert model.is_answering(url, key)
        assert not model.is_answering(url, "another key")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(url, "another key", {"messages": []})
    assert not model.is_answering(url, key)


def test_missing_packages_are_a_sentence(monkeypatch):
    monkeypatch.setattr(model, "find_spec", lambda name: None)
    assert (
        model.find_obstacle()
        == "The packages of the small local model are not installed: there are none for this machine."
    )
    with pytest.raises(RuntimeError, match="not installed"), model.run_model():
        pass


def test_a_processor_that_is_too_old_is_a_sentence(monkeypatch):
    monkeypatch.setattr(model, "_has_needed_instructions", lambda: False)
    monkeypatch.setattr(model, "find_spec", lambda name: object())
    monkeypatch.setattr(model, "_find_weights", lambda: object())
    assert "AVX2" in model.find_obstacle()
