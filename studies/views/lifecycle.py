"""What may change after a launch; copies and templates; archiving and deleting."""

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from items.models import Item, Text
from items.plain import split_tags
from items.services.bank import find_chosen
from items.services.editing import tag_items
from jobs.views import ResultPending
from llm.models import Run
from projects.access import get_project
from projects.audit import describe_entries
from projects.models import AuditEntry, Project, Role
from studies.access import get_study
from studies.forms.people import AddTextsForm, ManageStudyForm
from studies.models import Study, StudyState
from studies.protocols import PROTOCOLS
from studies.services import blocks, deleting, lifecycle
from studies.services.selection import ChosenTexts
from studies.services.spec import SpecError
from studies.services.states import WrongState


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_manage(request, slug):
    """Title, deadline and quotas; and the actions copy, archive and delete."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    initial = {name: getattr(study, name) for name in ("title", "deadline", "max_finished")}
    form = ManageStudyForm(
        request.POST if request.method == "POST" else None, initial=initial | {"per_unit": study.plan.get("per_unit")}
    )
    if not isinstance(study.plan.get("per_unit"), int) or study.is_draft:
        del form.fields["per_unit"]
    if form.is_valid():
        try:
            lifecycle.change_launched_study(study, **form.cleaned_data)
            messages.success(request, _("The study was saved."))
            return redirect("study_manage", study.slug)
        except SpecError as error:
            form.add_error(error.field or None, str(error))
    context = {"study": study, "project": study.project, "form": form}
    return render(request, "studies/manage.html", context | {"templates": study.project.study_templates.all()})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_texts(request, slug):
    """Add texts to a running study."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    problem = blocks.explain_fixed_texts(study)
    if study.state not in (StudyState.LIVE, StudyState.PAUSED):
        problem = _("Texts can be added while the study is live or paused.")
    offered = ChosenTexts([]) if problem else blocks.find_new_texts(study)
    form = AddTextsForm(offered, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            added = blocks.add_texts(
                study, form.cleaned_data["texts"], finished_too=form.cleaned_data["finished_too"], made_by=request.user
            )
        except (SpecError, WrongState) as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, describe_added(added))
            return redirect("study_design", study.slug)
    context = {"study": study, "project": study.project, "form": form, "problem": problem}
    return render(request, "studies/add_texts.html", context | {"protocol": PROTOCOLS[study.protocol]})


def describe_added(added: blocks.AddedBlock) -> str:
    """What was added, and who gets it."""
    texts = ngettext(
        "%(n)d text was added as block %(block)d.", "%(n)d texts were added as block %(block)d.", added.texts
    ) % {"n": added.texts, "block": added.number}
    given = ngettext(
        "%(n)d assignment was given to the people at work.",
        "%(n)d assignments were given to the people at work.",
        added.assignments,
    ) % {"n": added.assignments}
    return f"{texts} " + (given if added.assignments else _("Whoever comes next gets them."))


@login_required
@require_POST
def template_save(request, slug):
    """Store the contents of the study under a name."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    name = request.POST.get("template", "").strip()[:200] or study.title
    lifecycle.save_template(study, name, request.user)
    messages.success(request, _("The template “%(name)s” was saved.") % {"name": name})
    return redirect("study_manage", study.slug)


@login_required
@require_POST
def template_act(request, slug, pk, action):
    """Make a draft from a template, or delete it."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    template = get_object_or_404(project.study_templates, pk=pk)
    if action == "delete":
        template.delete()
        messages.success(request, _("The template was deleted."))
        return redirect("study_list", project.slug)
    try:
        draft = lifecycle.use_template(template)
    except SpecError as error:
        messages.error(request, str(error))
        return redirect("study_list", project.slug)
    messages.success(request, _("A new draft was made. Look it over, then launch it."))
    return redirect("study_design", draft.slug)


def find_row(model: type[Text | Item | Run], after: str, request, pk: int) -> tuple[Text | Item | Run, str]:
    """The row of a project, and the address of the list to show once it is deleted."""
    row: Any = get_object_or_404(model._default_manager.select_related("project"), pk=pk)
    row.project = get_project(request.user, row.project.slug, Role.RESEARCHER)
    return row, reverse(after, args=[row.project.slug])


def find_study(request, slug: str) -> tuple[Study, str]:
    row = get_study(request.user, slug, Role.RESEARCHER)
    return row, reverse("study_list", args=[row.project.slug])


def find_project(request, slug: str) -> tuple[Project, str]:
    return get_project(request.user, slug, Role.OWNER), reverse("project_list")


FINDERS: dict[str, Callable[..., tuple[Any, str]]] = {
    "text": partial(find_row, Text, "text_list"),
    "item": partial(find_row, Item, "text_list"),
    "run": partial(find_row, Run, "run_list"),
    "study": find_study,
    "project": find_project,
}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_row(request, kind, **key):
    """List what would be deleted with the row; delete it once its name is typed."""
    row, after = FINDERS[kind](request, *key.values())
    context = {"row": row, "kind": kind, "after": after, "typed": deleting.name_for_confirming(row)}
    context["project"] = row if isinstance(row, Project) else row.project
    if isinstance(row, Study):
        context["study"] = row
    if kind != "run" and not (isinstance(row, Study) and row.state == StudyState.LIVE):
        context["archive_url"] = reverse(f"{kind}_archive", args=list(key.values()))
    if request.method == "POST":
        try:
            job = deleting.delete_with_all(row, request.POST.get("confirmed", ""), request.user)
            return finish_deletion(request, job, after)
        except (deleting.NotConfirmed, WrongState) as error:
            context["problem"] = str(error)
    return render(request, "studies/delete.html", context | {"going": deleting.describe_deletion(row)})


def finish_deletion(request, job, after: str):
    """Back to the list, or to the progress if the deletion takes long."""
    if job is None or job.is_done:
        messages.success(request, _("Deleted."))
        return redirect(after)
    raise ResultPending(job, address=after)


@login_required
@require_POST
def archive_row(request, kind, **key):
    """Hide a row from lists, or show it again."""
    row, after = FINDERS[kind](request, *key.values())
    try:
        (deleting.restore if "restore" in request.POST else deleting.archive)(row)
    except WrongState as error:
        messages.error(request, str(error))
        return redirect("study_manage", row.slug)
    sentence = (
        _("It is back in the lists.") if "restore" in request.POST else _("Archived. It is no longer in the lists.")
    )
    messages.success(request, sentence)
    return redirect(after)


@login_required
@require_POST
def texts_act(request, slug):
    """Actions on the chosen texts: generate items, archive, delete, or restore them."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    texts = find_chosen(project, request.POST.getlist("texts"))
    chosen = [text.pk for text in texts]
    if "generate" in request.POST:
        return redirect(f"{reverse('generation_new', args=[project.slug])}?{urlencode({'texts': chosen}, doseq=True)}")
    after = reverse("text_list", args=[project.slug])
    if "restore" in request.POST:
        deleting.restore_texts(texts)
        messages.success(request, _("The texts are back in the list."))
        return redirect(after)
    if not texts:
        messages.error(request, _("Choose at least one text first."))
        return redirect(after)
    if "delete" in request.POST:
        return delete_chosen(request, project, texts, after)
    if "tag" in request.POST or "untag" in request.POST:
        return tag_chosen(request, project, texts, after)
    deleting.archive_texts(texts)
    return redirect(f"{after}?{urlencode({'archived': chosen}, doseq=True)}")


def tag_chosen(request, project: Project, texts: list[Text], after: str):
    """Add tags to all items of the texts, or remove them."""
    try:
        tags = split_tags(request.POST.get("tags", ""))
        items = Item.objects.filter(text__in=texts).available()
        n = tag_items(project, items, **{"add" if "tag" in request.POST else "remove": tags})
    except ValueError as error:
        messages.error(request, str(error))
        return redirect(after)
    if not tags:
        messages.error(request, _("Write a tag first."))
    else:
        sentence = ngettext("The tags of %(n)s item were changed.", "The tags of %(n)s items were changed.", n) % {
            "n": n
        }
        messages.success(request, sentence)
    return redirect(after)


def delete_chosen(request, project: Project, texts: list[Text], after: str):
    """List what would be deleted with the texts; delete them once their number is typed."""
    n = len(texts)
    row = texts[0] if n == 1 else ngettext("%(n)s text", "%(n)s texts", n) % {"n": n}
    keep = [("delete", "yes"), *(("texts", text.pk) for text in texts)]
    context: dict[str, Any] = {"row": row, "kind": "text", "after": after, "typed": n, "project": project}
    context |= {"keep": keep}
    if "confirmed" in request.POST:
        try:
            return finish_deletion(
                request, deleting.delete_texts(texts, request.POST["confirmed"], request.user), after
            )
        except (deleting.NotConfirmed, WrongState) as error:
            context["problem"] = str(error)
    context |= {"archive_url": reverse("texts_act", args=[project.slug]), "texts": texts}
    return render(request, "studies/delete.html", context | {"going": deleting.describe_texts_deletion(texts)})


@login_required
@require_safe
def project_audit(request, slug):
    """Who did what when, the newest first."""
    project = get_project(request.user, slug, Role.OWNER)
    entries = AuditEntry.objects.filter(project_id=project.pk)[:500]
    return render(request, "projects/audit.html", {"project": project, "lines": describe_entries(entries)})
