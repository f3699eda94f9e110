"""Models as evaluators: specifying one or several, their cost (also on a draft), and the runs in which they answer."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.models import RUN_KIND, Evaluator
from evaluation.services.evaluators import (  # fmt: skip
    CannotEvaluate,
    EvaluatorSpec,
    RunTerms,
    check_reading,
    choose_stages,
    create_run,
    ensure_evaluator,
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
from evaluation.services.thresholds import tune_thresholds
from evaluation.setting import (
    DEFAULTS,
    LABEL,
    LETTERS,
    OPTIONWISE,
    PROBABILITY,
    READERS,
    build_run_params,
    find_text_stages,
)  # fmt: skip
from items.models import Item
from llm.models import Endpoint, Run, RunState
from llm.prices import CHARACTERS_PER_TOKEN, compute_cost, format_money
from llm.request_options import OPTIONS, RequestOptions
from llm.services.planning import Estimate, estimate
from projects.models import Project
from studies.models import AnnotatorKind, InstrumentVersion, Study
from studies.protocols import PROTOCOLS
from studies.protocols.base import Declaration, Stage
from studies.services.declarations import get_declaration
from studies.services.evaluating import explain_selection_conflict, refuse_draft
from studies.services.selection import PlannedUnit

METHOD = "model"
DEFAULT_THRESHOLD = 0.5
MAX_TEMPERATURE = 2
MAX_SAMPLES = 100
BUDGET_STEP = Decimal("0.0001")  # budgets have four places


@dataclass(frozen=True)
class ModelSpec:
    """A model, and how it is to answer."""

    endpoint: Endpoint
    label: str = ""
    stages: Sequence[str] | None = None
    reading: str = LABEL
    thresholds: Mapping[str, float] = field(default_factory=dict)
    prompt: str = ""  # "name/language" or "name/language@version"; default: the newest of the study's language
    as_published: bool = False
    answering: str = OPTIONWISE
    tune_on: Study | None = None  # the study on whose texts thresholds are chosen
    temperature: float = 0
    sample: int = 0  # number of the repetition with the same prompts, from 0
    options: RequestOptions = field(default_factory=RequestOptions)  # override those of the endpoint
    text_version: str = ""  # the version that it reads, in a study of text versions

    @property
    def name(self) -> str:
        return self.label.strip() or self.endpoint.name

    @property
    def identity(self) -> dict[str, Any]:
        """Everything the calls depend on, besides the prompts."""
        return {
            "endpoint": self.endpoint.pk,
            "model": self.endpoint.model,
            "as_published": self.as_published,
            "answering": self.answering,
            "temperature": self.temperature,
            "sample": self.sample,
            OPTIONS: self.options.override(self.endpoint.options).as_json(),
            **name_text_version(self.text_version),
        }


def specify_evaluator(study: Study, spec: ModelSpec) -> EvaluatorSpec:
    """The evaluator that the spec describes; `CannotEvaluate` if it is impossible."""
    refuse_draft(study)
    if problem := explain_selection_conflict(study, spec.endpoint.model):
        raise CannotEvaluate(problem)
    stages = choose_stages(study, spec.stages)
    check_model_spec(spec)
    prompt = {"prompt": find_prompt(study, spec.answering, spec.prompt).pk}
    tuning = tune_thresholds(study, spec.tune_on, {**spec.identity, **prompt}, stages) if spec.tune_on else None
    return EvaluatorSpec(
        label=spec.name,
        kind=AnnotatorKind.MODEL,
        method=METHOD,
        model=spec.endpoint.model,
        reading=spec.reading,
        stages=stages,
        identity={
            **spec.identity,
            "reading": spec.reading,
            "thresholds": get_thresholds(study, spec, tuning),
            **(prompt if spec.prompt else {}),
        },
        fix=lambda: {**prompt, **({"tuning": tuning} if tuning else {})},
        text_version=spec.text_version,
    )


def check_model_spec(spec: ModelSpec) -> None:
    check_reading(spec.reading, spec.endpoint)
    refuse(
        (
            spec.answering not in READERS,
            _("Unknown format “%(name)s”. Choose one of: %(names)s.")
            % {"name": spec.answering, "names": ", ".join(READERS)},
        ),
        (
            spec.answering == LETTERS and spec.reading == PROBABILITY,
            _("A list of letters gives no p(true) per option. Ask option by option instead."),
        ),
        (
            spec.reading == LABEL and bool(spec.thresholds),
            _("Thresholds only apply to p(true). Use the probability, or leave the threshold out."),
        ),
        (
            spec.tune_on is not None and (spec.reading == LABEL or bool(spec.thresholds)),
            _("Thresholds can only be chosen on another study if p(true) is used and no threshold is "
              "given. Use the probability, and leave the thresholds out."),
        ),
        (
            not 0 <= spec.temperature <= MAX_TEMPERATURE,
            _("The temperature must be between 0 and %(most)d.") % {"most": MAX_TEMPERATURE},
        ),
        (
            bool(spec.temperature) and spec.endpoint.can("temperature") is False,
            _("“%(name)s” does not accept a temperature. Leave it out, or choose another model.")
            % {"name": spec.endpoint.name},
        ),
        (
            any(not 0 <= share <= 1 for share in spec.thresholds.values()),
            _("A threshold must be between 0 and 1."),
        ),
    )  # fmt: skip


def get_thresholds(study: Study, spec: ModelSpec, tuning: dict[str, Any] | None) -> dict[str, float]:
    """The threshold of p(true) by stage. Another one makes another evaluator, but no new calls."""
    if spec.reading == LABEL:
        return {}
    chosen = {stage: found["threshold"] for stage, found in tuning["stages"].items()} if tuning else spec.thresholds
    names = [stage.name for stage in get_declaration(study).stages]
    return {name: float(chosen.get(name, DEFAULT_THRESHOLD)) for name in names}


def name_default_prompt(study: Study, answering: str = OPTIONWISE) -> str:
    """The name of the prompts of the study's protocol, or of the first protocol that has such prompts."""
    named = [protocol.prompts for protocol in (PROTOCOLS[study.protocol], *PROTOCOLS.values())]
    return next(prompts[answering] for prompts in named if answering in prompts)


def find_prompt(study: Study, answering: str = OPTIONWISE, name: str = "") -> InstrumentVersion:
    """The prompts of that name, or the newest in the study's language, checked; `CannotEvaluate` if they do not fit."""
    default = f"{name_default_prompt(study, answering)}/{study.language.partition('-')[0]}"
    shows_text = find_text_stages(get_declaration(study).stages)
    return find_prompt_version(study, name, default, lambda content: READERS[answering](content, shows_text))


def estimate_run(study: Study, spec: ModelSpec) -> Estimate:
    """The cost of a run started now; stores neither evaluator nor run."""
    wanted = specify_evaluator(study, spec)
    params = build_run_params(study, list(wanted.stages), {**wanted.identity, **wanted.fix()}, None)
    endpoint = spec.endpoint
    return estimate(Run(project=study.project, kind=RUN_KIND, endpoint=endpoint, model=endpoint.model, params=params))


@transaction.atomic
def start(study: Study, spec: ModelSpec, **terms: Any) -> Evaluator:
    """The evaluator with its run started, unless it has answered everything; terms: those of `RunTerms`."""
    evaluator = ensure_evaluator(study, specify_evaluator(study, spec))
    resume(evaluator, **terms)
    return evaluator


@transaction.atomic
def resume(evaluator: Evaluator, **terms: Any) -> Run | None:
    """The run that answers what is missing: the last one, resumed or retried, or a new one. None: nothing is missing.

    A new run reuses stored replies to calls of the same content: nothing is paid for twice.
    """
    Evaluator.objects.select_for_update().get(pk=evaluator.pk)  # two simultaneous requests would start two runs
    stages = list_missing_stages(evaluator)
    if not stages:
        return None
    last = next(iter(list_runs(evaluator)), None)
    is_open = last and last.state != RunState.CANCELLED and has_same_options(last, evaluator.params)
    study = evaluator.annotator.study
    covers = last and set(stages) <= set(last.params["stages"]) and (not last.is_over or knows_all_texts(last, study))
    if last and is_open and covers:
        return wake_run(last, RunTerms(**terms))
    annotator, endpoint = evaluator.annotator, get_endpoint(evaluator)
    label = _("%(label)s answers %(study)s") % {"label": annotator.code, "study": study.title}
    params = build_run_params(study, stages, get_run_params(evaluator), annotator.pk)
    return create_run(RUN_KIND, study, endpoint, label, params, make_scope(evaluator), RunTerms(**terms))


def list_missing_stages(evaluator: Evaluator) -> list[str]:
    names = [stage.name for stage in get_declaration(evaluator.annotator.study).stages]
    return [name for name, share in zip(names, get_row(evaluator).stages, strict=True) if share.n_missing]


def get_run_params(evaluator: Evaluator) -> dict[str, Any]:
    params = {**DEFAULTS, **evaluator.params}
    return {name: params[name] for name in ("prompt", "reading", "thresholds", *DEFAULTS)}


def expand_spec(spec: ModelSpec, *, prompts: Sequence[str] = (), samples: int = 1) -> list[ModelSpec]:
    """One spec for each prompt and sample, with labels of their own: “NAME (PROMPT) #2”.

    A single prompt leaves the name unchanged, and the first sample has no number. `CannotEvaluate` if inconsistent.
    """
    prompts = list(prompts) or [spec.prompt]
    refuse(
        (not 1 <= samples <= MAX_SAMPLES, _("Choose 1 to %(most)d samples.") % {"most": MAX_SAMPLES}),
        (
            samples > 1 and not spec.temperature,
            _("At temperature 0 all samples are equal. For several samples set a temperature above 0, such as .7."),
        ),
        (len(set(prompts)) < len(prompts), _("The same prompts are listed twice. List each once.")),
    )
    found = []
    for prompt in prompts:
        name = f"{spec.name} ({prompt})" if len(prompts) > 1 and prompt else spec.name
        for sample in range(samples):
            label = f"{name} #{sample + 1}" if sample else name
            found.append(replace(spec, label=label, prompt=prompt, sample=sample))
    return found


def estimate_all(study: Study, specs: Sequence[ModelSpec]) -> Estimate:
    """Their cost together, without savings from calls that they share."""
    return add_estimates([estimate_run(study, spec) for spec in specs])


def add_estimates(found: Sequence[Estimate]) -> Estimate:
    """The sum of the estimates; its money or time is unknown if any of theirs is."""
    costs, times = [one.cost_nanos for one in found], [one.seconds for one in found]
    return Estimate(
        n_calls=sum(one.n_calls for one in found),
        n_known=sum(one.n_known for one in found),
        n_without_prompt=sum(one.n_without_prompt for one in found),
        tokens_in=sum(one.tokens_in for one in found),
        tokens_out=sum(one.tokens_out for one in found),
        cost_nanos=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=None if None in times else sum(time for time in times if time is not None),
    )


@transaction.atomic
def start_all(
    study: Study, specs: Sequence[ModelSpec], *, budget: Decimal | None = None, **terms: Any
) -> list[Evaluator]:
    """Start the runs of all of them, or of none. The budget is for all together: each gets an equal part."""
    each = None if budget is None else (budget / len(specs)).quantize(BUDGET_STEP, ROUND_DOWN)
    return [start(study, spec, budget=each, **terms) for spec in specs]


# Estimate what a model would cost on a draft, from its texts and items: a draft has no units yet.


PROMPT_CHARACTERS = 900  # instructions around the text and the item
REPLY_TOKENS = 40
MOST_MODELS = 3


@dataclass(frozen=True)
class DraftCost:
    """What one model would cost; `price` is empty if the model has none."""

    name: str
    n_calls: int
    price: str


def estimate_draft(project: Project, units: Sequence[PlannedUnit], declaration: Declaration) -> list[DraftCost]:
    """The costs of the first models that the project may use; empty if models cannot answer the protocol."""
    asked = [call for unit in units for call in list_calls(unit, declaration)]
    if not asked:
        return []
    tokens_in, tokens_out = sum(asked), REPLY_TOKENS * len(asked)
    found = Endpoint.objects.available_to(project).order_by("name")[:MOST_MODELS]
    return [
        DraftCost(each.name, len(asked), format_money(compute_cost(each, tokens_in, tokens_out), each.currency))
        for each in found
    ]


def list_calls(unit: PlannedUnit, declaration: Declaration) -> Iterator[int]:
    """The number of tokens of each call about the unit: one call per option or question, in each stage.

    A pair is asked about in both orders.
    """
    shows_text = find_text_stages(declaration.stages)
    for stage in declaration.stages:
        n_text = len(unit.text.body) if shows_text[stage.name] else 0
        is_compared = any(question.kind == "pick" for question in stage.questions)
        for shown in [unit.items] if is_compared else [(item,) for item in unit.items]:
            characters = PROMPT_CHARACTERS + n_text + sum(map(count_characters, shown))
            n_orders = 2 if is_compared and len(shown) == 2 else 1
            yield from [math.ceil(characters / CHARACTERS_PER_TOKEN)] * count_questions(stage, shown[0]) * n_orders


def count_questions(stage: Stage, item: Item) -> int:
    """The number of calls per item: one per option if options are judged, else one per question but free texts."""
    questions = stage.applicable_questions(bool(item.expected_answer))
    if any(question.per == "option" for question in questions):
        return len(item.options.all())
    return sum(question.kind != "text" for question in questions)


def count_characters(item: Item) -> int:
    return len(item.stem) + sum(len(option.text) for option in item.options.all())
