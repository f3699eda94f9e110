"""Whole studies of every protocol, answered through the services and pages as in use, each once in a run."""

from random import Random

from analysis.items.coding_acts import set_code
from annotation.simulation import SimulatedPerson
from evaluation.metric_values import compute_metrics, query_study_items
from evaluation.models import Evaluator
from evaluation.services.baselines import add_baseline
from evaluation.services.baselines import answer_by_baseline as answer_by_rule
from items.models import KeyCorrection
from projects.models import Project
from studies.models import Purpose, Study
from studies.services.launching import open_main_part
from studies.services.people import add_annotators, make_annotators
from studies.services.second_round import open_second_round
from tests import dimensions, pairs, stopping
from tests.annotation.test_expert_check import check
from tests.factory import answer, make_annotator
from tests.made_once import made_once
from tests.studies.world import Person, bank, make_live_study


@made_once
def make_guessing_study(project: Project) -> Study:
    """Three people, one of them a pilot, a model with probabilities, a baseline, a corrected key, a code, metrics."""
    bank(project, texts=3, items=2, keys="TFF")
    for place, item in enumerate(project.items.order_by("pk")):
        item.metadata = {"kind": ("open", "closed", "closed")[place % 3]}
        item.save()
    study = make_live_study(project, slug="guessed", groups=["students"], plan={"annotators": 2})
    add_annotators(study, 1, group="students", people=["anna@example.org"])
    make_annotators(study, 1, Purpose.PILOT)
    for place, annotator in enumerate(study.annotators.order_by("pk")):
        someone = Person(annotator).start()
        while someone.here:
            someone.do(tick=[0, 2, 1, None][place], rating=2 + place % 3)
    items = {item.external_id: item for unit in study.units.all() for item in unit.items.all()}
    model = make_annotator(study, "gpt", kind="model", model="gpt-x", reading="probability")
    tuning = {"tuning": {"study": "Other texts", "stages": {}}, "reading": "probability", "prompt": None}
    Evaluator.objects.create(annotator=model, method="model", stages=["guess", "read"], params=tuning)
    for place, item in enumerate(items.values()):
        answer(model, "guess", item, "TFF", probabilities=[0.1 + 0.07 * place, 0.3, 1 / 3])
        answer(model, "read", item, "TTF" if place % 3 else "FFT", probabilities=[0.9, 0.123456789012345, 0.2])
    answer_by_rule(add_baseline(study, "majority"), 30.0)
    KeyCorrection.objects.create(item=items["t1-alder-1"], option_external_id="b", correct=True, reason="It says so.")
    items["t1-alder-1"].options.filter(external_id="b").update(correct=True)
    set_code(study, items["t2-birch-1"], "wrong_key", None, quote="two sentences", note="see the end")
    compute_metrics(project, query_study_items(study))
    return Study.objects.get(pk=study.pk)


@made_once
def make_ratings_study(project: Project) -> Study:
    """Dimension ratings with both rounds and an expert check, through the pages."""
    dimensions.make_bank(project)
    study = dimensions.make_live_study(project)
    for annotator in dimensions.annotators(study):
        dimensions.Rater(annotator, Random(1)).work_through()
    open_second_round(study)
    for annotator in dimensions.annotators(study):
        dimensions.Rater(annotator, Random(1), number=2).work_through()
    check(study, items=3)
    compute_metrics(project, query_study_items(study))
    return Study.objects.get(pk=study.pk)


@made_once
def make_questionnaire_study(project: Project) -> Study:
    """A stopping questionnaire, through the pages, with rephrasals and free answers."""
    stopping.make_bank(project)
    study = stopping.make_live_study(project)
    for annotator in stopping.annotators(study):
        annotator.group = stopping.group(annotator.seat)
        annotator.save()
        stopping.Judge(annotator, Random(1)).work_through()
    return Study.objects.get(pk=study.pk)


@made_once
def make_pairs_study(project: Project) -> Study:
    """Pairs with a calibration, through the pages."""
    pairs.make_bank(project)
    study = pairs.make_live_study(project)
    open_main_part(study)
    for annotator in pairs.annotators(study):
        pairs.Judge(annotator, Random(1)).work_through()
    return Study.objects.get(pk=study.pk)


@made_once
def make_best_worst_study(project: Project) -> Study:
    """The best and the worst of sets of four, through the pages."""
    bank(project, texts=3, generators=("alder", "birch", "cedar"), items=2)
    study = make_live_study(project, protocol="best-worst", plan={"annotators": 3})
    for annotator in study.annotators.order_by("seat"):
        SimulatedPerson(annotator, Random(annotator.seat)).work_through()
    return Study.objects.get(pk=study.pk)


EVERY = {
    "guessed": make_guessing_study,
    "rated": make_ratings_study,
    "judged": make_questionnaire_study,
    "compared": make_pairs_study,
    "chosen": make_best_worst_study,
}
