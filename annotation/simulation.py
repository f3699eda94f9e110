"""Simulated people who answer through the real pages, with given probabilities of a right answer.

They test a study and fill its results pages before anybody is invited. They are marked as simulated, and counted only
on request. Their answers are drawn from the keys, which the pages do not show.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from bs4 import BeautifulSoup, Tag
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.urls import reverse

from items.models import Item
from studies.models import Annotator, Assignment, Purpose, Study, StudyState
from studies.phases import PhaseQuestion
from studies.presentation_order import Subject
from studies.protocols import Question, Stage
from studies.services.expert_check import filter_experts
from studies.services.people import make_annotators
from studies.services.people_texts import get_drawn_texts
from studies.services.phases import get_phase
from studies.services.places import find_place
from studies.services.planning import make_slots, plan_cells, plan_who
from studies.services.quotas import make_quotas
from studies.services.selection import PlannedUnit
from studies.services.stage_form import StageForm
from studies.services.states import lock_study
from studies.services.text_versions import list_text_versions

Fields = dict[str, str | list[str]]

# Probability of judging one option right, by stage; a flaw in an item's metadata changes it.
ABILITY = {"guess": 0.58, "read": 0.90}
WITH_FLAW = {
    "guessable": {"guess": 0.88, "read": 0.93},
    "wrong key": {"guess": 0.45, "read": 0.35},
    "unclear": {"guess": 0.55, "read": 0.68},
}
RATING = {"": 4.4, "guessable": 3.0, "wrong key": 1.6, "unclear": 2.2}
OTHER_VERSION = 0.06  # added if the shown text is not in its first version
SPREAD = 0.05  # standard deviation of a person's own offset to these probabilities
UNSURE_BELOW = 0.75
# Standard deviations of a score, as shares of its scale: shared by all people, and individual.
SHARED_SPREAD, OWN_SPREAD = 0.1, 0.17
EXPERT_AGREES = 0.95  # probability that an expert finds a score right
SIMULATED_TEXT = "A simulated answer."
MAX_STEPS = 100_000


class SimulationFailed(Exception):
    """A simulated person got stuck on a page; the message says where."""


@dataclass
class SimulatedPerson:
    """One annotator with a browser without JavaScript."""

    annotator: Annotator
    rng: Random

    def __post_init__(self) -> None:
        self.offset, self.gained = self.rng.gauss(0, SPREAD), 0.0
        self.secure = settings.SESSION_COOKIE_SECURE
        host = get_own_host()
        # Browsers send the origin of a form, which Django requires over HTTPS.
        origin = f"{'https' if self.secure else 'http'}://{host}"
        self.client = Client(enforce_csrf_checks=True, HTTP_HOST=host, HTTP_ORIGIN=origin)

    def work_through(self) -> None:
        """Open the link and answer page after page until nothing is left."""
        page = self.open(reverse("join", args=[self.annotator.token]))
        for _step in range(MAX_STEPS):
            form = self.find_form(page)
            if form is None:
                return self.check_done()
            page = self.send(form, page)
        raise SimulationFailed(f"{self.annotator} does not come to an end.")

    def check_done(self) -> None:
        annotator = Annotator.objects.select_related("study__instrument_version").filter(pk=self.annotator.pk).first()
        place = find_place(annotator).kind if annotator else "removed"
        if place != "done":
            raise SimulationFailed(f"{self.annotator} did not get to the end: {place}. What was answered is kept.")

    def open(self, path: str) -> Any:
        return self.check(self.client.get(path, follow=True, secure=self.secure))

    def send(self, form: Tag, page: Any) -> Any:
        path = str(form.get("action") or page.request["PATH_INFO"])
        return self.check(self.client.post(path, self.fill(form), follow=True, secure=self.secure))

    def check(self, response: Any) -> Any:
        if response.status_code != 200:
            raise SimulationFailed(f"{self.annotator} got a page with status {response.status_code}.")
        return response

    def find_form(self, page: Any) -> Tag | None:
        """The form with the page's primary button."""
        soup = BeautifulSoup(page.content, "html.parser")
        button = soup.select_one("form button.primary")
        return button.find_parent("form") if button else None

    def fill(self, form: Tag) -> Fields:
        """The values that a browser would send: hidden fields, the pressed button, and answers if the stage has
        questions."""
        fields: Fields = {}
        for tag in form.select("input[type=hidden][name], button.primary[name]"):
            fields.setdefault(str(tag["name"]), str(tag.get("value", "")))
        fields["item"] = [str(tag["value"]) for tag in form.select("input[type=hidden][name=item]")]
        if form.get("id") == "phase":
            return fields | self.answer_phase()
        return fields | self.answers() if form.get("id") == "stage" else fields

    def answer_phase(self) -> Fields:
        """The right answers where there are any, else the first answers that do not screen people out."""
        phase = get_phase(self.annotator, find_place(self.annotator).phase or "")
        return {question.name: choose_answer(question) for question in phase.questions} if phase else {}

    def answers(self) -> Fields:
        place = find_place(self.annotator)
        if place.assignment is None or place.stage is None:
            raise SimulationFailed(f"{self.annotator} sees questions, but is at no stage.")
        self.gained = compute_version_gain(place.assignment, place.stage)
        form = StageForm.for_place(place)
        sent: Fields = {"item": [subject.handle for subject in form.subjects]}
        for subject in form.subjects:
            item = form.shown_items.items.get(subject.item_id)
            for question in form.open_questions[subject.handle]:
                sent |= self.answer(question, subject, item, form)
                sent |= self.pick_another(question, subject, sent)
        return sent

    def pick_another(self, question: Question, subject: Subject, sent: Fields) -> Fields:
        """Another item, if the picked one was picked before and may not be repeated."""
        name, earlier = (f"{each}-{subject.handle}" for each in (question.name, question.unlike))
        if not question.unlike or sent[name] != sent[earlier]:
            return {}
        return {name: self.rng.choice([side.handle for side in subject.sides if side.handle != sent[earlier]])}

    def answer(self, question: Question, subject: Subject, item: Item | None, form: StageForm) -> Fields:
        """An answer to one question. The server drops answers to questions that are not asked."""
        stage, name = form.stage, f"{question.name}-{subject.handle}"
        if question.per == "option" and item:
            keys = {pk: option.correct for pk, option in form.shown_items.options[item.pk].items()}
            return self.draw_ticks(question, subject, item, stage, keys)
        if stage.checks:
            return {name: str(question.levels[0 if self.rng.random() < EXPERT_AGREES else 1])}
        if question.kind == "scale":
            return {name: str(self.draw_score(question, item))}
        if question.kind == "text":
            return {name: SIMULATED_TEXT}
        if question.kind == "tick":
            return {name: "true"} if self.rng.random() < 0.5 else {}
        handles = [side.handle for side in subject.sides] if question.kind == "pick" else []
        return {name: self.rng.choice([*handles, *map(str, question.levels)])}

    def draw_ticks(
        self, question: Question, subject: Subject, item: Item, stage: Stage, keys: dict[int, bool]
    ) -> Fields:
        chance = WITH_FLAW.get(get_flaw(item), ABILITY).get(stage.name, 0.5) + self.offset + self.gained
        believed = {option.handle: keys[option.option_id] == (self.rng.random() < chance) for option in subject.options}
        ticked = [handle for handle, is_ticked in believed.items() if is_ticked]
        sent: Fields = {f"{question.name}-{subject.handle}": ticked or ["none"]}
        if question.unsure:
            marked = [handle for handle in believed if chance < UNSURE_BELOW and self.rng.random() < 0.4]
            sent[f"unsure-{subject.handle}"] = marked
        return sent

    def draw_score(self, question: Question, item: Item | None) -> int:
        """A score near the one that all simulated people would give the item, which its flaw and its id decide."""
        low, high = int(question.levels[0]), int(question.levels[-1])
        lean = (RATING[get_flaw(item) if item else ""] - 1) / 4
        about = item.external_id if item else ""
        shared = Random(f"{about}/{question.name}").gauss(0, SHARED_SPREAD)
        score = round(low + (high - low) * (lean + shared + self.rng.gauss(0, OWN_SPREAD)))
        return min(max(score, low), high)


def compute_version_gain(assignment: Assignment, stage: Stage) -> float:
    """What the version of the text adds to the probability of a right answer, if the text is shown."""
    if "text" not in stage.shows or not assignment.text_version:
        return 0.0
    return OTHER_VERSION * (assignment.text_version != list_text_versions(assignment.annotator.study)[0])


def choose_answer(question: PhaseQuestion) -> str:
    levels = [level.value for level in question.levels if level.value not in question.screen_out]
    return question.answer or (levels or [SIMULATED_TEXT if question.kind == "text" else "true"])[0]


def get_flaw(item: Item) -> str:
    """The flaw in the item's metadata, if it is one that changes answers."""
    noted = item.metadata.get("flaw")
    return noted if isinstance(noted, str) and noted in WITH_FLAW else ""


def get_own_host() -> str:
    """A host name that this server answers to."""
    host = (settings.ALLOWED_HOSTS or ["localhost"])[0]
    return "localhost" if host == "*" else host.lstrip(".")


def simulate_study(study: Study, count: int, seed: int) -> list[Annotator]:
    """Let `count` new simulated annotators work through a live study; returns them when all have finished.

    Earlier simulated annotators then continue with what was opened for them since: a second round, or an expert check.
    """
    annotators = make_simulated_annotators(study, count, seed) if count else []
    for annotator in [*annotators, *find_unfinished(study, annotators)]:
        SimulatedPerson(annotator, Random(f"{seed}/{annotator.code}")).work_through()
    return annotators


def find_unfinished(study: Study, new: list[Annotator]) -> list[Annotator]:
    """Simulated annotators and experts of simulated answers with open work, without the new ones."""
    simulated = study.annotators.filter(purpose=Purpose.SIMULATED).exclude(pk__in=[each.pk for each in new])
    open_ones = Assignment.objects.open().filter(annotator__study=study).values("annotator")
    return list((simulated | filter_experts(study, Purpose.SIMULATED)).filter(pk__in=open_ones).order_by("pk"))


def describe_version_effect(study: Study) -> dict[str, float]:
    return {"other_version": OTHER_VERSION} if list_text_versions(study) else {}


@transaction.atomic
def make_simulated_annotators(study: Study, count: int, seed: int) -> list[Annotator]:
    """New annotators with purpose *simulated*, on a plan of their own that is as balanced as one for people."""
    study = lock_study(study, StudyState.LIVE)
    if not study.annotators.filter(purpose=Purpose.SIMULATED).exists():
        units = list(study.units.select_related("text").prefetch_related("items__options"))
        planned = [PlannedUnit(unit.text, tuple(unit.items.all()), unit.part) for unit in units]
        who = plan_who(study, planned, get_drawn_texts(study), seats=count)
        make_slots(study, units, Purpose.SIMULATED, plan_cells(study, planned, who), make_quotas(study, count))
    annotators = make_annotators(study, count, Purpose.SIMULATED)
    planted = {"ability": ABILITY, "with_flaw": WITH_FLAW, "spread": SPREAD}
    Annotator.objects.filter(pk__in=[annotator.pk for annotator in annotators]).update(
        profile={"simulated": {"seed": seed, **planted, **describe_version_effect(study)}}
    )
    return annotators
