from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from generation.forms import GenerateForm, RepairForm, SelectForm, list_reasons, make_option_rows, make_stem_initial
from generation.models import IncompleteItem, IncompleteState, Selection
from generation.services import asking, ruling, selecting, storing
from generation.services.choosing import find_texts
from generation.services.storing import CannotGenerate
from generation.services.written import count_written, find_near_duplicates
from items.forms.bank import OptionFormSet, add_option_rows
from items.models import Generator
from items.services.editing import EditRefused
from jobs.workers import has_live_workers
from llm.command_line import format_estimate
from llm.models import Endpoint
from projects.access import get_project
from projects.models import Role

MOST_ESTIMATED, MOST_BY_RULE = 2_000, 300  # texts that a page can wait for
ON_A_PAGE = 8


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def generation_new(request, slug):
    """Rules write immediately. A model's estimate is shown; its run starts when the same entries are sent again."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    chosen = request.GET.getlist("texts")  # chosen in the list of texts
    form = GenerateForm(project, request.POST or None, initial={"texts": chosen} if chosen else None)
    context = {"project": project, "form": form, "n_open": query_open_rows(project).count()}
    context |= {"has_models": Endpoint.objects.available_to(project).exists(), "has_texts": form.all_texts.exists()}
    if form.is_valid():
        try:
            find_texts(project, None)
            if form.is_by_rule:
                return write_with_rules(request, project, form)
            if request.POST.get("seen") == form.mark():
                return start_run(request, project, form)
            context |= {"estimate": describe_estimate(project, form.spec()), "seen": form.mark()}
            context["nobody_works"] = not has_live_workers()
        except CannotGenerate as refused:
            form.add_error(None, str(refused))
    return render(request, "generation/new.html", context)


def write_with_rules(request, project, form: GenerateForm):
    texts = form.chosen_texts()
    if len(texts) > MOST_BY_RULE:
        sentence = _(
            "Rules can write about at most %(n)d texts here. Choose fewer, or use generate_items "
            "--project %(slug)s --model cloze."
        )
        raise CannotGenerate(sentence % {"n": MOST_BY_RULE, "slug": project.slug})
    found = ruling.write_by_rule(project, texts, form.size(), form.cleaned_data["seed"])
    counts = {name: sum(getattr(each, f"n_{name}") for each in found) for name in ("new", "known", "missing")}
    sentence = _("Items written: %(new)d; already in the project: %(known)d; missing: %(missing)d.") % counts
    (messages.warning if counts["missing"] else messages.success)(request, sentence)
    if counts["missing"]:
        messages.info(
            request, _("Some texts have too few usable sentences or similar words, or are in an unsupported language.")
        )
    return redirect("text_list", project.slug)


def start_run(request, project, form: GenerateForm):
    terms = {name: form.cleaned_data[name] for name in ("budget", "on_unknown")}
    run = asking.start(project, form.spec(), **terms, started_by=request.user)
    if run is None:
        messages.info(request, _("This generator has already written about all of these texts; no call was made."))
        return redirect("text_list", project.slug)
    return redirect(run)


def describe_estimate(project, spec: asking.GenerationSpec) -> str:
    """The estimate in a sentence; for very many texts only the number of calls."""
    if len(spec.texts) > MOST_ESTIMATED:
        sentence = _(
            "%(n)d calls. For the maximum cost run: generate_items --project %(slug)s --model %(name)s --estimate."
        )
        return sentence % {"n": len(spec.texts), "slug": project.slug, "name": spec.endpoint.name}
    return format_estimate(asking.estimate_run(project, spec), spec.endpoint.currency)


@login_required
def generation_review(request, slug):
    """Output of models that is not a complete item yet."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    rows = query_open_rows(project).select_related("generator", "text", "run")
    page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
    shown = [(row, list_reasons(row)) for row in page]
    done = IncompleteItem.objects.filter(text__project=project)
    context = {
        "n_repaired": done.filter(state=IncompleteState.REPAIRED).count(),
        "n_discarded": done.filter(state=IncompleteState.DISCARDED).count(),
        "alike": find_near_duplicates(project),
        "generators": Generator.objects.filter(project=project, generator_runs__isnull=False).distinct(),
    }
    return render(request, "generation/review.html", {"project": project, "page": page, "rows": shown, **context})


@login_required
@require_safe
def generation_written(request, slug, pk):
    """Counts of everything that a generator wrote; the replies themselves are for reviewers."""
    project = get_project(request.user, slug)
    generator = get_object_or_404(Generator, project=project, pk=pk)
    context = {
        "project": project,
        "generator": generator,
        "written": count_written(generator),
        "alike": find_near_duplicates(project, generator),
        "may_read": project.my_role.rank >= Role.REVIEWER.rank,
        "may_act": project.my_role.rank >= Role.RESEARCHER.rank,
    }
    return render(request, "generation/written.html", context)


def query_open_rows(project):
    return IncompleteItem.objects.filter(text__project=project, state=IncompleteState.OPEN)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def incomplete_repair(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    row = get_object_or_404(IncompleteItem.objects.select_related("text", "generator"), pk=pk, text__project=project)
    if row.state != IncompleteState.OPEN:
        messages.info(request, _("This item has already been repaired or discarded."))
        return redirect("generation_review", project.slug)
    form = RepairForm(request.POST or None, initial=make_stem_initial(row), is_open=row.is_open)
    rows: Any = OptionFormSet(request.POST or None, prefix="options", initial=make_option_rows(row))
    if "more" in request.POST:
        form = RepairForm(initial=request.POST.dict(), is_open=row.is_open)
        rows = OptionFormSet(prefix="options", initial=add_option_rows(rows))
    elif form.is_valid() and rows.is_valid():
        try:
            answer = form.cleaned_data.get("expected_answer", "")
            storing.repair_item(row, form.cleaned_data["stem"], rows.values(()), answer)
        except EditRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The item was added to the project."))
            return redirect("generation_review", project.slug)
    context = {"project": project, "row": row, "form": form, "rows": rows, "reasons": list_reasons(row)}
    return render(request, "generation/repair.html", context)


@login_required
@require_POST
def incomplete_discard(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    row = get_object_or_404(IncompleteItem, pk=pk, text__project=project)
    if storing.discard_item(row):
        messages.success(request, _("The item was discarded; the model's reply stays in the run."))
    else:
        messages.info(request, _("This item has already been repaired or discarded."))
    return redirect("generation_review", project.slug)


@login_required
@require_POST
def selection_begin(request, slug, pk):
    """Create the study in which a model answers about the candidates."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    generator = get_object_or_404(Generator, project=project, pk=pk)
    try:
        selections = selecting.ensure_selections(generator)
    except CannotGenerate as refused:
        messages.error(request, str(refused))
        return redirect("generation_written", project.slug, generator.pk)
    return redirect("selection", project.slug, selections[0].pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def selection_page(request, slug, pk):
    """All candidates with the model's results, and which are kept; before that, the next steps."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    rows = Selection.objects.select_related("study", "candidates", "selected")
    selection = get_object_or_404(rows, pk=pk, candidates__project=project)
    form = SelectForm(selection, request.POST or None)
    if form.is_valid():
        try:
            selecting.select_candidates(selection, form.cleaned_data["selector"], form.cleaned_data["n"])
        except CannotGenerate as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("The best candidates were kept. All candidates stay in the project."))
            return redirect("selection", project.slug, selection.pk)
    context = {"project": project, "selection": selection, "form": form, "candidates": list_candidates(selection)}
    return render(request, "generation/selection.html", context)


def list_candidates(selection: Selection) -> list[selecting.Candidate]:
    """The candidates with the results of the model that selected among them; empty before a selection."""
    if selection.selected is None:
        return []
    selector = next(
        (each for each in selecting.list_selectors(selection.study) if each.model == selection.selector), None
    )
    return selecting.judge_candidates(selection, selector, selection.n_kept or 0) if selector else []
