"""Tables: what becomes of their rows."""

import pytest

from items.formats.table_columns import LEAVE_OUT
from items.models import Item, KeyCorrection, Text
from items.services.importing import ImportRefused, read_bank_file
from tests.items.files import BODY, csv, item_row, load, load_csv, problems_of, text_row, warnings

pytestmark = pytest.mark.django_db

OTHER = "Swifts sleep while they fly. They come down to earth only to lay their eggs and to feed the young."
ITEMS = csv(
    "text_id;text;question;option_1;option_2;option_3;correct",
    f"t1;{BODY};Why later?;The choir.;The tide.;;1",
    "t1;;When on Mondays?;At nine.;At ten.;Never.;a",
    f"t2;{OTHER};Where do swifts sleep?;In nests.;In the air.;In trees.;In the air.",
)


def refusal_of(project, content, **how) -> list[tuple[int, str, str]]:
    with pytest.raises(ImportRefused) as refused:
        load_csv(project, content, **how)
    return [(each.line, each.field, each.reason) for each in refused.value.plan.problems.listed]


def test_a_row_is_a_text(project):
    load_csv(project, csv("id,title,text,language", f't1,Ferry,"{BODY}",en', f't2,Swifts,"{OTHER}",'))
    assert list(Text.objects.values_list("external_id", "title", "body", "language")) == [
        ("t1", "Ferry", BODY, "en"),
        ("t2", "Swifts", OTHER, "en"),
    ]


def test_rows_of_one_text_are_its_items(project):
    load_csv(project, ITEMS)
    first, second, third = Item.objects.order_by("pk")
    assert (first.text.external_id, second.text.external_id, third.text.external_id) == ("t1", "t1", "t2")
    assert [(o.external_id, o.text, o.correct) for o in first.options.all()] == [
        ("a", "The choir.", True),
        ("b", "The tide.", False),
    ]
    assert [o.correct for o in third.options.all()] == [False, True, False]


def test_rows_with_the_same_words_and_no_id_are_one_text(project):
    load_csv(project, csv("text|question|answer", f"{BODY}|Why?|The choir sings.", f"{BODY}|When?|"))
    assert Text.objects.count() == 1
    assert list(Item.objects.values_list("stem", "expected_answer")) == [("Why?", "The choir sings."), ("When?", "")]


def test_the_same_table_again_changes_nothing(project):
    load_csv(project, ITEMS)
    plan = load_csv(project, ITEMS)
    assert not plan.writes
    assert not plan.warnings


def test_a_table_and_jsonl_of_the_same_content_are_the_same(project):
    load(project, text_row([item_row()], id="t1"))
    answers = "The harbour master sings.;The tide is low."
    content = csv(
        "text_id;text;question;A;B;correct", f"t1;{BODY};Why does the ferry leave later on Sundays?;{answers};A"
    )
    assert not load_csv(project, content).writes


def test_another_key_is_a_correction(project):
    load_csv(project, ITEMS)
    load_csv(project, ITEMS.replace(b"Never.;a", b"Never.;b"))
    assert list(KeyCorrection.objects.values_list("option_external_id", "correct")) == [("a", False), ("b", True)]


def test_items_may_be_added_to_a_text_of_the_project_by_its_id(project):
    load(project, text_row([], id="t1"))
    load_csv(project, csv("text_id,question,answer", "t1,Why?,The choir."))
    assert Item.objects.get().text.body == BODY


def test_an_id_without_words_that_the_project_does_not_know_is_refused(project):
    ((line, field, reason),) = refusal_of(project, csv("text_id,question", "t1,Why?"))
    assert (line, field) == (2, "text")
    assert "no text with the id “t1”" in reason


def test_details_fill_the_columns_of_the_text(project):
    load_csv(project, csv("text;Quelle;Lizenz;Niveau;teilbar", f"{BODY};a book;CC0;B1;nein"))
    text = Text.objects.get()
    assert (text.source, text.licence, text.level, text.shareable) == ("a book", "CC0", "B1", False)


def test_an_empty_cell_leaves_what_is_known(project):
    load_csv(project, csv("text_id,title,text,source", f't1,Ferry,"{BODY}",a book'))
    plan = load_csv(project, csv("text_id,title,text,source", f't1,,"{BODY}",'))
    assert not plan.writes
    assert Text.objects.get().source == "a book"


def test_unknown_columns_are_kept_with_the_text_and_named(project):
    plan = load_csv(project, csv("text;year;empty", f"{BODY};1999;"))
    assert Text.objects.get().metadata == {"extra": {"year": "1999"}}
    ((line, field, reason),) = warnings(plan)
    assert (line, field) == (0, "year")
    assert "kept in the metadata" in reason


def test_unknown_columns_of_items_are_kept_with_the_item(project):
    load_csv(project, csv("text;question;flaw", f"{BODY};Why?;vague", f"{BODY};When?;none"))
    assert list(Item.objects.values_list("metadata", flat=True)) == [
        {"extra": {"flaw": "vague"}},
        {"extra": {"flaw": "none"}},
    ]
    assert Text.objects.get().metadata == {}


def test_columns_may_be_chosen_by_hand(project):
    content = csv("T;Q;x;y;z", f"{BODY};Why?;Yes.;No.;2")
    plan = load_csv(project, content, ["text", "question", "option_1", "option_2", "correct"])
    assert [o.correct for o in Item.objects.get().options.all()] == [False, True]
    assert not plan.warnings


def test_a_column_may_be_left_out(project):
    load_csv(project, csv("text;year", f"{BODY};1999"), ["text", LEAVE_OUT])
    assert Text.objects.get().metadata == {}


def test_a_text_may_stand_without_an_item_among_items(project):
    load_csv(project, csv("text;question;answer", f"{BODY};Why?;", f"{OTHER};;"))
    assert Text.objects.count() == 2
    assert Item.objects.count() == 1


def test_a_row_that_says_nothing_new_is_a_warning(project):
    plan = load_csv(project, csv("text_id;text", f"t1;{BODY}", f"t1;{BODY}"))
    ((line, _field, reason),) = warnings(plan)
    assert line == 3
    assert "This row repeats what the rows above already" in reason


def test_formulas_are_just_text(project):
    load_csv(project, csv("text;question;answer", f'{BODY};"=HYPERLINK(""http://x"")";@SUM(1)'))
    item = Item.objects.get()
    assert (item.stem, item.expected_answer) == ('=HYPERLINK("http://x")', "@SUM(1)")


def test_a_generator_of_its_own_for_each_row(project):
    load_csv(project, csv("text;question;Autorin", f"{BODY};Why?;Ada", f"{BODY};When?;"), generator="Bob")
    assert list(Item.objects.values_list("generator__name", flat=True)) == ["Ada", "Bob"]


def test_a_problem_of_an_item_is_told_with_its_own_line(project):
    load_csv(project, csv("text;item_id;question", f"{BODY};q1;Why?"))
    ((line, field, reason),) = refusal_of(
        project, csv("text;item_id;question", f"{BODY};q2;When?", f"{BODY};q1;Where?")
    )
    assert (line, field) == (3, "")
    assert "“q1” already exists in the project with a different wording" in reason


@pytest.mark.parametrize(
    ("rows", "line", "field", "words"),
    [
        ([f"t1;{BODY};Why?;a;b;1", "t1;Other words.;When?;a;b;1"], 3, "Lesetext", "row about the same text. Use"),
        ([";;Why?;a;b;1"], 2, "Lesetext", "not say which text"),
        ([f"t1;{BODY};;a;b;1"], 2, "Frage", "its question is missing"),
        ([f"t1;{BODY};Why?;a;b;"], 2, "richtig", "not say which option is correct"),
        ([f"t1;{BODY};Why?;;;1"], 2, "richtig", "The row has no options"),
        ([f"t1;{BODY};Why?;a;b;7"], 2, "richtig", "“7” is not an option of this row"),
        ([f"t1;{BODY};Why?;a;{'x' * 2001};1"], 2, "Antwort B", "the limit is 2,000"),
        ([f"t1;{BODY};{'x' * 10_001};a;b;1"], 2, "Frage", "the limit is 10,000"),
        ([f"t1;{'x' * 100_001};Why?;a;b;1"], 2, "Lesetext", "the limit is 100,000"),
        ([f"{'t' * 201};{BODY};Why?;a;b;1"], 2, "Text-ID", "the limit is 200"),
    ],
)
def test_a_bad_row_is_told_with_line_column_and_remedy(project, rows, line, field, words):
    problems = refusal_of(project, csv("Text-ID;Lesetext;Frage;Antwort A;Antwort B;richtig", *rows))
    assert (line, field) == problems[0][:2]
    assert words in problems[0][2]
    assert not Text.objects.exists()


def test_one_bad_row_keeps_all_others_out(project):
    refusal_of(project, ITEMS + csv("t3;;Why?;Yes.;No.;;3"))
    assert not Text.objects.exists()


def test_yes_and_no_are_the_only_answers_to_yes_or_no(project):
    ((line, field, reason),) = refusal_of(project, csv("text;shareable", f"{BODY};perhaps"))
    assert (line, field) == (2, "shareable")
    assert "yes or no" in reason


def test_a_shareable_that_is_only_kept_still_counts(project):
    load_csv(project, csv("text;shareable", f"{BODY};no"), ["text", "extra"])
    assert not Text.objects.get().shareable


def test_without_a_text_the_known_columns_are_named():
    ((line, _field, reason),) = problems_of(csv("Überschrift;Jahr", "a;b"))
    assert line == 1
    assert "No column is assigned to the text" in reason
    assert "Recognized columns: text_id, title, text" in reason
    assert "“Überschrift”, “Jahr”" in reason


def test_a_cell_of_several_lines_parts_line_from_row():
    content = csv("text_id;text;question;A;B;correct", f't1;"{BODY}\nAnd more.";Why?;x;y;1', "t1;;When?;x;y;9")
    (problem,) = read_bank_file(content, "csv").problems.listed
    assert (problem.line, problem.name) == (4, "line 4 (row 3)")
