"""DIF between people who answered a background question differently: groups, refusals, packs, where it is chosen."""

import json
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.pack.archive import BadPack
from analysis.pack.restored_study import list_passages
from analysis.science.readers import build_reader_tables, group_people
from analysis.services.cached_results import hash_state
from analysis.services.reporting import build_report
from studies.models import EndReason, PhasePassed
from studies.phases import Phase
from studies.services.answering import pass_phase
from studies.services.phases import forget_launched, get_phases, read_background
from studies.services.rights import erase_person
from tests.analysis.answered_texts import add_groups
from tests.analysis.packs import export_pack_bytes, files_of, import_pack_bytes, objects_in, results_in
from tests.annotation.test_phases import BACKGROUND
from tests.api.conftest import make_caller
from tests.made_once import made_once
from tests.studies.world import Person, bank, make_live_study

pytestmark = pytest.mark.slow

LANGUAGE = {"name": "language", "text": "Your first language?", "levels": ["Basque", "English", "other"]}


def ask_about_language(evidence, answers):
    """Evidence of people who were asked for their language; answers by code."""
    phase = Phase.model_validate({"kind": "background", "questions": [LANGUAGE]})
    evidence.study.phases = [phase.model_dump(exclude_defaults=True)]
    forget_launched()
    background = {code: {"language": answer} for code, answer in answers.items()}
    return replace(evidence, choices=replace(evidence.choices, dif_by="language"), background=background)


def dif_of(evidence):
    return next(table for table in build_reader_tables(evidence) if table.name == "dif")


def test_people_are_grouped_by_the_two_most_common_answers(evidence):
    full = add_groups(evidence, (50, 50))
    codes = [code for code in full.annotators["annotator"] if code != "gpt"]
    answers = dict.fromkeys(codes[:40], "other") | dict.fromkeys(codes[40:45], "Basque")
    table = dif_of(ask_about_language(full, answers | dict.fromkeys(codes[45:99], "English")))
    (row,) = table.rows
    assert (row["group_a"], row["group_b"], row["n_people"]) == ("English", "other", 94)
    assert row["reason"] == "DIF needs 100 people in the smaller group; here 40."
    assert table.notes[-2:] == (
        "Groups by people's answers to “Your first language?”; whoever gave none is left out.",
        "The two most common answers are compared; not compared: Basque.",
    )


def test_where_nobody_answered_nothing_is_compared(evidence):
    (row,) = dif_of(ask_about_language(add_groups(evidence, (5, 5)), {})).rows
    assert (row["d"], row["reason"]) == (None, "DIF needs 100 people in the smaller group; here 0.")


@pytest.fixture
def study(project):
    return make_asked_study(project)


@made_once
def make_asked_study(project):
    """Three people who said their first language."""
    bank(project)
    study = make_live_study(project, phases=[BACKGROUND], plan={"annotators": 3})
    for seat, language in enumerate(("other", "English", "English")):
        person = Person(study.annotators.get(seat=seat))
        told = {"first_language": language, "adult": "yes", "remark": "7 Elm Street", "try": "0"}
        pass_phase(person.annotator, "background", told)
        person.finish()
    return study


CHOICES = Choices(dif_by="first_language")


def test_a_pack_brings_back_the_answers_and_equal_tables(study):
    erase_person(study.annotators.get(seat=2), EndReason.WITHDRAWN)
    pack = export_pack_bytes(study, dif_by="first_language")
    files = files_of(pack)
    told = [each.get("background") for each in objects_in(files["answers/annotators.jsonl"])]
    assert told == [{"first_language": "other", "adult": "yes"}, {"first_language": "English", "adult": "yes"}]
    assert b"Elm" not in b"".join(files.values())
    assert json.loads(files["manifest.json"])["dif_by"] == "first_language"
    assert b"--dif-by first_language" in files["README.md"]
    again = import_pack_bytes(pack)
    assert list(read_background(again).values()) == told
    assert results_in(export_pack_bytes(again, dif_by="first_language", seed=abs(study.seed))) == results_in(pack)
    (row,) = build_report(collect_evidence(again, CHOICES)).table("dif").rows
    assert (row["group_a"], row["group_b"], row["n_people"]) == ("English", "other", 2)


@pytest.mark.parametrize(
    "given",
    [
        {"first_language": "Klingon"}, {"remark": "7 Elm Street"}, {"shoe_size": "42"}, {"first_language": ["English"]},
        ["first_language"], "English",
    ],
)  # fmt: skip
def test_answers_that_nobody_could_choose_do_not_come_in(study, given):
    with pytest.raises(BadPack):
        list(list_passages(list(get_phases(study)), study.annotators.get(seat=0), given))


def test_a_later_answer_makes_another_state(study):
    before, usual = hash_state(study, CHOICES), hash_state(study, Choices())
    PhasePassed.objects.filter(annotator__seat=0).update(answers={"first_language": "English"})
    assert (hash_state(study, CHOICES) == before, hash_state(study, Choices()) == usual) == (False, True)


def test_it_is_chosen_on_the_page_in_the_api_and_in_the_command(study, as_user, viewer, tmp_path):
    page = as_user(viewer).get(reverse("study_results", args=[study.slug]), {"asked": "1", "dif_by": "first_language"})
    chosen = BeautifulSoup(page.content, "html.parser").select_one("select[name=dif_by] option[selected]")
    assert (chosen["value"], chosen.get_text()) == ("first_language", "Your first language?")
    assert "“Your first language?”" in page.context["counting"]
    caller = make_caller(viewer)
    table = f"/api/v1/studies/{study.slug}/tables/dif.csv"
    assert b"English,other" in caller.get(f"{table}?dif_by=first_language").content
    assert caller.get(f"{table}?dif_by=shoe_size").status_code == 400
    call_command("report", study.slug, "--out", str(tmp_path), "--dif-by", "first_language")
    assert "English,other" in (tmp_path / "tables" / "dif.csv").read_text()
    with pytest.raises(CommandError, match="first_language, adult"):
        call_command("report", study.slug, "--out", str(tmp_path), "--dif-by", "shoe_size")


def test_the_numbers_lead_to_the_answers_of_the_groups(study):
    groups = group_people(collect_evidence(study, CHOICES))
    assert len(groups.people) == 3
    assert groups.of_person.value_counts().to_dict() == {"English": 2, "other": 1}
