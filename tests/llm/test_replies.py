"""Bodies of replies, read with suspicion: what cannot be is as if it were not there, and nothing is guessed."""

import json
from typing import Any

import pytest

from llm.replies import BadReply, parse_reply


def body(text: Any = "R", logprobs: Any = None, usage: Any = None) -> str:
    choice = {"message": {"content": text}, "logprobs": logprobs, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": usage})


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 2}, (7, 2)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (None, None)),
        ({"prompt_tokens": -5, "completion_tokens": -1}, (None, None)),
        ({"prompt_tokens": 10**400, "completion_tokens": 2**31}, (None, None)),
        ({"prompt_tokens": True, "completion_tokens": "2"}, (None, None)),
        ({"prompt_tokens": 1.5, "completion_tokens": None}, (None, None)),
        ([7, 2], (None, None)),
        (None, (None, None)),
    ],
)
def test_counts_of_tokens_that_cannot_be_are_not_there(usage, counts):
    reply = parse_reply(body(usage=usage))
    assert (reply.tokens_in, reply.tokens_out) == counts


def test_an_empty_reply_may_have_cost_no_token():
    assert parse_reply(body("", usage={"prompt_tokens": 7, "completion_tokens": 0})).tokens_out == 0


@pytest.mark.parametrize("logprob", [float("nan"), 1.0, 10**400, "0", True, [0], {}])
def test_log_probabilities_that_cannot_be_are_none(logprob):
    assert parse_reply(body(logprobs={"content": [{"token": "R", "logprob": logprob}]})).logprobs is None


def test_a_log_probability_below_all_bounds_is_the_lowest():
    told = {"content": [{"token": "R", "logprob": -(10**400)}, {"token": "F", "logprob": float("-inf")}]}
    assert parse_reply(body(logprobs=told)).logprobs == [["R", -9999.0, []], ["F", -9999.0, []]]


@pytest.mark.parametrize("content", [None, 5, True, {}, [], [None], [{"text": 5}], {"text": "R"}])
def test_what_is_no_text_is_an_empty_reply(content):
    assert parse_reply(body(content)).text == ""


@pytest.mark.parametrize(
    "raw", ["", "null", "[]", "5", '"R"', "{}", '{"choices": null}', '{"choices": []}', '{"choices": [null]}',
            '{"choices": [{}]}', '{"choices": [{"message": "R"}]}', "<html>", "[" * 100_000, '{"a": ' + "9" * 9_000]
)  # fmt: skip
def test_a_body_that_is_no_completion_is_refused(raw):
    with pytest.raises(BadReply):
        parse_reply(raw)


def test_a_byte_order_mark_before_the_json_is_passed_over():
    assert parse_reply("\ufeff" + body("R")).text == "R"
