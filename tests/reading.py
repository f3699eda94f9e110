"""A planted guess-then-read study in which every table has numbers, in two variants, answered by people and models.

Three texts, two generators with an easy and a hard item each; four people in two groups, a model and a baseline.
Answers follow from a hash, so that nobody is always right and no two people agree throughout.
"""

from datetime import timedelta
from zlib import crc32

from django.utils import timezone

from items.models import Item
from projects.models import Project
from studies.models import Annotator, Study, Submission, Variant
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.made_once import made_once

GENERATORS = ("ann", "bob")
KINDS = {
    "ann": ("easy", "hard", "easy"),
    "bob": ("hard", "hard", "easy"),
}  # by text, and again; the second item is of the other
PEOPLE = ("p0", "p1", "p2", "p3")
KEYS = "TFF"


@made_once
def plant_three_texts(project: Project) -> Study:
    return plant(project, 3)


@made_once
def plant_five_texts(project: Project) -> Study:
    """As many as the comparison of all pairs of generators takes."""
    return plant(project, 5)


def plant(project: Project, n_texts: int) -> Study:
    items = [item for number in range(n_texts) for item in items_of(project, number)]
    study = make_study(project, "reading", items, groups=["even", "odd"])
    asked = {"study": study, "instrument_version": study.instrument_version}
    variants = [Variant.objects.create(**asked, name=name, position=place) for place, name in enumerate("xy")]
    for seat, code in enumerate(PEOPLE):
        person = make_annotator(study, code, group=study.groups[seat % 2], variant=variants[seat % 2])
        for place, item in enumerate(items):
            if place % 2 == seat % 2:
                answer(person, "guess", item, ticks(code, "guess", item, 5))
            unsure = "".join("FFFT"[lot(code, item, option) % 4] for option in range(3))
            answer(person, "read", item, ticks(code, "read", item, 8), rating=1 + lot(code, item) % 5, unsure=unsure)
    model = make_annotator(study, "gpt", kind="model", model="gpt-x", reading="probability")
    rule = make_annotator(study, "majority", kind="baseline")
    for item in items:
        for stage, skill in (("guess", 5), ("read", 9)):
            ticked = ticks("gpt", stage, item, skill)
            p = [(0.5 if mark == "T" else 0) + lot(stage, item, place) % 50 / 100 for place, mark in enumerate(ticked)]
            answer(model, stage, item, ticked, probabilities=p)
        answer(rule, "read", item, "FFF")
    for place, submission in enumerate(Submission.objects.order_by("pk")):
        submission.opened_at = timezone.now() - timedelta(minutes=2 + place % 7)
        submission.submitted_at = timezone.now()
        submission.save()
    return study


def items_of(project: Project, number: int) -> list[Item]:
    text = make_text(project, f"t{number}", title=f"Reeds, part {number}")
    return [
        make_item(text, name, f"t{number}-{name}-{place}", KEYS, metadata={"kind": kind})
        for name in GENERATORS
        for place, kind in enumerate(kinds_on(name, number))
    ]


def kinds_on(name: str, number: int) -> tuple[str, str]:
    first = KINDS[name][number % len(KINDS[name])]
    return first, {"easy": "hard", "hard": "easy"}[first]


def ticks(code: str, stage: str, item: Item, skill: int) -> str:
    """Each option right in about `skill` of ten; everybody fails on one item with the text, and guesses another."""
    if (stage, item.external_id) in (("read", "t0-bob-0"), ("guess", "t1-ann-0")):
        return {"read": "FTF", "guess": KEYS}[stage]
    marks = zip(KEYS, range(3), strict=True)
    return "".join(key if lot(code, stage, item, place) % 10 < skill else "FT"[key == "F"] for key, place in marks)


def lot(*of: object) -> int:
    """The same number each time for the same things."""
    return crc32("/".join(str(getattr(each, "external_id", each)) for each in of).encode())


def annotators(study: Study) -> list[Annotator]:
    return list(study.annotators.order_by("pk"))
