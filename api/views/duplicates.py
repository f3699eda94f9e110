"""Near-duplicates of a bank, and the published benchmarks with which it is compared."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request

from api.models import Scope
from api.problems import Refused
from api.shapes import JobSerializer
from api.views.base import FileView, ProjectView, operation
from items.formats import FORMATS
from items.models import MAX_ID, Benchmark
from items.services.duplicates import BadBenchmark, add_benchmark, get_duplicates
from projects.models import Role


class PairSerializer(serializers.Serializer):
    """Two items of the project whose wording is nearly the same."""

    item = serializers.CharField()
    other = serializers.CharField()
    index = serializers.FloatField(help_text="The Jaccard index of their wordings, from 0 to 1.")


class KnownSerializer(serializers.Serializer):
    """A text or item of the project that a benchmark contains."""

    kind = serializers.ChoiceField(("text", "item"))
    id = serializers.CharField()
    benchmark = serializers.CharField()
    other = serializers.CharField(help_text="Its id in the benchmark.")
    index = serializers.FloatField(help_text="The Jaccard index, estimated from signatures.")


class DuplicatesSerializer(serializers.Serializer):
    """The most similar ones first, up to 2,000 of each."""

    pairs = PairSerializer(many=True)
    known = KnownSerializer(many=True)
    n_pairs = serializers.IntegerField()
    n_known = serializers.IntegerField()


class BenchmarkSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    n_texts = serializers.IntegerField()
    n_items = serializers.IntegerField()


class NewBenchmarkSerializer(serializers.Serializer):
    file = serializers.FileField(allow_empty_file=True)
    name = serializers.CharField(max_length=MAX_ID)
    format = serializers.ChoiceField(sorted(FORMATS), required=False, help_text="Absent: by the file's name.")


class Duplicates(ProjectView):
    @operation("List near-duplicates", gives=DuplicatesSerializer, may_wait=True)
    def get(self, request: Request, project: str) -> Any:
        """Items of the project that are nearly equal, and those that a benchmark contains (docs/formats.md)."""
        job = get_duplicates(self.project)
        if not job.is_current(job.version):
            return self.show(job, JobSerializer, status=202)
        found = job.read_value()
        pairs = [{"item": one, "other": other, "index": index} for one, other, index in found["pairs"]]
        return self.show(found | {"pairs": pairs})


class Benchmarks(FileView, ProjectView):
    @operation("List benchmarks", gives=BenchmarkSerializer, paged=True)
    def get(self, request: Request, project: str) -> Any:
        return self.page(Benchmark.objects.filter(project=self.project).defer("signatures"))

    @operation(
        "Add a benchmark",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes={"multipart/form-data": NewBenchmarkSerializer},
        gives=BenchmarkSerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        """A data set in a format that can be imported, or a file of signatures. Only signatures are stored."""
        given = self.read(NewBenchmarkSerializer)
        file = given["file"]
        try:
            made = add_benchmark(self.project, given["name"], file.name, file.read(), given.get("format", ""))
        except BadBenchmark as error:
            raise Refused(str(error)) from None
        return self.show(made, status=201)


class OneBenchmark(ProjectView):
    @operation("Delete a benchmark", scope=Scope.WRITE, role=Role.RESEARCHER, status=204)
    def delete(self, request: Request, project: str, benchmark: int) -> HttpResponse:
        get_object_or_404(Benchmark, project=self.project, pk=benchmark).delete()
        return HttpResponse(status=204)
