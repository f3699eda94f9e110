"""The prompts: exact to the byte, one option each, and nothing in a guess that gives the text away."""

import copy

import pytest
import yaml

from studies.prompts import BadTemplate, read_prompts
from studies.services.instruments import load_shipped_sources

STAGES = {"guess": False, "read": True}


@pytest.fixture
def content() -> dict:
    return {
        "labels": {"correct": "R", "incorrect": "F"},
        "text": {"title": False, "paragraphs": "as they are"},
        "guess": "Frage: {question}\nAntwort: {option}",
        "read": "{text}\n\n{question} {option}?",
        "again": "R oder F?",
    }


def render_prompt(content: dict, stage: str, **values: str) -> str:
    values = {"title": "Titel", "body": "Text.", "question": "Wer?", "option": "Ich"} | values
    return read_prompts(content, STAGES).render(stage, **values)


def test_slots_are_filled_and_nothing_else_changes(content):
    assert render_prompt(content, "guess") == "Frage: Wer?\nAntwort: Ich"
    assert (
        render_prompt(content, "read", body="  Erster\r\n\r\n\tzweiter \n")
        == "  Erster\r\n\r\n\tzweiter \n\n\nWer? Ich?"
    )


def test_what_looks_like_a_slot_in_a_text_stays_what_it_is(content):
    body = "Man schreibt {option} und {unknown} und {{text}} und %s."
    assert render_prompt(content, "read", body=body, question="{text}?").startswith(body + "\n\n{text}? Ich")


def test_other_braces_in_a_template_stay(content):
    content["guess"] = '{"q": "{question}", "o": "{option}", "n": {1}, "e": {}}'
    assert render_prompt(content, "guess") == '{"q": "Wer?", "o": "Ich", "n": {1}, "e": {}}'


def test_a_title_and_paragraphs_are_laid_out_as_declared(content):
    content["text"] = {"title": True, "paragraphs": "one newline"}
    assert render_prompt(content, "read", body="\nEins.  \n\n  \n  Zwei.\r\nDrei.\n").startswith(
        "Titel\nEins.\nZwei.\nDrei.\n\nWer?"
    )
    assert render_prompt(content, "read", title="", body="Eins.").startswith("Eins.\n")


@pytest.mark.parametrize(
    ("stage", "template", "message"),
    [
        ("read", "{text} {question} {option} {key}", "the placeholder {key}"),
        ("guess", "{text} {question} {option}", "placeholder {text}"),
        ("guess", "{question} only", "lacks the placeholder {option}"),
        ("read", "{question} {option}", "lacks the placeholder {text}"),
        ("again", "{option}: R oder F?", "placeholder {option}"),
    ],
)
def test_a_slot_that_cannot_be_filled_or_is_missing_is_refused(content, stage, template, message):
    content[stage] = template
    with pytest.raises(BadTemplate) as refused:
        read_prompts(content, STAGES)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": {"correct": "r", "incorrect": "R"}},
        {"labels": {"correct": "", "incorrect": "R"}},
        {"labels": {"correct": True, "incorrect": "R"}},
        {"labels": "R/F"},
        {"guess": None},
        {"again": 3},
        {"text": {"paragraphs": "two newlines"}},
        {"text": {"title": "yes"}},
    ],
)
def test_an_instrument_that_lacks_a_part_is_refused(content, change):
    with pytest.raises(BadTemplate):
        read_prompts(content | change, STAGES)


@pytest.mark.parametrize(("language", "labels"), [("de", ("R", "F")), ("en", ("C", "I")), ("eu", ("Z", "O"))])
def test_the_shipped_prompts_can_be_used(language, labels):
    content = yaml.safe_load(load_shipped_sources()[f"guess-then-read-prompt/{language}"])
    prompts = read_prompts(copy.deepcopy(content), STAGES)
    assert (prompts.correct, prompts.incorrect) == labels
    read = prompts.render("read", title="Titel", body="Der Text.\n", question="Wer?", option="Ich")
    assert read.startswith("Der Text.\n\n\n")  # first, and as it is: prompts about one text begin alike
    assert "Titel" not in read
    guess = prompts.render("guess", title="Titel", body="Der Text.", question="Wer?", option="Ich")
    assert "Der Text." not in guess
    for prompt in (read, guess):
        assert prompt.count("Wer?") == prompt.count(": Ich\n") == 1
