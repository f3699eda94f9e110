"""What an instrument must say: its use, all wordings of its protocol, and only slots that are filled."""

import pytest

from studies.instrument_kinds import find_kind, find_protocol
from studies.services.instrument_writing import read_draft
from studies.services.instruments import load_shipped, load_shipped_sources
from studies.strict_yaml import apply_changes, write_yaml

PEOPLE, PROMPT, WRITER = "guess-then-read/en", "guess-then-read-prompt/en", "generate-items/en"
LEVELS = [{"value": value, "label": f"step {value}"} for value in range(1, 8)]


def list_problems(name: str, changes: dict) -> list[tuple[str, str]]:
    """Place and sentence of every problem of a shipped instrument with these changes, by dotted path."""
    paths = {
        tuple(int(part) if part.isdigit() else part for part in path.split(".")): value
        for path, value in changes.items()
    }
    draft = read_draft(apply_changes(load_shipped_sources()[name], paths))
    return [(problem.place, problem.sentence) for problem in draft.problems]


@pytest.mark.parametrize("name", sorted(load_shipped()))
def test_what_ships_has_no_problem(name):
    draft = read_draft(load_shipped_sources()[name])
    assert (draft.problems, draft.notices) == ([], [])


@pytest.mark.parametrize(
    ("name", "changes", "place", "sentence"),
    [
        (PROMPT, {"guess": "{question} {option} {text}"}, "guess", "but the text is not shown at"),
        (PROMPT, {"guess": "{question} {option} {title}"}, "guess", "but the text is not shown at"),
        (PROMPT, {"guess": "{question} {option} {answer}"}, "guess", "would give the key away"),
        (PROMPT, {"read": "{text} {question} {option} {reference}"}, "read", "would give the key away"),
        (
            PROMPT,
            {"read": "{text} {question} {option} {foo}"},
            "read",
            "the unknown placeholder {foo}. Remove it",
        ),
        (PROMPT, {"read": "{question} {option}"}, "read", "lacks the placeholder {text}. Add it"),
        (PROMPT, {"labels.incorrect": "c"}, "labels.incorrect", "must differ, also in lower case"),
        (PROMPT, {"text.paragraphs": "two"}, "text", "paragraphs: as they are or one newline"),
        (PROMPT, {"protocol": "other"}, "protocol", "Add the line “protocol:”"),
        (WRITER, {"generate": "{text} {n_items}"}, "generate", "lacks the placeholder {n_options}"),
        (WRITER, {"again": "{text}"}, "again", "placeholder {text}"),
        (PEOPLE, {"guess.hint": "Of {n_option} some"}, "guess.hint", "available placeholders: {n_options}"),
        (PEOPLE, {"guess.lead": ["Read {text} first."]}, "guess.lead", "it; available"),
        (PEOPLE, {"read.lead": ["One.", 2]}, "read.lead", "“read.lead.1” must be text. Put it in quotes."),
        (PEOPLE, {"read.lead": "One."}, "read.lead", "“read.lead” must be a list."),
        (PEOPLE, {"guess.next": " "}, "guess.next", "“guess.next” is empty. Enter the text that annotators will read."),
        (PEOPLE, {"guess": "Guess!"}, "guess", "“guess” must be a mapping of wordings."),
        (
            PEOPLE,
            {"read.rating.levels.1": {"label": "bad"}},
            "read.rating.levels.1",
            "must be a mapping with: label, value",
        ),
        (
            PEOPLE,
            {"use": "persons"},
            "use",
            "Unknown use “persons”. Choose one of: people, evaluator, letters, judge, generator",
        ),
        (PEOPLE, {"name": "a name"}, "name", "letters, digits, hyphens and underscores"),
        (PEOPLE, {"language": "no language"}, "language", "a code such as de, en or pt-BR"),
        (PEOPLE, {"title": ""}, "title", "title” is"),
    ],
)
def test_a_problem_stands_at_its_place_and_names_its_remedy(name, changes, place, sentence):
    problems = dict(list_problems(name, changes))
    assert place in problems
    assert sentence in problems[place]


def test_a_missing_wording_is_named_with_what_the_shipped_one_has():
    content = {
        **load_shipped()[PEOPLE],
        "guess": {key: words for key, words in load_shipped()[PEOPLE]["guess"].items() if key != "next"},
    }
    problems = read_draft(write_yaml(content)).problems
    assert [(problem.place, problem.sentence) for problem in problems] == [
        ("guess.next", "“guess.next” is missing. Add it; the wording that comes with Lesart has: Continue")
    ]


def test_all_problems_are_told_at_once():
    problems = list_problems(PROMPT, {"guess": "{text}", "read": "x", "again": "{option}"})
    assert [place for place, _sentence in problems] == ["guess", "read", "again"]


def test_a_scale_of_another_length_is_a_notice_and_no_problem():
    source = apply_changes(load_shipped_sources()[PEOPLE], {("read", "rating", "levels"): LEVELS})
    draft = read_draft(source)
    assert draft.problems == []
    assert "rating_scale is 5, but the wording has words for 7 steps" in draft.notices[0]


@pytest.mark.parametrize("name", [PEOPLE, PROMPT, WRITER])
def test_what_does_not_say_its_use_is_known_by_its_shape(name):
    content = {key: words for key, words in load_shipped()[name].items() if key not in ("use", "protocol")}
    assert find_kind(content) is find_kind(load_shipped()[name])
    assert find_protocol(content) == load_shipped()[name].get("protocol")


def test_without_use_and_known_shape_the_remedy_is_a_line():
    problems = read_draft("name: a\nlanguage: en\ntitle: A\nwords: b\n").problems
    assert "Add the line “use:”" in problems[0].sentence
