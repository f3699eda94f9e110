"""Results of a study: tables, figures, answers and replication packs, the same as on the pages."""

import json
from collections.abc import Callable
from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import override
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from analysis.choices import Choices
from analysis.exports.codebook import build_codebook
from analysis.exports.item_evaluation import ITEM_EVALUATION, find_source
from analysis.exports.writing import (
    FORMATS,
    export_responses,
    name_export,
    write_item_evaluation,
    write_metrics,
    write_unanswered,
)
from analysis.files import TABLE_TYPES, mark_encoding, send_file
from analysis.pack.building import find_pack, has_withheld_text, request_pack
from analysis.results.file_views import FILE_TYPES, send_written
from analysis.results.forms import ResultsForm
from analysis.services.figures import draw_figure
from analysis.services.results import compare_with, count_by_purpose, get_report, list_comparable, open_export
from analysis.tables.spec import Table
from analysis.tables.writers import TABLE_FILES, as_csv, as_json
from api.models import Scope
from api.problems import Refused, require_valid
from api.shapes import JobSerializer
from api.views.base import BOM, StudyView, operation
from projects.models import Role
from studies.models import Study
from studies.services.states import are_effects_hidden

TYPES = TABLE_TYPES | FILE_TYPES | {"json": "application/json", "tex": "application/x-tex"}
WORKBOOK, PARQUET = (TABLE_TYPES[ending] for ending in ("xlsx", "parquet"))
CHOICES = (
    OpenApiParameter("include", str, many=True, enum=("simulated", "pilot"), description="Besides the main answers."),
    OpenApiParameter("evaluators", str, many=True, description="Rows to keep: human, or the code of a model."),
    OpenApiParameter("convention", str, enum=("readers", "annotators", "published"), description="Which intervals."),
    OpenApiParameter("texts", str, enum=("all", "shared"), description="shared: only those that all answered."),
    OpenApiParameter("calibration", str, enum=("with", "without"), description="Answers of a calibration."),
    OpenApiParameter("answers", str, enum=("given", "adjudicated"), description="Decisions in place of answers."),
    OpenApiParameter("dif_by", str, description="The background question whose answers form the groups of DIF."),
    OpenApiParameter("drop", str, many=True, enum=("duplicates", "references"), description="Items without metrics."),
)
SOURCE = (
    OpenApiParameter("evaluator", str, description="item-evaluation: whose answers."),
    OpenApiParameter("stage", str, description="item-evaluation: to which stage."),
)
NAMES = tuple(each.name for each in CHOICES)


class NamedTableSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    n_rows = serializers.SerializerMethodField()
    columns = serializers.SerializerMethodField()

    def get_n_rows(self, table: Table) -> int:
        return len(table.rows)

    def get_columns(self, table: Table) -> list[str]:
        return list(table.header)


class ResultsSerializer(serializers.Serializer):
    """The contents of a study's results page: its sentences, and the names of its tables and figures."""

    included = serializers.ListField(child=serializers.CharField(), help_text="Purposes besides main.")
    n_responses = serializers.IntegerField()
    sentences = serializers.ListField(child=serializers.CharField())
    tables = NamedTableSerializer(many=True)
    figures = serializers.ListField(child=serializers.CharField())
    effects_hidden = serializers.BooleanField(help_text="Whether results by generator are left out for now.")


def read_choices(study: Study, request: Request) -> Choices:
    """The choices in the query, as in the form of the results page; unknown choices are refused."""
    given = request.query_params
    data = given.copy() if any(name in given for name in NAMES) else None
    if data is not None:
        data["asked"] = "1"
        data.setdefault("convention", "readers")
    form = ResultsForm(study, count_by_purpose(study), data)
    if data is not None:
        require_valid(form)
    return form.choices


class ResultsView(StudyView):
    def find(self, role: Role, **where: Any) -> None:
        super().find(role, **where)
        self.choices = read_choices(self.study, self.request)

    def give_result(self, name: str, ending: str, make: Callable[[], bytes]) -> HttpResponseBase:
        """The file returned by `make`, in English like all files; 404 if it finds none of that name."""
        with override("en"):
            try:
                content = make()
            except KeyError:
                raise Http404 from None
        response: HttpResponseBase = self.give_file(content, TYPES[ending], f"{self.study.slug}-{name}.{ending}")
        return response


class Results(ResultsView):
    @operation("List the results of a study", gives=ResultsSerializer, query=CHOICES, may_wait=True)
    def get(self, request: Request, study: str) -> Any:
        """In English, like all files."""
        with override("en"):
            report = get_report(self.study, self.choices, only_current=True)
            values = {
                name: getattr(report, name) for name in ("included", "n_responses", "sentences", "tables", "figures")
            }
            return self.show(values | {"effects_hidden": are_effects_hidden(self.study)})


class OneTable(ResultsView):
    @operation(
        "Read a table of the results",
        query=(*CHOICES, BOM),
        media=("text/csv", "application/json", "application/x-tex", "text/markdown", WORKBOOK, PARQUET),
        may_wait=True,
    )
    def get(self, request: Request, study: str, name: str, ending: str) -> HttpResponseBase:
        """The same bytes as on the page. TeX is a document that compiles as it is."""

        def make() -> bytes:
            return TABLE_FILES[ending](get_report(self.study, self.choices, only_current=True).table(name))

        return mark_encoding(request._request, self.give_result(name, ending, make))


WITH = OpenApiParameter("with", str, required=True, description="The short name of the other study.")


class ComparedStudiesSerializer(serializers.Serializer):
    """Two studies of the same items: the rows of both tables, and sentences about them."""

    sentences = serializers.ListField(child=serializers.CharField())
    between_protocols = serializers.ListField(child=serializers.DictField())
    reliability_per_hour = serializers.ListField(child=serializers.DictField())


class CompareStudies(StudyView):
    @operation(
        "Compare with another study of the same items", gives=ComparedStudiesSerializer, query=(WITH,), may_wait=True
    )
    def get(self, request: Request, study: str) -> Any:
        """Spearman's rho of generators and items, and the reliability per hour of people's time."""
        from analysis.science.scores import say_comparison

        refuse_hidden(self.study)
        name = request.query_params.get("with", "")
        found = next((each for each in list_comparable(self.study) if each.slug == name), None)
        if found is None:
            sentence = _("“with” must name another study of the project that asks about the same items.")
            raise Refused(sentence, status=400, kind="invalid")
        with override("en"):
            tables = compare_with(self.study, found)
            rows = {table.name: json.loads(as_json(table))["rows"] for table in tables}
            return self.show({"sentences": say_comparison(tables)} | rows)


class OneFigure(ResultsView):
    @operation(
        "Read a figure of the results",
        query=CHOICES,
        media=("image/svg+xml", "image/png", "application/pdf", "application/json"),
        may_wait=True,
    )
    def get(self, request: Request, study: str, name: str, ending: str) -> HttpResponseBase:
        """As SVG, PNG, PDF or Vega-Lite specification."""
        return self.give_result(
            name, ending, lambda: draw_figure(self.study, self.choices, name, ending, only_current=True)
        )


def refuse_hidden(study: Study) -> None:
    """403 while effects by generator are hidden from the team: single answers would reveal them."""
    if are_effects_hidden(study):
        sentence = _("Results by generator are hidden until this study is closed, so single answers are not given out.")
        raise Refused(sentence, status=403, kind="forbidden")


class Answers(ResultsView):
    @operation(
        "Export single answers",
        scope=Scope.ANSWERS,
        role=Role.REVIEWER,
        query=(*CHOICES, *SOURCE, BOM),
        media=("text/csv", "application/jsonl", "application/zip", WORKBOOK, PARQUET),
        may_wait=True,
    )
    def get(self, request: Request, study: str, kind: str) -> HttpResponseBase:
        """As csv, wide (CSV), jsonl, xlsx or parquet, all as of one moment.

        Also codebook, unanswered (by models), metrics, preferences, and items: their wording with their statistics;
        and these as qti, moodle or gift, each a ZIP with statistics.csv.

        Preferences are JSON lines with a chosen and a rejected item of one text, by people's answers; item-evaluation
        is its JSON lines with the answers of one model or baseline in one stage.
        """
        return mark_encoding(request._request, self.give_answers(kind))

    def give_answers(self, kind: str) -> HttpResponseBase:
        if kind == "codebook":
            return self.give_file(
                as_csv(build_codebook(self.study)).encode(), TYPES["csv"], f"{self.study.slug}-codebook.csv"
            )
        refuse_hidden(self.study)
        purposes = self.choices.purposes
        if kind == "unanswered":
            return send_written(
                f"{self.study.slug}-unanswered.csv", lambda out: write_unanswered(self.study, out, purposes)
            )
        if kind == "metrics":
            return send_written(f"{self.study.slug}-metrics.csv", lambda out: write_metrics(self.study, out))
        if kind == ITEM_EVALUATION:
            asked = self.request.query_params
            source = find_source(self.study, asked.get("evaluator", ""), asked.get("stage", ""), purposes)
            name = f"{self.study.slug}-{kind}.jsonl"
            return send_written(name, lambda out: write_item_evaluation(self.study, source, out, purposes))
        if kind not in FORMATS:
            raise Http404
        name = name_export(self.study, kind)
        if file := open_export(self.study, kind, self.choices):
            return send_file(name, file)
        return send_written(name, lambda out: export_responses(self.study, kind, out, purposes))


class Pack(ResultsView):
    @operation("Show the job of the replication pack", scope=Scope.ANSWERS, role=Role.REVIEWER, gives=JobSerializer)
    def get(self, request: Request, study: str) -> Any:
        refuse_hidden(self.study)
        pack = find_pack(self.study)
        if pack is None:
            raise Http404
        return self.show(pack)

    @operation(
        "Build a replication pack",
        scope=Scope.ANSWERS,
        role=Role.REVIEWER,
        gives=JobSerializer,
        query=CHOICES,
        status=202,
    )
    def post(self, request: Request, study: str) -> Any:
        """A worker builds it; an earlier pack of the study is deleted."""
        refuse_hidden(self.study)
        if self.study.is_draft:
            raise Refused(_("A draft has no answers to pack. Launch the study first."), status=409, kind="wrong-state")
        return self.show(request_pack(self.study, self.choices, request.user), status=202)


class PackFile(StudyView):
    @operation("Download the replication pack", scope=Scope.ANSWERS, role=Role.REVIEWER, media=("application/zip",))
    def get(self, request: Request, study: str) -> HttpResponseBase:
        refuse_hidden(self.study)
        pack = find_pack(self.study)
        if pack is None or not pack.is_done or has_withheld_text(pack):
            raise Http404
        name = f"{self.study.slug}-pack.zip"
        return FileResponse(pack.open_file(), as_attachment=True, filename=name, content_type="application/zip")
