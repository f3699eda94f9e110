"""A planted study of pairs: who prefers what is known before anybody has seen a pair.

Five texts, two of them shared as a calibration and one for each of three annotators; three generators with two items a
text, six pairs a text.
"""

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from bs4 import BeautifulSoup

from annotation.simulation import SimulatedPerson
from items.models import Item, Option
from projects.models import Project
from studies.models import Assignment, Study
from studies.services.creating import create_study
from studies.services.launching import launch_study
from studies.services.spec import check_spec
from tests.factory import make_generator, make_text
from tests.leaks import without_tokens
from tests.made_once import made_once

GENERATORS = ("gen-alder", "gen-birch", "gen-cedar")  # the stronger first
TEXTS, SHARED, OWN, ITEMS, PAIRS, ANNOTATORS = 5, 2, 1, 2, 6, 3
SECRETS = (*GENERATORS, "p1-gen", "p2-gen", "p3-gen", "external-", "explained-", "item-metadata", "topic-", "source-1")


def true_preference(seat: int, one: str, other: str) -> str:
    """The id of the better item, or tie; in any order. The stronger generator wins in six of ten, and loses in two."""
    strong, weak = sorted((one, other), key=lambda item: GENERATORS.index(generator_of(item)))
    lot = crc32(f"{seat}/{strong}/{weak}".encode()) % 10
    return strong if lot < 6 else weak if lot < 8 else "tie"


def generator_of(item: str) -> str:
    return item.split("-", 1)[1].rsplit("-", 1)[0]


def stem(text: int, generator: str, place: int) -> str:
    """Says nothing of who wrote it."""
    ordinal = (text * len(GENERATORS) + GENERATORS.index(generator)) * ITEMS + place
    return f"Which reed is meant, number {ordinal * 37 % 97}?"


def item_ids() -> dict[str, str]:
    """Ids of the items by their stems."""
    named = [(text, name, place) for text in range(1, TEXTS + 1) for name in GENERATORS for place in range(ITEMS)]
    return {stem(*each): f"p{each[0]}-{each[1]}-{each[2]}" for each in named}


def make_bank(project: Project) -> None:
    for text_number in range(1, TEXTS + 1):
        text = make_text(
            project,
            f"external-p{text_number}",
            title=f"Reeds, part {text_number}",
            body=f"Sentence {text_number} about reeds.\nA second paragraph {text_number} about a pond.",
            source=f"source-{text_number % 2}",
        )
        for name in GENERATORS:
            for place in range(ITEMS):
                item = Item.objects.create(
                    project=project,
                    text=text,
                    generator=make_generator(project, name),
                    external_id=f"p{text_number}-{name}-{place}",
                    stem=stem(text_number, name, place),
                    metadata={"secret": "item-metadata", "topic": f"topic-{place}"},
                )
                for position in range(3):
                    Option.objects.create(
                        item=item,
                        external_id=f"external-{position}",
                        position=position,
                        text=f"Answer {'xyz'[position]} to {item.stem}",
                        correct=position == 2,
                        explanation=f"explained-{position}",
                    )


def spec(**changes: Any) -> dict[str, Any]:
    params = {"pairs_per_text": PAIRS} | changes.pop("params", {})
    plan = {"annotators": ANNOTATORS, "shared_texts": SHARED, "own_texts": OWN, "seed": 5} | changes.pop("plan", {})
    shared = {"slug": "pairs", "protocol": "pairwise", "language": "en"}
    return shared | {"plan": plan, "params": params} | changes


def draft_study(project: Project, **changes: Any) -> Study:
    return create_study(project, check_spec(spec(**changes)))[0]


def make_live_study(project: Project, **changes: Any) -> Study:
    return launch_study(draft_study(project, **changes))[0]


@made_once
def make_study_with_bank(project: Project, **changes: Any) -> Study:
    make_bank(project)
    return make_live_study(project, **changes)


def annotators(study: Study) -> list:
    return list(study.annotators.filter(purpose="main").order_by("seat"))


def list_expected_judgments(study: Study, part: str = "") -> set[tuple[str, str, str, str]]:
    """(annotator, first item, second item, better) of all assignments, or of those of a part."""
    assignments = Assignment.objects.filter(annotator__study=study, annotator__purpose="main")
    chosen = assignments.filter(unit__part=part) if part else assignments
    found = set()
    for assignment in chosen.select_related("annotator").prefetch_related("unit__unit_items__item"):
        one, other = (row.item.external_id for row in assignment.unit.unit_items.all())
        found.add((assignment.annotator.code, one, other, true_preference(assignment.annotator.seat, one, other)))
    return found


@dataclass
class Judge(SimulatedPerson):
    """Gives the planted choices through the real pages, finding the items by their stems."""

    seen: list[bytes] = field(default_factory=list)

    def check(self, response):
        self.seen.append(without_tokens(response.content))
        return super().check(response)

    def check_done(self) -> None:
        """The end may be the page on which one waits."""

    def fill(self, form):
        self.page = form
        return super().fill(form)

    def answers(self):
        name, values = choice_on(self.page, self.annotator.seat)
        return {"item": [str(self.page.select_one("[data-item]")["data-item"])], name: values}


def choice_on(page: BeautifulSoup, seat: int) -> tuple[str, str]:
    """The field and the value with which a seat answers the pair that stands on a page."""
    by_stem = item_ids()
    left, right = (by_stem[str(tag.get_text())] for tag in page.select(".side h2 span[lang]"))
    better = true_preference(seat, left, right)
    arrow = {left: "left", right: "right", "tie": "down"}[better]
    control = page.select_one(f'[data-arrow="{arrow}"]')
    return str(control["name"]), str(control["value"])
