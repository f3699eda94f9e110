"""More texts for the people of a study whose models do all: a further round, drawn by equal chance among those left.

With n₁ of N texts drawn before with probability π₁ each, a round of n₂ more gives π = π₁ + (1 - π₁) · n₂ / (N - n₁).
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from projects.audit import record_act
from projects.models import User
from studies.models import PeopleTexts, Purpose, Study, StudyState
from studies.services.later_units import assign_units
from studies.services.people_texts import draw_systematically, equal_chances
from studies.services.spec import SpecError
from studies.services.states import lock_study


def count_texts_left(study: Study) -> int:
    """How many texts a further round can draw from; 0 where people do all texts, or the plan allows none."""
    draw = PeopleTexts.objects.filter(study=study).first()
    running = study.state in (StudyState.LIVE, StudyState.PAUSED)
    if draw is None or not running or study.plan.get("own_texts"):
        return 0
    return len(draw.texts) - len(draw.drawn_ids)


@transaction.atomic
def draw_more_texts(study: Study, n: int, made_by: User | None = None) -> PeopleTexts:
    """Draw `n` more texts, store their probabilities, and give them to the people who are at work.

    `SpecError` where people do all texts, have texts of their own, or fewer than `n` texts are left.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    draw = PeopleTexts.objects.filter(study=study).first()
    refuse_draw(study, draw, n)
    assert draw is not None
    new = add_round(draw, n, made_by)
    study.plan = study.plan | {"people_texts": draw.n}
    study.save(update_fields=["plan"])
    theirs = study.units.filter(text__external_id__in=new)
    units = list(theirs.select_related("text").prefetch_related("items__options"))
    for purpose in (Purpose.MAIN, Purpose.SIMULATED):
        assign_units(study, purpose, units)
    record_act(study.project_id, "texts_drawn", study, number=n)
    return draw


def refuse_draw(study: Study, draw: PeopleTexts | None, n: int) -> None:
    if draw is None:
        raise SpecError(_("People do all texts of this study, so there are no more to draw."), "texts")
    if study.plan.get("own_texts"):
        raise SpecError(_("In this plan each person has texts of their own, so no more can be drawn."), "texts")
    left = len(draw.texts) - len(draw.drawn_ids)
    if not 1 <= n <= left:
        raise SpecError(_("Give a number from 1 to %(left)d: so many texts are left.") % {"left": left}, "texts")


def add_round(draw: PeopleTexts, n: int, made_by: User | None) -> frozenset[str]:
    """Store the round; returns the texts that it drew."""
    number, left = len(draw.later) + 2, [each["text_id"] for each in draw.texts if not each["drawn"]]
    order, new = draw_systematically(equal_chances(left, n), Random(f"{draw.seed}/people texts/{number}"))
    draw.texts = [add_chance(each, n / len(left), number, new) for each in draw.texts]
    about = {"n": n, "order": order, "made_by": made_by.pk if made_by else None}
    draw.later = [*draw.later, about | {"made_at": timezone.now().isoformat()}]
    draw.n += n
    draw.save(update_fields=["texts", "later", "n"])
    return frozenset(new)


def add_chance(row: Mapping[str, Any], share: float, number: int, new: set[str]) -> dict[str, Any]:
    """A text with the probability that it is drawn by now; `round`: the later one that drew it."""
    chance = row["probability"] + (1 - row["probability"]) * share
    drawn = {"drawn": True, "round": number} if row["text_id"] in new else {}
    return {**row, "probability": chance, **drawn}
