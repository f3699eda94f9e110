"""What the results of a study depend on, in short: as long as it stays the same, they do."""

import hashlib
import json

from django.db.models import Count, Max
from django.utils.translation import get_language

from analysis.choices import Choices
from analysis.flaw_codes import filter_flaw_codes
from analysis.models import ItemCode
from analysis.published_names import stored_matches
from evaluation.metric_values import get_metrics_state
from items.models import Generator, KeyCorrection, Option
from studies.models import Annotator, Assignment, Response, Review, Study, UnitItem
from studies.services.adjudicating import filter_standing

FORMAT = 11  # raised when what is cached changes its form or meaning
A_DAY = 24 * 60 * 60


def state_of(study: Study, choices: Choices) -> str:
    """A hash of all the report depends on: the answers and who gave them, the keys, the choices, the language."""
    return count_state(study, choices)[0]


def count_state(study: Study, choices: Choices) -> tuple[str, int]:
    """The same with the number of the study's answers.

    Keys of rows name content only within one database: the moment of its making tells the study from one of another
    database, such as one that was restored, whose results may lie in the same cache.
    """
    answers = Response.objects.filter(assignment__annotator__study=study).aggregate(n=Count("pk"), last=Max("pk"))
    returned = Assignment.objects.filter(annotator__study=study, returned_at__isnull=False).count()
    items = UnitItem.objects.filter(unit__study=study)
    keys = (
        Option.objects.filter(item__in=items.values("item"), correct=True).order_by("pk").values_list("pk", flat=True)
    )
    corrections = KeyCorrection.objects.filter(item__project=study.project).aggregate(last=Max("pk"))
    about = ("pk", "code", "kind", "purpose", "group", "person", "model", "reading", "variant__name")
    people = Annotator.objects.filter(study=study).order_by("pk").values_list(*about)
    generators = Generator.objects.filter(pk__in=items.values("item__generator")).order_by("pk")
    codes = ItemCode.objects.standing().filter(study=study).order_by("pk").values_list("pk", flat=True)
    reviews = Review.objects.filter(stem__assignment__annotator__study=study).order_by("pk")
    settled = filter_standing(study).aggregate(n=Count("pk"), last=Max("pk"))
    state = [
        FORMAT, study.pk, study.created_at.isoformat(), study.title, study.groups,
        answers, returned, list(keys), corrections, list(people),
        list(generators.values_list("pk", "name", "factors")), list(codes), get_metrics_state(study),
        list(reviews.values_list("pk", "verdict", "item")), stored_matches(study),
        [settled["n"], settled["last"]], choices.__dict__, get_language(),
        filter_flaw_codes(study).aggregate(n=Count("pk"), last=Max("pk")),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(state).encode()).hexdigest(), answers["n"]
