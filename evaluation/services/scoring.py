"""Scoring items sent by a program: checking them, their cost, and the runs in which models answer."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.baselines import EXACT, FUZZY, MAJORITY
from evaluation.instruments import get_stages
from evaluation.models import SCORING_KIND, Scoring
from evaluation.services.evaluators import (
    CannotEvaluate,
    RunTerms,
    check_label,
    check_reading,
    refuse,
    wake_run,
)
from evaluation.setting import LABEL, OPTIONWISE
from items.formats.rows import ItemRow, OptionRow, Problems, TextRow, validate_row
from items.language import recognize_languages
from llm.models import Endpoint, Run
from llm.request_options import OPTIONS
from llm.services import runs
from llm.services.planning import Estimate, estimate
from projects.models import Project
from studies.models import AnnotatorKind, InstrumentVersion
from studies.prompts import BadTemplate, read_prompts
from studies.protocols import PROTOCOLS
from studies.services.instruments import UnknownInstrument, find_version

BASELINES = (MAJORITY, EXACT, FUZZY)
MAX_ITEMS = 1_000  # of a request
MAX_EVALUATORS = 10
BUDGET_STEP = Decimal("0.0001")  # budgets have four places


class ScoringRefused(CannotEvaluate):
    """Items that cannot be scored; `problems` says which fields are wrong."""

    def __init__(self, problems: Problems):
        super().__init__(_("The texts were refused and nothing was stored. “errors” says what is wrong."))
        self.problems = problems


@dataclass(frozen=True)
class ScorerSpec:
    """A baseline, or a model and how it is to answer."""

    name: str
    endpoint: Endpoint | None = None
    label: str = ""
    reading: str = LABEL
    prompt: str = ""  # "name/language" or "name/language@version"; default: the shipped one of the language

    @property
    def own_label(self) -> str:
        return self.label.strip() or self.name


def read_texts(given: Sequence[Any], language: str = "") -> tuple[list[dict[str, Any]], str]:
    """The texts with an id each, and their language; `ScoringRefused` with all problems, by number of the text."""
    problems, rows = Problems(), []
    for number, value in enumerate(given, 1):
        if not isinstance(value, dict):
            problems.add(number, "", _("This must be an object: { … }."))
        elif row := validate_row(TextRow, value, number, problems):
            rows.append((number, row))
    for number, row in rows:
        if row.body is None:
            problems.add(number, "text", _("The field is missing."))
        if any(not item.options for item in row.items):
            problems.add(number, "items", _("An item has no options. Only items with options can be scored."))
    if sum(len(row.items) for _number, row in rows) > MAX_ITEMS:
        problems.add(0, "texts", _("More than %(limit)d items. Send fewer at once.") % {"limit": MAX_ITEMS})
    if not any(row.items for _number, row in rows):
        problems.add(0, "texts", _("There is no item to score. Send texts with items."))
    if problems:
        raise ScoringRefused(problems)
    texts = [describe_text(row, number) for number, row in rows if row.items]
    return texts, language or find_language(texts, [row.language for _number, row in rows if row.items])


def describe_text(row: TextRow, number: int) -> dict[str, Any]:
    return {
        "id": row.id or f"t{number}",
        "title": row.title or "",
        "text": row.body,
        "items": [describe_item(item, f"{row.id or f't{number}'}-{n}") for n, item in enumerate(row.items, 1)],
    }


def describe_item(item: ItemRow, name: str) -> dict[str, Any]:
    options: list[OptionRow] = item.options or []
    answers = [{"text": option.text, "correct": option.correct} for option in options]
    return {"id": item.id or name, "question": item.stem, "answers": answers}


def find_language(texts: Sequence[Mapping[str, Any]], named: Sequence[str | None]) -> str:
    """The language of the texts, as named or detected; refused unless all have the same."""
    unsaid = recognize_languages([text["text"] for text, code in zip(texts, named, strict=True) if not code])
    found = {(code or "").partition("-")[0] for code in [*filter(None, named), *unsaid]}
    if len(found) == 1 and (code := found.pop()):
        return code
    raise CannotEvaluate(_("The texts must be in one language. Send each language by itself, and say it."))


def find_prompt(project: Project, spec: ScorerSpec, language: str) -> InstrumentVersion:
    """The prompts that ask about one option with and without the text; `CannotEvaluate` if they do not fit."""
    shipped = next(each.prompts[OPTIONWISE] for each in PROTOCOLS.values() if OPTIONWISE in each.prompts)
    try:
        version = find_version(spec.prompt or f"{shipped}/{language}", project)
        stages = get_stages(version.content)
        read_prompts(version.content, stages)
    except (UnknownInstrument, BadTemplate) as error:
        raise CannotEvaluate(str(error)) from None
    if set(stages.values()) != {True, False}:
        raise CannotEvaluate(_("These prompts do not ask both with the text and without it. Choose others."))
    return version


def describe_evaluators(project: Project, specs: Sequence[ScorerSpec], language: str) -> list[dict[str, Any]]:
    """What is stored about each evaluator; `CannotEvaluate` if its definition is inconsistent."""
    labels = [spec.own_label for spec in specs]
    refuse(
        (not 1 <= len(specs) <= MAX_EVALUATORS, _("Name 1 to %(n)d evaluators.") % {"n": MAX_EVALUATORS}),
        (len(set(labels)) < len(labels), _("Two evaluators have the same label. Give each its own.")),
    )
    found: list[dict[str, Any]] = []
    for spec in specs:
        check_label(spec.own_label)
        if spec.endpoint is None:
            found.append({"label": spec.own_label, "kind": AnnotatorKind.BASELINE.value, "method": spec.name})
            continue
        check_reading(spec.reading, spec.endpoint)
        found.append(
            {
                "label": spec.own_label,
                "kind": AnnotatorKind.MODEL.value,
                "endpoint": spec.endpoint.pk,
                "model": spec.endpoint.model,
                "reading": spec.reading,
                "prompt": find_prompt(project, spec, language).pk,
                OPTIONS: spec.endpoint.options.as_json(),
            }
        )
    return found


def estimate_costs(
    project: Project, texts: Sequence[Mapping[str, Any]], evaluators: Sequence[Mapping[str, Any]]
) -> dict[str, Estimate]:
    """The cost of a run started now, by label of each model; stores nothing."""
    found = {}
    for each in list_models(evaluators):
        endpoint = Endpoint.objects.get(pk=each["endpoint"])
        params = {**each, "texts": texts}
        run = Run(project=project, kind=SCORING_KIND, endpoint=endpoint, model=endpoint.model, params=params)
        found[each["label"]] = estimate(run)
    return found


def list_models(evaluators: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [each for each in evaluators if each["kind"] == AnnotatorKind.MODEL]


@transaction.atomic
def start(
    project: Project,
    texts: list[dict[str, Any]],
    evaluators: list[dict[str, Any]],
    language: str,
    terms: RunTerms,
) -> Scoring:
    """The scoring with its runs started; if the same was sent before, the stored one with its runs resumed.

    The budget is for all models together: each gets an equal part.
    """
    content = json.dumps([language, texts, evaluators], sort_keys=True)
    fields = {"texts": texts, "evaluators": evaluators, "language": language, "created_by": terms.started_by}
    scoring, _is_new = Scoring.objects.get_or_create(
        project=project, fingerprint=hashlib.sha256(content.encode()).hexdigest(), defaults=fields
    )
    known, models = map_runs(scoring), list_models(evaluators)
    budget = None if terms.budget is None else (terms.budget / max(len(models), 1)).quantize(BUDGET_STEP, ROUND_DOWN)
    for each in models:
        own = RunTerms(budget, terms.on_unknown, terms.started_by, terms.keeps_going)
        if run := known.get(each["label"]):
            wake_run(run, own)
        else:
            create_run(scoring, each, own)
    return scoring


def create_run(scoring: Scoring, evaluator: Mapping[str, Any], terms: RunTerms) -> Run:
    values = {"label": evaluator["label"], "number": scoring.pk}
    try:
        return runs.create_run(
            project=scoring.project,
            kind=SCORING_KIND,
            endpoint=Endpoint.objects.get(pk=evaluator["endpoint"]),
            label=_("%(label)s scores items sent by program (%(number)d)") % values,
            params={**evaluator, "scoring": scoring.pk},
            scope=scoring.scope,
            budget=terms.budget,
            on_unknown=terms.on_unknown,
            started_by=terms.started_by,
        )
    except runs.CannotStart as error:
        raise CannotEvaluate(str(error)) from None


def map_runs(scoring: Scoring) -> dict[str, Run]:
    """The run of each model, by its label."""
    rows = Run.objects.filter(project=scoring.project_id, kind=SCORING_KIND, scope=scoring.scope)
    return {run.params["label"]: run for run in rows.select_related("endpoint").order_by("pk")}


def delete_scoring(scoring: Scoring) -> None:
    """Delete the scoring; its runs end, calls that were paid for stay in them."""
    for run in map_runs(scoring).values():
        runs.cancel(run)
    scoring.delete()
