"""The switch that hides what answers say of the generators from a project's members while a study runs.

Who sees that one generator is ahead may stop early, invite other people or correct keys. Counts, progress and agreement
stay to be seen. The commands of the server's admin do not ask this switch.
"""

from django.db import transaction

from projects.models import User
from studies.models import EffectsSwitch, Study, StudyState
from studies.services.locking import locked

RUNNING = (StudyState.DRAFT, StudyState.LIVE, StudyState.PAUSED)


def effects_hidden(study: Study) -> bool:
    """Whether effects by generator are hidden now: only until the study is closed."""
    return study.state in RUNNING and switched(study) is True


def switched(study: Study) -> bool | None:
    """What the newest switch says; None if it was never touched."""
    return EffectsSwitch.objects.filter(study=study).order_by("-pk").values_list("hidden", flat=True).first()


@transaction.atomic
def switch_effects(study: Study, user: User, *, hidden: bool) -> bool:
    """Hide or show; False if it was so already. `WrongState` if the study is over."""
    study = locked(study, *RUNNING)
    if bool(switched(study)) is hidden:
        return False
    EffectsSwitch.objects.create(study=study, hidden=hidden, made_by=user)
    return True
