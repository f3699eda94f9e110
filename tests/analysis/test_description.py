"""What a study consists of."""

from datetime import UTC, datetime, timedelta

from studies.models import Submission
from tests.factory import answer, make_annotator, make_item, make_study, make_text


def quantities(found, about, name="all", source=""):
    return {
        row["quantity"]: row["value"]
        for row in found.rows
        if (row["about"], row["name"], row["source"]) == (about, name, source)
    }


def test_texts_tokens_items_options_and_keys(project, table):
    short = make_text(project, "t1", body="Two words.")
    long = make_text(project, "t2", body="It isn't long, is it?")
    items = [make_item(short, "careful", "i1", "TTF"), make_item(long, "hurried", "i2", "FFFF")]
    found = table(make_study(project, "s", items), "description")
    assert quantities(found, "texts") == {"n_texts": 2, "tokens_mean": 6.0, "tokens_min": 3, "tokens_max": 9}
    assert quantities(found, "items") == {
        "n_items": 2, "options_mean": 3.5, "options_min": 3, "options_max": 4, "share_several_keys": 0.5,
        "share_no_key": 0.5,
    }  # fmt: skip
    assert quantities(found, "items", "careful")["share_several_keys"] == 1.0


def test_sources_have_rows_of_their_own_where_there_are_several(project, table):
    items = [
        make_item(make_text(project, "t1", source="news"), "careful", "i1"),
        make_item(make_text(project, "t2"), "careful", "i2"),
        make_item(make_text(project, "t3"), "careful", "i3"),
    ]
    found = table(make_study(project, "s", items), "description")
    assert quantities(found, "texts", source="news")["n_texts"] == 1
    assert quantities(found, "items", "careful", "(none)")["n_items"] == 2


def test_an_item_in_two_studies_is_counted_once(project, table):
    item = make_item(make_text(project, "t1"), "careful", "i1", "TFF")
    make_study(project, "other", [item])
    found = table(make_study(project, "s", [item]), "description")
    assert quantities(found, "items")["n_items"] == 1
    assert quantities(found, "items")["options_mean"] == 3


def test_who_answered_and_how_long_they_took(tiny, items, table):
    ada, ben = make_annotator(tiny, "ada"), make_annotator(tiny, "ben")
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    for annotator, minutes in ((ada, 10), (ben, 20)):
        answer(annotator, "guess", items["c1"], "TF")
        answer(annotator, "read", items["c1"], "TF")
        Submission.objects.filter(assignment__annotator=annotator).update(
            opened_at=noon, submitted_at=noon + timedelta(minutes=minutes)
        )
    found = quantities(table(tiny, "description"), "evaluators", "human")
    assert found == {
        "n_annotators": 2,
        "n_texts": 1,
        "n_judgments": 8,
        "annotators_per_unit_mean": 2.0,
        "minutes_median": 30.0,
    }


def test_unknown_times_are_undefined(two_annotators, table):
    (minutes,) = [row for row in table(two_annotators, "description").rows if row["quantity"] == "minutes_median"]
    assert (minutes["value"], minutes["n"], minutes["reason"]) == (None, 0, "no times are known")
