"""Every instrument ships in three languages that ask the same, each in its own words."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from items.language import recognize_languages
from studies.services.instruments import load_shipped

LANGUAGES = ("de", "en", "eu")
# What Lesart ships in three languages. A protocol that is being written may have one language until it joins this list.
NAMES = (
    "best-worst",
    "dimension-ratings",
    "dimension-ratings-judge",
    "generate-items",
    "generate-items-examples",
    "generate-items-json",
    "generate-items-reasons",
    "generate-items-reasons-json",
    "generate-open-questions",
    "generate-open-questions-json",
    "generate-question",
    "generate-question-examples",
    "guess-then-read",
    "guess-then-read-letters",
    "guess-then-read-prompt",
    "item-writing-flaws",
    "pairwise",
    "pairwise-judge",
    "stopping-questionnaire",
    "stopping-questionnaire-judge",
    "writing",
)
# The last word of a path, or the mapping it stands in, whose value is for the code; all others are wordings.
FOR_CODE = {
    "name",
    "use",
    "protocol",
    "reply",
    "explain",
    "writes",
    "value",
    "rewords",
    "needs_expected_answer",
}
ALL_FOR_CODE = {"text", "stop_if", "asked_if"}
SLOT = re.compile(r"\{\w+\}")


def leaves(content: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """Path and value of everything that is neither a mapping nor a list, in the order of the file."""
    if isinstance(content, dict | list):
        for key, inner in content.items() if isinstance(content, dict) else enumerate(content):
            yield from leaves(inner, (*path, key))
    else:
        yield path, content


def values(name: str, language: str) -> dict[tuple, Any]:
    return dict(
        leaves({key: value for key, value in load_shipped()[f"{name}/{language}"].items() if key != "language"})
    )


def is_for_code(path: tuple) -> bool:
    of_question = ("questions" in path and path[-1] == "kind") or path[-2:-1] == ("questions",)
    return path[-1] in FOR_CODE or bool(ALL_FOR_CODE.intersection(path)) or of_question


def wordings(name: str, language: str) -> dict[tuple, str]:
    return {path: value for path, value in values(name, language).items() if not is_for_code(path)}


def test_every_instrument_ships_in_three_languages():
    missing = {f"{name}/{language}" for name in NAMES for language in LANGUAGES} - load_shipped().keys()
    begun = [name.partition("/")[0] for name in load_shipped() if name.partition("/")[0] not in NAMES]
    assert not missing
    assert len(begun) == len(set(begun)), "more than one language: add it to NAMES, with all three"


@pytest.mark.parametrize("language", ["de", "eu"])
@pytest.mark.parametrize("name", NAMES)
def test_they_have_the_same_parts_in_the_same_order(name, language):
    assert list(values(name, language)) == list(values(name, "en"))


@pytest.mark.parametrize("language", ["de", "eu"])
@pytest.mark.parametrize("name", NAMES)
def test_what_the_code_reads_is_the_same(name, language):
    here, english = values(name, language), values(name, "en")
    assert {path: here[path] for path in here if is_for_code(path)} == {
        path: english[path] for path in english if is_for_code(path)
    }


@pytest.mark.parametrize("language", ["de", "eu"])
@pytest.mark.parametrize("name", NAMES)
def test_wordings_have_the_same_slots(name, language):
    english = wordings(name, "en")
    for path, words in wordings(name, language).items():
        assert set(SLOT.findall(words)) == set(SLOT.findall(english[path])), path


@pytest.mark.parametrize("name", NAMES)
def test_no_wording_is_left_in_another_language(name):
    basque, english = wordings(name, "eu"), wordings(name, "en")
    of_words = {path: SLOT.sub("", words).strip() for path, words in basque.items() if path[0] != "labels"}
    assert [path for path, words in of_words.items() if words and basque[path] == english[path]] == []
    longer = [words for words in basque.values() if len(words) > 60]
    assert set(recognize_languages(longer, expected=["eu", "en", "de"])) <= {"eu"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_are_two_letters_that_cannot_be_taken_for_one_another(language):
    labels = load_shipped()[f"guess-then-read-prompt/{language}"]["labels"]
    assert labels == {
        "de": {"correct": "R", "incorrect": "F"},
        "en": {"correct": "C", "incorrect": "I"},
        "eu": {"correct": "Z", "incorrect": "O"},
    }[language]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_of_pairs_are_three_letters_that_cannot_be_taken_for_one_another(language):
    labels = load_shipped()[f"pairwise-judge/{language}"]["labels"]
    assert labels == {"first": "A", "second": "B", "tie": {"de": "U", "en": "T", "eu": "P"}[language]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_prompts_name_the_letters_that_are_read(language):
    for name, asked in (
        ("pairwise-judge", ("compare", "again")),
        ("guess-then-read-prompt", ("guess", "read", "again")),
    ):
        content = load_shipped()[f"{name}/{language}"]
        for part in asked:
            last = content[part].strip().splitlines()[-1]
            assert all(re.search(rf"(?<!\w){label}(?!\w)", last) for label in content["labels"].values()), (name, part)
