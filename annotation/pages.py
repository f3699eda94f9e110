"""From an annotator's place to a page. Templates get only what is listed here, so nothing else reaches a browser."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from annotation.phase_form import PhaseForm
from items.markup import Locate, render_markdown, render_text
from items.models import Markup, Picture
from studies.models import Annotator, EndReason, Problem, Purpose, Study, Unit
from studies.phases import Phase
from studies.protocols import PROTOCOLS
from studies.protocols.base import UnitKind
from studies.recruitment import TURK_HOSTS
from studies.services.answering import StaleStage, find_retractable
from studies.services.declarations import QuestionSource, get_annotator_question_source, get_annotator_wording
from studies.services.durations import get_shown_minutes
from studies.services.phases import PRACTICE_ROUND, get_phase, get_phase_words, list_phases, read_passages
from studies.services.places import Place
from studies.services.recruiting import get_completion_code, get_recruitment, get_turk_form
from studies.services.rights import get_second_code
from studies.services.stage_form import PictureAddresses, StageForm
from studies.stage_blocks import ItemBlock, build_blocks

PART = "X-Lesart-Part"  # sent by the script, which replaces a part of the open page


@dataclass(frozen=True)
class Step:
    title: str
    is_current: bool


@dataclass(frozen=True)
class Reading:
    """A text as shown: as HTML if it has markup, else in paragraphs."""

    title: str
    paragraphs: list[str]
    html: str
    lang: str


def build_reading(form: StageForm) -> Reading | None:
    """The text, if the stage shows it."""
    text, version, shows = form.assignment.unit.text, form.assignment.text_version, form.stage.shows
    if "text" not in shows:
        return None
    text = text.in_version(version) if version else text
    html = render_text(text, form.addresses) if text.markup == Markup.MARKDOWN else ""
    paragraphs = [] if html else [line.strip() for line in text.body.split("\n") if line.strip()]
    return Reading(text.title if "title" in shows else "", paragraphs, html, text.language)


def find_common_genre(study: Study) -> str:
    """The genre of the study's texts if they all share one, which reveals nothing about a single text."""
    if not study.launched_at:
        return read_common_genre(study.pk)
    return keep_common_genre(study.pk, study.launched_at, len(study.blocks))


@lru_cache(maxsize=256)
def keep_common_genre(study_id: int, launched_at: datetime, n_added: int) -> str:
    """Cached per launch, as a launched study keeps its units; a new launch or added texts make a new key."""
    return read_common_genre(study_id)


def read_common_genre(study_id: int) -> str:
    genres = Unit.objects.filter(study=study_id).order_by().values_list("text__genre", flat=True).distinct()[:2]
    return genres[0] if len(genres) == 1 else ""


def is_new_text(place: Place) -> bool:
    """Whether the annotator has not finished anything about this text yet."""
    assignment = place.assignment_and_stage[0]
    if place.done and place.done.unit.text_id == assignment.unit.text_id:
        return False
    mine = assignment.annotator.assignments.active()
    return not mine.filter(unit__text=assignment.unit.text_id, finished_at__isnull=False).exists()


def redirect_to_place(request: HttpRequest, place: Place) -> HttpResponse:
    """Send the page of the place: to the script directly, to a browser through a redirect."""
    if PART in request.headers:
        return render_place(request, place)
    return redirect("work", place.annotator.public_id)


def redirect_to_confirm(request: HttpRequest, place: Place) -> HttpResponse:
    """Send the confirmation page of the stage, in the same ways."""
    page = render_confirm(request, place, place.confirms) if PART in request.headers else None
    return page or redirect(f"{reverse('work_confirm', args=[place.annotator.public_id])}?confirms={place.confirms}")


def render_stale(request: HttpRequest, stale: StaleStage) -> HttpResponse:
    """The annotator's current page, with a sentence on what was not stored."""
    return render_place(request, stale.place, notice=str(stale), status=409)


def render_place(
    request: HttpRequest,
    place: Place,
    *,
    notice: str = "",
    form: StageForm | None = None,
    sent: Mapping[str, Any] | None = None,
    at: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page of the annotator's place; `at`: the handle of the item that they want to see.

    `sent`: the values submitted on the page of a phase, if some are missing.
    """
    annotator = place.annotator
    if place.kind == "stage":
        return render_stage(request, place, notice=notice, form=form, at=at, status=status)
    if place.phase:
        return render_phase(request, annotator, place.phase, sent=sent, notice=notice, status=status)
    status = 410 if place.kind == "revoked" else status
    name = "check_done" if place.kind == "done" and annotator.purpose == Purpose.EXPERT else place.kind
    return render_words(request, annotator, name, notice=notice, back=find_back_token(place), status=status)


def render_words(
    request: HttpRequest,
    annotator: Annotator,
    name: str,
    *,
    phase: str = "",
    notice: str = "",
    back: str = "",
    status: int = 200,
    locate: Locate | None = None,
) -> HttpResponse:
    """A page with only words, such as the end, with a link `back` if there is a token for it, and the completion
    code."""
    words = draw_words(annotator, find_thanks(annotator) if name == "done" else name, locate)
    outcome = name if name in (EndReason.SCREENED_OUT, EndReason.FAILED_CHECK) else "finished" if name == "done" else ""
    context: dict[str, Any] = {"words": words, "phase": phase, "notice": notice, "back": back}
    context |= build_hand_back(annotator, outcome) if outcome else {}
    context["code_first"] = name == "done"  # the words below say that the page can be closed
    context |= build_rights(request, annotator) if name == "done" else {}
    return render_page(request, annotator, "words", context | {"returns": name == "returning"}, status)


def find_back_token(place: Place) -> str:
    """The token that leads back to the unit handed in last; empty if nothing does."""
    done = find_retractable(place)
    return done.token if done else ""


def find_thanks(annotator: Annotator) -> str:
    """The name of the study's own thanks phase; "done" if it has none."""
    return next((phase.name for phase in list_phases(annotator) if phase.kind == "thanks"), "done")


def build_hand_back(annotator: Annotator, outcome: str) -> dict[str, Any]:
    """The annotator's completion code, and where to enter it."""
    code = "" if is_not_counted(annotator) else get_completion_code(annotator, outcome)
    return {
        "code": code,
        "return_to": get_recruitment(annotator.study).get_return_address(code),
        "turk_form": get_turk_form(annotator, code),
    }


def build_rights(request: HttpRequest, annotator: Annotator) -> dict[str, Any]:
    """The second code, and the address where the annotator can see, download and withdraw their answers with it."""
    if annotator.purpose not in (Purpose.MAIN, Purpose.PILOT):
        return {}
    address = request.build_absolute_uri(annotator.get_own_answers_link())
    return {"second_code": get_second_code(annotator), "own_answers": address}


def render_phase(
    request: HttpRequest,
    annotator: Annotator,
    name: str,
    *,
    sent: Mapping[str, Any] | None = None,
    notice: str = "",
    status: int = 200,
    locate: Locate | None = None,
) -> HttpResponse:
    """A phase: its words, its questions, and after a try the right answers."""
    phase = get_phase(annotator, name)
    passage = read_passages(annotator).get(name)
    phases = [each.name for each in list_phases(annotator) if each.kind not in ("attention", "practice", "thanks")]
    context = {
        "words": draw_words(annotator, name, locate),
        "phase": name,
        "version": phase.version_shown if phase and phase.kind == "consent" else "",
        "notice": notice,
        "form": PhaseForm(phase, passage, sent) if phase and phase.questions else None,
        "number": phases.index(name) + 1 if name in phases else 0,
        "total": len(phases),
        "minutes": get_shown_minutes(annotator.study) if phases and name == phases[0] else 0,
        "own_link": request.build_absolute_uri(annotator.get_link()) if came_by_open_link(annotator) else "",
        "instructions": [draw_words(annotator, each, locate) for each in list_instructions(annotator, phase)],
    }
    context |= build_rights(request, annotator) if phase and phase.kind == "consent" else {}
    return render_page(request, annotator, "phase", context, status)


def came_by_open_link(annotator: Annotator) -> bool:
    """Whether the annotator came without a personal link, so that only this page can show them one."""
    return bool(annotator.study.open_token) and annotator.purpose == Purpose.MAIN


def list_instructions(annotator: Annotator, phase: Phase | None) -> list[str]:
    """The instructions repeated on the page of the phase: all of them for a comprehension check."""
    if phase is None or phase.kind != "comprehension":
        return []
    return [each.name for each in list_phases(annotator) if each.kind == "instructions"]


def draw_words(annotator: Annotator, name: str, locate: Locate | None = None) -> dict[str, Any]:
    """The words of a phase or page, as HTML if they have markup. locate: returns the addresses of pictures."""
    words = get_phase_words(annotator, name)
    if "markdown" in words:
        pictures, written = words.pop("pictures"), words.pop("markdown")
        words["html"] = render_markdown(written, pictures, locate or PictureAddresses(annotator.public_id))
    return words


def render_stage(
    request: HttpRequest,
    place: Place,
    *,
    notice: str,
    form: StageForm | None,
    at: str = "",
    status: int,
) -> HttpResponse:
    """The items of a stage, with the text if the stage shows it; all items, or one with links to the others."""
    annotator, (assignment, stage) = place.annotator, place.assignment_and_stage
    form = form or StageForm.for_place(place)
    blocks = build_blocks(form)
    declaration = form.question_source.declaration
    reads_aloud = bool(annotator.study.recruitment.get("read_aloud", False))
    is_first_stage = stage == declaration.stages[0]
    context = build_progress(place) | {
        "token": assignment.token,
        "words": form.words,
        "round_words": find_round_words(place),
        "break_words": form.question_source.wording.get("break") if is_first_stage and place.counts[0] > 1 else None,
        "new_text": cache(partial(is_new_text, place)),  # as `back`: computed only if a template needs it
        "back": cache(partial(find_back_token, place)),
        "is_taken_back": declaration.takes_back and assignment.round > 1,
        "text_kind": partial(find_common_genre, annotator.study),
        "prefilled": bool(stage.starts_from),
        "blocks": blocks,
        "keys": list_keys(form.question_source, stage.name, reads_aloud),
        "anchors": explain_scales(blocks),
        "pages": paginate_blocks(blocks, at) if stage.one_at_a_time else None,
        "n_answered": sum(block.answered for block in blocks),
        "wrong": [block for block in blocks if block.errors],
        "text": build_reading(form),
        "notice": notice,
        "notice_is_good": status < 400,
        "problems": tuple(Problem.choices),
        "reads_aloud": reads_aloud,
    }
    return render_page(request, annotator, stage.template, context, status)


def find_shown_picture(place: Place, name: str) -> Picture | None:
    """The picture with this name in its address, if the page of the place shows it; else None."""
    digest = find_addresses(place).shown.get(name)
    project = place.annotator.study.project_id
    return Picture.objects.filter(project=project, digest=digest).first() if digest else None


def find_addresses(place: Place) -> PictureAddresses:
    """The addresses of all pictures on the page of the place."""
    if place.kind == "stage":
        form = StageForm.for_place(place)
        build_blocks(form)
        build_reading(form)
        return form.addresses
    found, annotator = PictureAddresses(place.annotator.public_id), place.annotator
    shown = place.phase or (find_thanks(annotator) if place.kind == "done" else "")
    if phase := get_phase(annotator, shown):
        for name in (shown, *list_instructions(annotator, phase)):
            draw_words(annotator, name, found)
    return found


def find_round_words(place: Place) -> dict[str, Any] | None:
    """The words above a stage of the practice or of a later round; None in the first round."""
    annotator, number = place.annotator, place.assignment_and_stage[0].round
    if number == PRACTICE_ROUND:
        phase = next((each for each in list_phases(annotator) if each.kind == "practice"), None)
        return get_phase_words(annotator, phase.name if phase else "practice")
    return get_annotator_wording(annotator).get("second_round") if number > 1 else None


class Keys(NamedTuple):
    """The single keys that work on the page of a stage, for the legend."""

    ticks: bool
    rows: bool
    unsure: bool
    text: bool
    aloud: bool


@lru_cache(maxsize=256)
def list_keys(source: QuestionSource, stage_name: str, reads_aloud: bool) -> Keys:
    stage = source.declaration.stage(stage_name)
    return Keys(
        ticks=any(question.per == "option" for question in stage.questions),
        rows=any(question.per == "item" and question.kind != "text" for question in stage.questions),
        unsure=any(question.unsure for question in stage.questions),
        text="text" in stage.shows,
        aloud=reads_aloud,
    )


class Anchors(NamedTuple):
    """The meanings of the levels of a scale: for each its value, label and anchor."""

    name: str
    title: str
    help: str
    levels: tuple[tuple[str, str, str], ...]


def explain_scales(blocks: list[ItemBlock]) -> SafeString:
    """The box that explains the levels of each scale asked here; empty if there is nothing to explain."""
    rows = {row.name: row for block in blocks for row in block.rows if row.kind == "scale" and row.is_open}
    scales = tuple(
        Anchors(row.name, row.title, row.help, tuple((level.value, level.label, level.anchor) for level in row.levels))
        for row in rows.values()
        if any(level.anchor for level in row.levels)
    )
    return render_anchors(scales) if scales else SafeString()


@lru_cache(maxsize=256)
def render_anchors(scales: tuple[Anchors, ...]) -> SafeString:
    """The same HTML on every page of a study. All its words are the instrument's, so it is independent of the
    language."""
    return render_to_string("annotation/parts/anchors.html", {"scales": scales})


@dataclass(frozen=True)
class Pages:
    """For a stage with one item per page: the current item, the one before and the one after."""

    shown: ItemBlock
    before: ItemBlock | None
    after: ItemBlock | None


def paginate_blocks(blocks: list[ItemBlock], at: str) -> Pages:
    """The requested page; by default the first one with an error, else the first unanswered one."""
    asked = [block for block in blocks if block.handle == at]
    unfinished = [block for block in blocks if block.errors] or [block for block in blocks if not block.answered]
    place = blocks.index((asked or unfinished or blocks)[0])
    return Pages(
        blocks[place],
        blocks[place - 1] if place else None,
        blocks[place + 1] if place + 1 < len(blocks) else None,
    )


def render_confirm(request: HttpRequest, place: Place, confirms: str = "") -> HttpResponse | None:
    """The confirmation page of a stage; None if there is nothing to confirm.

    `confirms`: the fingerprint of the submitted answers; without it, the stored answers are confirmed.
    """
    if place.kind != "stage" or not place.assignment_and_stage[1].confirm:
        return None
    form = StageForm.for_place(place)
    if not form.is_valid():
        return None
    context = build_progress(place) | {
        "token": place.token,
        "confirmed": confirms or form.fingerprint,
        "words": get_annotator_wording(place.annotator)["reveal"],
        "address": reverse("work_confirm", args=[place.annotator.public_id]),
    }
    return render_page(request, place.annotator, "confirm", context)


def build_progress(place: Place) -> dict[str, Any]:
    """The annotator's progress, in units and steps."""
    annotator, current = place.annotator, place.assignment_and_stage[1].name
    source, (number, total) = get_annotator_question_source(annotator), place.counts
    stages = [stage.name for stage in source.declaration.stages_with(current)]
    words = ((name, source.wording.get(name, {})) for name in stages)
    titles = [str(entry.get("step") or entry.get("title") or name) for name, entry in words]
    unit = PROTOCOLS[annotator.study.protocol].unit
    return {
        "unit": unit,
        "where": POSITIONS[unit] % {"number": number, "total": total},
        "number": number,
        "n_done": number - 1,
        "total": total,
        "steps": [Step(title, name == current) for name, title in zip(stages, titles, strict=True)],
        "steps_done": (number - 1) * len(stages) + stages.index(current),
        "steps_total": total * len(stages),
    }


POSITIONS: dict[UnitKind, Any] = {
    "text": _("Text %(number)s of %(total)s"),
    "item": _("Question %(number)s of %(total)s"),
    "pair": _("Pair %(number)s of %(total)s"),
    "tuple": _("Set %(number)s of %(total)s"),
}


def is_not_counted(annotator: Annotator) -> bool:
    return annotator.purpose in (Purpose.PREVIEW, Purpose.SIMULATED)


def render_page(
    request: HttpRequest, annotator: Annotator, name: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The whole page, or for the script only its head and main part."""
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
    if annotator.study.recruitment.get("platform") == "mturk":  # every page, as the script puts the last one in it
        response._csp_update = {"form-action": TURK_HOSTS}  # type: ignore[attr-defined]
    return response
