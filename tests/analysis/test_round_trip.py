"""What is exported can be imported again, and says the same."""

import io

import pytest

from analysis.services.exporting import export_responses
from studies.models import StudyState
from studies.services.importing import import_responses
from tests.factory import answer, make_annotator, make_item, make_study, make_text


def exported(study, format):
    out = io.StringIO(newline="")
    export_responses(study, format, out)
    return out.getvalue().encode()


@pytest.fixture
def again(tiny, items):
    """A draft study over the same items."""
    return make_study(tiny.project, "again", items.values(), state=StudyState.DRAFT, launched_at=None)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_an_export_imports_as_it_is_and_reports_the_same(answered, again, table, format):
    again.units.all().delete()  # the import makes its own
    import_responses(again, exported(answered, format))
    again.refresh_from_db()
    for name in ("informativity", "agreement_with_humans", "ratings", "unanswerable_items"):
        assert table(again, name).rows == table(answered, name).rows


def test_ids_that_a_spreadsheet_would_run_come_back_as_they_were(project, table):
    item = make_item(make_text(project, "=t"), "@gen", "-i", "TF")
    study = make_study(project, "s", [item])
    answer(make_annotator(study, "'+ada"), "guess", item, "TF")
    answer(study.annotators.get(), "read", item, "TF", rating=5)
    draft = make_study(project, "again", [item], state=StudyState.DRAFT, launched_at=None)
    draft.units.all().delete()
    import_responses(draft, exported(study, "csv"))
    assert draft.annotators.get().code == "'+ada"
    assert table(draft, "guessable_items").rows == table(study, "guessable_items").rows
