"""Instruments as YAML: what is written is read back to the byte, and a change leaves the rest as it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.services.instruments import load_shipped, load_shipped_sources
from studies.strict_yaml import NotYaml, apply_changes, read_yaml, write_yaml
from tests.examples import MANY

pytestmark = pytest.mark.slow

NASTY = ["\n", "\r\n", "\r", " ", "  ", "\t", "{answer}", "#", ": ", "- ", "'", '"', "\\", "|", ">", "\u2028", "\x85"]
NASTY += [
    "\ufeff",
    "😀",
    "é",
    "e\u0301",
    "yes",
    "~",
    "null",
    "1_000",
    "0x1F",
    "---",
    "...",
    "\x7f",
    "\xa0",
    "%",
    "*a",
    "&a",
    "<<",
]
storable = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
words = st.lists(st.sampled_from(NASTY) | storable, max_size=8).map("".join)
keys = words.filter(lambda key: "." not in key)
values = st.recursive(
    words | st.booleans() | st.integers(-(10**15), 10**15) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@MANY
@given(st.dictionaries(keys, values, max_size=4))
def test_any_content_is_read_back_exactly_as_it_was_written(content):
    back = read_yaml(write_yaml(content))
    assert (back, list(back)) == (content, list(content))


@given(words, words, st.lists(words, max_size=3))
def test_any_words_can_be_put_in_place_of_others(title, label, lead):
    source = load_shipped_sources()["guess-then-read/en"]
    written = apply_changes(
        source, {("guess", "title"): title, ("read", "rating", "levels", 1, "label"): label, ("read", "lead"): lead}
    )
    wanted = read_yaml(source)
    wanted["guess"]["title"], wanted["read"]["rating"]["levels"][1]["label"] = title, label
    wanted["read"]["lead"] = lead
    assert read_yaml(written) == wanted


def test_a_change_leaves_comments_and_all_other_lines_as_they_are():
    source = load_shipped_sources()["guess-then-read-prompt/en"]
    written = apply_changes(source, {("guess",): "{question}\n\n{option}?", ("labels", "correct"): "Y"})
    assert written.startswith("# Prompts to models")
    assert "\n# paragraphs: as they are | one newline\n" in written
    assert '\nlabels: {correct: "Y", incorrect: "I"}\n' in written
    assert "\nguess: |-\n  {question}\n\n  {option}?\n\nread: |-\n" in written


def test_no_change_is_no_other_source():
    source = load_shipped_sources()["generate-items/de"]
    assert apply_changes(source, {("language",): "de"}) is source


def test_every_shipped_file_is_what_it_was_for_other_readers_too():
    import yaml

    for name, source in load_shipped_sources().items():
        assert yaml.safe_load(source) == load_shipped()[name]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("name: a\n  title: b\n", "in line 2, column 8"),
        ("name: a\nname: b\n", "“name” occurs twice here"),
        ("- a\n- b\n", "a YAML mapping that starts with name"),
        ("name: a\nday: 2024-01-01\n", "“day” is a date"),
        ("name: a\nread: {yes: x}\n", "The key “True” in “read” must be text"),
        ("name: a\na.b: x\n", "must be text without a dot"),
        ('name: "a\\0b"\n', "“name” contains the character \\x00"),
        ("name: .nan\n", "“name” is a float"),
        ("a: &x [1]\nb: *x\n", "write it out in full instead of using a"),
    ],
)
def test_what_cannot_be_an_instrument_is_refused_with_its_place(source, message):
    with pytest.raises(NotYaml) as refused:
        read_yaml(source)
    assert message in str(refused.value)
