"""The page of near-duplicates, and the benchmarks with which a bank is compared."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from items.forms.imports import BenchmarkForm
from items.models import Item
from items.services.duplicates import HASHES, BadBenchmark, add_benchmark, get_duplicates, list_rows
from jobs.views import ResultPending, describe_progress
from projects.access import get_project
from projects.models import Project, Role

SHOWN = 200


@login_required
@require_safe
def duplicate_list(request, slug):
    """Pairs of nearly equal items, and items that benchmarks contain."""
    return show_list(request, get_project(request.user, slug), BenchmarkForm())


@login_required
@require_POST
def benchmark_add(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = BenchmarkForm(request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            made = add_benchmark(project, form.cleaned_data["name"], file.name, file.read())
        except BadBenchmark as error:
            form.add_error("file", str(error))
        else:
            messages.success(request, _("“{name}” was added.").format(name=made.name))
            return redirect("duplicates", project.slug)
    return show_list(request, project, form)


def show_list(request, project: Project, form: BenchmarkForm) -> HttpResponse:
    job = get_duplicates(project)
    if not job.has_result:
        raise ResultPending(job, project=project)
    found = job.read_value()
    context = {"project": project, "form": form, "rows": list_rows(project, found)[:SHOWN], "found": found}
    context |= {"has_items": Item.objects.available().filter(project=project).exists()}
    context |= {"known": found["known"][:SHOWN], "benchmarks": project.benchmarks.defer("signatures"), "limit": SHOWN}
    context |= describe_progress(request, job, shows=True) if job.is_open else {}
    return render(request, "items/duplicates.html", context)


@login_required
@require_safe
def benchmark_file(request, slug, pk):
    """The signatures of a benchmark, for another project or installation."""
    benchmark = get_object_or_404(get_project(request.user, slug).benchmarks, pk=pk)
    response = HttpResponse(bytes(benchmark.signatures), content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="benchmark-{benchmark.pk}{HASHES}"'
    return response


@login_required
@require_POST
def benchmark_delete(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    get_object_or_404(project.benchmarks, pk=pk).delete()
    messages.success(request, _("The benchmark was removed."))
    return redirect("duplicates", project.slug)
