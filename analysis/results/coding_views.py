"""The page on which the items of a study are coded, many at once, and the files of codes."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from analysis.codes import get_code_title, name_category_code
from analysis.hiding import require_shown_effects
from analysis.items.code_files import export_codes, import_codes
from analysis.items.coding import (
    CodeFileForm,
    CodingFilter,
    OwnCodeForm,
    build_coding_rows,
    build_scheme,
    list_coders,
    list_latest_acts,
    query_items,
    select_items,
)
from analysis.items.coding_acts import (
    ActResult,
    BadCode,
    CodePlacement,
    code_items,
    find_last_act,
    remove_item_codes,
    undo,
)
from analysis.models import IndependentCoding
from analysis.results.file_views import send_written
from items.models import Text
from projects.models import Role, User
from studies.models import Study
from studies.services.responses.importing import ImportRefused

PER_PAGE = 8
MOST_PROBLEMS = 20


@login_required
@require_shown_effects(Role.REVIEWER)
def study_coding(request, study):
    """The items as a list with their codes."""
    return show_coding(request, study, None)


def show_coding(request: Any, study: Study, coding: IndependentCoding | None) -> HttpResponse:
    """The codes of the team, or of somebody who codes independently. POST sets, removes or undoes codes; a script gets
    only what has changed."""
    done = message = None
    kind = {"own_kind": request.GET.get("kind", "")}
    own = OwnCodeForm(request.POST if "own" in request.POST else None, initial=kind)
    if request.method == "POST":
        done, message = apply_coding(request.POST, study, request.user, own, coding)
        if done and not is_script(request):
            messages.success(request, message)
            return redirect(request.get_full_path())
    context = build_page_context(request, study, request.user, coding) | {
        "own_form": own,
        "message": message if done is None else "",
    }
    if is_script(request):
        here = [int(pk) for pk in request.POST.getlist("here") if pk.isdecimal()]
        changed = [pk for pk in here if done and pk in done.items]
        rows = build_coding_rows(study, changed, context["scheme"], coding)
        return render(request, "analysis/parts/coding_changed.html", context | {"rows": rows, "message": message})
    return render(request, "analysis/coding.html", context | list_page(request, study, context))


def is_script(request: HttpRequest) -> bool:
    return request.headers.get("X-Requested-With") == "fetch"


def build_page_context(request: HttpRequest, study: Study, user: User, coding: IndependentCoding | None) -> dict:
    """The context of the page without the list of items."""
    items, coders = query_items(study), [] if coding else list_coders(study)
    ids = [item.id for item in items]
    scheme = build_scheme(study, ids, request.GET.get("kind", ""), coding)
    generators = list(dict.fromkeys(item.generator for item in items))
    form = CodingFilter(study, scheme, generators, coders, request.GET)
    return {
        "project": study.project,
        "study": study,
        "items": items,
        "scheme": scheme,
        "chosen": scheme.kind(form.choice("kind")),
        "form": form,
        "query": request.GET.urlencode(),
        "coders": coders,
        "coding": coding,
        "acts": list_latest_acts(study, coding),
        "last": find_last_act(study, user, coding),
        "file_form": CodeFileForm(),
    }


def list_page(request: HttpRequest, study: Study, context: dict) -> dict:
    """One page of the items that the filter selects."""
    form, scheme = context["form"], context["scheme"]
    found = select_items(study, context["items"], scheme, form)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    rows = build_coding_rows(study, [item.pk for item in page.object_list], scheme, context["coding"])
    return {
        "rows": rows,
        "page": page,
        "page_query": urlencode(form.query_parameters),
        "n_items": len(context["items"]),
        "n_found": len(found),
        "first_text": rows[0].item.text if rows else None,
    }


def apply_coding(
    asked: QueryDict, study: Study, user: User, own: OwnCodeForm, coding: IndependentCoding | None
) -> tuple[ActResult | None, str]:
    """Do what a POST asks for; returns its result, None if nothing could be done, and a sentence about it."""
    items = [int(pk) for pk in asked.getlist("items") if pk.isdecimal()]
    code = asked.get("code", "")
    if "own" in asked:
        if not own.is_valid():
            return None, " ".join(str(error) for errors in own.errors.values() for error in errors)
        code = name_category_code(study.protocol, own.cleaned_data["own_kind"], own.cleaned_data["own_category"])
    if not items and "undo" not in asked:
        return None, _("Select the items first.")
    try:
        if "undo" in asked:
            act = asked.get("undo", "")
            undone = undo(study, int(act), user, coding) if act.isdecimal() else None
            return (undone, describe_undone(undone)) if undone else (None, _("This has already been undone."))
        if asked.get("take_back"):
            done = remove_item_codes(study, items, code, user, coding)
        else:
            done = code_items(study, [CodePlacement(item, code) for item in dict.fromkeys(items)], user, coding)
    except BadCode as bad:
        return None, str(bad)
    return done, describe_done(study, code, done)


def describe_done(study: Study, code: str, done: ActResult) -> str:
    n = len(done.items)
    values = {"code": get_code_title(study.protocol, code), "n": n}
    if done.act is None:
        return _("Nothing to change: “%(code)s” is already set.") % values
    if done.n_set:
        return ngettext("Set on %(n)s item: %(code)s.", "Set on %(n)s items: %(code)s.", n) % values
    return ngettext("Removed from %(n)s item: %(code)s.", "Removed from %(n)s items: %(code)s.", n) % values


def describe_undone(done: ActResult) -> str:
    n = len(done.items)
    return ngettext("Undone on %(n)s item.", "Undone on %(n)s items.", n) % {"n": n}


@login_required
@require_safe
@require_shown_effects(Role.REVIEWER)
def study_coding_text(request, study, pk):
    """A text of the study beside the items being coded, as a part of a page."""
    text = get_object_or_404(Text.objects.filter(units__study=study).distinct(), pk=pk)
    return render(request, "analysis/parts/coding_text.html", {"text": text, "project": study.project})


@login_required
@require_safe
@require_shown_effects(Role.REVIEWER)
def study_codes_csv(request, study):
    kind = request.GET.get("kind", "")
    return send_written(f"{study.slug}-codes.csv", lambda out: export_codes(study, out, kind))


@login_required
@require_POST
@require_shown_effects(Role.REVIEWER)
def study_codes_import(request, study):
    """Import codes from a file, and return to the page with a summary, or with the errors in the file."""
    form, problems = CodeFileForm(request.POST, request.FILES), []
    if form.is_valid():
        try:
            found = import_codes(study, form.cleaned_data["file"].read(), request.user)
        except ImportRefused as refused:
            problems = refused.problems
        else:
            messages.success(request, describe_import(found))
            if found.new:
                messages.warning(request, describe_new_codes(study, found))
            return redirect("study_coding", study.slug)
    context = {
        "project": study.project,
        "study": study,
        "file_form": form,
        "problems": problems[:MOST_PROBLEMS],
        "n_more": max(0, len(problems) - MOST_PROBLEMS),
    }
    return HttpResponse(render(request, "analysis/coding_import.html", context).content, status=400)


def describe_import(found) -> str:
    n = len(found.done.items)
    values = {"set": found.done.n_set, "n": n, "same": found.done.n_same}
    return ngettext(
        "Codes set: %(set)s, on %(n)s item. Unchanged: %(same)s.",
        "Codes set: %(set)s, on %(n)s items. Unchanged: %(same)s.",
        n,
    ) % values  # fmt: skip


def describe_new_codes(study, found) -> str:
    """Categories that did not exist before: a typo creates one, too."""
    return _("New categories: %(names)s. If one is misspelt, undo the import below.") % {"names": ", ".join(found.new)}
