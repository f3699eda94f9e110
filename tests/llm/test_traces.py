"""Reasoning traces are no part of an answer, however they are marked."""

import pytest

from llm.answers import has_trace, read_label, read_probability, select_answer_tokens, strip_traces
from llm.replies import parse_reply


@pytest.mark.parametrize(
    "reply",
    [
        "<think>It could be R. No.</think>F",
        "<think>\nR\n</think>\n\nF",
        "<THINK>R</THINK> F",
        "<think type='long'>R</think>F",
        "<thinking>R</thinking>F",
        "<thought>R</thought>F",
        "<reasoning>The answer is R</reasoning>F",
        "<reflection>R</reflection>F",
        "<scratchpad>R</scratchpad>\nF",
        "<analysis>R</analysis>F",
        "<seed:think>R</seed:think>F",
        "[THINK]R[/THINK]F",
        "◁think▷R◁/think▷F",
        "<|begin_of_thought|>R<|end_of_thought|><|begin_of_solution|>F<|end_of_solution|>",
        "<|START_THINKING|>R<|END_THINKING|><|START_RESPONSE|>F<|END_RESPONSE|>",
        "<think>R <think>R</think> R</think>F",
        "<think>R <reasoning>R</reasoning> R</think>F",
        "<think>R</think><think>R</think>F",
        "The answer is R, I think.</think>F",
        "R</think>R</think>F",
        "<think></think>F",
        "<think/>F",
        "<|channel|>analysis<|message|>The answer is R<|end|><|start|>assistant<|channel|>final<|message|>F<|return|>",
        "<|channel|>analysis<|message|>R<|end|><|start|>assistant<|channel|>commentary<|message|>R<|end|>"
        "<|start|>assistant<|channel|>final<|message|>F",
        "<|channel>thought\nR<channel|>F",
        "F<think>R",
        "F",
    ],
)
def test_what_is_left_is_the_answer(reply):
    assert strip_traces(reply).strip() == "F"
    assert read_label(strip_traces(reply), ["R", "F"]).label == "F"


@pytest.mark.parametrize(
    "reply",
    [
        "<think>R", "<think>R <think>R</think> and", "<reasoning>\nThe answer is R.", "[THINK]R",
        "<|channel|>analysis<|message|>R", "<|channel>thought\nThe answer is R", "R</think>", "<think>R</think>", "",
    ],
)  # fmt: skip
def test_a_trace_without_end_leaves_no_answer(reply):
    assert strip_traces(reply).strip() == ""


@pytest.mark.parametrize("text", ["I think so.", "a < b > c", "<b>F</b>", "[1] F", "analysis: F", "  F\n"])
def test_a_text_without_a_trace_stays_as_it_is(text):
    assert strip_traces(text) == text
    assert not has_trace(text)


def tokens(*words):
    return [[word, -0.1, [[word, -0.1]]] for word in words]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("<think>", "R", "</think>", "\n\n", "F"), "<think>R</think>\n\nF"),
        (("<", "think", ">", "R", "</", "think", ">", "F"), "<think>R</think>F"),
        (("R", " is", " it", "</think>", "F"), "F"),
        (("Maybe", " R", ".", "F"), "F"),
        (("F",), "F"),
    ],
)
def test_probabilities_are_read_at_the_first_token_of_the_answer(words, text):
    kept = select_answer_tokens(tokens(*words), text)
    assert [token[0] for token in kept if token[0].strip()] == ["F"]
    assert read_probability(kept, "R", "F").p == 0


def test_of_a_trace_alone_no_probability_is_read():
    kept = select_answer_tokens(tokens("<think>", "R", " or"), "<think>R or")
    assert read_probability(kept, "R", "F").p is None


def body(message, finish="stop"):
    import json

    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], "model": "m"})


@pytest.mark.parametrize(
    "message",
    [
        {"content": "F", "reasoning_content": "The answer is R."},
        {"content": "F", "reasoning": "The answer is R."},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "R"}]}, {"type": "text", "text": "F"}]},
        {"content": [{"type": "reasoning", "text": "R"}, {"type": "output_text", "text": "F"}]},
    ],
)
def test_a_trace_in_a_field_of_its_own_is_not_read(message):
    reply = parse_reply(body(message))
    assert reply.text == "F"
    assert reply.is_reasoned


def test_a_reply_of_reasoning_alone_has_no_text():
    reply = parse_reply(body({"content": None, "reasoning_content": "R"}, "length"))
    assert (reply.text, reply.is_reasoned) == ("", True)
