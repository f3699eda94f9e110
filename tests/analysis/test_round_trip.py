"""What is exported can be imported again, and says the same."""

import io

import pytest

from analysis.exports.writing import export_responses
from studies.models import Response, StudyState
from studies.services.responses.importing import import_responses
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow


def export_file(study, format):
    out = io.StringIO(newline="")
    export_responses(study, format, out)
    return out.getvalue().encode()


@pytest.fixture
def again(tiny, items):
    """A draft study over the same items."""
    return make_study(tiny.project, "again", items.values(), state=StudyState.DRAFT, launched_at=None)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_an_export_imports_as_it_is_and_reports_the_same(two_annotators, again, table, format):
    again.units.all().delete()  # the import makes its own
    import_responses(again, export_file(two_annotators, format))
    again.refresh_from_db()
    for name in ("informativity", "agreement_with_humans", "ratings", "unanswerable_items"):
        assert table(again, name).rows == table(two_annotators, name).rows


def test_ids_that_a_spreadsheet_would_run_come_back_as_they_were(project, table):
    item = make_item(make_text(project, "=t"), "@gen", "-i", "TF")
    study = make_study(project, "s", [item])
    answer(make_annotator(study, "'+ada"), "guess", item, "TF")
    answer(study.annotators.get(), "read", item, "TF", rating=5)
    draft = make_study(project, "again", [item], state=StudyState.DRAFT, launched_at=None)
    draft.units.all().delete()
    import_responses(draft, export_file(study, "csv"))
    assert draft.annotators.get().code == "'+ada"
    assert table(draft, "guessable_items").rows == table(study, "guessable_items").rows


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_who_judged_an_item_first_is_the_same_after_a_round_trip(project, format):
    items = [make_item(make_text(project, f"t{number}"), "gen", f"i{number}", "TF") for number in (1, 2)]
    study = make_study(project, "s", items)
    ada, ben = (make_annotator(study, code) for code in ("ada", "ben"))
    for annotator, item in ((ada, items[0]), (ben, items[0]), (ben, items[1]), (ada, items[1])):
        answer(annotator, "read", item, "TF", rating=5)
    draft = make_study(project, "again", items, state=StudyState.DRAFT, launched_at=None)
    draft.units.all().delete()
    import_responses(draft, export_file(study, format))
    assert list_judgments(draft) == list_judgments(study) == ["ada i1", "ben i1", "ben i2", "ada i2"]


def list_judgments(study):
    rows = Response.objects.filter(assignment__annotator__study=study).order_by("pk")
    judged = rows.values_list("assignment__annotator__code", "item__external_id")
    return list(dict.fromkeys(f"{code} {item}" for code, item in judged))


def test_tables_stand_in_the_order_of_the_bank_whatever_was_drawn_at_launch(project, table):
    items = [make_item(make_text(project, f"t{number}"), "gen", f"i{number}", "TF") for number in (1, 2, 3)]
    drawn = make_study(project, "drawn", [items[2], items[0], items[1]])
    for item in items:
        answer(make_annotator(drawn, f"of-{item.external_id}"), "read", item, "FT", rating=2)
    draft = make_study(project, "again", items, state=StudyState.DRAFT, launched_at=None)
    draft.units.all().delete()
    import_responses(draft, export_file(drawn, "csv"))
    for name in ("item_analysis", "unanswerable_items"):
        rows = table(drawn, name).rows
        assert list(dict.fromkeys(row["item_id"] for row in rows)) == ["i1", "i2", "i3"]
        assert table(draft, name).rows == rows
