"""Verdicts of experts in files: taken in, counted, written out again; refused where nobody could have given them."""

import csv
import io

import pytest
from django.core.management import call_command

from analysis.choices import Choices
from analysis.services.reporting import build
from studies.models import Response
from studies.services.responses.importing import ImportRefused, import_responses
from tests.analysis.rows import find_row
from tests.dimensions import DIMENSIONS, ITEMS, draft_study, first_round, make_bank
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow


def verdict(expert, item, dimension, value="right", **more):
    shared = {"annotator": expert, "purpose": "expert", "round": 1, "stage": "check", "item_id": item}
    return shared | {"question": dimension, "value": value} | more


# Of two scores on clarity the second expert finds one wrong.
VERDICTS = [
    verdict("ada", ITEMS[0], "clarity"),
    verdict("ada", ITEMS[1], "clarity"),
    verdict("ben", ITEMS[0], "clarity"),
    verdict("ben", ITEMS[1], "clarity", "wrong"),
    verdict("ben", ITEMS[1], "fluency"),
]


def scores() -> list[dict]:
    return [row | {"purpose": "main"} for row in first_round()]


@pytest.fixture
def study(project):
    make_bank(project)
    study = draft_study(project)
    import_responses(study, as_csv(scores() + VERDICTS))
    study.refresh_from_db()
    return study


def test_accuracy_is_the_share_found_right(report):
    table = report.table("expert_check")
    assert len(table.rows) == 2 * len(DIMENSIONS)
    ada, ben = (find_row(report, "expert_check", dimension="clarity", expert=name) for name in ("ada", "ben"))
    assert (ada["n"], ada["accuracy"]) == (2, 1)
    assert (ben["n"], ben["accuracy"]) == (2, 0.5)
    unseen = find_row(report, "expert_check", dimension="relevance", expert="ada")
    assert (unseen["n"], unseen["accuracy"]) == (0, None)
    assert "The experts gave the same verdict on 1 of 2 scores." in table.notes


def test_verdicts_are_in_no_other_figure(project, report):
    make_again = draft_study(project, slug="scores-only")
    import_responses(make_again, as_csv(scores()))
    make_again.refresh_from_db()
    alone = build(make_again, Choices(seed=5))
    for name in ("generator_means", "alpha", "distributions", "description"):
        assert report.table(name).rows == alone.table(name).rows


def test_the_table_has_the_columns_of_the_contract(study, tmp_path):
    call_command("report", "dims", out=str(tmp_path))
    lines = (tmp_path / "tables" / "expert_check.csv").read_text().splitlines()
    assert lines[0] == "dimension,expert,n,accuracy"
    assert "clarity,ben,2,0.5" in lines


def test_an_export_holds_verdicts_where_it_is_asked_and_is_taken_again(project, study, tmp_path):
    def export_rows(**include):
        file = tmp_path / "answers.csv"
        call_command("export_responses", "dims", out=str(file), **include)
        return file.read_bytes()

    stages = {row["stage"] for row in csv.DictReader(io.StringIO(export_rows().decode()))}
    assert stages == {"rate"}
    again = draft_study(project, slug="again")
    assert (
        import_responses(again, export_rows(include="expert")).responses
        == Response.objects.filter(assignment__annotator__study=study).count()
    )
    again.refresh_from_db()
    assert build(again, Choices()).table("expert_check").rows == build(study, Choices()).table("expert_check").rows


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"value": "perhaps"}, "value"),
        ({"value": "3"}, "value"),
        ({"purpose": "main"}, "purpose"),
        ({"stage": "rate", "value": "3"}, "purpose"),
        ({"question": "beauty"}, "question"),
        ({"item_id": "x3-gen-birch"}, "item_id"),
    ],
)
def test_verdicts_that_no_expert_could_have_given_are_refused(project, change, column):
    make_bank(project)
    given = [row for row in scores() if row["item_id"] != "x3-gen-birch"]
    with pytest.raises(ImportRefused) as refused:
        import_responses(draft_study(project), as_csv([verdict("ada", ITEMS[0], "clarity") | change, *given]))
    assert (2, column) in [(problem.line, problem.field) for problem in refused.value.problems]
