"""People: where each one is, one person's page, and actions on one or many of them."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from projects.models import Role
from studies.access import get_study
from studies.forms.people import AddAnnotatorsForm, WageForm
from studies.models import Annotator, AnnotatorKind, EndReason, ItemReport, Purpose, Study, StudyState
from studies.question_words import name_stage
from studies.services import people, recruiting, roster
from studies.services.monitor import FINISHED, Overview, Person, compute_fair_pay, list_people
from studies.services.people import NothingToReplace
from studies.services.progress import build_coverage, list_annotators, say_done
from studies.services.reports import close_report, list_comments, list_reports
from studies.services.rights import CannotErase, erase_person, list_own_answers
from studies.services.spec import SpecError
from studies.services.states import WrongState

MOST_REPORTS = 200  # on the page
PEOPLE_A_PAGE = 200
RUNNING = (StudyState.LIVE, StudyState.PAUSED)


@login_required
@never_cache  # the links are secrets
@require_http_methods(["GET", "HEAD", "POST"])
def study_people(request, slug):
    """Everybody in the project sees the progress; codes are for reviewers, links and adding people for researchers."""
    study = get_study(request.user, slug, Role.VIEWER if request.method != "POST" else Role.RESEARCHER)
    form = AddAnnotatorsForm(request.POST if request.method == "POST" else None, study=study)
    if form.is_valid():
        try:
            add_people(request, study, form.cleaned_data)
            return redirect("study_annotators", study.slug)
        except (WrongState, SpecError) as error:
            form.add_error(None, str(error))
    page = build_page(request, study)
    if page["may_manage"] and study.open_token:
        page["open_link"] = request.build_absolute_uri(reverse("open_link", args=[study.open_token]))
    return render(request, "studies/people.html", page | {"form": form})


@login_required
@require_safe
def old_people(request, slug):
    """The former address of the page."""
    return redirect("study_annotators", get_study(request.user, slug).slug)


@login_required
@never_cache
@require_safe
def study_people_live(request, slug):
    """The part of the page that changes, which the script reloads."""
    study = get_study(request.user, slug)
    return render(request, "studies/parts/people_live.html", build_live_part(study, request.GET.get("page")))


def build_page(request, study: Study) -> dict[str, Any]:
    wage = WageForm(request.GET or None)
    live = build_live_part(study, request.GET.get("page"))
    minutes, is_pilot = find_typical_minutes(study, live["overview"])
    hourly = wage.cleaned_data["wage"] if wage.is_valid() else None
    apart = [each for each in list_annotators(study) if each.purpose in (Purpose.SIMULATED, Purpose.EXPERT)]
    return live | {
        "simulated": [each for each in apart if each.purpose == Purpose.SIMULATED],
        "experts": [each for each in apart if each.purpose == Purpose.EXPERT],
        "reports": list_reports(study)[:MOST_REPORTS] if live["may_see"] else [],
        "comments": list_comments(study)[:MOST_REPORTS] if live["may_see"] else [],
        "may_add": live["may_manage"] and study.state in RUNNING,
        "wage": wage,
        "minutes": minutes,
        "minutes_are_pilot": is_pilot,
        "pay": compute_fair_pay(minutes, float(hourly)) if minutes and hourly else None,
    }


def build_live_part(study: Study, page: str | None = None) -> dict[str, Any]:
    """The context of the reloaded part. Viewers get numbers only; the context lacks what a role may not see."""
    overview = Overview(study, list_people(study))
    role = study.project.my_role
    coverage = build_coverage(study) if not study.is_draft else None
    may_see, may_manage = role.rank >= Role.REVIEWER.rank, role.rank >= Role.RESEARCHER.rank
    if may_manage:
        contacts = {each.annotator_id: each for each in roster.filter_contacts(study)}
        for person in overview.people:
            person.contact = contacts.get(person.annotator.pk)
    for person in overview.people:
        person.where = say_where(person)
    return {
        "project": study.project,
        "study": study,
        "has_contacts": any(person.contact for person in overview.people),
        "overview": overview,
        "verdict": say_verdict(overview),
        "groups": count_by_group(overview) if len(study.groups) > 1 else [],
        "page": Paginator(overview.people if may_see else [], PEOPLE_A_PAGE).get_page(page),
        "may_see": may_see,
        "may_manage": may_manage and study.state != StudyState.IMPORTED,
        "coverage": coverage,
        "columns": [(name_stage(stage), name) for stage, name in coverage.columns] if coverage else [],
        "notes": build_notes(overview) if may_see else [],
    }


def count_by_group(overview: Overview) -> list[tuple[str, int, int]]:
    """(group, people who have finished, people) in the order of the study's groups."""
    found = [
        (group, [each for each in overview.expected_people if each.annotator.group == group])
        for group in overview.study.groups
    ]
    return [(group, sum(each.state == FINISHED for each in mine), len(mine)) for group, mine in found]


def say_where(person: Person) -> str:
    """The text and the stage at which the person is, or the state of their invitation."""
    if person.current:
        return f"{person.current.unit.text}, {name_stage(person.stage)}"
    contact = person.contact
    if contact and contact.problem:
        return _("The mail came back: %(why)s") % {"why": contact.problem[:80]}
    if contact and contact.invited_at and person.state.name == "not_opened":
        return _("link sent %(when)s") % {"when": naturaltime(contact.invited_at)}
    return ""


def say_verdict(overview: Overview) -> str:
    """How far the study is, and whether somebody needs a reminder."""
    if not overview.expected_people or not overview.n_all:
        return ""
    verdict = say_done(overview.study, overview.n_done, overview.n_all)
    if overview.is_waiting_for_links and overview.study.takes_answers:
        return verdict + " " + _("Send each person their link.")
    number = len(overview.people_to_remind)
    if number and overview.study.takes_answers:
        verdict += " " + ngettext("One person needs a nudge.", "%(n)d people need a nudge.", number) % {"n": number}
    return verdict


def build_notes(overview: Overview) -> list[tuple[Person, str]]:
    """What needs attention, worst first, at most four: (person, sentence)."""
    notes: list[tuple[int, Person, str]] = []
    for person in overview.people:
        values = {"code": person.annotator.code, "n": person.n_comments}
        if person.state.name == "stuck":
            notes.append((0, person, _("%(code)s stopped in the middle.") % values))
        if person.alike:
            notes.append((1, person, _("%(code)s gave the same score every time.") % values))
        if person.fast:
            notes.append((2, person, _("%(code)s is much faster than the others.") % values))
        if person.n_comments:
            sentence = ngettext("%(code)s left a comment.", "%(code)s left %(n)d comments.", person.n_comments)
            notes.append((3, person, sentence % values))
        if person.state.name == "failed_check":
            notes.append((4, person, _("%(code)s failed a check.") % values))
        if person.state.name == "not_opened" and person.needs_nudge:
            notes.append((5, person, _("%(code)s has not opened the link.") % values))
    return [(person, sentence) for _rank, person, sentence in sorted(notes, key=lambda note: note[0])[:4]]


def find_typical_minutes(study: Study, overview: Overview) -> tuple[float | None, bool]:
    """The median minutes of a person in the pilot, else of those who have finished; and whether it is the pilot."""
    pilot = Overview(study, list_people(study, Purpose.PILOT)).minutes_per_person
    return (pilot, True) if pilot else (overview.minutes_per_person, False)


def add_people(request, study: Study, wanted: dict) -> None:
    listed = wanted["people"]
    count = len(listed) + (wanted["count"] or 0)
    people.add_annotators(study, count, group=wanted.get("group", ""), people=listed)
    sentence = ngettext("%(n)d person was added.", "%(n)d people were added.", count)
    messages.success(request, sentence % {"n": count})


@login_required
@require_POST
def report_close(request, slug, pk):
    """Mark an annotator's report as seen."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    close_report(get_object_or_404(ItemReport, pk=pk, assignment__annotator__study=study), request.user)
    messages.success(request, _("The report is closed."))
    return redirect(reverse("study_annotators", args=[study.slug]) + "#reports")


def find_person(study: Study, pk: int) -> Annotator:
    return get_object_or_404(study.annotators.filter(kind=AnnotatorKind.HUMAN), pk=pk)


@login_required
@never_cache
@require_safe
def study_person(request, slug, pk):
    """One person: what they answered, for reviewers; their link and what can be done, for researchers."""
    study = get_study(request.user, slug, Role.REVIEWER)
    annotator = find_person(study, pk)
    found = list_people(study, Purpose(annotator.purpose))
    context = build_live_part(study) | {
        "person": next(person for person in found if person.annotator.pk == annotator.pk),
        "annotator": annotator,
        "answers": list_own_answers(annotator),
        "passages": annotator.phases_passed.filter(passed_at__isnull=False).order_by("passed_at"),
        "contact": roster.filter_contacts(study).filter(annotator=annotator).first(),
        "FINISHED": FINISHED,
    }
    context["contact"] = context["contact"] if context["may_manage"] else None
    return render(request, "studies/person.html", context)


ACTS: dict[str, tuple[Any, Any, Any]] = {
    "pause": (
        people.pause_person,
        gettext_lazy("Pause"),
        gettext_lazy("Their pages say that the study is paused. Answers and drafts stay."),
    ),
    "resume": (people.resume_person, gettext_lazy("Let continue"), gettext_lazy("They go on where they stopped.")),
    "revoke": (
        people.revoke_link,
        gettext_lazy("Disable link"),
        gettext_lazy("The link stops working. What was handed in stays; what was not begun goes to people added next."),
    ),
    "renew": (
        people.renew_link,
        gettext_lazy("New link"),
        gettext_lazy("The old link stops working at once. Send the new one."),
    ),
    "replace": (
        people.replace_person,
        gettext_lazy("Replace"),
        gettext_lazy(
            "A new person gets the open units, with the same guesses in a new order. The link of the person who is "
            "replaced stops working; finished texts stay, and a text that was begun is done again."
        ),
    ),
    "give_back": (
        recruiting.give_back_work,
        gettext_lazy("Give open work to others"),
        gettext_lazy(
            "What they have not finished is free for others. Finished texts stay. If they come back, they go on."
        ),
    ),
    "discard": (
        lambda annotator: recruiting.give_back_work(annotator, discard=True),
        gettext_lazy("Discard all work"),
        gettext_lazy(
            "All their work is free for others, finished texts too. Their answers stay stored, but no result counts "
            "them any more. This cannot be undone."
        ),
    ),
    "remove": (
        lambda annotator: erase_person(annotator, EndReason.REMOVED),
        gettext_lazy("Remove with all answers"),
        gettext_lazy(
            "All answers, drafts, background and contact of these people are deleted, and their places are free again. "
            "Exports and packs made from now on are without them. What was downloaded before stays as it is."
        ),
    ),
}


@login_required
@never_cache
@require_POST
def people_act(request, slug):
    """Do something to one or many people: first a page that explains it, then, once confirmed, the action."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    act, chosen = request.POST.get("act", ""), find_chosen(study, request.POST.getlist("person"))
    if act == "remind" and chosen:
        query = urlencode([("kind", roster.REMINDER), *(("person", each.pk) for each in chosen)])
        return redirect(f"{reverse('study_mail', args=[study.slug])}?{query}")
    if act not in ACTS:
        raise Http404
    if not chosen:
        messages.error(request, _("Choose at least one person. Nothing was changed."))
        return redirect("study_annotators", study.slug)
    act_on, title, meaning = ACTS[act]
    context = {"study": study, "project": study.project, "act": act, "title": title, "meaning": meaning}
    context |= {"chosen": chosen, "typed": study.slug if act == "remove" else ""}
    if "confirmed" not in request.POST or (context["typed"] and request.POST["confirmed"].strip() != study.slug):
        context["is_wrong"] = "confirmed" in request.POST
        return render(request, "studies/people_confirm.html", context)
    act_on_all(request, act_on, title, chosen)
    return redirect("study_annotators", study.slug)


def find_chosen(study: Study, pks: Sequence[str]) -> list[Annotator]:
    wanted = [int(pk) for pk in pks if pk.isascii() and pk.isdecimal() and len(pk) < 19]
    return list(study.annotators.filter(kind=AnnotatorKind.HUMAN, pk__in=wanted).select_related("study"))


def act_on_all(request, act_on, title, chosen: list[Annotator]) -> None:
    """Do it for each person: a failure is reported, and the others are still done."""
    done = 0
    for annotator in chosen:
        try:
            act_on(annotator)
            done += 1
        except (NothingToReplace, CannotErase, WrongState, SpecError) as error:
            messages.error(request, str(error))
    if done:
        sentence = ngettext("%(act)s: %(n)d person.", "%(act)s: %(n)d people.", done)
        messages.success(request, sentence % {"act": title, "n": done})
