"""Models as evaluators: adding one, what it would cost, and the run in which it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.listing import row_of
from evaluation.models import Evaluator
from evaluation.services.evaluators import RUN_KIND, CannotEvaluate, Wanted, add, chosen_stages, runs_of, scope_of
from evaluation.services.tuning import tuned
from evaluation.setting import (
    BEFORE,
    LABEL,
    LETTERS,
    OPTIONWISE,
    PROBABILITY,
    READERS,
    READINGS,
    params_for,
    with_text,
)
from llm.models import Endpoint, Run, RunState, Unknown
from llm.services import runs
from llm.services.estimating import Estimate, estimate
from projects.models import User
from studies.models import AnnotatorKind, InstrumentVersion, Study
from studies.prompts import BadTemplate
from studies.services.declaring import declaration_of
from studies.services.evaluating import refuse_draft
from studies.services.instruments import UnknownInstrument, latest_version
from studies.services.selectors import why_not

METHOD = "model"
PROMPTS = "guess-then-read-prompt"
INSTRUMENTS = {OPTIONWISE: PROMPTS, LETTERS: "guess-then-read-letters"}
HALF = 0.5
HOTTEST = 2


@dataclass(frozen=True)
class Ask:
    """A model as somebody wants it to answer."""

    endpoint: Endpoint
    label: str = ""
    stages: Sequence[str] | None = None
    reading: str = LABEL
    thresholds: Mapping[str, float] = field(default_factory=dict)
    prompt: str = ""  # "name/language" or "name/language@version"; default: the newest of the study's language
    as_published: bool = False
    answering: str = OPTIONWISE
    tune_on: Study | None = None  # whose texts choose the thresholds
    temperature: float = 0
    sample: int = 0  # which draw of the same prompts, from 0

    @property
    def name(self) -> str:
        return self.label.strip() or self.endpoint.name


def wanted_for(study: Study, ask: Ask) -> Wanted:
    """The evaluator that is asked for; `CannotEvaluate` if there cannot be one."""
    refuse_draft(study)
    if problem := why_not(study, ask.endpoint.model):
        raise CannotEvaluate(problem)
    stages = chosen_stages(study, ask.stages)
    check(ask)
    prompt = prompt_for(study, ask.answering, ask.prompt)
    tuning = tuning_for(study, ask, stages)
    return Wanted(
        label=ask.name,
        kind=AnnotatorKind.MODEL,
        method=METHOD,
        model=ask.endpoint.model,
        reading=ask.reading,
        stages=stages,
        identity={
            "endpoint": ask.endpoint.pk,
            "model": ask.endpoint.model,
            "reading": ask.reading,
            "thresholds": thresholds_of(study, ask, tuning),
            "as_published": ask.as_published,
            "answering": ask.answering,
            "temperature": ask.temperature,
            "sample": ask.sample,
            **({"prompt": prompt.pk} if ask.prompt else {}),
        },
        fix=lambda: {"prompt": prompt.pk, **({"tuning": tuning} if tuning else {})},
    )


def check(ask: Ask) -> None:
    if ask.reading not in READINGS:
        raise CannotEvaluate(_("A reply is read as label or probability, not as “%(name)s”.") % {"name": ask.reading})
    if ask.answering not in READERS:
        said = {"name": ask.answering, "names": ", ".join(READERS)}
        raise CannotEvaluate(_("There is no way of asking “%(name)s”; there are: %(names)s.") % said)
    if ask.answering == LETTERS and ask.reading == PROBABILITY:
        raise CannotEvaluate(_("A list of letters has no p(true) for each option: ask option by option for that."))
    if ask.reading == LABEL and ask.thresholds:
        raise CannotEvaluate(_("A threshold is for p(true): read the probability, or leave the threshold out."))
    if ask.tune_on is not None and (ask.reading == LABEL or ask.thresholds):
        raise CannotEvaluate(
            _("Thresholds are chosen on other texts where p(true) is read and none is given: read the probability, and "
              "leave the thresholds out.")
        )  # fmt: skip
    check_draw(ask)
    if any(not 0 <= share <= 1 for share in ask.thresholds.values()):
        raise CannotEvaluate(_("A threshold lies between 0 and 1."))
    if ask.reading == PROBABILITY and ask.endpoint.can("logprobs") is False:
        raise CannotEvaluate(
            _("“%(name)s” sends no log-probabilities, so there is no p(true). Read the written label instead.")
            % {"name": ask.endpoint.name}
        )


def check_draw(ask: Ask) -> None:
    if not 0 <= ask.temperature <= HOTTEST:
        raise CannotEvaluate(_("A temperature lies between 0 and %(most)d.") % {"most": HOTTEST})
    if ask.temperature and ask.endpoint.can("temperature") is False:
        raise CannotEvaluate(
            _("“%(name)s” takes no temperature. Leave the temperature out, or choose another model.")
            % {"name": ask.endpoint.name}
        )


def tuning_for(study: Study, ask: Ask, stages: Sequence[str]) -> dict[str, Any] | None:
    """The thresholds chosen on other texts, with how they came about; None where nothing is to be chosen."""
    if ask.tune_on is None:
        return None
    asked_in_the_same_way = {
        "endpoint": ask.endpoint.pk,
        "model": ask.endpoint.model,
        "as_published": ask.as_published,
        "answering": ask.answering,
        "temperature": ask.temperature,
        "sample": ask.sample,
        "prompt": prompt_for(study, ask.answering, ask.prompt).pk,
    }
    return tuned(study, ask.tune_on, asked_in_the_same_way, stages)


def thresholds_of(study: Study, ask: Ask, tuning: dict[str, Any] | None) -> dict[str, float]:
    """τ of every stage where p(true) decides. Another τ is another evaluator, but takes no new call."""
    if ask.reading == LABEL:
        return {}
    chosen = {stage: found["threshold"] for stage, found in tuning["stages"].items()} if tuning else ask.thresholds
    names = [stage.name for stage in declaration_of(study).stages]
    return {name: float(chosen.get(name, HALF)) for name in names}


def prompt_for(study: Study, answering: str = OPTIONWISE, name: str = "") -> InstrumentVersion:
    """The prompts of that name, or the newest in the study's language, checked; `CannotEvaluate` if they do not fit."""
    language = study.language.partition("-")[0]
    try:
        version = latest_version(name or f"{INSTRUMENTS[answering]}/{language}", study.project)
        READERS[answering](version.content, with_text(declaration_of(study).stages))
    except UnknownInstrument as unknown:
        if name:
            raise CannotEvaluate(str(unknown)) from None
        raise CannotEvaluate(
            _("There are no prompts “%(name)s” in the language “%(language)s”. Add an instrument of that name first.")
            % {"name": INSTRUMENTS[answering], "language": language}
        ) from None
    except BadTemplate as error:
        raise CannotEvaluate(str(error)) from None
    return version


def estimate_for(study: Study, ask: Ask) -> Estimate:
    """What it would cost now; stores neither evaluator nor run."""
    wanted = wanted_for(study, ask)
    params = {**wanted.identity, "prompt": prompt_for(study, ask.answering, ask.prompt).pk}
    return estimate(
        Run(
            project=study.project,
            kind=RUN_KIND,
            endpoint=ask.endpoint,
            model=ask.endpoint.model,
            params=params_for(study, list(wanted.stages), params, None),
        )
    )


@transaction.atomic
def start(
    study: Study, ask: Ask, *,
    budget: Decimal | None = None, on_unknown: str = "", started_by: User | None = None,
) -> Evaluator:  # fmt: skip
    """The evaluator with a run on its way, unless it has answered everything. Nothing is stored if it cannot be."""
    evaluator = add(study, wanted_for(study, ask))
    go_on(evaluator, budget=budget, on_unknown=on_unknown, started_by=started_by)
    return evaluator


@transaction.atomic
def go_on(
    evaluator: Evaluator, *, budget: Decimal | None = None, on_unknown: str = "", started_by: User | None = None
) -> Run | None:
    """The run that answers what is missing: the last one, woken or tried again, or a new one. None: nothing is missing.

    In a new run, stored answers stand for calls of the same content: nothing is paid for twice.
    """
    Evaluator.objects.select_for_update().get(pk=evaluator.pk)  # two at once would start two runs
    stages = missing_stages(evaluator)
    if not stages:
        return None
    last = next(iter(runs_of(evaluator)), None)
    if last and set(stages) <= set(last.params["stages"]) and last.state != RunState.CANCELLED:
        return woken(last, budget, on_unknown)
    return new_run(evaluator, stages, budget, on_unknown, started_by)


def missing_stages(evaluator: Evaluator) -> list[str]:
    names = [stage.name for stage in declaration_of(evaluator.annotator.study).stages]
    return [name for name, share in zip(names, row_of(evaluator).stages, strict=True) if share.missing]


def woken(run: Run, budget: Decimal | None, on_unknown: str = "") -> Run:
    """The run at work again: resumed, or what failed in it tried again. An active one is left alone.

    Budget and what becomes of calls with an unknown outcome stay as they are where nothing is said about them.
    """
    if budget is not None:
        runs.set_budget(run, budget)
    if run.state == RunState.PAUSED:
        runs.resume(run)
    elif run.is_over:
        runs.retry_failed(run)
    if on_unknown:
        runs.set_on_unknown(run, on_unknown)
    run.refresh_from_db()
    return run


def new_run(
    evaluator: Evaluator, stages: list[str], budget: Decimal | None, on_unknown: str, started_by: User | None
) -> Run:
    annotator, params = evaluator.annotator, run_params(evaluator)
    if "endpoint" not in evaluator.params:
        raise CannotEvaluate(
            _("“%(label)s” came with a replication pack, which does not say where its model is served. Let a model "
              "answer under another label.") % {"label": annotator.code}
        )  # fmt: skip
    try:
        return runs.create_run(
            project=annotator.study.project,
            kind=RUN_KIND,
            endpoint=Endpoint.objects.get(pk=evaluator.params["endpoint"]),
            label=_("%(label)s answers %(study)s") % {"label": annotator.code, "study": annotator.study.title},
            params=params_for(annotator.study, stages, params, annotator.pk),
            scope=scope_of(evaluator),
            budget=budget,
            on_unknown=on_unknown or Unknown.REPEAT,
            started_by=started_by,
        )
    except runs.CannotStart as error:
        raise CannotEvaluate(str(error)) from None


def run_params(evaluator: Evaluator) -> dict[str, Any]:
    params = {**BEFORE, **evaluator.params}
    return {name: params[name] for name in ("prompt", "reading", "thresholds", *BEFORE)}
