"""What an import stores, and that a second one changes nothing."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from items.models import Generator, Item, Option, Text
from projects.sql import insert_objects
from tests.factory import make_text
from tests.items.files import BODY, OPTIONS, STEM, item_row, jsonl, load, refusal, text_row, warnings

pytestmark = pytest.mark.django_db


def everything() -> list:
    rows = [list(model.objects.order_by("pk").values()) for model in (Text, Item, Option)]
    return [row for table in rows for row in table]


@pytest.mark.database
def test_a_line_becomes_a_text_with_items_and_options(project):
    item = item_row(
        id="q1", generator="Ada", answer="He sings.", reference=True, multiple=False, metadata={"flaw": "none"}
    )
    load(project, text_row([item], id="t1", title="Ferry"))
    text = Text.objects.get()
    stored = text.items.get()
    assert (text.external_id, text.title, text.body, text.language, text.version) == ("t1", "Ferry", BODY, "en", 1)
    assert (stored.external_id, stored.stem, stored.generator.name, stored.version) == ("q1", STEM, "Ada", 1)
    assert (stored.expected_answer, stored.reference, stored.multiple) == ("He sings.", True, False)
    assert stored.metadata == {"flaw": "none"}
    assert [(option.text, option.correct) for option in stored.options.all()] == OPTIONS


def test_counts_say_what_was_stored(project):
    counts = load(project, text_row(id="t1"), text_row(id="t2", items=[])).counts()
    assert (counts.new_texts, counts.new_items, counts.new_generators) == (2, 1, 1)


@pytest.mark.database
@pytest.mark.parametrize("ids", [{}, {"id": "t1"}], ids=["derived ids", "own ids"])
def test_a_second_import_changes_nothing(project, ids):
    row = text_row(
        [item_row(), item_row(options=[])], metadata={"dataset": "d", "extra": {"x": 1.5, "genre": " a "}}, **ids
    )
    load(project, row)
    before = everything()
    plan = load(project, row)
    assert not plan.writes
    assert everything() == before
    assert not plan.warnings


def test_derived_ids_stay_when_lines_are_added_before(project):
    load(project, text_row())
    plan = load(project, text_row(text="Another text, about nothing at all."), text_row())
    assert (plan.counts().new_texts, plan.counts().unchanged_texts) == (1, 1)


def test_equal_texts_and_items_get_ordinals(project):
    row = text_row([item_row(), item_row()])
    load(project, row, row)
    plan = load(project, row, row)
    assert Text.objects.count() == 2
    assert Item.objects.count() == 4
    assert not plan.writes


def test_a_derived_id_does_not_depend_on_keys(project):
    load(project, text_row())
    swapped = [(text, not correct) for text, correct in OPTIONS]
    assert load(project, text_row([item_row(swapped)])).counts().new_items == 0


def test_a_derived_id_does_not_depend_on_the_order_of_options(project):
    load(project, text_row())
    assert not load(project, text_row([item_row(OPTIONS[::-1])])).writes


def test_items_of_two_generators_may_be_equal(project):
    load(project, text_row([item_row(generator="Ada"), item_row(generator="Bob")]))
    assert Item.objects.count() == 2


def test_options_without_ids_get_letters_by_place(project):
    answers = [
        {"text": "one", "correct": True},
        {"id": "a", "text": "two", "correct": False},
        {"text": "three", "correct": False},
    ]
    load(project, text_row([{"question": STEM, "answers": answers}]))
    assert list(Option.objects.values_list("text", "external_id")) == [("one", "b"), ("two", "a"), ("three", "c")]


def test_what_is_missing_from_a_second_import_stays(project):
    load(project, text_row(id="t1"), text_row(id="t2", text="Another text, about nothing at all."))
    load(project, text_row([], id="t1"))
    assert Text.objects.current().count() == 2
    assert Item.objects.current().count() == 2


def test_what_a_line_does_not_say_stays(project):
    load(
        project,
        text_row([item_row(id="q1", answer="He sings.", reference=True)], id="t1", title="Ferry", metadata={"a": 1}),
    )
    assert not load(project, text_row([item_row(id="q1")], id="t1", language=None)).writes


def test_an_item_without_options_is_open(project):
    load(project, text_row([{"question": STEM, "answer": "He sings."}]))
    item = Item.objects.get()
    assert (item.options.count(), item.expected_answer) == (0, "He sings.")


def test_an_item_may_have_no_key(project):
    load(project, text_row([item_row([("one", False), ("two", False)])]))
    assert not Option.objects.filter(correct=True).exists()


def test_two_equal_options_are_imported_with_a_warning(project):
    plan = load(project, text_row([item_row([("same", True), (" same ", False)], id="q1")]))
    assert Option.objects.count() == 2
    assert warnings(plan) == [(1, "items 1, answers", "Two options of “q1” are equal: “same”.")]


def test_the_words_of_a_known_text_under_no_id_are_worth_a_warning(project):
    load(project, text_row(id="t1"))
    plan = load(project, text_row())
    assert Text.objects.count() == 2
    assert "“t1”" in warnings(plan)[0][2]


def test_line_ends_inside_words_are_made_even(project):
    load(project, text_row(text="  One\r\ntwo\rthree \n"))
    assert Text.objects.get().body == "One\ntwo\nthree"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_lines_end_at_newlines_only(project, ends):
    body = "One\u2028two\u0085three\u000cfour is the number of these words."
    content = jsonl(text_row(text=body)).decode().replace("\n", ends)
    assert load(project, content.encode() + b"\n  \n").counts().new_texts == 1
    assert Text.objects.get().body == body


def test_a_byte_order_mark_is_no_problem(project):
    load(project, b"\xef\xbb\xbf" + jsonl(text_row()))
    assert Text.objects.count() == 1


def test_ids_are_unique_in_the_file(project):
    reasons = refusal(project, text_row([item_row(id="q")], id="t"), text_row([item_row(id="q")], id="t"))
    assert reasons[0][:2] == (2, "id")
    reasons = refusal(project, text_row([item_row(id="q"), item_row(id="q")], id="t"))
    assert reasons[0][:2] == (1, "items 2, id")


def test_an_item_cannot_move_to_another_text(project):
    load(project, text_row([item_row(id="q")], id="t1"))
    reasons = refusal(project, text_row([item_row(id="q")], id="t2"), update=True)
    assert reasons[0][:2] == (1, "items 1, id")
    assert "“t1”" in reasons[0][2]


@pytest.mark.database
def test_one_bad_line_stores_nothing(project):
    assert refusal(project, text_row(), b"nonsense")[0][0] == 2
    assert not Text.objects.exists()


def test_the_same_ids_may_stand_in_two_projects(project, stranger):
    other = stranger.memberships.get().project
    load(project, text_row(id="t1"))
    load(other, text_row(id="t1", text="Quite another text, about nothing at all."))
    assert Text.objects.filter(external_id="t1").count() == 2


def test_the_number_of_queries_does_not_grow_with_the_file(project, django_assert_max_num_queries):
    with CaptureQueriesContext(connection) as few:
        load(project, text_row(text=BODY))
    rows = [text_row(text=f"{BODY} It was seen {number} times.") for number in range(60)]
    with django_assert_max_num_queries(len(few)):
        load(project, *rows)
    with django_assert_max_num_queries(10):
        load(project, *rows)


@pytest.mark.django_db
def test_objects_are_inserted_as_django_would_insert_them(project):
    texts = [make_text(project, name) for name in ("a", "b")]
    rows = [
        [
            Item(project=project, text=text, generator=Generator.objects.get_or_create(project=project, name="g")[0],
                 external_id=f"{how}{n}", stem="“Ünï” 'q'; --", metadata={"k": [1, None]}, tags=["x"], multiple=None)
            for n, text in enumerate(texts)
        ] for how in ("own", "django")
    ]  # fmt: skip
    insert_objects(Item, rows[0])
    Item.objects.bulk_create(rows[1])
    own, django = ([vars(Item.objects.get(pk=row.pk)) for row in each] for each in rows)
    for one, other in zip(own, django, strict=True):
        differing = {name for name in one if one[name] != other[name]} - {"_state", "created_at"}
        assert differing == {"id", "external_id"}
