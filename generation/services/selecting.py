"""Generate, evaluate, select: candidates get a study of their own, and the best by a model's answers are kept.

The candidates stay in the bank unchanged; kept ones are copied to a generator of their own. A model that answered here
may not report on the kept ones (`studies.services.evaluating`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext as _

from generation.models import Selection
from generation.services.asking import CANDIDATES
from generation.services.choosing import MAX_ITEMS, get_language
from generation.services.storing import (
    Author,
    CannotGenerate,
    ensure_author,
    make_id_suffix,
    make_question_id,
    store_items,
)
from items.models import MAX_ID, Generator, GeneratorKind, Item
from items.values import get_item_values
from projects.models import Project
from studies.models import Annotator, AnnotatorKind, Response, Study, UnitItem
from studies.protocols import PROTOCOLS
from studies.services.creating import create_study, find_free_slug
from studies.services.evaluating import ANSWER, SELECTED
from studies.services.launching import close_study, launch_study
from studies.services.spec import SpecError, check_spec


@dataclass(frozen=True)
class CandidateScore:
    """The shares of a candidate's options judged correctly with the text and without it; None if one is missing."""

    name: str
    answerability: float | None
    guessability: float | None

    @property
    def informativity(self) -> float | None:
        if self.answerability is None or self.guessability is None:
            return None
        return self.answerability - self.guessability


def choose_best(candidates: Iterable[CandidateScore], n: int) -> list[CandidateScore]:
    """The n with the highest informativity; ties are broken by answerability, then by order.

    A candidate with a missing answer is never kept. Kept ones stay in order.
    """
    listed = list(candidates)
    whole = [each for each in listed if each.informativity is not None]
    ranked = sorted(whole, key=lambda each: (each.informativity, each.answerability), reverse=True)
    kept = {each.name for each in ranked[:n]}
    return [each for each in listed if each.name in kept]


PROTOCOL, (GUESS, READ) = next((each.name, each.selection) for each in PROTOCOLS.values() if each.selection)


@dataclass(frozen=True)
class Candidate:
    """A candidate with the model's answers about it, and whether it is kept."""

    item: Item
    judged: CandidateScore
    is_kept: bool


def find_candidates(project: Project, name: str) -> Generator:
    generator = Generator.objects.filter(project=project, name=name).first()
    if generator is None or generator.kind != GeneratorKind.MODEL:
        known = Generator.objects.filter(project=project, kind=GeneratorKind.MODEL).values_list("name", flat=True)
        raise CannotGenerate(
            _("The project has no model generator “%(name)s”; there are: %(known)s. Write candidates first.")
            % {"name": name[:200], "known": ", ".join(known) or "–"}
        )
    return generator


@transaction.atomic
def ensure_selections(generator: Generator, model: str = "") -> list[Selection]:
    """Create a study of the candidates in each of their languages, closed to people.

    A study with the same candidates is reused, unless another model than the one named has selected there.
    """
    items = Item.objects.filter(generator=generator).current().select_related("text").prefetch_related("options")
    by_language: dict[str, list[Item]] = {}
    for item in items:
        if item.options.all():
            by_language.setdefault(get_language(item.text), []).append(item)
    if not by_language:
        raise CannotGenerate(_("“%(name)s” has no items with options to select from.") % {"name": generator.name})
    return [_ensure_selection(generator, language, found, model) for language, found in sorted(by_language.items())]


def _ensure_selection(generator: Generator, language: str, items: Sequence[Item], model: str) -> Selection:
    wanted = {item.pk for item in items}
    for known in generator.selections.filter(Q(selected=None) | Q(selector=model)).select_related("study", "selected"):
        if set(UnitItem.objects.filter(unit__study=known.study).values_list("item", flat=True)) == wanted:
            return known
    values = {"name": generator.name, "language": language}
    spec = {
        "slug": find_free_slug(slugify(f"selection-{generator.name}-{language}")),
        "title": (_("Selection: %(name)s (%(language)s)") % values)[:200],
        "protocol": PROTOCOL,
        "instrument": f"{PROTOCOL}/{language}",
        "items": {"texts": sorted({item.text.external_id for item in items}), "generators": [generator.name]},
    }
    try:
        study, _chosen = launch_study(create_study(generator.project, check_spec(spec))[0])
    except SpecError as error:
        raise CannotGenerate(str(error)) from None
    return Selection.objects.create(candidates=generator, study=close_study(study))


def list_selectors(study: Study) -> list[Annotator]:
    """The models that answered about the candidates."""
    return list(study.annotators.filter(kind=AnnotatorKind.MODEL).order_by("pk"))


def judge_candidates(selection: Selection, annotator: Annotator, n: int) -> list[Candidate]:
    """All candidates, text by text in order, and which of each text are kept."""
    rows = UnitItem.objects.filter(unit__study=selection.study).order_by("unit__position", "item")
    items = [row.item for row in rows.select_related("item__text").prefetch_related("item__options")]
    right = collect_correct(annotator)
    by_text: dict[int, list[Item]] = {}
    for item in items:
        by_text.setdefault(item.text_id, []).append(item)
    return [candidate for its_items in by_text.values() for candidate in _judge_text(its_items, right, n)]


def _judge_text(items: Iterable[Item], right: dict[tuple[int, str], list[bool]], n: int) -> list[Candidate]:
    by_name = {item.external_id: item for item in items}
    judged = [
        CandidateScore(name, compute_share(item, READ, right), compute_share(item, GUESS, right))
        for name, item in by_name.items()
    ]
    kept = {each.name for each in choose_best([each for each in judged if by_name[each.name].superseded_at is None], n)}
    return [Candidate(by_name[each.name], each, each.name in kept) for each in judged]


def collect_correct(annotator: Annotator) -> dict[tuple[int, str], list[bool]]:
    """Whether the judgment of each option agrees with its current key, by item and stage."""
    rows = Response.objects.filter(assignment__annotator=annotator, question=ANSWER).order_by("pk")
    found: dict[tuple[int, str], list[bool]] = {}
    for item, stage, value, key in rows.values_list("item", "stage", "value", "option__correct"):
        found.setdefault((item, stage), []).append(value == key)
    return found


def compute_share(item: Item, stage: str, right: dict[tuple[int, str], list[bool]]) -> float | None:
    """The share of the item's options judged correctly; None if not all of them were judged."""
    judged = right.get((item.pk, stage), [])
    return sum(judged) / len(judged) if judged and len(judged) == len(item.options.all()) else None


@transaction.atomic
def select_candidates(selection: Selection, annotator: Annotator, n: int) -> list[Candidate]:
    """Copy the best n of each text to a generator of their own; returns all candidates with the outcome."""
    if not 1 <= n <= MAX_ITEMS:
        raise CannotGenerate(_("Choose 1 to %(n)d items to keep per text.") % {"n": MAX_ITEMS})
    selection = Selection.objects.select_for_update().select_related("study__project", "candidates").get(
        pk=selection.pk
    )  # fmt: skip
    if selection.selected_id:
        raise CannotGenerate(_("%(model)s has already selected from these candidates.") % {"model": selection.selector})
    found = judge_candidates(selection, annotator, n)
    if not any(each.is_kept for each in found):
        raise CannotGenerate(
            _("“%(label)s” has answered no candidate completely, without and with the text. Let it "
              "continue, or choose another model.") % {"label": annotator.code}
        )  # fmt: skip
    generator = ensure_author(selection.study.project, make_author(selection, annotator))
    ending, count = make_id_suffix(generator), count_by_text(found)
    for each in found:
        if each.is_kept:
            name = make_question_id(each.item, ending)
            store_items(each.item.text, generator, [(name, copy_candidate(each, annotator, count[each.item.text_id]))])
    selection.selected, selection.selector, selection.n_kept = generator, annotator.model, n
    selection.save(update_fields=["selected", "selector", "n_kept"])
    return found


def make_author(selection: Selection, annotator: Annotator) -> Author:
    candidates = selection.candidates
    base = candidates.name.removesuffix(f" · {CANDIDATES}")
    return Author(
        f"{base} · best by {annotator.code}"[:MAX_ID],
        GeneratorKind.MODEL,
        {**candidates.factors, "selector": annotator.model},
    )


def count_by_text(candidates: Iterable[Candidate]) -> dict[int, int]:
    """The number of candidates of each text."""
    found: dict[int, int] = {}
    for each in candidates:
        found[each.item.text_id] = found.get(each.item.text_id, 0) + 1
    return found


def copy_candidate(candidate: Candidate, annotator: Annotator, n: int) -> Any:
    """The candidate's content, with the reason for its selection."""
    item = candidate.item
    why = {
        "by": annotator.model,
        "study": annotator.study.slug,
        "candidate": item.external_id,
        "candidates": n,
        "answerability": candidate.judged.answerability,
        "guessability": candidate.judged.guessability,
    }
    values = get_item_values(item)
    options = tuple(replace(option, external_id="") for option in values.options)
    return replace(values, options=options, metadata={**values.metadata, SELECTED: why})
