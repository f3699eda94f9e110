"""What reports say of studies of text versions, and when they say nothing."""

import io
import json

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.choices import ANNOTATORS, Choices
from analysis.frames.evidence import collect_evidence
from analysis.measures.contrasts import adjust_joint_contrasts
from analysis.measures.text_versions import version_effects
from analysis.science.joined import build_joined_tables
from analysis.science.versions import (
    build_text_version_tables,
    build_version_tables,
    describe_version_effect,
    say_version_difference,
)
from items.models import Text
from projects.models import Project
from studies.models import Assignment, Study
from studies.services.responses.importing import import_responses
from tests.analysis.answered_texts import add_versions
from tests.studies.answer_files import as_csv, make_option_rows
from tests.studies.world import bank, draft_study

pytestmark = pytest.mark.slow

VERSIONS = ["original", "simple"]


def read(project, texts: int = 8, people: int = 6, twice: bool = False, right=lambda reader, text, simple: simple):
    """A study in which everybody reads each text in one version, with answers that `right` decides."""
    bank(project, texts=texts, generators=("alder",))
    for text in Text.objects.filter(project=project):
        text.versions = [{"name": "simple", "text": f"Simple {text.external_id}."}]
        text.save()
    study = draft_study(project, plan={"annotators": people, "text_versions": VERSIONS})
    rows = []
    for text in range(1, texts + 1):
        for reader in range(people):
            name = VERSIONS[(reader + text) % 2]
            ticked = "a" if right(reader, text, name == "simple") else "b"
            about = {"text_version": name, "person": "same" if twice and reader < 2 else ""}
            rows += make_option_rows(f"P{reader:02}", "read", f"t{text}-alder-1", ticked, **about)
    import_responses(study, as_csv(rows))
    return study


def tables(study, **choices):
    return build_text_version_tables(collect_evidence(study, Choices(**choices)))


def effect(table, measure="answerability"):
    (row,) = [row for row in table.rows if row["measure"] == measure and not row["question_type"]]
    return row


@pytest.mark.parametrize("convention", ["readers", ANNOTATORS])
def test_the_effect_of_a_version_with_its_contrasts_and_texts(project, convention):
    study = read(project, right=lambda reader, text, simple: simple or (reader + 2 * text) % 7 == 0)
    effects, by_text = tables(study, convention=convention)
    row = effect(effects)
    assert (row["version"], row["compared_with"], row["n_texts"], row["n_annotators"]) == ("simple", "original", 8, 6)
    assert 0 < row["low"] < row["difference"] < row["high"]
    assert row["low_adjusted"] <= row["low"] + 1e-9
    assert set(row["intervals"]["difference"]) == {"readers", "annotators", "published"}
    assert effect(effects, "rating")["reason"]  # everybody gives the same mark
    assert "question_type" not in {column.name for column in effects.columns}  # no item has a type
    assert {each["text_id"] for each in by_text.rows if each["measure"] == "answerability"} == {
        f"t{n}" for n in range(1, 9)
    }
    sentence = describe_version_effect((effects, by_text))[0]
    assert sentence.startswith("With “simple” instead of “original”, the share that people get right differs by .")


def test_a_version_on_four_texts_is_refused_in_page_file_and_sentence(project, as_user, owner, tmp_path):
    study = read(project, texts=4)
    row = effect(tables(study)[0])
    assert row["difference"] is None
    assert row["reason"] == "“original” was read on 4 texts; comparing versions needs at least 5."
    assert describe_version_effect(tables(study)) == [row["reason"]]
    call_command("report", study.slug, "--out", str(tmp_path), stdout=io.StringIO())
    (values,) = [
        each for each in json.loads((tmp_path / "tables/text_versions.json").read_text())["rows"]
        if each["measure"] == "answerability" and not each["question_type"]
    ]  # fmt: skip
    assert (values["difference"], values["reason"]) == (None, row["reason"])
    page = as_user(owner).get(reverse("study_table_page", args=[study.slug, "text_versions"]))
    assert row["reason"] in page.content.decode()


def test_one_reader_a_text_is_refused(project):
    assert effect(tables(read(project, people=2))[0])["reason"] == "“original” was read by fewer than 2 readers a text."


def test_second_readings_are_left_out_and_counted(project):
    found = tables(read(project, twice=True))
    assert found[0].notes[-1] == "1 reader saw a text twice; their second reading is left out."
    assert effect(found[0])["n_annotators"] == 5


def test_versions_that_no_reader_links_are_refused(project):
    study = read(project, texts=10)
    for number, name in ((n, VERSIONS[n % 2]) for n in range(1, 11)):
        Assignment.objects.filter(unit__study=study, unit__text__external_id=f"t{number}").update(text_version=name)
    reason = "Readers do not link these versions and texts, so their effects cannot be told apart."
    assert effect(tables(study)[0], "answerability")["reason"] == reason


def test_packs_bring_versions_and_who_read_which(project, tmp_path):
    study = read(project)
    file = tmp_path / "pack.zip"
    call_command("export_pack", study.slug, "--out", str(file), stdout=io.StringIO())
    Project.objects.create(slug="other", title="Other")
    call_command("import_pack", str(file), "--project", "other", "--slug", "again", stdout=io.StringIO())
    again = Study.objects.get(slug="again")
    fields = ("annotator__code", "unit__text__external_id", "text_version")
    assert sorted(Assignment.objects.filter(annotator__study=again).values_list(*fields)) == sorted(
        Assignment.objects.filter(annotator__study=study).values_list(*fields)
    )
    assert [table.rows for table in tables(again)] == [table.rows for table in tables(study)]


def test_people_on_drawn_texts_and_models_on_all_versions_are_joined(evidence):
    """The estimate for each version is that of its cell; contrasts add up."""
    full = add_versions(evidence)
    (table,) = build_version_tables(full)
    rows = {row["method"]: row for row in table.rows}
    assert set(rows) == {"fitted slope", "people only", "models at face value"}
    row, alone = rows["fitted slope"], rows["people only"]
    people = full.frame[(full.frame["kind"] == "human") & (full.frame["stage"] == "read")]
    shares = people.groupby(["text_version", "text_id"])["correct"].mean().astype(float).groupby("text_version").mean()
    assert alone["difference"] == pytest.approx(shares["simple"] - shares["original"])
    assert (row["n_texts"], row["n_texts_all"], row["predictor"], row["reason"]) == (20, 40, "gpt", "")
    assert row["low_adjusted"] <= row["difference"] <= row["high_adjusted"]
    assert row["width_share"] == pytest.approx((row["high"] - row["low"]) / (alone["high"] - alone["low"]))
    assert len(say_version_difference((table,))) == 1
    assert build_joined_tables(full) == ()  # all versions together would say nothing
    assert build_version_tables(add_versions(evidence, n_texts=40)) == ()  # people read all texts
    assert build_version_tables(add_versions(evidence, model=False)) == ()


def test_three_versions_that_one_model_reads_are_adjusted_together():
    """Without its only reader nothing is left, which must not reach what the contrasts share."""
    rng = np.random.default_rng(1)
    text, version = (each.ravel() for each in np.indices((12, 3)))
    outcome = 0.5 + 0.1 * version + rng.normal(0, 0.05, 36)
    found = version_effects(outcome, text, np.zeros(36, dtype=np.int64), version, 3)
    pairs = [(1, 0), (2, 0), (2, 1)]
    family = [found.contrast(*pair, (-1.0, 1.0)) for pair in pairs]
    adjusted = adjust_joint_contrasts(family, found.joint_influence(pairs), seed=1)
    assert [each.value for each in adjusted] == pytest.approx([0.1, 0.2, 0.1], abs=0.05)
    assert all(each.p <= each.p_adjusted < 0.05 for each in adjusted)
