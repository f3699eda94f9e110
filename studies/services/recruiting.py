"""Visitors of an open link claim cells of the plan when they start; the cells become free again if they stay away.

A cell is a slot of the plan. An assignment holds it from its start, finished or not, until it is given back. Claiming
or freeing cells requires the lock of the study's row. Signed ids of participants are here, too.
"""

import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from items.plain import make_printable, write_csv
from projects.audit import record_act
from projects.models import new_token
from projects.scratch import save_at_once
from studies.models import Annotator, AnnotatorKind, Apart, Assignment, Purpose, Slot, Study, StudyState, Submission
from studies.recruitment import IDENTITY, LEAST_TIME_OUT, SIGNATURE, TIME_OUT_TIMES, TURK_HOST, TURK_PATH, Recruitment
from studies.services.declarations import get_declaration
from studies.services.durations import estimate_study_minutes
from studies.services.people import VISITOR_DIGITS, NothingToReplace, create_assignments, make_code
from studies.services.phases import create_practice
from studies.services.places import give_back_read_texts
from studies.services.quotas import has_group_quotas
from studies.services.selection import read_contents
from studies.services.spec import SpecError
from studies.services.states import WrongState, hold_state, lock_study


class NoPlace(Exception):
    """Every cell of the plan is taken, or the maximum number of people has come; nothing was stored."""


def get_recruitment(study: Study) -> Recruitment:
    return Recruitment.model_validate(study.recruitment)


def get_completion_code(annotator: Annotator, outcome: str) -> str:
    """The code that the annotator hands back to the platform: the study's code for the outcome, or a personal one if
    they finished.

    `outcome` is "finished", or a value of `EndReason`. Empty if there is no code.
    """
    recruitment = get_recruitment(annotator.study)
    code = str(getattr(recruitment.codes, outcome, ""))
    if code or outcome != "finished" or not recruitment.open_link:
        return code
    return salted_hmac("lesart.completion", annotator.public_id).hexdigest()[:10].upper()


def get_turk_form(annotator: Annotator, code: str) -> tuple[str, dict[str, str]] | None:
    """Where somebody from Mechanical Turk hands in their work, and the fields that are sent; None for others."""
    ids = annotator.profile.get("platform", {})
    if not code or not {TURK_HOST, "assignmentId"} <= set(ids):
        return None
    return ids[TURK_HOST] + TURK_PATH, {"assignmentId": ids["assignmentId"], "code": code}


def keep_platform_ids(annotator: Annotator, ids: Mapping[str, str]) -> None:
    """Store the ids with which a person came back, such as a new assignment: the work is handed in for these."""
    kept = annotator.profile.get("platform", {})
    if annotator.ended_as or {**kept, **ids} == kept:
        return
    annotator.profile = {**annotator.profile, "platform": {**kept, **ids}}
    annotator.save(update_fields=["profile"])


def get_time_out(study: Study) -> timedelta | None:
    """The absence after which unfinished work is offered to others; None: never, the default for personal links."""
    recruitment = get_recruitment(study)
    if recruitment.time_out or not recruitment.open_link:
        return timedelta(minutes=recruitment.time_out) if recruitment.time_out else None
    return timedelta(minutes=max(LEAST_TIME_OUT, TIME_OUT_TIMES * estimate_study_minutes(study)))


def filter_absent(study: Study) -> QuerySet[Annotator]:
    """People who have been away for longer than the time-out; none without a time-out."""
    time_out = get_time_out(study)
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose=Purpose.MAIN)
    if time_out is None:
        return people.none()
    since = timezone.now() - time_out
    return people.annotate(seen=Coalesce("last_seen", "joined_at")).filter(seen__lt=since)


def filter_free(study: Study, group: str | None, also: Q | None = None) -> QuerySet[Slot]:
    """Cells that nobody holds, of one group or (None) of all; `also`: assignments that do not count as holding."""
    held = Assignment.objects.filter(slot=OuterRef("pk"), round=1, returned_at=None)
    slots = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN)
    slots = slots if group is None else slots.filter(group=group)
    return slots.filter(~Exists(held.exclude(also) if also else held))


def has_place(study: Study, group: str | None = None) -> bool:
    """Whether a visitor who starts now gets work. Reads only: timed-out cells count as free."""
    cap = get_recruitment(study).cap
    if cap and count_started(study) >= cap:
        return False
    absent = filter_absent(study).values("pk")
    return filter_free(study, group, Q(annotator__in=absent, finished_at=None)).exists()


def count_started(study: Study) -> int:
    """Visitors who take or took part; those who were screened out do not count."""
    return study.annotators.filter(purpose=Purpose.MAIN, kind=AnnotatorKind.HUMAN, ended_as="").count()


def derive_token(study: Study, start: str) -> str:
    """The link of the person who pressed the start button of one landing page: pressing twice gives the same link."""
    return salted_hmac("lesart.start", f"{study.pk}/{start}").hexdigest()[:43]


def find_known_visitor(study: Study, person: str, start: str) -> Annotator | None:
    """The person who came before with this platform id, or from this very landing page."""
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose=Purpose.MAIN)
    known = people.filter(person=person) if person else people.filter(token=derive_token(study, start))
    return known.order_by("pk").first()


@transaction.atomic
def admit_visitor(
    study: Study, *, person: str = "", start: str = "", group: str = "", profile: Mapping[str, str] | None = None
) -> Annotator:
    """Admit somebody through the open link, with cells of the plan; a returning person stays the same annotator.

    `person`: the platform id; `start`: the number of the landing page. `NoPlace` if every cell is taken.
    """
    hold_state(study.pk)
    study = lock_study(study, StudyState.LIVE)
    known = find_known_visitor(study, person, start)
    if known:
        return known
    return_abandoned(study)
    cap = get_recruitment(study).cap
    if cap and count_started(study) >= cap:
        raise NoPlace
    group = group or pick_group(study)
    slots = choose_cells(study, group if has_group_quotas(study) else None)
    if not slots:
        raise NoPlace
    annotator = create_visitor(study, slots, group, person, start, profile or {})
    if not annotator.assignments.open().exists():  # this person has read every free text elsewhere
        raise NoPlace
    return annotator


def pick_group(study: Study) -> str:
    """The group of a visitor whose link names none: the one with most free cells, else the next in turn."""
    if has_group_quotas(study):
        free = Counter(filter_free(study, None).values_list("group", flat=True))
        return str(max(study.groups, key=lambda group: free[group]))
    return str(study.groups[study.annotators.count() % len(study.groups)]) if study.groups else ""


def create_visitor(
    study: Study, slots: Sequence[Slot], group: str, person: str, start: str, profile: Mapping[str, str]
) -> Annotator:
    seat = find_seat(study, slots)
    now = timezone.now()
    annotator = Annotator.objects.create(
        study=study,
        code=make_code(Purpose.MAIN, seat, VISITOR_DIGITS),
        seat=seat,
        reading="ticked",
        group=group,
        person=person,
        token=new_token() if person else derive_token(study, start),
        profile={"platform": dict(profile)} if profile else {},
        last_seen=now,
    )
    declaration = get_declaration(study)
    create_practice([annotator], study, declaration, save_at_once)
    add_cells(annotator, slots)
    give_back_read_texts(annotator)
    return annotator


def add_cells(annotator: Annotator, slots: Sequence[Slot]) -> None:
    units = read_contents(annotator.study.units.filter(pk__in=[slot.unit_id for slot in slots]))
    create_assignments(annotator, slots, units, get_declaration(annotator.study), save_at_once)


def find_seat(study: Study, slots: Sequence[Slot]) -> int:
    """The seat of the plan that these cells form, if nobody has had it; else a number after all seats."""
    seats = {slot.seat for slot in slots}
    used = study.annotators.filter(purpose=Purpose.MAIN)
    if len(seats) == 1 and not used.filter(seat__in=seats).exists():
        return seats.pop()
    top = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN).aggregate(top=Max("seat"))["top"]
    highest = used.aggregate(top=Max("seat"))["top"]
    return max(-1 if top is None else top, -1 if highest is None else highest) + 1


def choose_cells(study: Study, group: str | None, without: Iterable[int] = ()) -> list[Slot]:
    """Free cells for one person: a whole seat of the plan if possible, to keep its design, else single cells.

    Cells whose units have the fewest holders come first. `without`: units that the person has had.
    """
    free = list(filter_free(study, group).exclude(unit__in=list(without)).order_by("seat", "unit__position"))
    if not free:
        return []
    load = count_holders(study)
    sizes = Counter(
        Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN).order_by().values_list("seat", flat=True)
    )
    by_seat: dict[int, list[Slot]] = {}
    for slot in free:
        by_seat.setdefault(slot.seat, []).append(slot)
    whole = [slots for seat, slots in by_seat.items() if len(slots) == sizes[seat]]
    most = get_recruitment(study).units_per_person or max(sizes.values())
    if whole and not without:
        best = min(whole, key=lambda slots: (sum(load[slot.unit_id] for slot in slots) / len(slots), slots[0].seat))
        return choose_least_filled(best, load, most)
    return choose_least_filled(free, load, most)


def choose_least_filled(slots: Iterable[Slot], load: Mapping[int, int], most: int) -> list[Slot]:
    """At most so many cells, one per unit, preferring units with the fewest holders."""
    by_unit: dict[int, Slot] = {}
    for slot in sorted(slots, key=lambda slot: (load[slot.unit_id], slot.pk)):
        by_unit.setdefault(slot.unit_id, slot)
    return list(by_unit.values())[:most]


def count_holders(study: Study) -> Counter[int]:
    """By unit, how many assignments hold a cell of it, finished or under way."""
    held = Assignment.objects.active().filter(slot__unit__study=study, slot__purpose=Purpose.MAIN, round=1)
    return Counter(held.order_by().values_list("unit", flat=True))


def return_abandoned(study: Study) -> int:
    """Free the cells of people who have been away for too long; returns how many. Finished work stays.

    Needs the lock of the study. People being served at this moment are skipped.
    """
    absent = filter_absent(study).filter(pk__in=filter_unfinished(study).values("annotator"))
    locked = list(absent.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True))
    return abandon(filter_unfinished(study).filter(annotator__in=locked), _("Timed out."))


def return_timed_out_work() -> int:
    """Free timed-out work in all live studies, whether or not anybody comes; returns how many assignments."""
    by_time = Q(recruitment__open_link=True) | Q(recruitment__time_out__isnull=False)
    live = Study.objects.filter(by_time, state=StudyState.LIVE)
    return sum(return_work_of_absent(study) for study in live if has_timed_out_work(study))


def has_timed_out_work(study: Study) -> bool:
    return filter_unfinished(study).filter(annotator__in=filter_absent(study).values("pk")).exists()


@transaction.atomic
def return_work_of_absent(study: Study) -> int:
    """Free timed-out work in one study; returns how many assignments, 0 if it is no longer live."""
    hold_state(study.pk)
    try:
        return return_abandoned(lock_study(study, StudyState.LIVE))
    except WrongState:
        return 0


def filter_unfinished(study: Study) -> QuerySet[Assignment]:
    return Assignment.objects.open().filter(annotator__study=study, slot__isnull=False)


def abandon(assignments: QuerySet[Assignment], reason: str) -> int:
    """Give them back to the plan in such a way that their annotators may resume them."""
    return assignments.update(returned_at=timezone.now(), return_reason=reason, apart=Apart.ABANDONED)


@transaction.atomic
def give_back_work(annotator: Annotator, *, discard: bool = False) -> int:
    """Free the cells of this person on request; returns how many. With `discard` those of finished units, too.

    Discarded work is no longer counted; unfinished work may be resumed if its annotator comes back. `NothingToReplace`
    if there is nothing to free.
    """
    hold_state(annotator.study_id, annotator.pk)
    Study.objects.select_for_update().get(pk=annotator.study_id)
    mine = annotator.assignments.filter(returned_at=None, slot__isnull=False)
    freed = abandon(mine.filter(finished_at=None), _("Returned by hand."))
    if discard:
        finished = mine.filter(finished_at__isnull=False)
        freed += finished.update(returned_at=timezone.now(), return_reason=_("Discarded by hand."))
    if not freed:
        raise NothingToReplace(_("%(code)s has no work to give back.") % {"code": annotator.code})
    record_act(annotator.study.project_id, "work_discarded" if discard else "work_given_back", annotator, number=freed)
    return freed


def resume_work(annotator: Annotator) -> None:
    """Resume abandoned work, inside the caller's transaction.

    Cells that are still free become the annotator's again. A cell that others have taken is replaced by another free
    one if it was not begun; a begun one continues as surplus: the annotator gets thanks and code, but it is not
    counted.
    """
    study = Study.objects.select_for_update().get(pk=annotator.study_id)
    left = list(annotator.assignments.filter(apart=Apart.ABANDONED, finished_at=None).order_by("position", "pk"))
    free = set(filter_free(study, None).filter(pk__in=[each.slot_id for each in left]).values_list("pk", flat=True))
    for assignment in left:
        if assignment.slot_id in free:
            restore(assignment, assignment.slot_id)
    lost = [each for each in left if each.slot_id not in free]
    begun = [each for each in lost if each.stage_opened_at or Submission.objects.filter(assignment=each).exists()]
    for assignment in begun:
        restore(assignment, find_like_cell(study, assignment))
    replace_cells(annotator, [each for each in lost if each not in begun])


def restore(assignment: Assignment, slot: int | None) -> None:
    """Let the assignment hold this cell again; without a cell it is surplus."""
    if slot is None:
        Assignment.objects.filter(pk=assignment.pk).update(apart=Apart.SURPLUS)
        return
    Assignment.objects.filter(pk=assignment.pk).update(returned_at=None, return_reason="", apart=None, slot=slot)


def find_like_cell(study: Study, assignment: Assignment) -> int | None:
    """A free cell of the same unit, group and guessed generator, for an assignment that was begun."""
    old = assignment.slot
    if old is None:
        return None
    free = filter_free(study, old.group).filter(unit=old.unit_id, generator=old.generator_id)
    return free.order_by("seat").values_list("pk", flat=True).first()


def replace_cells(annotator: Annotator, lost: Sequence[Assignment]) -> None:
    """Replace cells that were not begun by other free ones; if there are none, the old ones become surplus."""
    if not lost:
        return
    had = annotator.assignments.values_list("unit", flat=True)
    group = annotator.group if has_group_quotas(annotator.study) else None
    cells = choose_cells(annotator.study, group, without=had)[: len(lost)]
    if cells:
        Assignment.objects.filter(pk__in=[each.pk for each in lost]).update(apart=None)
        add_cells(annotator, cells)
        give_back_read_texts(annotator)
        return
    for assignment in lost:
        restore(assignment, None)


# Ids of participants that nobody can invent: each comes with a signature made with the study's secret.


LENGTH = 32  # hexadecimal digits: 128 bits
MAX_IDS = 10_000


def get_id_secret(study: Study) -> str:
    """The secret with which the researcher's own system signs ids; see `sign_id`."""
    return salted_hmac("lesart.ids", study.open_token or "", algorithm="sha256").hexdigest()


def sign_id(study: Study, person: str) -> str:
    """HMAC-SHA256 of the id, the first 32 hexadecimal digits."""
    return hmac.new(get_id_secret(study).encode(), person.encode(), "sha256").hexdigest()[:LENGTH]


def is_signed(study: Study, person: str, signature: str) -> bool:
    return constant_time_compare(sign_id(study, person), signature)


def write_signed_links(study: Study, ids: str, address: str) -> str:
    """A table (CSV) of each id with its link to the open `address`. `SpecError` for an invalid id, and for
    duplicates."""
    if not study.open_token:
        raise SpecError(_("The study has no open link yet. Launch it first."))
    name = get_recruitment(study).parameters[0]
    queries = ((person, urlencode({name: person, SIGNATURE: sign_id(study, person)})) for person in read_ids(ids))
    return write_csv((name, "link"), ((person, f"{address}?{query}") for person, query in queries))


def read_ids(ids: str) -> Iterator[str]:
    """The ids, one per line."""
    lines = [line.strip() for line in ids.splitlines()]
    if not any(lines):
        raise SpecError(_("Enter at least one id, one per line."))
    if len(lines) > MAX_IDS:
        raise SpecError(_("At most %(limit)d ids at once. Split the list.") % {"limit": MAX_IDS})
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        place = {"number": number, "id": make_printable(line)}
        if not IDENTITY.fullmatch(line):
            raise SpecError(
                _("Line %(number)d, “%(id)s”: an id has letters, digits and . _ : @ - and at most 100 of them.") % place
            )
        if line in seen:
            values = place | {"first": seen[line]}
            raise SpecError(_("Line %(number)d, “%(id)s”: this id is also in line %(first)d.") % values)
        seen[line] = number
        yield line
