"""`report`: which files it writes, what it says, and how it refuses."""

import csv
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from items.models import Item, KeyCorrection, Option
from items.services.versions import correct_key
from studies.models import StudyState
from tests.factory import answer, make_annotator

pytestmark = pytest.mark.slow

TABLES = {
    "description", "informativity", "informativity_matched", "agreement_with_humans", "ratings", "accuracy_by_rating",
    "guessable_items", "unanswerable_items", "item_analysis", "published", "informativity_standardised",
    "beside_accuracy", "informativity_intervals", "contrasts", "carry_over", "reliability", "g_study", "d_study",
    "rater_severity", "fair_means", "rasch", "item_flaws", "flawed_items",
}  # fmt: skip
FIGURES = {"dumbbell", "dumbbell_matched", "ratings", "accuracy_by_rating"}


def report(folder, *arguments, slug="tiny"):
    call_command("report", slug, "--out", str(folder), *arguments)
    return folder


def rows(folder, name):
    with open(folder / "tables" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_table_and_figure_is_a_file(two_annotators, tmp_path):
    assert names(report(tmp_path / "new" / "folder")) == (
        {f"tables/{name}.{ending}" for name in TABLES for ending in ("csv", "json", "tex")}
        | {f"figures/{name}.{ending}" for name in FIGURES for ending in ("svg", "png", "vl.json")}
        | {"report.json"}
    )


def test_planted_accuracies_come_out_to_the_last_digit(two_annotators, tmp_path):
    careful = rows(report(tmp_path), "informativity")[0]
    assert [float(careful[name]) for name in ("guessability", "answerability", "informativity")] == [0.75, 0.875, 0.125]


def test_report_json_says_what_was_computed_from_what(two_annotators, tmp_path):
    about = json.loads((report(tmp_path) / "report.json").read_text())
    assert about["study"]["slug"] == "tiny"
    assert about["study"]["instrument"] == "guess-then-read/en/1"
    assert (about["seed"], about["convention"], about["included_purposes"]) == (7, "readers", ["main"])
    assert about["n_responses"] == 32
    assert set(about["tables"]) == TABLES
    assert set(about["figures"]) == FIGURES
    assert {"lesart", "numpy", "scipy", "python"} <= set(about["versions"])


def test_the_same_answers_and_seed_give_the_same_bytes(two_annotators, tmp_path, real_figures, recompute):
    one, two = report(tmp_path / "one"), report(tmp_path / "two")
    assert names(one) == names(two)
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in names(one))


def test_another_seed_is_another_draw(two_annotators, tmp_path):
    one, two = (report(tmp_path / seed, "--convention", "published", "--seed", seed) for seed in ("1", "2"))
    assert rows(one, "informativity")[0]["seed"] == "1"
    assert (one / "tables/informativity.json").read_bytes() != (two / "tables/informativity.json").read_bytes()


def test_convention_decides_low_and_high_and_json_has_all(two_annotators, tmp_path):
    report(tmp_path, "--convention", "published")
    (first, *_) = json.loads((tmp_path / "tables/informativity.json").read_text())["rows"]
    assert set(first["intervals"]["answerability"]) == {"readers", "annotators", "published"}
    published = first["intervals"]["answerability"]["published"]
    assert float(rows(tmp_path, "informativity")[0]["answerability_low"]) == published["low"]


def test_included_answers_are_named_on_every_table_and_figure(two_annotators, items, tmp_path, real_figures):
    answer(make_annotator(two_annotators, "sim", purpose="simulated"), "read", items["c1"], "TF", rating=3)
    report(tmp_path, "--include", "simulated")
    for name in TABLES:
        table = json.loads((tmp_path / "tables" / f"{name}.json").read_text())
        assert "Simulated answers included." in table["notes"]
        assert table["columns"][-1] == "included"
        assert {row["included"] for row in rows(tmp_path, name)} <= {"main, simulated"}
        assert "Simulated answers included." in (tmp_path / "tables" / f"{name}.tex").read_text()
    assert all("Simulated answers included." in (tmp_path / f"figures/{name}.svg").read_text() for name in FIGURES)
    assert json.loads((tmp_path / "report.json").read_text())["included_purposes"] == ["main", "simulated"]


def test_a_key_corrected_after_launch_is_named_on_every_table(two_annotators, items, tmp_path):
    made = {"item": items["c1"], "correct": True, "reason": "The text says so."}
    KeyCorrection.objects.create(option_external_id="b", **made)
    before = KeyCorrection.objects.create(option_external_id="a", **made)
    KeyCorrection.objects.filter(pk=before.pk).update(made_at=two_annotators.launched_at - timedelta(hours=1))
    report(tmp_path)
    for name in TABLES:
        notes = " ".join(json.loads((tmp_path / "tables" / f"{name}.json").read_text())["notes"])
        assert "b of c1 is now a key. The text says so." in notes
    assert len(json.loads((tmp_path / "report.json").read_text())["key_corrections_after_launch"]) == 1


def test_a_correction_of_two_versions_is_named_once_and_one_of_another_version_never(two_annotators, items, tmp_path):
    shown = items["c1"]
    Item.objects.filter(pk=shown.pk).update(superseded_at=two_annotators.launched_at)
    later = Item.objects.create(
        project=shown.project, text=shown.text, generator=shown.generator, external_id="c1", version=2, stem="Why not?"
    )
    Option.objects.create(item=later, external_id="a", text="Other words", correct=True, position=0)
    same = shown.options.get(external_id="b")
    Option.objects.create(item=later, external_id="b", text=same.text, correct=same.correct, position=1)
    correct_key(later, later.options.get(external_id="a"), False, "Of no study.", None)
    correct_key(later, later.options.get(external_id="b"), not same.correct, "The text says so.", None)
    report(tmp_path)
    named = json.loads((tmp_path / "report.json").read_text())["key_corrections_after_launch"]
    assert len(named) == 1
    assert "b of c1" in named[0]


def test_evaluators_limit_the_rows(two_annotators, items, tmp_path):
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c1"], "TF")
    report(tmp_path, "--evaluators", "gpt")
    assert {row["evaluator"] for row in rows(tmp_path, "informativity")} == {"gpt"}
    assert {row["evaluator"] for row in rows(tmp_path, "agreement_with_humans")} == {"gpt"}
    assert rows(tmp_path, "agreement_with_humans")[1]["n_pairs"] == "2"


def test_groups_limit_the_people_and_are_named(two_annotators, items, tmp_path):
    two_annotators.annotators.filter(code="ben").update(group="teachers")
    report(tmp_path, "--groups", "teachers")
    assert {row["n_annotators"] for row in rows(tmp_path, "informativity")} == {"1"}
    assert "Only people of: teachers." in json.loads((tmp_path / "tables/ratings.json").read_text())["notes"]


def test_a_group_whose_name_holds_a_comma_is_named_in_quotation_marks(two_annotators, tmp_path):
    two_annotators.annotators.filter(code="ben").update(group="teachers, trained")
    with pytest.raises(CommandError, match="There is no group “teachers”"):
        report(tmp_path, "--groups", "teachers, trained")
    report(tmp_path, "--groups", '"teachers, trained", "teachers, trained"')
    assert json.loads((tmp_path / "report.json").read_text())["groups"] == ["teachers, trained"]


def test_an_empty_folder_name_is_refused(two_annotators, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match="--out is empty"):
        report("")
    assert not list(tmp_path.iterdir())


def test_a_study_without_answers_gives_undefined_tables(tiny, tmp_path, capsys):
    report(tmp_path)
    first = rows(tmp_path, "informativity")[0]
    assert (first["informativity"], first["informativity_reason"], first["n_read"]) == ("", "no answers yet", "0")
    assert rows(tmp_path, "ratings")[0]["reason"]
    assert rows(tmp_path, "guessable_items") == []
    assert "No answers of tiny are in these figures." in capsys.readouterr().out


def test_answers_that_were_left_out_are_offered(tiny, items, tmp_path, capsys):
    answer(make_annotator(tiny, "sim", purpose="simulated"), "read", items["c1"], "TF")
    report(tmp_path)
    assert "Left out: 2 simulated; --include simulated takes them in." in capsys.readouterr().out


@pytest.mark.parametrize("state", [StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED, StudyState.IMPORTED])
def test_every_study_but_a_draft_is_reported(two_annotators, tmp_path, state):
    two_annotators.state = state
    two_annotators.save()
    assert (report(tmp_path) / "report.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--include", "preview"], "“preview” cannot be included"),
        (["--evaluators", "gpt-5"], "This study has no evaluator “gpt-5”"),
        (["--groups", "pirates"], "There is no group “pirates”"),
        (["--seed", "many"], "“many” is not a seed"),
        (["--seed", "-1"], "is not a seed"),
        (["--convention", "lucky"], "invalid choice"),
    ],
)
def test_what_does_not_exist_is_refused_in_a_sentence(two_annotators, tmp_path, arguments, words):
    with pytest.raises(CommandError, match=words):
        report(tmp_path, *arguments)
    assert names(tmp_path) == set()


def test_a_draft_and_an_unknown_study_are_refused(tiny, tmp_path):
    tiny.state = StudyState.DRAFT
    tiny.save()
    with pytest.raises(CommandError, match="tiny is a draft"):
        report(tmp_path)
    with pytest.raises(CommandError, match="There is no study “nowhere”"):
        report(tmp_path, slug="nowhere")


def test_a_report_takes_the_earlier_name_of_a_convention(two_annotators, tmp_path):
    report(tmp_path, "--convention", "clustered")
    assert json.loads((tmp_path / "report.json").read_text())["convention"] == "annotators"
