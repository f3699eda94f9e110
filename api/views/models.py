"""Models: evaluators of a study, items that models write, runs, and the endpoints behind them."""

from decimal import Decimal
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from api.models import Scope
from api.problems import Refused
from api.views.base import Filter, JSONView, ProjectView, StudyView, operation
from evaluation.models import Evaluator
from evaluation.services import asking as evaluating
from evaluation.services import judges
from evaluation.services.baselines import BASELINES, add_baselines, start_baseline
from evaluation.services.evaluators import expand_versions, read_seen_texts, set_seen_texts
from evaluation.services.progress import EvaluatorRow, get_row, list_rows
from evaluation.setting import LABEL, OPTIONWISE, READERS, READINGS
from generation.services import asking as generating
from generation.services import ruling
from generation.services.choosing import MAX_ITEMS, N_ITEMS, N_OPTIONS, Size, find_texts
from generation.services.storing import CannotGenerate
from generation.views import MOST_BY_RULE
from items.models import MAX_OPTIONS
from llm.command_line import format_estimate
from llm.models import NANOS, Endpoint, Run, RunState, Unknown
from llm.request_options import MOST_TOKENS, Effort
from llm.run_numbers import Progress
from llm.services import endpoints, runs
from llm.services.planning import Estimate
from llm.views import get_run, require_admin
from projects.models import Project, Role
from studies.models import AnnotatorKind


class RunSerializer(serializers.Serializer):
    """One execution of a model over texts or items, without prompts and replies."""

    id = serializers.IntegerField(source="pk")
    project = serializers.CharField(source="project.slug")
    kind = serializers.CharField()
    label = serializers.CharField()
    model = serializers.CharField()
    state = serializers.ChoiceField(RunState.choices)
    reason = serializers.CharField(help_text="Why it is paused or stopped.")
    budget = serializers.SerializerMethodField()
    spent = serializers.SerializerMethodField()
    currency = serializers.CharField(source="endpoint.currency")
    n_calls = serializers.SerializerMethodField()
    n_answered = serializers.SerializerMethodField()
    n_missing = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, run: Run) -> dict[str, Any]:
        self.numbers = Progress(run)
        values: dict[str, Any] = super().to_representation(run)
        return values

    def get_budget(self, run: Run) -> float | None:
        return None if run.budget_nanos is None else run.budget_nanos / NANOS

    def get_spent(self, run: Run) -> float:
        return run.spent_nanos / NANOS

    def get_n_calls(self, run: Run) -> int:
        return self.numbers.n_calls

    def get_n_answered(self, run: Run) -> int:
        return self.numbers.n_good

    def get_n_missing(self, run: Run) -> int:
        return self.numbers.n_missing


class EvaluatorSerializer(serializers.Serializer):
    """A model or baseline that answers a study, with its progress."""

    label = serializers.CharField(source="annotator.code")
    kind = serializers.ChoiceField(AnnotatorKind.choices, source="annotator.kind")
    model = serializers.CharField(source="annotator.model")
    done = serializers.IntegerField(source="n_done")
    missing = serializers.IntegerField(source="n_missing")
    run = serializers.IntegerField(source="run.pk", default=None, allow_null=True, help_text="The newest run, if any.")


class EvaluatorsSerializer(serializers.Serializer):
    results = EvaluatorSerializer(many=True)


class BudgetSerializer(serializers.Serializer):
    budget = serializers.DecimalField(
        12, 4, required=False, min_value=Decimal(0), help_text="The run pauses above it, in the currency of the model."
    )


class TermsSerializer(BudgetSerializer):
    """What a run may cost."""

    on_unknown = serializers.ChoiceField(
        Unknown.choices, default=Unknown.REPEAT, help_text="Calls whose outcome a broken connection left unknown."
    )
    confirm_cost = serializers.BooleanField(
        default=False, help_text="Needed where calls cost money or have no price; without it the estimate is refused."
    )


class NewEvaluatorSerializer(TermsSerializer):
    model = serializers.CharField(help_text=f"A model of the project, or a baseline: {', '.join(BASELINES)}.")
    label = serializers.CharField(required=False, allow_blank=True, max_length=200)
    stages = serializers.ListField(child=serializers.CharField(), required=False, help_text="Absent: all.")
    reading = serializers.ChoiceField(list(READINGS), default=LABEL)
    answering = serializers.ChoiceField(list(READERS), default=OPTIONWISE)
    prompt = serializers.CharField(required=False, help_text="name/language or name/language@version")
    temperature = serializers.FloatField(required=False, min_value=0, max_value=2)
    seen = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text='Ids of texts whose human answers the model has seen, or ["all"].',
    )


class Evaluators(StudyView):
    @operation("List models and baselines of a study", gives=EvaluatorsSerializer)
    def get(self, request: Request, study: str) -> Any:
        return self.show({"results": list_rows(self.study)})

    @operation(
        "Let a model or baseline answer",
        scope=Scope.MODELS,
        role=Role.RESEARCHER,
        takes=NewEvaluatorSerializer,
        gives=EvaluatorSerializer,
        status=201,
    )
    def post(self, request: Request, study: str) -> Any:
        """A baseline answers immediately or by a job; a model by a run, which workers do. In a study of text versions
        an evaluator is added for each version; the reply shows the one for the first version."""
        given = self.read(NewEvaluatorSerializer)
        if given["model"] in BASELINES:
            added = add_baselines(self.study, given["model"], label=given.get("label", ""), stages=given.get("stages"))
            for evaluator in added:
                start_baseline(evaluator, request.user)
            return self.show(get_row(added[0]), status=201)
        return self.show(self.start_model(request, given), status=201)

    def start_model(self, request: Request, given: dict[str, Any]) -> EvaluatorRow:
        endpoint = find_model(self.project, given["model"])
        terms = {"budget": given.get("budget"), "on_unknown": given["on_unknown"], "started_by": request.user}
        asked = {"endpoint": endpoint, "label": given.get("label", ""), "stages": given.get("stages")}
        asked |= {"reading": given["reading"], "prompt": given.get("prompt", "")}
        if judges.is_judged(self.study):
            if given.keys() & {"temperature", "seen"} or given["answering"] != OPTIONWISE:
                raise Refused(_("Models judge this study: leave “temperature”, “answering” and “seen” out."))
            specs = judges.expand_spec(self.study, judges.JudgeSpec(**asked))
            confirm(endpoint, judges.estimate_all(self.study, specs), given)
            first, *_others = [judges.start(self.study, judge, **terms) for judge in specs]
            assert isinstance(first, Evaluator)  # only a scale or samples give metric columns
            return get_row(first)
        temperature = given.get("temperature", 0)
        model = evaluating.ModelSpec(**asked, answering=given["answering"], temperature=temperature)
        models, seen = expand_versions(self.study, [model]), read_seen_texts(self.study, given.get("seen", ()))
        confirm(endpoint, evaluating.estimate_all(self.study, models), given)
        added = evaluating.start_all(self.study, models, **terms)
        for evaluator in added if seen else ():
            set_seen_texts(evaluator, seen)
        return get_row(added[0])


def find_model(project: Project, name: str) -> Endpoint:
    """A model available to the project; the same refusal for existing and unknown ones."""
    found = Endpoint.objects.available_to(project).filter(name=name).first()
    if found is None:
        raise Refused(_("The project has no model of this name. The list of models shows all names."))
    return found


def confirm(endpoint: Endpoint, found: Estimate, given: dict[str, Any]) -> None:
    """Refuse calls that cost money, or may, without `confirm_cost`."""
    if found.n_new and not endpoint.is_free and not given["confirm_cost"]:
        sentence = _("%(estimate)s Send confirm_cost to start the run.")
        raise Refused(sentence % {"estimate": format_estimate(found, endpoint.currency)}, kind="refused")


class GenerateSerializer(TermsSerializer):
    model = serializers.CharField(help_text=f"A model of the project, or {ruling.CLOZE} for rules.")
    texts = serializers.ListField(child=serializers.CharField(), required=False, help_text="Ids; absent: all texts.")
    items = serializers.IntegerField(default=N_ITEMS, min_value=1, max_value=MAX_ITEMS, help_text="Items per text.")
    options = serializers.IntegerField(
        default=N_OPTIONS, min_value=0, max_value=MAX_OPTIONS, help_text="Options per item; 0: open questions."
    )
    instrument = serializers.CharField(required=False, help_text="The prompt: name or name/language@version.")
    label = serializers.CharField(required=False, max_length=200, help_text="The name of the generator.")


class GeneratedSerializer(serializers.Serializer):
    generator = serializers.CharField(allow_null=True)
    n_items = serializers.IntegerField(help_text="Items written so far.")
    n_missing = serializers.IntegerField(help_text="Items still to be written, or that a text does not carry.")
    runs = serializers.ListField(child=serializers.IntegerField(), help_text="Runs in progress.")


class Generate(ProjectView):
    @operation(
        "Let a model or rules write items",
        scope=Scope.MODELS,
        role=Role.RESEARCHER,
        takes=GenerateSerializer,
        gives=GeneratedSerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        """Rules write immediately; a model by a run, which workers do."""
        given = self.read(GenerateSerializer)
        size = Size(given["items"], given["options"])
        texts = find_texts(self.project, given.get("texts"))
        if given["model"] == ruling.CLOZE:
            return self.show(self.write_by_rule(texts, size), status=201)
        endpoint = find_model(self.project, given["model"])
        instrument = given.get("instrument") or generating.choose_instrument(endpoint, size)
        spec = generating.GenerationSpec(endpoint, texts, size, instrument, label=given.get("label", ""))
        confirm(endpoint, generating.estimate_run(self.project, spec), given)
        terms = {"budget": given.get("budget"), "on_unknown": given["on_unknown"], "started_by": request.user}
        generating.start(self.project, spec, **terms)
        now = generating.count_progress(self.project, spec)
        found = generating.get_generator(self.project, spec)
        at_work = [run.pk for run in generating.list_unfinished_runs(found, spec)]
        values = {"generator": found.name, "n_items": now.n_items, "n_missing": now.n_missing, "runs": at_work}
        return self.show(values, status=201)

    def write_by_rule(self, texts: list[Any], size: Size) -> dict[str, Any]:
        if len(texts) > MOST_BY_RULE:
            sentence = _("Rules can write about at most %(n)d texts in a request. Name fewer texts.")
            raise CannotGenerate(sentence % {"n": MOST_BY_RULE})
        found = ruling.write_by_rule(self.project, texts, size)
        n_items = sum(each.n_new + each.n_known for each in found)
        name = ruling.make_author(size, ruling.FIRST_SEED).name
        return {"generator": name, "n_items": n_items, "n_missing": sum(each.n_missing for each in found), "runs": []}


RUN_STATES = (Filter("state", "state", "Only runs in this state.", tuple(RunState.values)),)


class Runs(ProjectView):
    @operation("List runs", gives=RunSerializer, paged=True, filters=RUN_STATES)
    def get(self, request: Request, project: str) -> Any:
        """The newest first."""
        return self.page(self.project.runs.select_related("endpoint", "project"), "-pk")


class OneRun(JSONView):
    def find(self, role: Role, **where: Any) -> None:
        self.run = get_run(self.request.user, where["run"], role)

    @operation("Show a run", gives=RunSerializer)
    def get(self, request: Request, run: int) -> Any:
        return self.show(self.run)


class ActOnRun(OneRun):
    """`step` is pause, cancel or retry."""

    step = ""
    http_method_names = ["post"]

    @operation("Pause, cancel or retry a run", scope=Scope.MODELS, role=Role.RESEARCHER, gives=RunSerializer)
    def post(self, request: Request, run: int) -> Any:
        changed = {
            "pause": lambda: runs.pause(self.run, "user"),
            "cancel": lambda: runs.cancel(self.run),
            "retry": lambda: runs.retry_failed(self.run),
        }[self.step]()
        return self.show_changed(bool(changed))

    def show_changed(self, changed: bool) -> Any:
        if not changed:
            sentence = _("Nothing changed: the run is in another state, or no call of it failed.")
            raise Refused(sentence, status=409, kind="wrong-state")
        return self.show(get_run(self.request.user, self.run.pk))


class ResumeRun(ActOnRun):
    @operation("Resume a run", scope=Scope.MODELS, role=Role.RESEARCHER, takes=BudgetSerializer, gives=RunSerializer)
    def post(self, request: Request, run: int) -> Any:
        """Without a budget it keeps the one that it has."""
        return self.show_changed(runs.resume(self.run, **self.read(BudgetSerializer)))


class EndpointSerializer(serializers.Serializer):
    """A model server. Its key is never returned."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    base_url = serializers.CharField()
    model = serializers.CharField()
    description = serializers.CharField()
    has_key = serializers.BooleanField()
    price_in = serializers.DecimalField(12, 4, allow_null=True)
    price_out = serializers.DecimalField(12, 4, allow_null=True)
    currency = serializers.CharField()
    max_concurrency = serializers.IntegerField()
    timeout_seconds = serializers.IntegerField()
    max_tokens = serializers.IntegerField(allow_null=True)
    reasoning_effort = serializers.CharField()
    extra = serializers.DictField()
    is_active = serializers.BooleanField()
    projects = serializers.SerializerMethodField(help_text="Short names of projects that may use it; none: all.")
    test_ok = serializers.BooleanField(allow_null=True)
    tested_at = serializers.DateTimeField(allow_null=True)

    def get_projects(self, endpoint: Endpoint) -> list[str]:
        return [project.slug for project in endpoint.projects.all()]


class EndpointChangesSerializer(serializers.Serializer):
    name = serializers.CharField(required=False, max_length=100)
    base_url = serializers.CharField(required=False, max_length=500)
    model = serializers.CharField(required=False, max_length=200)
    key = serializers.CharField(required=False, max_length=1000, write_only=True, help_text="Stored encrypted.")
    description = serializers.CharField(required=False, allow_blank=True)
    price_in = serializers.DecimalField(12, 4, required=False, allow_null=True, min_value=Decimal(0))
    price_out = serializers.DecimalField(12, 4, required=False, allow_null=True, min_value=Decimal(0))
    currency = serializers.RegexField(r"^[A-Z]{3}$", required=False)
    max_concurrency = serializers.IntegerField(required=False, min_value=1, max_value=512)
    timeout_seconds = serializers.IntegerField(required=False, min_value=1, max_value=3600)
    max_tokens = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_TOKENS)
    reasoning_effort = serializers.ChoiceField(["", *Effort.values], required=False)
    extra = serializers.DictField(required=False)
    is_active = serializers.BooleanField(required=False)
    projects = serializers.ListField(child=serializers.SlugField(), required=False, help_text="Short names; none: all.")

    def validate_projects(self, slugs: list[str]) -> list[Project]:
        found = list(Project.objects.filter(slug__in=slugs))
        if missing := sorted(set(slugs) - {project.slug for project in found}):
            raise serializers.ValidationError(_("There is no project “%(slug)s”.") % {"slug": missing[0]})
        return found


class NewEndpointSerializer(EndpointChangesSerializer):
    name = serializers.CharField(max_length=100)
    base_url = serializers.CharField(max_length=500)
    model = serializers.CharField(max_length=200)


class EndpointView(JSONView):
    """For server admins: endpoints have keys and reach into the network."""

    def find(self, role: Role, **where: Any) -> None:
        require_admin(self.request.user)
        if "endpoint" in where:
            self.endpoint = get_object_or_404(Endpoint, pk=where["endpoint"])


class Endpoints(EndpointView):
    @operation("List model endpoints", scope=Scope.ADMIN, gives=EndpointSerializer, paged=True, sorts={"name": "name"})
    def get(self, request: Request) -> Any:
        return self.page(Endpoint.objects.prefetch_related("projects"))

    @operation(
        "Add a model endpoint", scope=Scope.ADMIN, takes=NewEndpointSerializer, gives=EndpointSerializer, status=201
    )
    def post(self, request: Request) -> Any:
        """A worker tests it immediately."""
        return self.show(endpoints.add_endpoint(**self.read(NewEndpointSerializer)), status=201)


class OneEndpoint(EndpointView):
    @operation("Show a model endpoint", scope=Scope.ADMIN, gives=EndpointSerializer)
    def get(self, request: Request, endpoint: int) -> Any:
        return self.show(self.endpoint)

    @operation("Change a model endpoint", scope=Scope.ADMIN, takes=EndpointChangesSerializer, gives=EndpointSerializer)
    def patch(self, request: Request, endpoint: int) -> Any:
        """Changing the address deletes the stored key."""
        self.require_own()
        self.require_match(self.endpoint, EndpointSerializer)
        return self.show(endpoints.save_endpoint(self.endpoint, **self.read(EndpointChangesSerializer)))

    @operation("Delete a model endpoint", scope=Scope.ADMIN, status=204)
    def delete(self, request: Request, endpoint: int) -> HttpResponse:
        self.require_own()
        if not endpoints.delete_endpoint(self.endpoint):
            sentence = _("This endpoint has runs, so it cannot be deleted. Set is_active to false instead.")
            raise Refused(sentence, status=409, kind="wrong-state")
        return HttpResponse(status=204)

    def require_own(self) -> None:
        if self.endpoint.is_local:
            sentence = _("The local model comes with Lesart and cannot be changed.")
            raise Refused(sentence, status=409, kind="wrong-state")


class ActOnEndpoint(EndpointView):
    """`step` is test or forget-key."""

    step = ""

    @operation("Test a model endpoint, or forget its key", scope=Scope.ADMIN, gives=EndpointSerializer)
    def post(self, request: Request, endpoint: int) -> Any:
        {"test": endpoints.request_test, "forget-key": endpoints.forget_key}[self.step](self.endpoint)
        self.endpoint.refresh_from_db()
        return self.show(self.endpoint)
