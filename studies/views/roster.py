"""Pages of annotators: adding them, the roster, invitations and personal links."""

import csv

import segno
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from items.plain import escape_formula
from jobs.models import Job, JobState
from jobs.views import describe_progress
from projects.models import Role
from studies.access import get_study
from studies.forms.people import ExpertCheckForm, MailForm, RosterForm
from studies.models import AnnotatorKind, Purpose, Study, StudyState
from studies.services import launching, people, roster
from studies.services.expert_check import open_expert_check
from studies.services.monitor import list_people
from studies.services.spec import SpecError
from studies.services.states import WrongState
from studies.views.people import find_chosen


@login_required
@require_POST
def expert_check(request, slug):
    """Draw the sample and create the experts' links, which are on the People page."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    form = ExpertCheckForm(request.POST)
    try:
        if form.is_valid():
            open_expert_check(study, **form.cleaned_data)
            messages.success(request, _("The expert check is open. Send each expert their personal link."))
            return redirect("study_annotators", study.slug)
        raise SpecError(" ".join(f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()))
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
    return redirect("study_results", study.slug)


ROWS_A_PAGE, SLIPS_A_PAGE, LETTERS_SHOWN = 200, 100, 200
ACTIONS = {"revoke": people.revoke_link, "renew": people.renew_link}


@login_required
@require_POST
def annotator_link(request, slug, pk, action):
    study = get_study(request.user, slug, Role.RESEARCHER)
    if action not in ACTIONS:
        raise Http404
    annotator = get_object_or_404(study.annotators.filter(kind=AnnotatorKind.HUMAN), pk=pk)
    ACTIONS[action](annotator)
    done = {"revoke": _("%(code)s's link is now disabled."), "renew": _("%(code)s has a new link.")}[action]
    messages.success(request, done % {"code": annotator.code})
    return redirect("study_annotators", study.slug)


@login_required
@never_cache
@require_safe
def annotator_links(request, slug):
    """All personal links as CSV, for sending them out; with `?group=` only those of one group."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    group = request.GET.get("group", "")
    annotators = study.annotators.filter(purpose=Purpose.MAIN, revoked_at=None, kind=AnnotatorKind.HUMAN)
    if group:
        annotators = annotators.filter(group=group)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = "-".join(filter(None, [study.slug, slugify(group), "links"]))
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    writer = csv.writer(response)
    writer.writerow(["annotator", "person", "group", "link"])
    if study.state != StudyState.IMPORTED:
        for annotator in annotators:
            link = request.build_absolute_uri(annotator.get_link())
            writer.writerow(map(escape_formula, [annotator.code, annotator.person, annotator.group, link]))
    return response


@login_required
@require_POST
def remove_simulated(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    number = launching.remove_simulated(study)
    sentence = ngettext(
        "%(n)d simulated annotator was removed with all answers.",
        "%(n)d simulated annotators were removed with all answers.",
        number,
    )
    messages.success(request, sentence % {"n": number})
    return redirect("study_design", study.slug)


# The roster, invitations, personal links as a table, a sheet to print, and mail.


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_roster(request, slug):
    """Whose link is whose; a pasted or uploaded list gives each person a link."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    posted = request.method == "POST"
    form = RosterForm(request.POST if posted else None, request.FILES if posted else None)
    if form.is_valid():
        try:
            entries = roster.read_roster(read_text(form.cleaned_data))
            if roster.take_or_schedule(study, entries, request.user) is None:
                sentence = ngettext("%(n)d person has a link now.", "%(n)d people have a link now.", len(entries))
                messages.success(request, sentence % {"n": len(entries)})
            return redirect("study_roster", study.slug)
        except (SpecError, WrongState) as error:
            form.add_error(None, str(error))
    page = Paginator(roster.filter_contacts(study), ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {"study": study, "project": study.project, "form": form, "page": page}
    if job := find_shown_job(study):
        context |= describe_progress(request, job)
    return render(request, "studies/roster.html", context)


def find_shown_job(study: Study) -> Job | None:
    """The newest job of the roster, else of mail, if it is not done; older failed jobs are not shown."""
    jobs = Job.objects.filter(subject=study.job_subject).order_by("-pk")
    newest = [jobs.filter(kind=kind).first() for kind in (roster.ROSTER_KIND, roster.MAIL_KIND)]
    return next((job for job in newest if job and job.state != JobState.DONE), None)


def read_text(cleaned: dict) -> str:
    """The pasted text, else the file's text; `SpecError` for a file that is not text."""
    if not cleaned["file"]:
        return str(cleaned["people"])
    try:
        return str(cleaned["file"].read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SpecError(_("The file is not UTF-8 text. Save it as CSV in UTF-8.")) from None


@login_required
@require_POST
def roster_delete(request, slug):
    """Delete all names and addresses."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    number = roster.delete_roster(study)
    sentence = ngettext("%(n)d name or address was deleted.", "%(n)d names and addresses were deleted.", number)
    messages.success(request, sentence % {"n": number})
    return redirect("study_roster", study.slug)


@login_required
@never_cache
@require_safe
def link_sheet(request, slug):
    """A page to print and cut: each person's code, link and QR code."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose=Purpose.MAIN, revoked_at=None, ended_as="")
    page = Paginator(people.order_by("pk"), SLIPS_A_PAGE).get_page(request.GET.get("page"))
    contacts = {each.annotator_id: each for each in roster.filter_contacts(study, [each.pk for each in page])}
    slips = [
        (each, contacts.get(each.pk), link, segno.make(link, micro=False).svg_inline(scale=3, border=2))
        for each in page
        if (link := request.build_absolute_uri(each.get_link()))
    ]
    context = {"study": study, "project": study.project, "slips": slips, "page": page}
    return render(request, "studies/link_sheet.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_mail(request, slug):
    """Write to people of the roster; without a mail server the messages can be copied."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    given = request.POST if request.method == "POST" else request.GET
    kind = roster.REMINDER if given.get("kind") == roster.REMINDER else roster.INVITATION
    named = find_chosen(study, given.getlist("person"))
    chosen = named or (list_nudged(study) if kind == roster.REMINDER else list_uninvited(study))
    subject, body = roster.write_default_mail(study, kind)
    form = MailForm(request.POST if request.method == "POST" else None, initial={"subject": subject, "body": body})
    context = {"study": study, "project": study.project, "kind": kind, "chosen": chosen, "named": named}
    context["form"] = form
    context["has_contacts"] = roster.filter_contacts(study).exists()
    context["sends_mail"] = settings.LESART["SENDS_MAIL"]
    context["without_address"] = [each for each in chosen if not getattr(get_contact(each), "email", "")]
    if form.is_valid():
        words = form.cleaned_data["subject"], form.cleaned_data["body"]
        if not context["sends_mail"] or "copy" in request.POST:
            contacts = list(roster.filter_contacts(study, [each.pk for each in chosen]))
            context["letters"] = roster.write_letters(study, contacts[:LETTERS_SHOWN], *words, get_base(request))
            context["n_more"] = len(contacts[LETTERS_SHOWN:])
        else:
            try:
                pks = [each.pk for each in chosen]
                roster.schedule_mail(study, kind, pks, *words, get_base(request), request.user)
                return redirect("study_roster", study.slug)
            except roster.RosterError as error:
                form.add_error(None, str(error))
    return render(request, "studies/mail.html", context)


def get_contact(annotator):
    return getattr(annotator, "contact", None)


def list_uninvited(study: Study):
    """People of the roster without an invitation so far."""
    return [each.annotator for each in roster.filter_contacts(study).filter(invited_at=None)]


def list_nudged(study: Study):
    """People who stopped, or have not opened their link for a day."""
    return [person.annotator for person in list_people(study) if person.needs_nudge]


def get_base(request) -> str:
    return f"{request.scheme}://{request.get_host()}"
