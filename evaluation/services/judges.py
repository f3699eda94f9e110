"""Models as judges: what can be asked for, its cost, and the run in which a judge answers or fills columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.judges.columns import column_name
from evaluation.judges.prompts import read_judge_prompts
from evaluation.judges.setting import judge_params, make_judge_setting
from evaluation.judges.ways import JUDGES
from evaluation.listing import row_of
from evaluation.models import LONGEST_METRIC, Evaluator, Metric
from evaluation.services.asking import HOTTEST, woken
from evaluation.services.ensembles import MOST_SAMPLES
from evaluation.services.evaluators import (
    JUDGE_KIND,
    CannotEvaluate,
    Wanted,
    add,
    check_label,
    chosen_stages,
    runs_of,
    scope_of,
)
from evaluation.setting import LABEL, PROBABILITY, READINGS
from llm.models import Endpoint, Run, RunState, Unknown
from llm.services import runs
from llm.services.estimating import Estimate, estimate
from projects.models import User
from studies.models import AnnotatorKind, InstrumentVersion, Study
from studies.prompts import BadTemplate
from studies.protocols import Stage
from studies.services.declaring import declaration_of
from studies.services.evaluating import LAUNCHED, asks_about_options, refuse_draft, refuse_unanswerable
from studies.services.instruments import UnknownInstrument, latest_version
from studies.services.judgeable import GATES, SCORES, way_of
from studies.services.locking import locked
from studies.services.selectors import why_not

METHOD = "judge"
COLUMN_SCOPE = "column "
SMALLEST_SCALE, LARGEST_SCALE = 2, 9
TEMPERATURE = 1.0  # of samples, where none is named


@dataclass(frozen=True)
class JudgeAsk:
    """A model as somebody wants it to judge. With samples or a scale of its own it fills metric columns."""

    endpoint: Endpoint
    label: str = ""
    stages: Sequence[str] | None = None
    reading: str = LABEL
    samples: int | None = None
    temperature: float | None = None
    scale: int | None = None
    prompt: str = ""  # as of asking.Ask

    @property
    def name(self) -> str:
        return self.label.strip() or self.endpoint.name

    def is_column(self, way: str) -> bool:
        """Whether what it gives are no answers that a person could have given."""
        return way == SCORES and (self.reading == PROBABILITY or self.samples is not None or self.scale is not None)

    @property
    def asking(self) -> dict[str, Any]:
        """What makes it this judge and no other, beside the prompts."""
        temperature = (TEMPERATURE if self.temperature is None else self.temperature) if self.samples else 0
        return {
            "endpoint": self.endpoint.pk,
            "model": self.endpoint.model,
            "reading": self.reading,
            "samples": self.samples,
            "temperature": temperature,
            "scale": self.scale,
        }


def is_judged(study: Study) -> bool:
    """Whether models answer this study as judges, and not option by option."""
    return not asks_about_options(study)


def way_in(study: Study) -> str:
    """`WrongState` where no model can judge."""
    refuse_unanswerable(study, AnnotatorKind.MODEL)
    way = way_of(declaration_of(study).stages[0])
    assert way is not None
    return way


def params_of(study: Study, ask: JudgeAsk) -> dict[str, Any]:
    """What its run carries; `CannotEvaluate` if it cannot judge so."""
    refuse_draft(study)
    way = way_in(study)
    if problem := why_not(study, ask.endpoint.model):
        raise CannotEvaluate(problem)
    chosen_stages(study, ask.stages)
    check(study, ask, way)
    params = {**ask.asking, "prompt": prompt_for(study, ask.prompt).pk}
    return params | ({"column": ask.name} if ask.is_column(way) else {})


def check(study: Study, ask: JudgeAsk, way: str) -> None:
    check_label(ask.name)
    if ask.reading not in READINGS:
        raise CannotEvaluate(_("A reply is read as label or probability, not as “%(name)s”.") % {"name": ask.reading})
    if way != SCORES and (ask.samples is not None or ask.temperature is not None or ask.scale is not None):
        raise CannotEvaluate(_("Samples, a temperature and a scale are for scores; this study asks for none."))
    if way == GATES and ask.reading == PROBABILITY:
        raise CannotEvaluate(_("The path follows the answers that are written: read the label here."))
    if ask.samples is not None and (ask.reading == PROBABILITY or not 2 <= ask.samples <= MOST_SAMPLES):
        raise CannotEvaluate(
            _("Samples are 2 to %(n)d written scores; probabilities are read from one reply.") % {"n": MOST_SAMPLES}
        )
    if ask.temperature is not None and (ask.samples is None or not 0 < ask.temperature <= HOTTEST):
        raise CannotEvaluate(_("A temperature is for samples, above 0 and up to 2."))
    if ask.scale is not None and not SMALLEST_SCALE <= ask.scale <= LARGEST_SCALE:
        raise CannotEvaluate(
            _("A scale has %(low)d to %(high)d steps.") % {"low": SMALLEST_SCALE, "high": LARGEST_SCALE}
        )
    if ask.reading == PROBABILITY and ask.endpoint.can("logprobs") is False:
        raise CannotEvaluate(
            _("“%(name)s” sends no log-probabilities. Read the written label instead.") % {"name": ask.endpoint.name}
        )
    if ask.is_column(way):
        check_columns(study, ask)


def check_columns(study: Study, ask: JudgeAsk) -> None:
    """The columns must not be somebody else's, nor the label that of an annotator."""
    if study.annotators.filter(code=ask.name).exists():
        raise CannotEvaluate(
            _("The study has an annotator “%(code)s” already. Give this one another label.") % {"code": ask.name}
        )
    names = [column_name(ask.name, question.name) for question in stage_of(study).questions]
    if any(len(name) > LONGEST_METRIC for name in names):
        raise CannotEvaluate(
            _("A column is named “label: dimension” and has up to %(n)d characters. Choose a shorter label.")
            % {"n": LONGEST_METRIC}
        )
    taken = Metric.objects.filter(project=study.project, name__in=names).first()
    if taken and not column_run(study, ask.name):
        raise CannotEvaluate(
            _("The project has a metric “%(name)s” already. Give this judge another label.") % {"name": taken.name}
        )


def stage_of(study: Study) -> Stage:
    return declaration_of(study).stages[0]


def prompts_name(study: Study) -> str:
    return f"{study.protocol}-judge/{study.language.partition('-')[0]}"


def prompt_for(study: Study, name: str = "") -> InstrumentVersion:
    """The prompts of that name, or the newest in the study's language, checked; `CannotEvaluate` if they do not fit."""
    try:
        version = latest_version(name or prompts_name(study), study.project)
        read_judge_prompts(version.content, way_in(study))
    except UnknownInstrument as unknown:
        if name:
            raise CannotEvaluate(str(unknown)) from None
        raise CannotEvaluate(
            _("There are no prompts “%(name)s”. Add an instrument of that name first.") % {"name": prompts_name(study)}
        ) from None
    except BadTemplate as error:
        raise CannotEvaluate(str(error)) from None
    return version


@dataclass(frozen=True)
class Terms:
    """What a run may cost, what becomes of calls whose outcome nobody knows, and who wants it."""

    budget: Decimal | None
    on_unknown: str
    started_by: User | None


def estimate_for(study: Study, ask: JudgeAsk) -> Estimate:
    """What it would cost now, at most; stores neither evaluator nor run."""
    params = judge_params(study, params_of(study, ask), None)
    endpoint = ask.endpoint
    return estimate(Run(project=study.project, kind=JUDGE_KIND, endpoint=endpoint, model=endpoint.model, params=params))


def most_calls(study: Study, ask: JudgeAsk) -> int:
    """How many there can be; those behind a stop are never made."""
    setting = make_judge_setting(judge_params(study, params_of(study, ask), None))
    return sum(1 for _asked in JUDGES[setting.way].most(setting)) * (setting.samples or 1)


@transaction.atomic
def start(
    study: Study, ask: JudgeAsk, *,
    budget: Decimal | None = None, on_unknown: str = "", started_by: User | None = None,
) -> Evaluator | Run:  # fmt: skip
    """A judge with a run on its way, or the run that fills its columns. Nothing is stored if it cannot be."""
    params = params_of(study, ask)
    study = locked(study, *LAUNCHED)
    if ask.is_column(way_in(study)):
        return fill_columns(study, ask, params, Terms(budget, on_unknown, started_by))
    evaluator = add(study, wanted_for(study, ask, params))
    go_on(evaluator, budget=budget, on_unknown=on_unknown, started_by=started_by)
    return evaluator


def wanted_for(study: Study, ask: JudgeAsk, params: Mapping[str, Any]) -> Wanted:
    return Wanted(
        label=ask.name,
        kind=AnnotatorKind.MODEL,
        method=METHOD,
        model=ask.endpoint.model,
        reading=ask.reading,
        stages=[stage_of(study).name],
        identity={**ask.asking, **({"prompt": params["prompt"]} if ask.prompt else {})},
        fix=lambda: {"prompt": params["prompt"]},
    )


@transaction.atomic
def go_on(
    evaluator: Evaluator, *, budget: Decimal | None = None, on_unknown: str = "", started_by: User | None = None
) -> Run | None:
    """The run that answers what is missing: the last one, woken or tried again; after a cancelled one a new one."""
    Evaluator.objects.select_for_update().get(pk=evaluator.pk)  # two at once would start two runs
    annotator = evaluator.annotator
    if not row_of(evaluator).missing:
        return None
    last = next(iter(runs_of(evaluator)), None)
    if last and last.state != RunState.CANCELLED:
        return woken(last, budget, on_unknown)
    endpoint = Endpoint.objects.get(pk=evaluator.params["endpoint"])
    params = judge_params(annotator.study, evaluator.params, annotator.pk)
    terms = Terms(budget, on_unknown, started_by)
    return new_run(annotator.study, endpoint, annotator.code, params, scope_of(evaluator), terms)


def fill_columns(study: Study, ask: JudgeAsk, params: dict[str, Any], terms: Terms) -> Run:
    """The run of the columns with that label: the last one, woken or tried again, or a new one."""
    last = column_run(study, ask.name)
    if last is not None:
        if any(last.params.get(name) != value for name, value in params.items() if name != "prompt" or ask.prompt):
            raise CannotEvaluate(
                _("The study has metric columns “%(label)s” already, of another judge. Give this one another label.")
                % {"label": ask.name}
            )
        if last.state != RunState.CANCELLED:
            return woken(last, terms.budget, terms.on_unknown)
    scope = column_scope(study, ask.name)
    return new_run(study, ask.endpoint, ask.name, judge_params(study, params, None), scope, terms)


def column_scope(study: Study, label: str = "") -> str:
    return f"{COLUMN_SCOPE}{study.pk} {label}"


def column_run(study: Study, label: str) -> Run | None:
    """The newest run that fills the columns with that label."""
    found = Run.objects.filter(project=study.project_id, kind=JUDGE_KIND, scope=column_scope(study, label))
    return found.first()


def column_runs(study: Study) -> list[Run]:
    """The newest run of each label that fills metric columns of the study."""
    found = Run.objects.filter(project=study.project_id, kind=JUDGE_KIND, scope__startswith=column_scope(study))
    newest = {run.scope: run for run in found.order_by("pk")}
    return list(newest.values())


def new_run(study: Study, endpoint: Endpoint, label: str, params: dict[str, Any], scope: str, terms: Terms) -> Run:
    try:
        return runs.create_run(
            project=study.project,
            kind=JUDGE_KIND,
            endpoint=endpoint,
            label=_("%(label)s judges %(study)s") % {"label": label, "study": study.title},
            params=params,
            scope=scope,
            budget=terms.budget,
            on_unknown=terms.on_unknown or Unknown.REPEAT,
            started_by=terms.started_by,
        )
    except runs.CannotStart as error:
        raise CannotEvaluate(str(error)) from None
