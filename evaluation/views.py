from itertools import islice
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.forms import BaselineForm, JudgeForm, ModelForm, SeenTextsForm, describe_entries
from evaluation.models import Evaluator
from evaluation.services import asking, baselines, evaluators, judges
from evaluation.services.calls import METHODS, get_position, get_prompt_versions, iter_unanswered_by
from evaluation.services.describing import describe_caveats, get_comparison
from evaluation.services.evaluators import CannotEvaluate, set_seen_texts
from evaluation.services.progress import count_options, get_row, list_rows
from evaluation.services.thresholds import make_curves
from jobs.views import describe_progress
from jobs.workers import has_live_workers
from llm.command_line import format_estimate
from llm.models import Endpoint, Run
from projects.models import Role
from studies.access import get_study
from studies.models import AnnotatorKind
from studies.services.evaluating import list_selecting_models
from studies.services.states import WrongState

MOST_ESTIMATED = 10_000  # calls; of more, only the number is shown, as a cost estimate builds every prompt
MOST_LISTED = 100


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_evaluators(request, slug):
    """All members of the project see the evaluators; only researchers may add them."""
    study = get_study(request.user, slug, Role.VIEWER if request.method != "POST" else Role.RESEARCHER)
    methods = baselines.list_methods(study)
    form = BaselineForm(request.POST or None, methods=methods) if methods else None
    if form is None and request.method == "POST":
        messages.error(
            request,
            _("Baselines only judge answer options, and this study asks nothing about options. Use a model instead."),
        )
        return redirect("study_evaluators", study.slug)
    if form is not None and form.is_valid():
        try:
            for evaluator in baselines.add_baselines(study, **form.cleaned_data):
                report_progress(request, evaluator, baselines.start_baseline(evaluator, request.user))
            return redirect("study_evaluators", study.slug)
        except CannotEvaluate as error:
            form.add_error(None, str(error))
        except WrongState as error:
            messages.error(request, str(error))
            return redirect("study_evaluators", study.slug)
    job = baselines.find_job(study)
    context = build_context(study) | {"form": form} | (describe_progress(request, job) if job else {})
    return render(request, "evaluation/evaluators.html", context)


def build_context(study) -> dict:
    rows = list_rows(study)
    is_judged = judges.is_judged(study)
    working_on = [row for row in rows if row.is_working or (row.evaluator and not row.run and row.n_missing)]
    return {
        "project": study.project,
        "study": study,
        "rows": rows,
        "verdict": describe_rows(rows),
        "stages": [_("Answers")] if is_judged else [_("Without the text"), _("With the text")],
        "column_runs": judges.list_column_runs(study) if is_judged else [],
        "may_manage": study.project.my_role.rank >= Role.RESEARCHER.rank,
        "nobody_works": bool(working_on) and not has_live_workers(),
    }


def describe_rows(rows) -> str:
    """Who answers, and whether answers are missing."""
    if not rows:
        return ""
    n_baselines = sum(row.annotator.kind == AnnotatorKind.BASELINE for row in rows)
    n_models = len(rows) - n_baselines
    models = ngettext("%(n)d model", "%(n)d models", n_models) % {"n": n_models}
    added = ngettext("%(n)d baseline", "%(n)d baselines", n_baselines) % {"n": n_baselines}
    who = ", ".join([models] * bool(n_models) + [added] * bool(n_baselines))
    sentence = _("%(who)s: nothing is missing.")
    if any(row.is_working for row in rows):
        sentence = _("%(who)s: some are still answering.")
    elif missing := sum(row.n_missing for row in rows):
        sentence = ngettext("%(who)s: %(n)d answer is missing.", "%(who)s: %(n)d answers are missing.", missing)
        return sentence % {"who": who, "n": missing}
    return sentence % {"who": who}


def report_progress(request, evaluator: Evaluator, is_done: bool) -> None:
    sentence = _("“%(label)s” has answered.") if is_done else _("“%(label)s” is answering.")
    messages.success(request, sentence % {"label": evaluator.annotator.code})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_page(request, slug, pk):
    """How an evaluator is asked and read, and which answers are missing; single replies are for reviewers."""
    study = get_study(request.user, slug, Role.VIEWER if request.method != "POST" else Role.RESEARCHER)
    evaluator = get_object_or_404(Evaluator.objects.select_related("annotator__study"), pk=pk, annotator__study=study)
    row = get_row(evaluator)
    may_read = study.project.my_role.rank >= Role.REVIEWER.rank
    may_manage = study.project.my_role.rank >= Role.RESEARCHER.rank
    seen = SeenTextsForm(evaluator, request.POST or None) if may_manage else None
    if seen is not None and seen.is_valid():
        set_seen_texts(evaluator, seen.cleaned_data["seen"])
        messages.success(request, _("Saved. Results take it into account from now on."))
        return redirect("evaluator", study.slug, evaluator.pk)
    is_model = evaluator.method in METHODS
    context = {
        "project": study.project,
        "study": study,
        "evaluator": evaluator,
        "row": row,
        "is_model": is_model,
        "sentences": describe_caveats(evaluator),
        "prompts": get_prompt_versions(study).get(evaluator.annotator_id),
        "curves": make_curves(evaluator),
        "comparison": get_comparison(evaluator, row) if evaluator.method == asking.METHOD else None,
        "is_judge": evaluator.method == judges.METHOD,
        "position": get_position(evaluator) if evaluator.method == judges.METHOD else None,
        "may_read": may_read,
        "seen": seen,
        "missing": list(islice(iter_unanswered_by(evaluator, None), MOST_LISTED)) if may_read and is_model else [],
    }
    return render(request, "evaluation/evaluator.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_model(request, slug):
    """Show the estimate; start the run when the same entries are sent again."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    is_judged = judges.is_judged(study)
    try:
        form = (JudgeForm if is_judged else ModelForm)(
            study, request.POST or None, initial=find_example(request, study)
        )
    except WrongState as error:
        messages.error(request, str(error))
        return redirect("study_evaluators", study.slug)
    context: dict[str, Any] = {"project": study.project, "study": study, "form": form, "is_judged": is_judged}
    context["selectors"] = list_selecting_models(study)
    if form.is_valid():
        try:
            if request.POST.get("seen") == form.mark():
                return start_models(request, study, form)
            context |= {"estimate": describe_estimate(study, form), "seen": form.mark()}
        except CannotEvaluate as error:
            form.add_error(None, str(error))
        except WrongState as error:
            messages.error(request, str(error))
            return redirect("study_evaluators", study.slug)
    return render(
        request,
        "evaluation/model.html",
        context | {"has_models": Endpoint.objects.available_to(study.project).exists()},
    )


def find_example(request, study) -> dict:
    """The form entries of the evaluator named in the address, to ask again in the same way."""
    key = request.GET.get("like", "")
    evaluator = Evaluator.objects.filter(annotator__study=study, pk=key).first() if key.isdecimal() else None
    return describe_entries(evaluator) if evaluator else {}


def start_models(request, study, form: ModelForm | JudgeForm):
    """Start the runs. Redirects to the run if there is one, else to the list; says who had answered everything."""
    terms = {name: form.cleaned_data[name] for name in ("budget", "on_unknown")} | {"started_by": request.user}
    if isinstance(form, ModelForm):
        added = asking.start_all(study, form.specs(), **terms)
    else:
        started = [judges.start(study, spec, **terms) for spec in form.specs()]
        if isinstance(started[0], Run):
            return redirect(started[0])
        added = [judge for judge in started if isinstance(judge, Evaluator)]
    working_on = []
    for evaluator in added:
        row = get_row(evaluator)
        if row.n_missing and row.run:
            working_on.append(row.run)
        else:
            sentence = _("“%(label)s” had already answered everything.")
            messages.info(request, sentence % {"label": evaluator.annotator.code})
    return redirect(working_on[0]) if len(added) == len(working_on) == 1 else redirect("study_evaluators", study.slug)


def describe_estimate(study, form: ModelForm | JudgeForm) -> str:
    """The estimate in a sentence. For a large study only the number of calls: a page cannot wait for all its
    prompts."""
    endpoint = form.cleaned_data["endpoint"]
    specs = form.specs()
    if isinstance(form, JudgeForm):
        n_calls = sum(judges.count_max_calls(study, spec) for spec in form.specs())
    else:
        n_stages = sum(len(asking.specify_evaluator(study, spec).stages) for spec in form.specs())
        n_calls = count_options(study) * n_stages  # at most: with letters there is one call per item
    if n_calls > MOST_ESTIMATED:
        estimate = _("%(n)d calls. For the maximum cost run: evaluate_study %(slug)s --model %(name)s --estimate.")
        return estimate % {"n": n_calls, "slug": study.slug, "name": endpoint.name}
    if isinstance(form, JudgeForm):
        found = judges.estimate_all(study, form.specs())
    else:
        found = asking.estimate_all(study, form.specs())
    estimate = format_estimate(found, endpoint.currency)
    if len(specs) < 2:
        return estimate
    names = ", ".join(f"“{spec.name}”" for spec in specs)
    return _("%(n)d evaluators: %(names)s. Together: %(estimate)s") % {
        "n": len(specs),
        "names": names,
        "estimate": estimate,
    }


@login_required
@require_POST
def evaluator_continue(request, slug, pk):
    study = get_study(request.user, slug, Role.RESEARCHER)
    evaluator = get_object_or_404(Evaluator, pk=pk, annotator__study=study)
    if evaluator.method in METHODS:
        go_on = judges.resume if evaluator.method == judges.METHOD else asking.resume
        try:
            run = go_on(evaluator, started_by=request.user, keeps_going=True)
        except CannotEvaluate as error:
            messages.error(request, str(error))
            return redirect("study_evaluators", study.slug)
        return redirect(run) if run else redirect("study_evaluators", study.slug)
    report_progress(request, evaluator, baselines.start_baseline(evaluator, request.user))
    return redirect("study_evaluators", study.slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_remove(request, slug, pk):
    """Asks for confirmation: the answers are deleted."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    evaluator = get_object_or_404(Evaluator, pk=pk, annotator__study=study)
    if request.method == "POST":
        evaluators.delete_evaluator(evaluator)
        messages.success(request, _("“%(label)s” was removed.") % {"label": evaluator.annotator.code})
        return redirect("study_evaluators", study.slug)
    context = {"project": study.project, "study": study, "evaluator": evaluator}
    return render(request, "evaluation/remove.html", context)
