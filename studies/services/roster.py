"""The roster of a study: whose link is whose, stored apart from the answers; invitations and reminders by mail."""

import csv
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from pathlib import Path
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Any

from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from items.plain import has_control, make_printable
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import get_or_schedule, make_job
from projects.audit import record_act
from projects.models import User
from studies.models import Annotator, AnnotatorKind, Contact, Purpose, Study
from studies.services.people import MAX_SEARCHED, add_annotators, check_places
from studies.services.planning import choose_batch, search_ahead
from studies.services.spec import SpecError
from studies.services.states import WrongState

MAX_ROSTER = 10_000
MAX_NAME = 200
MAX_REPORTED = 5  # lines named in an error message
AT_ONCE = 60  # people assigned in one transaction: about a second
MAIL_KIND, ROSTER_KIND = "mail", "roster"


class RosterError(SpecError):
    """The roster is invalid, and nothing of it was stored. The message is one sentence."""


@dataclass(frozen=True)
class Entry:
    """A line of a roster: a name, an address, or both; and a group, if the study has any."""

    name: str
    email: str
    group: str = ""


def read_roster(text: str) -> list[Entry]:
    """Lines such as `Name, address, group` or an address alone; cells are separated by commas, semicolons or tabs."""
    lines = [line for line in text.replace("\r", "\n").split("\n") if line.strip()]
    if not lines:
        raise RosterError(_("The roster is empty. Write one person per line: name, e-mail."))
    if len(lines) > MAX_ROSTER:
        values = {"n": len(lines), "limit": MAX_ROSTER}
        raise RosterError(_("The roster has %(n)d lines; the limit is %(limit)d. Add it in parts.") % values)
    mark = max(",;\t", key=text.count)
    try:
        rows = list(csv.reader(lines, delimiter=mark))
    except csv.Error:
        sentence = _("The roster cannot be read as a table. Write one person per line: name, e-mail.")
        raise RosterError(sentence) from None
    entries, problems = [], []
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        try:
            entry = read_line(number, [cell.strip() for cell in row])
            refuse_double(number, entry, seen)
            entries.append(entry)
        except RosterError as problem:
            problems.append(str(problem))
    if problems:
        raise RosterError(join_problems(problems))
    return entries


def join_problems(problems: Sequence[str]) -> str:
    """The first problem, and how many more there are."""
    sentence = " ".join(problems[:MAX_REPORTED])
    if (more := len(problems) - MAX_REPORTED) > 0:
        rest = ngettext("%(n)d more line is wrong.", "%(n)d more lines are wrong.", more)
        sentence = f"{sentence} {rest % {'n': more}}"
    return sentence


def read_line(number: int, cells: Sequence[str]) -> Entry:
    """One person; `RosterError` names the line."""
    if len(cells) == 1 and "@" in cells[0]:
        cells = ["", cells[0]]
    name, email, group = [*cells[:3], "", "", ""][:3]
    shown = {"line": number, "what": make_printable(email or name)[:80]}
    if len(cells) > 3 or len(name) > MAX_NAME or any(has_control(cell) for cell in cells):
        raise RosterError(_("Line %(line)d is not a person: write name, e-mail and, if any, the group.") % shown)
    if email:
        try:
            validate_email(email)
        except ValidationError:
            raise RosterError(_("Line %(line)d: “%(what)s” is not an e-mail address. Correct it.") % shown) from None
    elif not name:
        raise RosterError(_("Line %(line)d has neither a name nor an address.") % shown)
    return Entry(name, email.lower(), group)


def refuse_double(number: int, entry: Entry, seen: dict[str, int]) -> None:
    """Raises `RosterError` for a person on an earlier line; `seen` maps people to lines."""
    key = entry.email or entry.name
    first = seen.setdefault(key, number)
    if first != number:
        values = {"line": number, "first": first, "what": make_printable(key)[:80]}
        raise RosterError(
            _("Line %(line)d: “%(what)s” is already on line %(first)d. Each person can take part once.") % values
        )


def take_or_schedule(study: Study, entries: Sequence[Entry], owner: User) -> Job | None:
    """Give each person on the roster a link; returns the job that does it if more than a few need a place in the plan.

    The job holds the names until it is done. `RosterError` and `SpecError` as in `take_roster`: an invalid roster
    becomes no job.
    """
    if len(entries) - len(list_free_people(study)) <= AT_ONCE:
        take_roster(study, entries)
        return None
    check_entries(study, entries)
    values = {"entries": [astuple(entry) for entry in entries], "at": timezone.now().isoformat()}
    return get_or_schedule(make_job(ROSTER_KIND, study.job_subject, values, study.project), owner=owner)


def take_roster_by_job(job: Job, on_progress: Listener) -> Path | None:
    """Store the roster in short transactions, so that people can go on answering; then delete the names from the job.

    Work done by an earlier attempt is not repeated.
    """
    study = Study.objects.filter(pk=job.subject.partition(":")[2]).first()
    entries = [Entry(*cells) for cells in job.parameters.get("entries", ())]
    if study is None or not entries:
        return None
    taken, batch = 0, choose_batch(study, AT_ONCE)
    try:
        while rest := skip_taken(study, entries):
            taken = len(entries) - len(rest)
            on_progress("people", taken, len(entries))
            free = len(list_free_people(study))
            chunk = rest[: max(batch, free)]
            if len(chunk) - free > MAX_SEARCHED and not study.groups:
                search_ahead(study, len(chunk) - free)
            take_roster(study, chunk)
    except (SpecError, WrongState) as error:
        values = {"n": taken, "all": len(entries), "why": error}
        raise JobFailed(_("%(n)d of %(all)d people have a link. %(why)s") % values) from None
    Job.objects.filter(pk=job.pk).update(parameters={})
    return None


def skip_taken(study: Study, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that are not yet in the study's roster, by name and address."""
    taken = set(Contact.objects.filter(annotator__study=study).values_list("name", "email"))
    return [entry for entry in entries if (entry.name, entry.email) not in taken]


@transaction.atomic
def take_roster(study: Study, entries: Sequence[Entry]) -> int:
    """Give each person on the roster a link, unused links first: all people or none. Returns the number of new links.

    `RosterError` for somebody who is already in the study, `SpecError` if the plan has no work left for them.
    """
    matched, rest = check_entries(study, entries)
    for group in dict.fromkeys(entry.group for entry in rest):
        mine = [entry for entry in rest if entry.group == group]
        matched += zip(add_annotators(study, len(mine), group=group), mine, strict=True)
    Contact.objects.bulk_create(
        Contact(annotator=annotator, name=entry.name, email=entry.email) for annotator, entry in matched
    )
    record_act(study.project_id, "roster_changed", study, number=len(entries))
    return len(rest)


def check_entries(study: Study, entries: Sequence[Entry]) -> tuple[list[tuple[Annotator, Entry]], list[Entry]]:
    """Who gets an unused link, and who needs a new one; `RosterError` or `SpecError` if not all can have one."""
    refuse_known(study, entries)
    refuse_unknown_groups(study, entries)
    free: dict[str, deque[Annotator]] = {}
    everybody = list_free_people(study)
    for each in everybody:
        free.setdefault(each.group, deque()).append(each)
    matched, rest, anywhere = [], [], []
    for entry in entries:
        if not entry.group:
            anywhere.append(entry)
        elif free.get(entry.group):
            matched.append((free[entry.group].popleft(), entry))
        else:
            rest.append(entry)
    given = {annotator.pk for annotator, _entry in matched}
    left = deque(each for each in everybody if each.pk not in given)
    for entry in anywhere:
        if left:
            matched.append((left.popleft(), entry))
        else:
            rest.append(entry)
    for group, number in Counter(entry.group for entry in rest).items():
        check_places(study, number, group)
    return matched, rest


def list_free_people(study: Study) -> list[Annotator]:
    """Links that were never opened and belong to nobody."""
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose=Purpose.MAIN, joined_at=None, person="")
    return list(people.filter(revoked_at=None, ended_as="", contact=None).order_by("pk"))


def refuse_known(study: Study, entries: Sequence[Entry]) -> None:
    """Raises `RosterError` for addresses already in the roster, and for names there without an address."""
    wanted = {entry.email or entry.name for entry in entries}
    mine = Contact.objects.filter(annotator__study=study).values_list("email", "name")
    known = sorted(wanted & {email or name for email, name in mine})
    if known:
        values = {"who": ", ".join(make_printable(each)[:80] for each in known[:MAX_REPORTED])}
        raise RosterError(_("Already in this study: %(who)s. Take them out of the list.") % values)


def refuse_unknown_groups(study: Study, entries: Sequence[Entry]) -> None:
    unknown = sorted({entry.group for entry in entries} - {"", *study.groups})
    if unknown:
        values = {"group": make_printable(unknown[0]), "known": ", ".join(study.groups) or "–"}
        raise RosterError(_("The study has no group “%(group)s”. Its groups: %(known)s.") % values)


@transaction.atomic
def delete_roster(study: Study) -> int:
    """Delete all names and addresses, but no links or answers. Returns how many there were."""
    number, _each = Contact.objects.filter(annotator__study=study).delete()
    Job.objects.filter(kind=ROSTER_KIND, subject=study.job_subject).delete()  # it may still contain names
    record_act(study.project_id, "roster_changed", study, number=number)
    return number


INVITATION, REMINDER = "invitation", "reminder"


def write_default_mail(study: Study, kind: str) -> tuple[str, str]:
    """Subject and body in the study's language; {name}, {link}, {title} and {deadline} are filled in later."""
    with override(study.language):
        if kind == REMINDER:
            return _("Reminder: {title}"), _(
                "Hello {name},\n\nyou have not finished “{title}” yet. You go on where you stopped:\n{link}\n\n"
                "The link is yours alone. Please do not pass it on.\n"
            )
        return _("Invitation: {title}"), _(
            "Hello {name},\n\nyou are invited to take part in “{title}”. Open your personal link to begin:\n{link}\n\n"
            "The link is yours alone. Please do not pass it on.\n"
        )


@dataclass(frozen=True)
class Letter:
    """A message to one person, ready to be sent or copied."""

    contact: Contact
    subject: str
    body: str


def write_letters(study: Study, contacts: Iterable[Contact], subject: str, body: str, base: str) -> list[Letter]:
    """The messages to these people. base: scheme and host of the links."""
    with override(study.language):
        deadline = date_format(timezone.localtime(study.deadline), "DATETIME_FORMAT") if study.deadline else "–"
    return [
        Letter(
            each,
            *(
                fill_in(
                    words, name=each.name, link=base + each.annotator.get_link(), title=study.title, deadline=deadline
                )
                for words in (subject, body)
            ),
        )
        for each in contacts
    ]


def fill_in(words: str, **values: str) -> str:
    """The words with each {name} that is known replaced. Without a name the space before it goes too."""
    for name, value in values.items():
        words = words.replace(f"{{{name}}}", value) if value else words.replace(f" {{{name}}}", "")
    return words


def filter_contacts(study: Study, annotators: Iterable[int] | None = None) -> Any:
    """The roster's people who have an address; `annotators` restricts them."""
    found = Contact.objects.filter(
        annotator__study=study, annotator__revoked_at=None, annotator__ended_as=""
    ).select_related("annotator")
    return found if annotators is None else found.filter(annotator__in=list(annotators))


def schedule_mail(
    study: Study, kind: str, annotators: Iterable[int], subject: str, body: str, base: str, owner: User
) -> Job:
    """The job that sends the mails. `RosterError` if none of the people has an address."""
    chosen = filter_contacts(study, annotators).exclude(email="").order_by("annotator")
    pks = list(chosen.values_list("annotator", flat=True))
    if not pks:
        raise RosterError(_("None of them has an address in the roster. Copy the text and send it yourself."))
    values = {"kind": kind, "annotators": pks, "subject": subject, "body": body, "base": base}
    values["at"] = timezone.now().isoformat()  # the same message may be sent again later
    job = make_job(MAIL_KIND, study.job_subject, values, study.project)
    record_act(study.project_id, "mail_sent", study, number=len(pks))
    return get_or_schedule(job, owner=owner)


def send_mail(job: Job, on_progress: Listener) -> Path | None:
    """Send each message once, even if an earlier attempt was interrupted; refused addresses are noted in the roster."""
    parameters = job.parameters
    study = Study.objects.filter(pk=job.subject.partition(":")[2]).first()
    if study is None:
        return None
    stamp, since = (
        "reminded_at" if parameters["kind"] == REMINDER else "invited_at",
        datetime.fromisoformat(parameters["at"]),
    )
    waiting = filter_contacts(study, parameters["annotators"]).filter(Q(**{stamp: None}) | Q(**{f"{stamp}__lt": since}))
    letters = write_letters(study, waiting, parameters["subject"], parameters["body"], parameters["base"])
    try:
        with get_connection() as connection:
            for done, letter in enumerate(letters, start=1):
                problem = send_letter(letter, connection)
                Contact.objects.filter(pk=letter.contact.pk).update(**{stamp: timezone.now()}, problem=problem)
                on_progress("letters", done, len(letters))
    except (OSError, SMTPException) as error:
        sentence = _("The mail server does not answer (%(error)s). Those who got no message are still marked so.")
        raise JobFailed(sentence % {"error": type(error).__name__}) from None
    return None


def send_letter(letter: Letter, connection: Any) -> str:
    """The mail server's objection to the address; empty if it accepted the message."""
    subject = " ".join(letter.subject.split())
    message = EmailMessage(subject, letter.body, to=[letter.contact.email], connection=connection)
    try:
        message.send()
    except SMTPRecipientsRefused as refused:
        code, why = next(iter(refused.recipients.values()), (0, b""))
        return f"{code} {why.decode('utf-8', 'replace')}"[:300]
    return ""
