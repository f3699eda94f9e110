"""Judgments from any table: workbooks, Parquet, other names of columns, a column for each question."""

import pytest
from django.core.management import CommandError, call_command

from items.services.importing import import_items, read_bank_file
from items.services.naming import ImportOptions
from studies.models import Response
from studies.services.responses.importing import AnswerFile, ImportRefused, import_responses
from studies.services.responses.mapping import BadMapping, TableMapping, parse_mapping
from tests.items.sheets import parquet, xlsx
from tests.items.test_sheets import QGEVAL
from tests.studies.answer_files import whole
from tests.studies.world import bank, draft_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(project):
    bank(project)
    return draft_study(project)


def as_table(rows: list[dict], names: dict | None = None) -> list[list[object]]:
    header = list(dict.fromkeys(name for row in rows for name in row))
    return [
        [(names or {}).get(name, name) for name in header],
        *([row.get(name, "") for name in header] for row in rows),
    ]


@pytest.mark.parametrize("kind", ["xlsx", "parquet"])
def test_a_sheet_with_the_columns_of_an_export_is_read(kind, study, tmp_path):
    table = as_table(whole())
    content = xlsx(table) if kind == "xlsx" else parquet(table, tmp_path / "a.parquet")
    assert import_responses(study, content).responses == 11


def test_other_names_are_mapped(study):
    table = as_table(whole(), {"annotator": "Rater", "value": "Score", "stage": "Abschnitt"})
    mapping = parse_mapping("annotator = Rater\nvalue = Score\nstage = Abschnitt\n")
    assert import_responses(study, xlsx(table), mapping=mapping).responses == 11


def test_a_problem_names_file_row_and_reason(study):
    table = as_table(whole())
    table[3][table[0].index("value")] = "perhaps"
    files = [AnswerFile("one.xlsx", xlsx(table[:2])), AnswerFile("two.xlsx", xlsx([table[0], *table[2:]]))]
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, files)
    problem = refused.value.problems[0]
    assert (problem.line, problem.field) == (3, "value")
    assert not Response.objects.exists()


@pytest.mark.parametrize(
    "mapping",
    [TableMapping({"nobody": "annotator"}), TableMapping({"annotator": "Nobody"}), TableMapping(questions={"q": "No"})],
)
def test_columns_that_are_not_there_are_named(mapping, study):
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, xlsx(as_table(whole())), mapping=mapping)
    assert "obody" in refused.value.problems[0].reason or "No" in refused.value.problems[0].reason


def test_lines_that_map_nothing_are_refused():
    with pytest.raises(BadMapping, match="clarity"):
        parse_mapping("question clarity: yes")


def qgeval(scores: list[int]) -> bytes:
    """A workbook as QGEval's annotators have them: built here, three items of one passage."""
    rows: list[list[object]] = [QGEVAL]
    for number, source in enumerate(["SQuAD_BART-base_finetune", "SQuAD_GPT-4_few-shot", "SQuAD_reference"]):
        rows.append([1, "What?", "The ferry sails at ten.", "ten", f"When {number}?", source, *scores])
    return xlsx(rows)


def test_workbooks_of_annotators_are_a_study(project, tmp_path):
    books = {"annotator1": [3] * 7, "annotator2": [2, 3, 3, 3, 3, 3, 3]}
    import_items(project, read_bank_file(qgeval([3] * 7), "csv"), ImportOptions(language="en"), filename="a.xlsx")
    study = draft_study(project, slug="qgeval", protocol="dimension-ratings", plan={"annotators": 2, "per_unit": "all"})
    paths = []
    for name, scores in books.items():
        paths.append(tmp_path / f"{name}.xlsx")
        paths[-1].write_bytes(qgeval(scores))
    call_command("import_responses", *map(str, paths), study=study.slug)
    assert Response.objects.count() == 2 * 3 * 7
    fluency = Response.objects.filter(question="fluency").order_by("assignment__annotator__code")
    assert list(fluency.values_list("assignment__annotator__code", "value").distinct()) == [
        ("annotator1", 3),
        ("annotator2", 2),
    ]


def test_the_command_takes_a_mapping(study, tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(xlsx(as_table(whole(), {"annotator": "Rater"})))
    with pytest.raises(CommandError, match="annotator"):
        call_command("import_responses", str(path), study=study.slug)
    call_command("import_responses", str(path), study=study.slug, map=["annotator = Rater"])
    assert Response.objects.count() == 11
