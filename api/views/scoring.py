"""Scoring: the informativity of items sent by a program, by baselines and models of its choice."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import override
from rest_framework import serializers
from rest_framework.request import Request

from analysis.scoring import score
from api.models import Scope
from api.views.base import ProjectView, operation
from api.views.models import RunSerializer, TermsSerializer, confirm, find_model
from evaluation.models import Scoring
from evaluation.services import scoring
from evaluation.services.evaluators import RunTerms
from evaluation.services.scoring import delete_scoring
from evaluation.setting import LABEL, READINGS
from llm.models import NANOS, Endpoint, RunState
from llm.services.planning import Estimate
from projects.models import Role
from studies.models import AnnotatorKind


class ScorerSerializer(serializers.Serializer):
    """A baseline or model that answers without the text and with it."""

    model = serializers.CharField(
        help_text=f"A model of the project, or a baseline: {', '.join(scoring.BASELINES)}.", max_length=100
    )
    label = serializers.CharField(required=False, allow_blank=True, max_length=200)
    reading = serializers.ChoiceField(list(READINGS), default=LABEL)
    prompt = serializers.CharField(required=False, help_text="name/language or name/language@version")


class NewScoringSerializer(TermsSerializer):
    """Nothing of it is added to the bank."""

    texts = serializers.ListField(child=serializers.DictField(), help_text="As in an item file.")
    evaluators = ScorerSerializer(many=True)
    language = serializers.CharField(required=False, max_length=20, help_text="Absent: that of the texts.")
    dry_run = serializers.BooleanField(default=False, help_text="Check everything and say what it would cost.")


class MeasureSerializer(serializers.Serializer):
    """Null if it is undefined, with the reason."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="95 % interval over texts.")
    high = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()


class ScorerResultSerializer(serializers.Serializer):
    label = serializers.CharField()
    kind = serializers.ChoiceField(AnnotatorKind.choices)
    reading = serializers.CharField()
    run = RunSerializer(allow_null=True, help_text="The run of a model, with its progress and cost.")
    n_guess = serializers.IntegerField(help_text="Options judged without the text.")
    n_read = serializers.IntegerField(help_text="Options judged with the text.")
    guessability = MeasureSerializer()
    answerability = MeasureSerializer()
    informativity = MeasureSerializer()


class ItemScoreSerializer(serializers.Serializer):
    text_id = serializers.CharField()
    item_id = serializers.CharField()
    evaluator = serializers.CharField()
    guessability = serializers.FloatField(allow_null=True, help_text="Share of options judged right without the text.")
    answerability = serializers.FloatField(allow_null=True, help_text="The same with the text.")
    informativity = serializers.FloatField(allow_null=True, help_text="Answerability minus guessability.")
    probability_gain = serializers.FloatField(
        allow_null=True, help_text="Mean over options of p(right label) with the text minus without."
    )
    n_options = serializers.IntegerField()
    n_guess = serializers.IntegerField()
    n_read = serializers.IntegerField()


class EstimateSerializer(serializers.Serializer):
    """The maximum cost of a model's calls without a stored answer."""

    label = serializers.CharField()
    n_calls = serializers.IntegerField()
    n_known = serializers.IntegerField(help_text="Calls answered before, which are not paid again.")
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.FloatField(allow_null=True, help_text="Null: the model has no price.")
    currency = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)


class ScoringRowSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk", allow_null=True, help_text="Null after a dry run.")
    language = serializers.CharField()
    n_texts = serializers.SerializerMethodField()
    n_items = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(allow_null=True)

    def get_n_texts(self, row: Any) -> int:
        return len(row.texts)

    def get_n_items(self, row: Any) -> int:
        return sum(len(text["items"]) for text in row.texts)


class StartedScoringSerializer(ScoringRowSerializer):
    estimates = EstimateSerializer(many=True)


class StartedScoring:
    """A scoring, stored or not, with the maximum cost of its models."""

    def __init__(self, scoring: Scoring, estimates: list[dict[str, Any]]):
        self.pk, self.language, self.created_at = scoring.pk, scoring.language, scoring.created_at
        self.texts, self.estimates = scoring.texts, estimates


class ScoringSerializer(ScoringRowSerializer):
    """A scoring with its numbers so far. Sentences are in English, as in files."""

    state = serializers.ChoiceField(RunState.choices, help_text="done: every model has answered or given up.")
    evaluators = ScorerResultSerializer(many=True)
    items = ItemScoreSerializer(many=True)

    def to_representation(self, row: Scoring) -> dict[str, Any]:
        with override("en"):
            numbers = score(row)
        values = ScoringRowSerializer(row).data
        return dict(values) | {
            "state": numbers["state"],
            "evaluators": ScorerResultSerializer(numbers["evaluators"], many=True).data,
            "items": ItemScoreSerializer(numbers["items"], many=True).data,
        }


class Scorings(ProjectView):
    @operation("List scorings", scope=Scope.MODELS, role=Role.RESEARCHER, gives=ScoringRowSerializer, paged=True)
    def get(self, request: Request, project: str) -> Any:
        """The newest first, without numbers."""
        return self.page(Scoring.objects.filter(project=self.project), "-pk")

    @operation(
        "Score items",
        scope=Scope.MODELS,
        role=Role.RESEARCHER,
        takes=NewScoringSerializer,
        gives=StartedScoringSerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        """Guessability, answerability and informativity by evaluators that you choose; nothing is added to the bank.

        Models answer by runs, which workers do; a prompt answered before in the project is not asked again, and
        repeating the request returns the existing scoring. Up to 1,000 items in one language.
        """
        given = self.read(NewScoringSerializer)
        texts, language = scoring.read_texts(given["texts"], given.get("language", ""))
        specs = [self.make_spec(each) for each in given["evaluators"]]
        evaluators = scoring.describe_evaluators(self.project, specs, language)
        found = scoring.estimate_costs(self.project, texts, evaluators)
        endpoints = {spec.own_label: spec.endpoint for spec in specs if spec.endpoint}
        estimates = [describe_estimate(label, each, endpoints[label]) for label, each in found.items()]
        if given["dry_run"]:
            row = Scoring(texts=texts, language=language)
        else:
            for label, each in found.items():
                confirm(endpoints[label], each, given)
            terms = RunTerms(given.get("budget"), given["on_unknown"], request.user)
            row = scoring.start(self.project, texts, evaluators, language, terms)
        return self.show(StartedScoring(row, estimates), status=201)

    def make_spec(self, given: dict[str, Any]) -> scoring.ScorerSpec:
        name = given.pop("model")
        endpoint = None if name in scoring.BASELINES else find_model(self.project, name)
        return scoring.ScorerSpec(name, endpoint, **given)


def describe_estimate(label: str, found: Estimate, endpoint: Endpoint) -> dict[str, Any]:
    fields = ("n_calls", "n_known", "tokens_in", "tokens_out", "seconds")
    cost = None if found.cost_nanos is None else found.cost_nanos / NANOS
    values = {"label": label, "cost": cost, "currency": endpoint.currency}
    return values | {name: getattr(found, name) for name in fields}


class OneScoring(ProjectView):
    def find(self, role: Role, **where: Any) -> None:
        super().find(role, **where)
        self.scoring = get_object_or_404(Scoring, project=self.project, pk=where["scoring"])

    @operation("Show a scoring", scope=Scope.MODELS, role=Role.RESEARCHER, gives=ScoringSerializer)
    def get(self, request: Request, project: str, scoring: int) -> Any:
        """The progress, and the numbers from the answers so far."""
        return self.show(self.scoring)

    @operation("Delete a scoring", scope=Scope.MODELS, role=Role.RESEARCHER, status=204)
    def delete(self, request: Request, project: str, scoring: int) -> HttpResponse:
        """Its runs end; calls that were paid for stay in them."""
        delete_scoring(self.scoring)
        return HttpResponse(status=204)
