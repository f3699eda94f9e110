"""What may change after a launch: title, deadline, quotas; automatic closing; templates of studies."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.audit import record_act
from projects.models import User
from studies.models import Annotator, AnnotatorKind, Apart, Assignment, Purpose, Study, StudyState, StudyTemplate
from studies.services.creating import create_draft, describe_study, find_free_slug
from studies.services.launching import set_state
from studies.services.spec import SpecError, check_spec
from studies.services.states import WrongState, lock_study, lock_study_state

AWAY_AFTER = timedelta(days=1)  # a person away for this long does not keep a full study open


@transaction.atomic
def change_launched_study(
    study: Study, *, title: str, deadline: datetime | None, max_finished: int | None, per_unit: int | None = None
) -> Study:
    """Set title, deadline and quotas of a study; `SpecError` for a deadline in the past or a lower number per text."""
    study = lock_study(study, *StudyState)
    if deadline and deadline != study.deadline and deadline <= timezone.now():
        raise SpecError(_("The deadline is in the past. Choose a later one, or close the study."), "deadline")
    raise_per_unit(study, per_unit)
    study.title, study.deadline, study.max_finished = title, deadline, max_finished
    study.save(update_fields=["title", "deadline", "max_finished", "plan"])
    record_act(study.project_id, "study_changed", study)
    return study


def raise_per_unit(study: Study, per_unit: int | None) -> None:
    """Raise the number of people per unit; people who join from now on take the added places."""
    now = study.plan.get("per_unit")
    if per_unit is None or per_unit == now:
        return
    if study.is_draft or not isinstance(now, int):
        raise SpecError(_("The number per text of this study cannot be changed here."), "per_unit")
    if per_unit < now:
        sentence = _("Each text already has %(n)d people by the plan; the number can only be raised.")
        raise SpecError(sentence % {"n": now}, "per_unit")
    study.plan = study.plan | {"per_unit": per_unit}


def is_full(study: Study) -> bool:
    """Whether as many people have finished as the study wants."""
    return study.max_finished is not None and count_finished(study) >= study.max_finished


def count_finished(study: Study) -> int:
    active = Q(assignments__pk__isnull=False, assignments__returned_at=None)
    people = study.annotators.filter(kind=AnnotatorKind.HUMAN, purpose=Purpose.MAIN, ended_as="").annotate(
        n=Count("assignments", filter=active),
        n_open=Count("assignments", filter=active & Q(assignments__finished_at=None)),
    )
    return people.filter(n__gt=0, n_open=0).exclude(assignments__apart=Apart.ABANDONED).count()


def close_due_studies() -> list[str]:
    """Close live studies whose deadline has passed, or that are full and nobody is at work; returns their slugs."""
    now = timezone.now()
    due = Q(deadline__lte=now) | Q(max_finished__isnull=False)
    return [
        study.slug
        for study in Study.objects.filter(due, state=StudyState.LIVE)
        if is_due(study, now) and close_quietly(study)
    ]


def is_due(study: Study, now: datetime) -> bool:
    if study.deadline and study.deadline <= now:
        return True
    return is_full(study) and not has_people_at_work(study, now)


def has_people_at_work(study: Study, now: datetime) -> bool:
    """Whether somebody who has begun was here within a day: nobody is turned away after having worked."""
    begun = Annotator.objects.filter(study=study, purpose=Purpose.MAIN, last_seen__gt=now - AWAY_AFTER, revoked_at=None)
    open_ones = Assignment.objects.open().filter(annotator__in=begun)
    return open_ones.exists()


@transaction.atomic
def close_quietly(study: Study) -> bool:
    """Close the study; returns False if somebody else already has."""
    try:
        study = lock_study_state(study, StudyState.LIVE)
    except WrongState:
        return False
    study.closed_at = timezone.now()
    set_state(study, StudyState.CLOSED, "study_closed")
    return True


def save_template(study: Study, name: str, user: User | None) -> StudyTemplate:
    """Store the contents of the study under a name, replacing an earlier template of that name."""
    content = describe_study(study)
    template, _is_new = StudyTemplate.objects.update_or_create(
        project=study.project, name=name, defaults={"content": content, "made_by": user, "made_at": timezone.now()}
    )
    return template


def use_template(template: StudyTemplate) -> Study:
    """A new draft from the template, with a seed of its own. `SpecError` if its wording no longer exists."""
    content = template.content
    plan = {name: value for name, value in content["plan"].items() if name != "seed"}
    wanted = {**content, "slug": find_free_slug(content["slug"]), "title": template.name, "plan": plan}
    return create_draft(template.project, check_spec(wanted))
