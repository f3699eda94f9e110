"""From an annotator's place to a page. What a template gets is listed here, and nothing else reaches a browser."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from items.models import Text
from studies.blocks import ItemBlock, QuestionRow
from studies.forms import StageForm
from studies.models import Annotator, Assignment, Purpose, Study
from studies.protocols import PROTOCOLS, Stage
from studies.services.answering import Place, drafted_form, place_of
from studies.services.declaring import declaration_for, wording_for
from studies.services.taking_back import last_done

PART = "X-Lesart-Part"  # sent by the script, which puts the part into the page that stands


@dataclass(frozen=True)
class Step:
    title: str
    is_current: bool


@dataclass(frozen=True)
class Reading:
    """A text as it is shown."""

    title: str
    paragraphs: list[str]
    lang: str


def reading_of(text: Text, stage: Stage) -> Reading | None:
    """The text as far as the stage shows it."""
    if "text" not in stage.shows:
        return None
    paragraphs = [line.strip() for line in text.body.split("\n") if line.strip()]
    return Reading(text.title if "title" in stage.shows else "", paragraphs, text.language)


def kind_of_texts(study: Study) -> str:
    """The genre of the study's texts if they share one: then it says nothing about the text to come in particular."""
    genres = set(study.units.values_list("text__genre", flat=True))
    return genres.pop() if len(genres) == 1 else ""


def begins_text(assignment: Assignment) -> bool:
    """Whether the annotator has finished nothing about this text before."""
    mine = assignment.annotator.assignments.active()
    return not mine.filter(unit__text=assignment.unit.text_id, finished_at__isnull=False).exists()


def go_to(request: HttpRequest, annotator: Annotator, name: str) -> HttpResponse:
    """The next page: for the script at once, for a browser by way of a redirect."""
    if PART not in request.headers:
        return redirect(name, annotator.public_id)
    page = confirm_page(request, annotator) if name == "work_confirm" else None
    return page or place_page(request, annotator)


def place_page(
    request: HttpRequest,
    annotator: Annotator,
    *,
    notice: str = "",
    form: StageForm | None = None,
    at: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page of the place where the annotator stands now; `at` is the handle of what they want to see there."""
    place = place_of(annotator)
    if place.kind == "stage":
        return stage_page(request, annotator, place, notice=notice, form=form, at=at, status=status)
    if place.phase:
        return words_page(request, annotator, place.phase, phase=place.phase, notice=notice, status=status)
    status = 410 if place.kind == "revoked" else status
    name = "check_done" if place.kind == "done" and annotator.purpose == Purpose.EXPERT else place.kind
    return words_page(request, annotator, name, notice=notice, back=last_done(annotator, place), status=status)


def words_page(
    request: HttpRequest,
    annotator: Annotator,
    name: str,
    *,
    phase: str = "",
    notice: str = "",
    back: Assignment | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page of the instrument's words alone: a phase with its button, or the end, with the way `back` if any."""
    words = wording(annotator)[name]
    context = {"words": words, "phase": phase, "notice": notice, "back": back.token if back else ""}
    return page(request, annotator, "words", context, status)


def stage_page(
    request: HttpRequest,
    annotator: Annotator,
    place: Place,
    *,
    notice: str,
    form: StageForm | None,
    at: str = "",
    status: int,
) -> HttpResponse:
    """The items of a stage, with the text if the stage shows it; all of them, or one of them with the way to others."""
    assignment, stage = standing(place)
    if form is not None and form.assignment.token != assignment.token:
        form = None  # the place moved on in between, in another tab
    form = form or StageForm(assignment, stage)
    blocks = form.blocks
    declaration, back = declaration_for(annotator), last_done(annotator, place)
    is_first_stage = stage == declaration.stages[0]
    context = progress(annotator, place) | {
        "token": assignment.token,
        "words": form.words,
        "round_words": wording(annotator).get("second_round") if assignment.round > 1 else None,
        "break_words": wording(annotator).get("break") if is_first_stage and place.number > 1 else None,
        "new_text": begins_text(assignment),
        "back": back.token if back else "",
        "is_taken_back": declaration.takes_back and assignment.round > 1,
        "text_kind": kind_of_texts(annotator.study),
        "prefilled": bool(stage.starts_from),
        "blocks": blocks,
        "keys": keys_of(stage),
        "anchors": anchors_of(blocks),
        "pages": pages_of(blocks, at) if stage.one_at_a_time else None,
        "n_answered": sum(block.answered for block in blocks),
        "wrong": [block for block in blocks if block.errors],
        "text": reading_of(assignment.unit.text, stage),
        "notice": notice,
    }
    return page(request, annotator, stage.template, context, status)


def keys_of(stage: Stage) -> dict[str, bool]:
    """What single keys can do on the page of a stage, for their legend."""
    return {
        "ticks": any(question.per == "option" for question in stage.questions),
        "rows": any(question.per == "item" and question.kind != "text" for question in stage.questions),
        "unsure": any(question.unsure for question in stage.questions),
    }


def anchors_of(blocks: list[ItemBlock]) -> list[QuestionRow]:
    """One row of each scale whose levels are explained, to explain them by."""
    rows = {row.name: row for block in blocks for row in block.rows if row.kind == "scale" and row.is_open}
    return [row for row in rows.values() if row.is_anchored]


@dataclass(frozen=True)
class Pages:
    """Of a stage that shows one item a page: the one shown, its neighbours, and all, to go to freely."""

    shown: ItemBlock
    before: ItemBlock | None
    after: ItemBlock | None


def pages_of(blocks: list[ItemBlock], at: str) -> Pages:
    """The page asked for; without one, the first where something is wrong, else the first that is not answered."""
    asked = [block for block in blocks if block.handle == at]
    wanting = [block for block in blocks if block.errors] or [block for block in blocks if not block.answered]
    place = blocks.index((asked or wanting or blocks)[0])
    return Pages(
        blocks[place],
        blocks[place - 1] if place else None,
        blocks[place + 1] if place + 1 < len(blocks) else None,
    )


def confirm_page(request: HttpRequest, annotator: Annotator) -> HttpResponse | None:
    """The last question before a stage becomes final; None if there is nothing to confirm."""
    place = place_of(annotator)
    if place.kind != "stage":
        return None
    assignment, stage = standing(place)
    if not stage.confirm or not drafts_at(place).is_valid():
        return None
    context = progress(annotator, place) | {
        "token": assignment.token,
        "words": wording(annotator)["reveal"],
        "address": reverse("work_confirm", args=[annotator.public_id]),
    }
    return page(request, annotator, "confirm", context)


def standing(place: Place) -> tuple[Assignment, Stage]:
    """The assignment and stage of a place of kind "stage"."""
    if place.assignment is None or place.stage is None:
        raise ValueError(f"A place of kind {place.kind!r} has no stage.")
    return place.assignment, place.stage


def drafts_at(place: Place) -> StageForm:
    """The form as drafted so far: valid if nothing is missing."""
    return drafted_form(*standing(place))


def progress(annotator: Annotator, place: Place) -> dict[str, Any]:
    """How far the annotator is, in units and steps."""
    current = standing(place)[1].name
    stages = [stage.name for stage in declaration_for(annotator).way(current)]
    return {
        "unit": PROTOCOLS[annotator.study.protocol].unit,
        "where": where(annotator, place),
        "number": place.number,
        "n_done": place.number - 1,
        "total": place.total,
        "steps": [Step(step_word(annotator, name), name == current) for name in stages],
        "steps_done": (place.number - 1) * len(stages) + stages.index(current),
        "steps_total": place.total * len(stages),
    }


def where(annotator: Annotator, place: Place) -> str:
    """Where one is, in a few words."""
    words = {
        "text": _("Text %(number)s of %(total)s"),
        "item": _("Question %(number)s of %(total)s"),
        "pair": _("Pair %(number)s of %(total)s"),
    }
    return words[PROTOCOLS[annotator.study.protocol].unit] % {"number": place.number, "total": place.total}


def step_word(annotator: Annotator, stage: str) -> str:
    """What a stage is called in the row of steps: the wording says it in a word, else by the stage's title."""
    words = wording(annotator).get(stage, {})
    return str(words.get("step") or words.get("title") or stage)


def is_not_counted(annotator: Annotator) -> bool:
    return annotator.purpose in (Purpose.PREVIEW, Purpose.SIMULATED)


def wording(annotator: Annotator) -> dict[str, Any]:
    return wording_for(annotator)


def page(
    request: HttpRequest, annotator: Annotator, name: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The whole page, or for the script its head and its main part."""
    as_part = PART in request.headers
    work = reverse("work", args=[annotator.public_id])
    common = {
        "layout": "annotation/part.html" if as_part else "annotation/page.html",
        "preview": is_not_counted(annotator),
        "public_id": annotator.public_id,
        "address": work,
    }
    response = render(request, f"annotation/{name}.html", common | context, status=status)
    if as_part:
        response[PART] = "1"
    return response
