"""Models as judges: their definition, their cost, and the run in which a judge answers or fills columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.judges.base import build_judge_params, make_judge_setting
from evaluation.judges.prompts import JudgePrompts, read_judge_prompts, store_default_prompts
from evaluation.judges.run_kind import JUDGES
from evaluation.judges.scores import get_study_scale, name_column
from evaluation.models import JUDGE_KIND, MAX_METRIC_NAME, Evaluator, Metric
from evaluation.services.asking import MAX_SAMPLES, MAX_TEMPERATURE, add_estimates
from evaluation.services.evaluators import (  # fmt: skip
    CannotEvaluate,
    EvaluatorSpec,
    RunTerms,
    check_label,
    check_reading,
    choose_stages,
    create_run,
    ensure_evaluator,
    expand_versions,
    find_prompt_version,
    get_endpoint,
    has_same_options,
    knows_all_texts,
    list_runs,
    make_scope,
    name_text_version,
    refuse,
    wake_run,
)
from evaluation.services.progress import get_row
from evaluation.setting import DEFAULTS, LABEL, PROBABILITY
from llm.models import Endpoint, Run, RunState
from llm.request_options import OPTIONS, RequestOptions
from llm.services import runs
from llm.services.planning import Estimate, estimate
from studies.models import AnnotatorKind, InstrumentVersion, Study
from studies.protocols import PROTOCOLS, Stage
from studies.services.declarations import get_declaration
from studies.services.evaluating import (
    GATES,
    LAUNCHED,
    PICKS,
    SCORES,
    asks_about_options,
    explain_selection_conflict,
    judgment_type,
    list_judged_questions,
    refuse_draft,
    refuse_unanswerable,
)
from studies.services.instruments import find_instrument
from studies.services.states import lock_study

METHOD = "judge"
COLUMN_SCOPE = "column "
SMALLEST_SCALE, LARGEST_SCALE = 2, 9
TEMPERATURE = 1.0  # default for samples


@dataclass(frozen=True)
class JudgeSpec:
    """A model, and how it is to judge. With samples or a scale of its own it fills metric columns."""

    endpoint: Endpoint
    label: str = ""
    stages: Sequence[str] | None = None
    reading: str = LABEL
    samples: int | None = None
    temperature: float | None = None
    scale: int | None = None
    prompt: str = ""  # as in asking.ModelSpec
    options: RequestOptions = field(default_factory=RequestOptions)  # override those of the endpoint
    text_version: str = ""  # the version that it reads, in a study of text versions

    @property
    def name(self) -> str:
        return self.label.strip() or self.endpoint.name

    def is_column(self, study: Study, way: str) -> bool:
        """Whether its values go into metric columns, because people could not give them as answers."""
        own = self.reading == PROBABILITY or self.samples is not None or self.scale is not None
        return way == SCORES and (own or has_other_scale(study, self.prompt))

    @property
    def identity(self) -> dict[str, Any]:
        """What distinguishes this judge from others, besides the prompts."""
        temperature = (TEMPERATURE if self.temperature is None else self.temperature) if self.samples else 0
        return {
            "endpoint": self.endpoint.pk,
            "model": self.endpoint.model,
            "reading": self.reading,
            "samples": self.samples,
            "temperature": temperature,
            "scale": self.scale,
            OPTIONS: self.options.override(self.endpoint.options).as_json(),
            **name_text_version(self.text_version),
        }


def is_judged(study: Study) -> bool:
    """Whether models answer this study as judges rather than option by option."""
    return not asks_about_options(study)


def get_judgment_type(study: Study) -> str:
    """PAIRS, PICKS, SCORES or GATES; `WrongState` if no model can judge the study."""
    refuse_unanswerable(study, AnnotatorKind.MODEL)
    way = judgment_type(get_declaration(study).stages[0])
    assert way is not None
    return way


def build_params(study: Study, spec: JudgeSpec) -> dict[str, Any]:
    """The parameters of its run; `CannotEvaluate` if it cannot judge in this way."""
    refuse_draft(study)
    way = get_judgment_type(study)
    if problem := explain_selection_conflict(study, spec.endpoint.model):
        raise CannotEvaluate(problem)
    choose_stages(study, spec.stages)
    check_judge_spec(study, spec, way)
    params = {**spec.identity, "prompt": find_prompt(study, spec.prompt).pk}
    return params | ({"column": spec.name} if spec.is_column(study, way) else {})


def has_other_scale(study: Study, prompt: str) -> bool:
    """Whether the prompts ask for other scores than people give, or only about some dimensions."""
    prompts = load_prompts(study, prompt)
    questions = list_judged_questions(get_stage(study))
    scales = {get_study_scale(question) for question in questions}
    is_partial = not all(prompts.asks_about(question.name) for question in questions)
    return is_partial or (prompts.scale is not None and scales != {prompts.scale})


def load_prompts(study: Study, prompt: str) -> JudgePrompts:
    return read_judge_prompts(find_prompt(study, prompt).content, get_judgment_type(study))


def check_scale(study: Study, spec: JudgeSpec) -> None:
    """Check that scale and dimensions of the prompts fit the request."""
    prompts, questions = load_prompts(study, spec.prompt), list_judged_questions(get_stage(study))
    refuse(
        (
            prompts.scale is not None and spec.scale is not None,
            _("These prompts define their own scale. Leave the scale out, or use other prompts."),
        ),
        (
            not any(prompts.asks_about(question.name) for question in questions),
            _("These prompts cover none of the study's dimensions. Use other prompts."),
        ),
        (
            spec.reading == PROBABILITY and prompts.scale is not None and not prompts.scale.has_digits,
            _("Probabilities are only available for one-digit scores. Use the written score, or samples."),
        ),
    )


def check_judge_spec(study: Study, spec: JudgeSpec, way: str) -> None:
    check_label(spec.name)
    check_reading(spec.reading, spec.endpoint)
    for_scores = (spec.samples, spec.temperature, spec.scale)
    refuse(
        (
            way != SCORES and any(each is not None for each in for_scores),
            _("Samples, temperature and scale only apply to scores, and this study asks for none."),
        ),
        (
            way in (GATES, PICKS) and spec.reading == PROBABILITY,
            _("The next question depends on the written answer, so the label has to be used here."),
        ),
        (
            spec.samples is not None and (spec.reading == PROBABILITY or not 2 <= spec.samples <= MAX_SAMPLES),
            _("Choose 2 to %(n)d samples of written scores; probabilities come from a single reply.")
            % {"n": MAX_SAMPLES},
        ),
        (
            spec.temperature is not None and (spec.samples is None or not 0 < spec.temperature <= MAX_TEMPERATURE),
            _("The temperature applies to samples only: above 0, up to 2."),
        ),
        (
            spec.scale is not None and not SMALLEST_SCALE <= spec.scale <= LARGEST_SCALE,
            _("A scale may have %(low)d to %(high)d points.") % {"low": SMALLEST_SCALE, "high": LARGEST_SCALE},
        ),
    )
    if way == SCORES:
        check_scale(study, spec)
    if spec.is_column(study, way):
        check_columns(study, spec)


def check_columns(study: Study, spec: JudgeSpec) -> None:
    """Check that the columns belong to nobody else, and that the label is not an annotator's."""
    names = [name_column(spec.name, question.name) for question in list_judged_questions(get_stage(study))]
    taken = Metric.objects.filter(project=study.project, name__in=names).first()
    refuse(
        (
            PROTOCOLS[study.protocol].compares,
            _("Metric columns are about single items, and this study compares items. Read the written score."),
        ),
        (
            study.annotators.filter(code=spec.name).exists(),
            _("The study already has an annotator “%(code)s”. Choose another label.") % {"code": spec.name},
        ),
        (
            any(len(name) > MAX_METRIC_NAME for name in names),
            _("The column name “label: dimension” may have up to %(n)d characters. Choose a shorter label.")
            % {"n": MAX_METRIC_NAME},
        ),
        (
            taken is not None and not find_column_run(study, spec.name),
            _("The project already has a metric “%(name)s”. Choose another label for this judge.")
            % {"name": str(taken)},
        ),
    )


def get_stage(study: Study) -> Stage:
    return get_declaration(study).stages[0]


def name_prompts(study: Study) -> str:
    return f"{study.protocol}-judge/{study.language.partition('-')[0]}"


def find_prompt(study: Study, name: str = "") -> InstrumentVersion:
    """The prompts of that name, or the newest in the study's language, checked; `CannotEvaluate` if they do not fit.

    If the protocol has none, they are generated from the wording.
    """
    way, default = get_judgment_type(study), name_prompts(study)
    if not name and find_instrument(default, study.project) is None:
        return store_default_prompts(study, get_stage(study), way)
    return find_prompt_version(study, name, default, lambda content: read_judge_prompts(content, way))


def estimate_run(study: Study, spec: JudgeSpec) -> Estimate:
    """The maximum cost of a run started now; stores neither evaluator nor run."""
    params = build_judge_params(study, build_params(study, spec), None)
    endpoint = spec.endpoint
    return estimate(Run(project=study.project, kind=JUDGE_KIND, endpoint=endpoint, model=endpoint.model, params=params))


def count_max_calls(study: Study, spec: JudgeSpec) -> int:
    """The maximum number of calls; after an answer that stops the questions, fewer are made."""
    setting = make_judge_setting(build_judge_params(study, build_params(study, spec), None))
    return sum(1 for _asked in JUDGES[setting.way].plan_all(setting)) * (setting.samples or 1)


def expand_spec(study: Study, spec: JudgeSpec) -> list[JudgeSpec]:
    """One spec for each text version; only one for metric columns, which are about the original texts."""
    is_column = spec.is_column(study, get_judgment_type(study))
    return [spec] if is_column else expand_versions(study, [spec])


def estimate_all(study: Study, specs: Sequence[JudgeSpec]) -> Estimate:
    """Their cost together."""
    return add_estimates([estimate_run(study, spec) for spec in specs])


@transaction.atomic
def start(study: Study, spec: JudgeSpec, **terms: Any) -> Evaluator | Run:
    """A judge with its run started, or the run that fills its columns; terms: those of `RunTerms`."""
    params = build_params(study, spec)
    study = lock_study(study, *LAUNCHED)
    if spec.is_column(study, get_judgment_type(study)):
        return fill_columns(study, spec, params, RunTerms(**terms))
    evaluator = ensure_evaluator(study, specify_judge(study, spec, params))
    resume(evaluator, **terms)
    return evaluator


def specify_judge(study: Study, spec: JudgeSpec, params: Mapping[str, Any]) -> EvaluatorSpec:
    return EvaluatorSpec(
        label=spec.name,
        kind=AnnotatorKind.MODEL,
        method=METHOD,
        model=spec.endpoint.model,
        reading=spec.reading,
        stages=[get_stage(study).name],
        identity={**spec.identity, **({"prompt": params["prompt"]} if spec.prompt else {})},
        fix=lambda: {"prompt": params["prompt"]},
        text_version=spec.text_version,
    )


@transaction.atomic
def resume(evaluator: Evaluator, **terms: Any) -> Run | None:
    """The run that answers what is missing: the last one, resumed or retried; after a canceled one a new one."""
    Evaluator.objects.select_for_update().get(pk=evaluator.pk)  # two simultaneous requests would start two runs
    if not get_row(evaluator).n_missing:
        return None
    last = next(iter(list_runs(evaluator)), None)
    covers = last and (not last.is_over or knows_all_texts(last, evaluator.annotator.study))
    if last and covers and last.state != RunState.CANCELLED and has_same_options(last, evaluator.params):
        return wake_run(last, RunTerms(**terms))
    annotator, endpoint = evaluator.annotator, get_endpoint(evaluator)
    params = build_judge_params(annotator.study, evaluator.params, annotator.pk)
    scope = make_scope(evaluator)
    return start_new_run(annotator.study, endpoint, annotator.code, params, scope, RunTerms(**terms))


def fill_columns(study: Study, spec: JudgeSpec, params: dict[str, Any], terms: RunTerms) -> Run:
    """The run of the columns with that label: the last one, resumed or retried, or a new one."""
    last = find_column_run(study, spec.name)
    if last is not None:
        known = {**DEFAULTS, **last.params}
        other = {
            name for name, value in params.items() if known.get(name) != value and (name != "prompt" or spec.prompt)
        }
        if other == {OPTIONS} and not last.calls.good().exists():
            runs.cancel(last)
        elif other:
            raise CannotEvaluate(
                _("The study already has metric columns “%(label)s” from another judge. Choose another label.")
                % {"label": spec.name}
            )
        if last.state != RunState.CANCELLED and has_same_options(last, params):
            return wake_run(last, terms)
    scope = make_column_scope(study, spec.name)
    return start_new_run(study, spec.endpoint, spec.name, build_judge_params(study, params, None), scope, terms)


def make_column_scope(study: Study, label: str = "") -> str:
    return f"{COLUMN_SCOPE}{study.pk} {label}"


def find_column_run(study: Study, label: str) -> Run | None:
    """The newest run that fills the columns with that label."""
    found = Run.objects.filter(project=study.project_id, kind=JUDGE_KIND, scope=make_column_scope(study, label))
    return found.first()


def list_column_runs(study: Study) -> list[Run]:
    """The newest run of each label that fills metric columns of the study."""
    found = Run.objects.filter(project=study.project_id, kind=JUDGE_KIND, scope__startswith=make_column_scope(study))
    newest = {run.scope: run for run in found.order_by("pk")}
    return list(newest.values())


def start_new_run(
    study: Study, endpoint: Endpoint, label: str, params: dict[str, Any], scope: str, terms: RunTerms
) -> Run:
    sentence = _("%(label)s judges %(study)s") % {"label": label, "study": study.title}
    return create_run(JUDGE_KIND, study, endpoint, sentence, params, scope, terms)
