"""A planted stopping questionnaire: every judgment is known before anybody gives one.

Two texts of two sources, two generators, one item each; three annotators in two groups. `PLANTED` holds what each
says of each item, in the order in which it is asked; what is not there was not asked.
"""

from dataclasses import dataclass, field
from typing import Any

from annotation.simulation import SimulatedPerson
from projects.models import Project
from studies.models import Study
from studies.services.creating import create_study
from studies.services.launching import launch_study
from studies.services.responses.importing import import_responses
from studies.services.spec import check_spec
from tests.factory import make_item, make_text
from tests.leaks import without_tokens
from tests.made_once import made_once
from tests.studies.answer_files import as_csv

CATEGORIES = (
    "understandable", "domain_related", "grammatical", "clear", "rephrase", "answerable", "information_needed",
    "central", "would_use",
)  # fmt: skip
QUESTIONS = (*CATEGORIES[:5], "rephrasal", "answerable", "answer", *CATEGORIES[6:])
GENERATORS = ("gen-alder", "gen-birch")
SOURCES = {"s1": "atlas", "s2": "lexicon"}
ITEMS = tuple(f"{text}-{generator}" for text in SOURCES for generator in GENERATORS)
GROUPS = ("group-even", "group-odd")  # by seat

NONSENSE = {"understandable": "no"}
FORM = {"understandable": "yes", "domain_related": "yes", "grammatical": "yes", "clear": "yes"}
UNCLEAR = FORM | {"clear": "no"}
ANSWERED = {"answerable": "yes", "answer": "In the reeds."}
USE = {"information_needed": "text", "central": "yes", "would_use": "maybe"}
GOOD = FORM | ANSWERED | USE
CLUMSY = FORM | {"grammatical": "no", "clear": "more_or_less"}
REPHRASED = CLUMSY | {"rephrase": "yes", "rephrasal": "Where do herons sleep?"} | ANSWERED | USE
UNANSWERABLE = CLUMSY | {"rephrase": "no", "answerable": "no"}

PLANTED: dict[tuple[int, str], dict[str, str]] = {
    (0, "s1-gen-alder"): GOOD,
    (1, "s1-gen-alder"): GOOD | {"information_needed": "parts"},
    (2, "s1-gen-alder"): GOOD | {"would_use": "yes"},
    (0, "s1-gen-birch"): REPHRASED,
    (1, "s1-gen-birch"): UNANSWERABLE,
    (2, "s1-gen-birch"): UNCLEAR,
    (0, "s2-gen-alder"): NONSENSE,
    (1, "s2-gen-alder"): NONSENSE,
    (2, "s2-gen-alder"): FORM | {"domain_related": "no", "answerable": "no"},
    (0, "s2-gen-birch"): NONSENSE,
    (1, "s2-gen-birch"): GOOD,
    (2, "s2-gen-birch"): REPHRASED | {"central": "no"},
}


def code(seat: int) -> str:
    return f"p{seat}"


def group(seat: int) -> str:
    return GROUPS[seat % 2]


def make_bank(project: Project, language: str = "en") -> None:
    for text_id, source in SOURCES.items():
        body = f"Sentence {text_id} about herons.\nA second paragraph {text_id} about reeds."
        text = make_text(project, text_id, title=f"Herons {text_id}", body=body, source=source, language=language)
        for generator in GENERATORS:
            make_item(text, generator, f"{text_id}-{generator}", keys="", metadata={"secret": "item-metadata"})


def spec(**changes: Any) -> dict[str, Any]:
    shared = {"slug": "stops", "protocol": "stopping-questionnaire", "language": "en", "groups": list(GROUPS)}
    return shared | {"plan": {"annotators": 3, "seed": 5}} | changes


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


def rows() -> list[dict[str, str]]:
    """The planted judgments as rows of a file."""
    return [
        {"annotator": code(seat), "group": group(seat), "stage": "judge", "item_id": item}
        | {"question": question, "value": value}
        for (seat, item), answers in PLANTED.items()
        for question, value in answers.items()
    ]


@made_once
def import_study(project: Project) -> Study:
    """The planted judgments, from a file."""
    make_bank(project)
    study = draft_study(project)
    import_responses(study, as_csv(rows()))
    study.refresh_from_db()
    return study


def stem(item: str) -> str:
    return f"What does {item} ask?"


@dataclass
class Judge(SimulatedPerson):
    """Gives the planted answers through the real pages, without a script: only to what stands open on the page."""

    seen: list[bytes] = field(default_factory=list)
    n_pages: int = 0

    def check(self, response):
        self.seen.append(without_tokens(response.content))
        return super().check(response)

    def fill(self, form):
        self.page = form
        self.n_pages += form.get("id") == "stage"
        asked = form.select("fieldset.row:not([disabled]) [name=asked]")
        return super().fill(form) | {"asked": [str(tag["value"]) for tag in asked]}

    def answers(self):
        item = self.page.select_one("fieldset.item")
        planted = PLANTED[self.annotator.seat, item_of(item)]
        sent: dict[str, Any] = {"item": [item["data-item"]]}
        for row in item.select("fieldset.row:not([disabled])"):
            name = row.select_one("[name=asked]")["value"]
            sent[name] = planted[row["data-name"]]
        return sent


def item_of(fieldset) -> str:
    stems = {stem(item): item for item in ITEMS}
    return stems[fieldset.select_one(".stem").get_text()]
