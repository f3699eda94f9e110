"""A study file that cannot be taken: one clear sentence, and nothing is stored."""

import pytest
from django.core.management import CommandError, call_command

from studies.services.spec import SpecError, read_spec
from tests.studies.world import bank, counts

HEAD = "slug: small\nprotocol: guess-then-read\n"

REFUSED = {
    "an unknown field": (HEAD + "plam: {}\n", "plam is unknown; check its spelling."),
    "an unknown field further in": (HEAD + "plan: {anotators: 6}\n", "plan.anotators is unknown"),
    "a missing protocol": ("slug: small\n", "protocol is missing."),
    "an unknown protocol": ("slug: small\nprotocol: pairwise-ish\n", "Unknown protocol “pairwise-ish”"),
    "an unknown parameter": (HEAD + "params: {prefil: true}\n", "no parameter 'prefil'; it has: prefill, rating_scale"),
    "a parameter of the wrong type": (HEAD + "params: {prefill: 1}\n", "prefill is 1; it takes true or false"),
    "a scale without words": (HEAD + "params: {rating_scale: 7}\n", "the wording has words for 5 steps"),
    "an unknown instrument": (HEAD + "instrument: guess-then-read/xx\n", "There is no instrument “guess-then-read/xx”"),
    "an instrument of another protocol": (HEAD + "instrument: generate-items/en\n", "does not belong to the protocol"),
    "an unknown version": (HEAD + "instrument: guess-then-read/en@7\n", "has no version 7; it has: 1"),
    "two languages at once": (HEAD + "language: de\ninstrument: guess-then-read/en\n", "the same language in both"),
    "an unknown text": (HEAD + "items: {texts: [t1, t9]}\n", "The project has no text “t9”"),
    "an unknown generator": (HEAD + "items: {generators: [oak]}\n", "The project has no generator “oak”"),
    "an empty list of texts": (HEAD + "items: {texts: []}\n", "items.texts: write all, or a list"),
    "ids that YAML reads as numbers": (HEAD + "items: {texts: [1, 2]}\n", "numbers in quotes"),
    "more annotators a text than there are": (
        HEAD + "plan: {annotators: 2, per_unit: 3}\n", "Each text can be done by 1 to 2 annotators, not by 3",
    ),
    "shared and own texts that do not add up": (
        HEAD + "plan: {annotators: 2, shared_texts: 1, own_texts: 1}\n", "are 3 texts, but the study has 2",
    ),
    "own texts for nobody": (HEAD + "plan: {own_texts: 1}\n", "Set annotators to a number"),
    "shared texts for nobody": (HEAD + "plan: {shared_texts: 1}\n", "Set annotators to a number"),
    "no annotator": (HEAD + "plan: {annotators: 0}\n", "plan.annotators: write a whole number from 1"),
    "a word for a number": (HEAD + "plan: {annotators: six}\n", "plan.annotators: write a whole number from 1"),
    "a truth for a number": (HEAD + "plan: {annotators: true}\n", "plan.annotators: write a whole number from 1"),
    "a fraction for a number": (HEAD + "plan: {per_unit: 1.5}\n", "plan.per_unit: write a whole number from 1"),
    "a negative seed": (HEAD + "plan: {seed: -1}\n", "plan.seed must be at least 0."),
    "a seed above the bound": (HEAD + "plan: {seed: 9999999999999999999}\n", "plan.seed must be at most"),
    "a number of any length": (HEAD + f"plan: {{seed: {'9' * 9000}}}\n", "this number is too long"),
    "a hexadecimal number of any length": (
        HEAD + f"params: {{rating_scale: 0x{'f' * 9000}}}\n", "this number is too long",
    ),
    "a study beyond all bounds": (HEAD + "plan: {annotators: 10000}\n" + "items: {texts: all}\n", None),
    "text where a mapping stands": (HEAD + "plan: six annotators\n", "plan must be a mapping, such as"),
    "parameters that are no mapping": (HEAD + "params: [prefill]\n", "params must be a mapping"),
    "text where a list stands": (HEAD + "groups: students\n", "groups must be a list, such as"),
    "an empty group": (HEAD + "groups: ['']\n", "groups.0 must not be empty."),
    "a title that is a date": (HEAD + "title: 2024-01-01\n", "title must be text; put it in quotes."),
    "a language that YAML reads as false": (HEAD + "language: no\n", "language must be text; put it in quotes."),
    "control characters in a title": (HEAD + 'title: "a\\0b"\n', "title: it contains control characters"),
    "half a character in a group": (HEAD + 'groups: ["\\ud800"]\n', "an invalid character"),
    "a short name with blanks": ("slug: my study\nprotocol: guess-then-read\n", "slug may have letters, digits"),
    "a short name that is too long": (f"slug: {'a' * 61}\nprotocol: guess-then-read\n", "slug is longer than 60"),
    "broken YAML": ("slug: [small\n", "The file cannot be read as YAML in line 2"),
    "a tab for indentation": ("plan:\n\tannotators: 6\n", "The file cannot be read as YAML in line 2"),
    "a key that stands twice": (HEAD + "slug: other\n", "“slug” occurs twice here"),
    "a list": ("- slug\n- protocol\n", "A study file is a YAML mapping"),
    "nothing": ("", "A study file is a YAML mapping"),
    "an object of Python": (
        "slug: !!python/object/apply:os.getcwd []\n", "line 1, column 7: remove the YAML tag “!!python/object/apply",
    ),
    "a tag that no value fits": (HEAD + "title: !!bool perhaps\n", "line 3, column 8: remove the YAML tag “!!bool”"),
    "a set where a list stands": (HEAD + "groups: !!set {a, b}\n", "remove the YAML tag “!!set”"),
    "a tag of one's own": (HEAD + "title: !mine x\n", "remove the YAML tag “!mine”"),
    "a day that does not exist": (HEAD + "title: 2024-13-01\n", "in line 3, column 8: month must be in 1..12"),
    "a fraction of base 60 of any length": (
        HEAD + f"params: {{rating_scale: {'1:' * 3000}1.5}}\n", "in line 3, column 24: int too large",
    ),
    "half a character in an id": (HEAD + 'items: {texts: ["\\ud800"]}\n', "items.texts: write all, or a list"),
    "a key that YAML reads as a number": (HEAD + "5: x\n", "5 must be text; put it in quotes."),
    "deep nesting": ("a: " + "[" * 20_000, "nested too deeply"),
    "an alias": ("a: &a [x]\nb: *a\n", "write it out in full instead of using a"),
    "control characters between": ("slug: small\x07\n", "This is not valid"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_with_a_sentence_and_nothing_is_stored(case, project, tmp_path):
    content, sentence = REFUSED[case]
    bank(project)
    if sentence is None:
        for number in range(3, 9):  # 8 texts by 10,000 annotators
            bank_of(project, number)
        sentence = "the limit is 50000"
    before = counts()
    file = tmp_path / "study.yaml"
    file.write_text(content, "utf-8")
    with pytest.raises(CommandError) as refused:
        call_command("create_study", str(file), project="rivers")
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.returncode != 0
    assert counts() == before


def bank_of(project, number):
    from tests.factory import make_item, make_text

    make_item(make_text(project, f"t{number}"), "alder", f"t{number}-alder-1")


def test_a_yaml_bomb_is_refused_before_it_goes_off():
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(SpecError, match="write it out in full instead of using a"):
        read_spec(bomb)


def test_a_merged_bomb_is_refused_too():
    with pytest.raises(SpecError, match="write it out in full instead of using a"):
        read_spec("base: &b {slug: x}\nplan:\n  <<: *b\n")


def test_a_file_above_the_bound_is_no_study_file(project, tmp_path):
    file = tmp_path / "study.yaml"
    file.write_bytes(b"# " + b"x" * 4_000_000)
    with pytest.raises(CommandError, match="larger than 4 MB"):
        call_command("create_study", str(file), project="rivers")


def test_a_text_above_the_bound_is_no_study_file():
    with pytest.raises(SpecError, match="longer than 1000000 characters"):
        read_spec("# " + "x" * 1_000_000)


@pytest.mark.parametrize("content", [b"\xff\xfes\x00l\x00", b"title: \xe4\n"])
def test_a_file_that_is_not_utf_8_is_refused(content, project, tmp_path):
    file = tmp_path / "study.yaml"
    file.write_bytes(content)
    with pytest.raises(CommandError, match="not UTF-8"):
        call_command("create_study", str(file), project="rivers")


def test_a_file_that_cannot_be_read_is_named(project, tmp_path):
    with pytest.raises(CommandError, match=r"nowhere\.yaml cannot be read: No such file"):
        call_command("create_study", str(tmp_path / "nowhere.yaml"), project="rivers")
    with pytest.raises(CommandError, match="cannot be read: Is a directory"):
        call_command("create_study", str(tmp_path), project="rivers")


def test_problems_of_several_fields_are_said_together():
    with pytest.raises(SpecError, match=r"protocol is missing.*plam is unknown|plam is unknown.*protocol is missing"):
        read_spec("slug: small\nplam: 1\n")
