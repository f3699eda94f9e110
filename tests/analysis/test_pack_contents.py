"""What a pack says of itself: a code book of all its files, a datasheet by criterion, a paragraph that is true."""

import json

import pytest

from analysis.choices import BadChoice
from studies.models import Study, StudyState
from tests import drawn
from tests.analysis import packs
from tests.analysis.test_variants_report import study as varied  # noqa: F401 - a fixture
from tests.analysis.test_writing_report import to_write
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow

PROTOCOLS = pytest.mark.parametrize("make", list(drawn.FIGURES), ids=lambda make: make.__name__)


@PROTOCOLS
def test_the_code_book_has_every_column_and_field_of_every_file(project, make):
    files = packs.files_of(packs.export_pack_bytes(make(project)))
    book = packs.rows_in(files["codebook.csv"])
    known = {(row["file"], row["column"]) for row in book}
    for name, content in files.items():
        if name.endswith(".csv") and "codebook" not in name:
            first = content.decode().partition("\r\n")[0].split(",")
            assert not [column for column in first if (name, column) not in known], name
        elif name.endswith(".jsonl"):
            fields = {field for each in packs.objects_in(content) for field in each}
            assert not {field for field in fields if (name, field) not in known}, name
    for name in ("manifest.json", "study/history.json", "bank/versions.json", "datasheet/heds.json"):
        assert {column for file, column in known if file == name} == set(json.loads(files[name])), name
    assert all(row["meaning"] for row in book)
    # What is said of a table that this study does not have helps nobody.
    tables = {row["file"] for row in book if row["file"].startswith("report/")}
    assert tables <= set(files)


@PROTOCOLS
def test_the_datasheet_answers_section_4_for_each_question_in_the_words_of_the_study(project, make):
    study = make(project)
    entries = json.loads(packs.files_of(packs.export_pack_bytes(study))["datasheet/heds.json"])["entries"]
    criteria = list(dict.fromkeys(each["criterion"] for each in entries if each["criterion"]))
    numbers = [each["number"] for each in entries if each["criterion"] == criteria[0]]
    assert numbers == [f"4.1.{n}" for n in (1, 2, 3)] + [f"4.2.{n}" for n in (1, 2, 3)] + [
        f"4.3.{n}" for n in range(1, 12)
    ]
    assert len(entries) == 28 + 17 * len(criteria)
    asked = {(each["criterion"], each["number"]): each["answer"] for each in entries}
    expected = {
        "guess-then-read": ("rating (stage read)", "goodness", "5", "guess-then-read/en, version 1"),
        "dimension-ratings": ("fluency (stage rate)", "goodness", "3", "Is the language of the question right?"),
        "stopping-questionnaire": ("grammatical (stage judge)", "correctness", "2", "free of mistakes in grammar"),
        "pairwise": ("better (stage compare)", "goodness", "3", "Which question is better?"),
    }
    name, kind, size, wording = expected[study.protocol]
    assert (asked[name, "4.1.1"], asked[name, "4.3.3"]) == (kind, size)
    assert wording in asked[name, "4.3.7"]


def paragraph(study, language="en", **choices):
    return packs.files_of(packs.export_pack_bytes(study, **choices))[f"datasheet/methods.{language}.md"].decode()


def test_answers_from_elsewhere_were_shown_in_no_order_that_lesart_drew(project):
    text = paragraph(drawn.stopping_questionnaire(project))
    assert "elsewhere and imported" in text
    assert "was randomized for each annotator" not in text


def test_one_person_agrees_with_nobody_and_one_text_is_one(project):
    item = make_item(make_text(project, "t1"), "careful", "t1-1", "TFF")
    study = make_study(project, "alone", [item])
    person = make_annotator(study, "P01")
    answer(person, "guess", item, "TFF")
    answer(person, "read", item, "TFF")
    text = paragraph(study)
    assert "it takes two, and 1 answered" in text
    assert "about one text" in text
    assert "No interval is defined." in text
    assert "rated each item" not in text
    assert "zu einem Text" in paragraph(study, "de")


def test_without_people_nothing_is_said_of_what_people_did(project):
    item = make_item(make_text(project, "t1"), "careful", "t1-1", "TFF")
    study = make_study(project, "machines", [item])
    answer(make_annotator(study, "gpt", kind="model", model="gpt"), "read", item, "TFF")
    files = packs.files_of(packs.export_pack_bytes(study))
    text = files["datasheet/methods.en.md"].decode()
    assert "No person answered." in text
    assert "recruited" not in text
    assert "simulated" not in text
    entries = {each["number"]: each["answer"] for each in json.loads(files["datasheet/heds.json"])["entries"]}
    assert entries["3.3.2"] == "calls of models"


def test_a_study_that_runs_says_that_its_numbers_are_not_final(project):
    study = drawn.guess_then_read(project)
    Study.objects.filter(pk=study.pk).update(state=StudyState.LIVE)
    assert "still running" in paragraph(study)
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    assert "still running" not in paragraph(study)


def test_intervals_are_named_by_how_they_came_about(project):
    study = drawn.guess_then_read(project)
    assert "jackknife over texts (t), texts (" in paragraph(study)
    published = paragraph(study, convention="published")
    assert "10,000 draws, seed" in published
    assert "single judgments (" in published


def test_the_read_me_gives_all_choices_back_to_report(project):
    study = drawn.guess_then_read(project)
    files = packs.files_of(
        packs.export_pack_bytes(study, dropped=("duplicates",), shared_texts=True, calibration=False, seed=3)
    )
    command = "--out again --calibration without --drop duplicates --texts shared --seed 3"
    assert command in files["README.md"].decode()


def test_variants_come_back(varied):  # noqa: F811
    pack = packs.export_pack_bytes(varied)
    again = packs.import_pack_bytes(pack)
    assert packs.results_in(packs.export_pack_bytes(again)) == packs.results_in(pack)
    assert "report/tables/variants.csv" in packs.files_of(pack)
    assert [(each.name, each.params["flat"]) for each in again.variants.all()] == [("stopping", False), ("flat", True)]
    drawn_to = {each.code: each.variant.name for each in again.annotators.select_related("variant")}
    assert drawn_to == {each.code: each.variant.name for each in varied.annotators.select_related("variant")}


def test_a_writing_study_says_where_its_items_are_packed(project):
    with pytest.raises(BadChoice, match="the study that evaluates them"):
        packs.export_pack_bytes(to_write(project))
