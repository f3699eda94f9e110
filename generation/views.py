from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from generation.forms import GenerateForm, RepairForm, reasons_of, repair_initial, stem_initial
from generation.models import IncompleteItem, IncompleteState
from generation.services import asking, repairing, ruling
from generation.services.choosing import texts_called
from generation.services.writing import CannotGenerate
from generation.services.written import alike_in, written_by
from items.forms.items import OptionFormSet, with_more_rows
from items.models import Generator
from items.services.editing import EditRefused
from llm.models import Endpoint, Worker
from llm.waiting import estimate_sentence
from projects.access import get_project
from projects.models import Role

MOST_ESTIMATED, MOST_BY_RULE = 2_000, 300  # texts that a page can wait for
ON_A_PAGE = 25


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def generation_new(request, slug):
    """Rules write at once; of a model first the estimate, then, with the same entries, the run."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = GenerateForm(project, request.POST or None)
    context = {"project": project, "tab": "texts", "form": form, "n_open": open_rows(project).count()}
    context |= {"has_models": Endpoint.objects.offered_to(project).exists(), "has_texts": form.all_texts.exists()}
    if form.is_valid():
        try:
            texts_called(project, None)
            if form.is_by_rule:
                return written_by_rule(request, project, form)
            if request.POST.get("seen") == form.mark():
                return started(request, project, form)
            context |= {"estimate": estimate_of(project, form.ask()), "seen": form.mark()}
            context["nobody_works"] = not Worker.objects.alive().exists()
        except CannotGenerate as refused:
            form.add_error(None, str(refused))
    return render(request, "generation/new.html", context)


def written_by_rule(request, project, form: GenerateForm):
    texts = form.chosen_texts()
    if len(texts) > MOST_BY_RULE:
        said = _(
            "A page can wait for %(n)d texts. Choose fewer, or use generate_items --project %(slug)s --model cloze."
        )
        raise CannotGenerate(said % {"n": MOST_BY_RULE, "slug": project.slug})
    found = ruling.write_by_rule(project, texts, form.size())
    told = {name: sum(getattr(each, f"n_{name}") for each in found) for name in ("new", "known", "missing")}
    said = _("Items written: %(new)d; in the bank before: %(known)d; missing: %(missing)d.") % told
    (messages.warning if told["missing"] else messages.success)(request, said)
    if told["missing"]:
        messages.info(request, _("Some texts have too few usable sentences or like words, or are in another language."))
    return redirect("text_list", project.slug)


def started(request, project, form: GenerateForm):
    terms = {name: form.cleaned_data[name] for name in ("budget", "on_unknown")}
    run = asking.start(project, form.ask(), **terms, started_by=request.user)
    if run is None:
        messages.info(request, _("This generator has written about all these texts before; nothing was asked."))
        return redirect("text_list", project.slug)
    return redirect(run)


def estimate_of(project, ask: asking.Ask) -> str:
    """In a sentence; of very many texts the number of calls only."""
    if len(ask.texts) > MOST_ESTIMATED:
        said = _(
            "%(n)d calls. What they cost at most says generate_items --project %(slug)s --model %(name)s --estimate."
        )
        return said % {"n": len(ask.texts), "slug": project.slug, "name": ask.endpoint.name}
    return estimate_sentence(asking.estimate_for(project, ask), ask.endpoint.currency)


@login_required
def generation_review(request, slug):
    """What models wrote that is no whole item yet."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    rows = open_rows(project).select_related("generator", "text", "run")
    page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
    shown = [(row, reasons_of(row)) for row in page]
    done = IncompleteItem.objects.filter(text__project=project)
    context = {
        "n_repaired": done.filter(state=IncompleteState.REPAIRED).count(),
        "n_discarded": done.filter(state=IncompleteState.DISCARDED).count(),
        "alike": alike_in(project),
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
        "written": written_by(generator),
        "alike": alike_in(project, generator),
        "may_read": project.my_role.rank >= Role.REVIEWER.rank,
        "may_act": project.my_role.rank >= Role.RESEARCHER.rank,
    }
    return render(request, "generation/written.html", context)


def open_rows(project):
    return IncompleteItem.objects.filter(text__project=project, state=IncompleteState.OPEN)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def incomplete_repair(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    row = get_object_or_404(IncompleteItem.objects.select_related("text", "generator"), pk=pk, text__project=project)
    if row.state != IncompleteState.OPEN:
        messages.info(request, _("This item was repaired or discarded before."))
        return redirect("generation_review", project.slug)
    form = RepairForm(request.POST or None, initial=stem_initial(row))
    rows: Any = OptionFormSet(request.POST or None, prefix="options", initial=repair_initial(row))
    if "more" in request.POST:
        form = RepairForm(initial=request.POST.dict())
        rows = OptionFormSet(prefix="options", initial=with_more_rows(rows))
    elif form.is_valid() and rows.is_valid():
        try:
            repairing.repair(row, form.cleaned_data["stem"], rows.values(()))
        except EditRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The item is in the bank."))
            return redirect("generation_review", project.slug)
    context = {"project": project, "row": row, "form": form, "rows": rows, "reasons": reasons_of(row)}
    return render(request, "generation/repair.html", context)


@login_required
@require_POST
def incomplete_discard(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    row = get_object_or_404(IncompleteItem, pk=pk, text__project=project)
    if repairing.discard(row):
        messages.success(request, _("The item is discarded; its raw text stays in the run."))
    else:
        messages.info(request, _("This item was repaired or discarded before."))
    return redirect("generation_review", project.slug)
