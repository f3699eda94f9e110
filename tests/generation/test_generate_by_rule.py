"""The command generate_items with rules: what is stored, what it says, with which code it ends."""

import io

import pytest
from django.core.management import CommandError, call_command

from items.models import Generator, Item
from items.services.editing import edit_text
from items.values import get_text_values
from tests.factory import make_generator, make_item, make_text
from tests.generation.words import BODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def text(project):
    return make_text(project, "piano", body=BODY, language="de")


def run(*words: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("generate_items", "--project", "rivers", "--model", "cloze", *words, stdout=out, stderr=err)
    except SystemExit as ended:
        return f"{err.getvalue()}{out.getvalue()}exit {ended.code}"
    return out.getvalue().strip()


def test_three_items_of_three_options_and_one_key_stand_in_the_bank(text):
    assert run() == "Items written: 3; already in the project: 0; missing: 0."
    items = list(Item.objects.order_by("pk"))
    assert [item.external_id for item in items] == ["piano-cloze-1", "piano-cloze-2", "piano-cloze-3"]
    for item in items:
        assert "___" in item.stem
        assert [option.correct for option in item.options.all()].count(True) == 1
        assert item.options.count() == 3
        assert item.metadata["sentence"] in BODY


def test_the_generator_is_a_rule_with_its_factors(text):
    run()
    generator = Generator.objects.get(name="cloze")
    assert (generator.kind, generator.factors) == ("rule", {"family": "rule", "setting": "cloze"})


def test_a_second_run_stores_nothing_twice(text):
    run()
    before = list(Item.objects.values())
    assert run() == "Items written: 0; already in the project: 3; missing: 0."
    assert list(Item.objects.values()) == before


def test_more_items_later_are_added_to_those_that_are_there(text):
    run("--items", "1")
    assert run("--items", "2") == "Items written: 1; already in the project: 1; missing: 0."


def test_a_second_run_after_an_edit_keeps_the_items_that_came_along(text):
    run()
    values = get_text_values(text)
    edit_text(text, type(values)(**{**vars(values), "title": "Das Ende"}))
    assert "already in the project: 3" in run()
    assert Item.objects.current().count() == 3


def test_open_questions_keep_their_answer_and_rank_score(text):
    assert run("--options", "0", "--items", "2") == "Items written: 2; already in the project: 0; missing: 0."
    item = Item.objects.get(external_id="piano-open-1")
    assert item.stem.endswith("?")
    assert BODY.find(item.expected_answer) >= 0
    assert not item.options.exists()
    assert isinstance(item.metadata["rank_score"], float)
    span = BODY[item.metadata["answer_start"] : item.metadata["answer_end"]]
    assert (span, item.metadata["seed"]) == (item.expected_answer, 1)
    assert item.generator.factors == {"family": "rule", "setting": "open questions", "seed": "1"}


def test_open_questions_drawn_by_another_seed_are_of_another_generator(text):
    run("--options", "0", "--items", "2")
    assert run("--options", "0", "--items", "2", "--seed", "7").startswith("Items written: 2")
    item = Item.objects.get(external_id="piano-open-s7-1")
    assert (item.generator.name, item.metadata["seed"]) == ("open-questions · seed 7", 7)


def test_a_seed_for_items_with_options_is_refused(text):
    with pytest.raises(CommandError, match="random draw"):
        call_command("generate_items", "--project", "rivers", "--model", "cloze", "--seed", "7")


def test_only_the_named_texts_get_items(project, text):
    make_text(project, "other", body=BODY, language="de")
    run("--texts", "other")
    assert set(Item.objects.values_list("text__external_id", flat=True)) == {"other"}


def test_a_text_that_carries_too_few_ends_with_3_and_is_named(project, text):
    make_text(project, "short", body="Die Stadt ist klein.", language="de")
    output = run()
    assert "Text “short” is enough for 0 of 3 items" in output
    assert "Items written: 3; already in the project: 0; missing: 3." in output
    assert output.endswith("exit 3")


def test_nothing_usable_ends_with_3_and_the_reason(project):
    make_text(project, "short", body="Nein.", language="de")
    output = run()
    assert "No item was written: no text has sentences that the rules can use." in output
    assert output.endswith("exit 3")


def test_a_language_without_rules_is_said(project):
    make_text(project, "eu", body="Etxea handia da. Mendia urruti dago.", language="eu")
    assert "there are rules for German and English only" in run()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--texts", "nowhere"], "no text “nowhere”"),
        (["--items", "0"], "1 to 20 items"),
        (["--options", "1"], "2 to 20 options"),
        (["--options", "21"], "2 to 20 options"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(text, words, message):
    with pytest.raises(CommandError, match=message) as refused:
        call_command("generate_items", "--project", "rivers", "--model", "cloze", *words)
    assert refused.value.returncode == 1
    assert not Item.objects.exists()


def test_unknown_project_and_model_are_refused(text):
    with pytest.raises(CommandError, match="no project “nowhere”"):
        call_command("generate_items", "--project", "nowhere", "--model", "cloze")
    with pytest.raises(CommandError, match="no model “oracle”"):
        call_command("generate_items", "--project", "rivers", "--model", "oracle")


def test_a_project_without_texts_is_told_so(project):
    with pytest.raises(CommandError, match="has no texts"):
        call_command("generate_items", "--project", "rivers", "--model", "cloze")


def test_somebody_else_of_that_name_is_not_taken_for_the_rule(project, text):
    make_generator(project, "cloze", kind="human")
    with pytest.raises(CommandError, match="another generator “cloze”"):
        call_command("generate_items", "--project", "rivers", "--model", "cloze")


def test_an_id_of_somebody_elses_item_is_not_overwritten(text):
    make_item(text, "hand", "piano-cloze-1")
    with pytest.raises(CommandError, match="belongs to an item of “hand”"):
        call_command("generate_items", "--project", "rivers", "--model", "cloze")


def test_a_text_with_the_longest_id_gets_items_too(project):
    make_text(project, "x" * 200, body=BODY, language="de")
    run()
    assert "already in the project: 3" in run()
