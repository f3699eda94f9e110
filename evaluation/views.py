from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.forms import BaselineForm
from evaluation.listing import rows_of
from evaluation.models import Evaluator
from evaluation.services import evaluators, working
from llm.models import Worker
from projects.models import Role
from studies.access import get_study
from studies.services.locking import WrongState


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_evaluators(request, slug):
    """Everybody of the project sees the evaluators; adding them is for researchers."""
    study = get_study(request.user, slug, Role.VIEWER if request.method != "POST" else Role.RESEARCHER)
    form = BaselineForm(request.POST or None)
    if form.is_valid():
        try:
            evaluator = evaluators.add_baseline(study, form.cleaned_data["method"], label=form.cleaned_data["label"])
            say_how_far(request, evaluator, working.begin(evaluator))
            return redirect("study_evaluators", study.slug)
        except evaluators.CannotEvaluate as error:
            form.add_error(None, str(error))
        except WrongState as error:
            messages.error(request, str(error))
            return redirect("study_evaluators", study.slug)
    return render(request, "evaluation/evaluators.html", context_of(study) | {"form": form})


def context_of(study) -> dict:
    rows = rows_of(study)
    unfinished = any(row.evaluator and row.missing for row in rows)
    return {
        "project": study.project,
        "study": study,
        "tab": "evaluators",
        "rows": rows,
        "may_manage": study.project.my_role.rank >= Role.RESEARCHER.rank,
        "nobody_works": unfinished and not Worker.objects.alive().exists(),
    }


def say_how_far(request, evaluator: Evaluator, is_done: bool) -> None:
    if is_done:
        said = _("“%(label)s” has answered.")
    else:
        said = _("“%(label)s” is answering. Load the page again to see how far it is.")
    messages.success(request, said % {"label": evaluator.annotator.code})


@login_required
@require_POST
def evaluator_continue(request, slug, pk):
    study = get_study(request.user, slug, Role.RESEARCHER)
    evaluator = get_object_or_404(Evaluator, pk=pk, annotator__study=study)
    say_how_far(request, evaluator, working.begin(evaluator))
    return redirect("study_evaluators", study.slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_remove(request, slug, pk):
    """Asks first: answers go."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    evaluator = get_object_or_404(Evaluator, pk=pk, annotator__study=study)
    if request.method == "POST":
        evaluators.remove(evaluator)
        messages.success(request, _("“%(label)s” was removed.") % {"label": evaluator.annotator.code})
        return redirect("study_evaluators", study.slug)
    context = {"project": study.project, "study": study, "evaluator": evaluator}
    return render(request, "evaluation/remove.html", context)
