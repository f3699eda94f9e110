"""A planted study of dimension ratings: every score of both rounds is known before anybody gives one.

Three texts, three generators, three annotators, seven dimensions. One cell meets each rule of the second round: (a) the
first annotator scores one wording differently; (b) the second is alone with a 1; (c) all three differ.
"""

from dataclasses import dataclass, field
from itertools import product
from typing import Any

from bs4 import BeautifulSoup

from annotation.simulation import SimulatedPerson
from items.models import Item
from projects.models import Project
from studies.models import Study
from studies.services.creating import create_study
from studies.services.launching import launch_study
from studies.services.responses.importing import import_responses
from studies.services.spec import check_spec
from tests.factory import make_generator, make_text
from tests.leaks import without_tokens
from tests.made_once import made_once
from tests.studies.answer_files import as_csv

GENERATORS = ("gen-alder", "gen-birch", "the-reference")
DIMENSIONS = (
    "fluency", "clarity", "conciseness", "relevance", "consistency", "answerability", "answer_consistency",
)  # fmt: skip
TEXTS = 3
SEATS = range(3)
ITEMS = [f"x{number}-{generator}" for number in range(1, TEXTS + 1) for generator in GENERATORS]
# By dimension and generator, what everybody gives but in the cells below.
USUAL = {"conciseness": {"gen-birch": 2}, "answerability": {"gen-birch": 1, "gen-alder": 2}}
# (seat, item, dimension): score of round 1, of round 2.
PLANTED = {
    (0, "x1-gen-birch", "fluency"): (2, 3),  # (a): the same wording as x1-gen-alder, which gets 3
    (1, "x2-gen-alder", "clarity"): (1, 1),  # (b), and stays
    (0, "x3-gen-birch", "relevance"): (1, 2),  # (c)
    (1, "x3-gen-birch", "relevance"): (2, 2),
    (2, "x3-gen-birch", "relevance"): (3, 2),
}
FLAGGED = {
    (0, "x1-gen-alder", "fluency", "a"), (0, "x1-gen-birch", "fluency", "a"), (1, "x2-gen-alder", "clarity", "b"),
    (0, "x3-gen-birch", "relevance", "c"), (1, "x3-gen-birch", "relevance", "c"), (2, "x3-gen-birch", "relevance", "c"),
}  # fmt: skip


def true_score(seat: int, item: str, dimension: str, number: int = 1) -> int:
    """The score that a seat gives an item on a dimension in a round."""
    if (seat, item, dimension) in PLANTED:
        return PLANTED[seat, item, dimension][number - 1]
    if item.startswith("x1-") and item != "x1-the-reference":
        return 3  # the two equal wordings are scored alike
    return USUAL.get(dimension, {}).get(item.split("-", 1)[1], 3)


def stem(number: int, generator: str) -> str:
    if number == 1 and generator != "the-reference":
        return {"gen-alder": "Where do the herons sleep?", "gen-birch": "where do  the herons SLEEP"}[generator]
    return f"Stem {number} {GENERATORS.index(generator)} about reeds?"


def make_bank(project: Project, expected: str = "Answer {number}") -> None:
    for number in range(1, TEXTS + 1):
        text = make_text(
            project,
            f"external-x{number}",
            title=f"Herons, part {number}",
            body=f"Sentence {number} about herons.\nA second paragraph {number} about reeds.",
            source=f"source-{number % 2}",
        )
        for generator in GENERATORS:
            Item.objects.create(
                project=project,
                text=text,
                generator=make_generator(project, generator),
                external_id=f"x{number}-{generator}",
                stem=stem(number, generator),
                expected_answer=expected.format(number=number),
                reference=generator == "the-reference",
                metadata={"secret": "item-metadata"},
            )


def spec(**changes: Any) -> dict[str, Any]:
    params = {"rounds": 2} | changes.pop("params", {})
    plan = {"annotators": 3, "seed": 11} | changes.pop("plan", {})
    shared = {"slug": "dims", "protocol": "dimension-ratings", "language": "en"}
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


@dataclass
class Rater(SimulatedPerson):
    """Gives the planted scores through the real pages, finding items by their stems and rows by their names."""

    number: int = 1
    seen: list[bytes] = field(default_factory=list)

    def check(self, response):
        self.seen.append(without_tokens(response.content))
        return super().check(response)

    def fill(self, form):
        self.page = form
        return super().fill(form)

    def answers(self):
        sent: dict[str, Any] = {"item": []}
        for item, row, name in rows_on(self.page):
            if not name.startswith("comment."):
                sent[name] = str(true_score(self.annotator.seat, item, row, self.number))
        sent["item"] = [fieldset["data-item"] for fieldset in self.page.select("fieldset.item")]
        return sent


def rows_on(page: BeautifulSoup) -> list[tuple[str, str, str]]:
    """External id of the item, dimension and field of each row that stands on a page."""
    by_stem = {stem(number, generator): f"x{number}-{generator}" for number in (1, 2, 3) for generator in GENERATORS}
    return [
        (by_stem[str(item.select_one("legend span[lang]").get_text())], str(row["data-name"]), str(row.input["name"]))
        for item in page.select("fieldset.item")
        for row in item.select("[data-row]")
    ]


def row(seat: int, item: str, dimension: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """A score as a row of a file."""
    shared = {"annotator": f"p{seat}", "round": number, "stage": "rate", "item_id": item, "question": dimension}
    return shared | {"value": true_score(seat, item, dimension, number)} | more


def first_round() -> list[dict]:
    return [row(*cell) for cell in product(SEATS, ITEMS, DIMENSIONS)]


def both_rounds() -> list[dict]:
    return first_round() + [row(seat, item, dimension, 2) for seat, item, dimension, _rule in sorted(FLAGGED)]


@made_once
def import_study(project: Project) -> Study:
    """Both rounds, from a file."""
    make_bank(project)
    study = draft_study(project)
    import_responses(study, as_csv(both_rounds()))
    study.refresh_from_db()
    return study
