"""A study whose people do some of the texts that models do all of: what its pack holds, and what its tables say."""

import json

import pytest

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.reports.report import say_different_texts
from evaluation.models import Evaluator
from studies.models import AnnotatorKind
from studies.services.declarations import get_declaration
from studies.services.evaluating import OptionJudgments, add_evaluator, store_judgments
from tests.analysis.packs import export_pack_bytes, files_of, import_pack_bytes
from tests.studies.world import bank, make_live_study, person


def with_a_model(project):
    bank(project, texts=4, generators=("alder",))
    study = make_live_study(project, plan={"annotators": 1, "people_texts": 2})
    person(study).start().finish()
    model = add_evaluator(study, "m", kind=AnnotatorKind.MODEL, model="m", reading="label")
    Evaluator.objects.create(annotator=model, method="label", stages=["read"], params={})
    for assignment in model.assignments.all():
        for item in assignment.unit.items.all():
            options = {item.pk: [option.pk for option in item.options.all()]}
            judged = OptionJudgments(item.pk, dict.fromkeys(options[item.pk], True))
            store_judgments(assignment, get_declaration(study).stage("read"), [judged], options)
    return study


def test_tables_say_on_how_many_texts_people_and_models_rest(project):
    sentence = say_different_texts(collect_evidence(with_a_model(project), Choices()))
    assert [word for word in sentence.replace(";", " ").split() if word.isdigit()] == ["2", "4", "2"]


@pytest.mark.slow
def test_a_pack_holds_the_draw_and_brings_it_back(project):
    study = with_a_model(project)
    pack = export_pack_bytes(study)
    held = json.loads(files_of(pack)["study/history.json"])["people_texts"]
    assert held["texts"] == study.people_texts.texts
    again = import_pack_bytes(pack)
    assert again.people_texts.texts == study.people_texts.texts
    assert (again.people_texts.n, again.people_texts.by) == (2, "equal chance")
    assert again.people_texts.drawn_ids == study.people_texts.drawn_ids
