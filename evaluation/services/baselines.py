"""Baselines of a study: adding one, and answering text by text, so that an interrupted one can continue."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluation.baselines import (
    EXACT,
    FUZZY,
    MAJORITY,
    RULES,
    SIMILARITY_THRESHOLD,
    Keys,
    tick_exact,
    tick_majority,
    tick_most_similar,
    tick_similar,
)
from evaluation.models import Evaluator
from evaluation.services.evaluators import (
    CannotEvaluate,
    EvaluatorSpec,
    choose_stages,
    ensure_evaluator,
    name_text_version,
)
from items.models import Item, Option
from items.wording import Wording, is_cloze
from jobs.models import Job
from jobs.progress import Listener, report_progress
from jobs.scheduling import get_or_schedule, make_job
from projects.models import User
from studies.models import AnnotatorKind, Assignment, Study, UnitItem
from studies.protocols import PROTOCOLS, Stage
from studies.services.declarations import get_declaration
from studies.services.evaluating import (
    Judgeable,
    OptionJudgments,
    asks_about_options,
    close_answered,
    close_judged,
    store_judgments,
    store_values,
)
from studies.services.text_versions import label_version, list_text_versions

BASELINES = (MAJORITY, EXACT, FUZZY, RULES)
NEED_TEXT = (EXACT, FUZZY)
BEST, THRESHOLD = "best", "threshold"
KIND, UNITS = "baseline", "units"  # of its job, and the unit of its progress
AT_ONCE = 3.0  # seconds that a button may keep somebody waiting


def list_methods(study: Study) -> tuple[str, ...]:
    """The baselines that can answer what the study asks."""
    if PROTOCOLS[study.protocol].rules:
        return (RULES,)
    return (MAJORITY, EXACT, FUZZY) if asks_about_options(study) else ()


def add_baselines(
    study: Study, method: str, *, label: str = "", stages: Sequence[str] | None = None
) -> list[Evaluator]:
    """The baseline with that label in the study, by default named after its method; in a study of text versions one
    for each version."""
    versions = list_text_versions(study)
    if not versions:
        return [add_baseline(study, method, label=label, stages=stages)]
    names = {version: label_version(label.strip() or method, version, versions) for version in versions}
    return [add_baseline(study, method, label=names[each], stages=stages, text_version=each) for each in versions]


def add_baseline(
    study: Study, method: str, *, label: str = "", stages: Sequence[str] | None = None, text_version: str = ""
) -> Evaluator:
    """The baseline that reads this version of the texts; see `ensure_evaluator`."""
    methods = list_methods(study) or BASELINES  # if none can answer, adding one gives the reason
    if method not in methods:
        values = {"name": method, "names": ", ".join(methods)}
        raise CannotEvaluate(_("This study has no baseline “%(name)s”. Choose one of: %(names)s.") % values)
    wanted = EvaluatorSpec(
        label=label.strip() or method,
        kind=AnnotatorKind.BASELINE,
        method=method,
        model=method,
        reading="label",
        stages=choose_answerable_stages(study, method, stages),
        identity=name_text_version(text_version),
        fix=lambda: fix_params(study, method),
        text_version=text_version,
    )
    return ensure_evaluator(study, wanted)


def choose_answerable_stages(study: Study, method: str, wanted: Sequence[str] | None) -> list[str]:
    """The wanted stages in which the method can answer: matchers only in stages that show the text."""
    stages = choose_stages(study, wanted)
    if method in NEED_TEXT:
        declaration = get_declaration(study)
        stages = [name for name in stages if "text" in declaration.stage(name).shows]
    if not stages:
        raise CannotEvaluate(
            _(
                "“%(method)s” compares options with the text, so it cannot answer without the text. Choose "
                "the stage with the text."
            )
            % {"method": method}
        )
    return stages


def fix_params(study: Study, method: str) -> dict[str, object]:
    """The parameters that the method fixes for a study; refuses a study in which it cannot answer."""
    if method == MAJORITY and study.units.count() < 2:
        raise CannotEvaluate(
            _(
                "The majority label is learned from the other texts, and this study has only one text. "
                "Choose another baseline."
            )
        )
    if method == FUZZY:
        return {"rule": BEST if has_one_key_each(study) else THRESHOLD, "threshold": SIMILARITY_THRESHOLD}
    return {}


def has_one_key_each(study: Study) -> bool:
    """Whether every item of the study has exactly one key. Test takers know this, too, as part of the format."""
    items = UnitItem.objects.filter(unit__study=study).order_by().values("item")
    others = items.annotate(n=Count("item__options", filter=Q(item__options__correct=True))).exclude(n=1)
    return not others.exists()


BATCH = 100
Ticker = Callable[[Assignment, Item, Sequence[Option]], list[bool]]


def answer_by_baseline(evaluator: Evaluator, seconds: float | None = None) -> bool:
    """Let a baseline answer for at most so many seconds; returns whether everything is answered.

    A baseline that has answered everything is left alone.
    """
    started = time.monotonic()
    store = make_writer(evaluator)
    n = evaluator.annotator.assignments.open().count()
    for done, assignment in enumerate(iter_unfinished(evaluator), 1):
        store(assignment)
        report_progress(UNITS, done, n)
        if seconds is not None and time.monotonic() - started > seconds:
            break
    if evaluator.method == RULES:
        return close_judged(evaluator.annotator)
    return close_answered(evaluator.annotator, evaluator.stages)


def make_writer(evaluator: Evaluator) -> Callable[[Assignment], None]:
    """The function that stores the answers to an assignment."""
    stages = list_stages(evaluator)
    if evaluator.method == RULES:
        (stage,) = stages
        return lambda assignment: store_rule_answers(assignment, stage)
    tick = make_ticker(evaluator)

    def store(assignment: Assignment) -> None:
        for stage in stages:
            store_judgments(assignment, stage, judge_unit(assignment, tick), get_options(assignment))

    return store


def store_rule_answers(assignment: Assignment, stage: Stage) -> None:
    """Store the answers of the protocol's rules to the study's questions about each item of the unit."""
    study = assignment.annotator.study
    rules, asked = PROTOCOLS[study.protocol].rules, {question.name for question in stage.questions}
    for item in assignment.unit.items.select_related("generator"):
        options = item.options.all()
        category = str((item.metadata | (item.metadata.get("extra") or {})).get("category", ""))
        wording = Wording(
            item.stem, tuple(option.text for option in options), tuple(option.correct for option in options), "",
            study.language.partition("-")[0], is_cloze(category, str(item.generator.factors.get("setting", ""))),
        )  # fmt: skip
        about = Judgeable(assignment.unit_id, item.pk, (item.pk,), bool(item.expected_answer.strip()))
        values = {name: rule(wording) for name, rule in rules.items() if name in asked}
        store_values(assignment, stage, about, values, ())


def start_baseline(evaluator: Evaluator, user: User | None) -> bool:
    """Answer immediately for a few seconds; the rest becomes a job. Returns whether everything is answered."""
    study = evaluator.annotator.study
    job = make_job(KIND, study.job_subject, {"evaluator": evaluator.pk}, study.project)
    if not Job.objects.open().filter(key=job.key).exists() and answer_by_baseline(evaluator, AT_ONCE):
        return True
    get_or_schedule(job, timezone.now().isoformat(), user)
    return False


def finish_baseline(job: Job, on_progress: Listener) -> None:
    """Let the job's baseline answer the rest; does nothing if its evaluator was removed."""
    found = Evaluator.objects.select_related("annotator__study__instrument_version")
    if evaluator := found.filter(pk=job.parameters["evaluator"]).first():
        answer_by_baseline(evaluator)


def find_job(study: Study) -> Job | None:
    """An open job of a baseline of the study."""
    return Job.objects.open().filter(kind=KIND, subject=study.job_subject).first()


def list_stages(evaluator: Evaluator) -> list[Stage]:
    declaration = get_declaration(evaluator.annotator.study)
    return [declaration.stage(name) for name in evaluator.stages]


def iter_unfinished(evaluator: Evaluator) -> Iterator[Assignment]:
    """The open assignments, loaded in batches: one query cannot name all ids of a large study."""
    keys = iter(list(evaluator.annotator.assignments.open().values_list("pk", flat=True)))
    while batch := list(islice(keys, BATCH)):
        rows = Assignment.objects.filter(pk__in=batch).select_related("unit__text", "annotator__study")
        yield from rows.prefetch_related("unit__items__options")


def get_options(assignment: Assignment) -> dict[int, set[int]]:
    return {item.pk: {option.pk for option in item.options.all()} for item in assignment.unit.items.all()}


def judge_unit(assignment: Assignment, tick: Ticker) -> list[OptionJudgments]:
    """The baseline's answers about each item of the unit; they are the same in every stage."""
    found = []
    for item in assignment.unit.items.all():
        options = list(item.options.all())
        ticks = tick(assignment, item, options)
        found.append(
            OptionJudgments(item.pk, {option.pk: ticked for option, ticked in zip(options, ticks, strict=True)})
        )
    return found


def make_ticker(evaluator: Evaluator) -> Ticker:
    """The method as a function of a unit, an item in it and the item's options."""
    study, params = evaluator.annotator.study, evaluator.params
    if evaluator.method == MAJORITY:
        return make_majority_ticker(study)
    if evaluator.method == EXACT:
        return lambda assignment, item, options: tick_exact(read_text(assignment), get_wordings(options))
    if evaluator.method == FUZZY and params["rule"] == BEST:
        return lambda assignment, item, options: tick_most_similar(
            read_text(assignment), get_wordings(options), f"{study.seed}/{item.external_id}"
        )
    if evaluator.method == FUZZY:
        return lambda assignment, item, options: tick_similar(
            read_text(assignment), get_wordings(options), params["threshold"]
        )
    raise ValueError(f"{evaluator.method} is no baseline.")


def read_text(assignment: Assignment) -> str:
    return assignment.unit.text.in_version(assignment.text_version).body


def get_wordings(options: Sequence[Option]) -> list[str]:
    return [option.text for option in options]


def make_majority_ticker(study: Study) -> Ticker:
    """A function that gives the majority label of the study's other texts, by the current keys."""
    keys = count_keys(study)
    total = Keys(sum(own.n_keys for own in keys.values()), sum(own.n_options for own in keys.values()))
    return lambda assignment, item, options: [tick_majority(total.without(keys[assignment.unit_id]))] * len(options)


def count_keys(study: Study) -> dict[int, Keys]:
    rows = UnitItem.objects.filter(unit__study=study).order_by().values_list("unit")
    counted = rows.annotate(
        n_keys=Count("item__options", filter=Q(item__options__correct=True)), n_options=Count("item__options")
    )
    return {unit: Keys(n_keys, n_options) for unit, n_keys, n_options in counted}
