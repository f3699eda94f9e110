"""A small factory: texts, items, studies, annotators and answers, made directly as rows."""

from collections.abc import Iterable, Sequence

from django.utils import timezone

from items.models import Generator, Item, Option, Text
from projects.models import Project
from studies.models import (
    Annotator,
    Assignment,
    Instrument,
    InstrumentVersion,
    Response,
    Study,
    StudyState,
    Submission,
    Unit,
    UnitItem,
)
from studies.models.people import DONE
from studies.services.instruments import hash_content

LETTERS = "abcdefghijklmnopqrst"


def marks(pattern: str) -> list[bool]:
    """`"TFF"` as [True, False, False]: which options are keys, or ticked."""
    return [{"T": True, "F": False}[mark] for mark in pattern]


def make_text(project: Project, external_id: str, **fields) -> Text:
    fields = {"body": f"The text {external_id} is short. It has two sentences.", "language": "en"} | fields
    return Text.objects.create(project=project, external_id=external_id, **fields)


def make_generator(project: Project, name: str, **fields) -> Generator:
    return Generator.objects.get_or_create(project=project, name=name, defaults=fields)[0]


def make_item(text: Text, generator: str, external_id: str, keys: str = "TF", **fields) -> Item:
    """An item whose options are called a, b, … and are keys where `keys` says T."""
    item = Item.objects.create(
        project=text.project,
        text=text,
        generator=make_generator(text.project, generator),
        external_id=external_id,
        stem=f"What does {external_id} ask?",
        **fields,
    )
    Option.objects.bulk_create(
        Option(
            item=item,
            external_id=LETTERS[position],
            position=position,
            text=f"Option {LETTERS[position]} of {external_id}",
            correct=correct,
        )
        for position, correct in enumerate(marks(keys))
    )
    return item


def make_instrument_version(name: str = "guess-then-read", language: str = "en") -> InstrumentVersion:
    """A wording that says nothing, for tests that read no page."""
    instrument, _ = Instrument.objects.get_or_create(project=None, name=name, language=language)
    version = instrument.versions.first()
    content = {"name": name}
    return version or InstrumentVersion.objects.create(
        instrument=instrument, version=1, content=content, content_hash=hash_content(content)
    )


def make_study(project: Project, slug: str, items: Iterable[Item], **fields) -> Study:
    """A study over the items: one unit per text, in the order in which the texts first occur."""
    fields = {
        "title": f"Study {slug}",
        "protocol": "guess-then-read",
        "language": "en",
        "seed": 7,
        "state": StudyState.LIVE,
        "launched_at": timezone.now(),
    } | fields
    fields.setdefault("instrument_version", make_instrument_version(language=fields["language"]))
    study = Study.objects.create(project=project, slug=slug, **fields)
    by_text: dict[Text, list[Item]] = {}
    for item in items:
        by_text.setdefault(item.text, []).append(item)
    for position, (text, its_items) in enumerate(by_text.items(), 1):
        unit = Unit.objects.create(study=study, text=text, position=position)
        UnitItem.objects.bulk_create(
            UnitItem(unit=unit, item=item, position=place) for place, item in enumerate(its_items, 1)
        )
    return study


def make_annotator(study: Study, code: str, **fields) -> Annotator:
    reading = "ticked" if fields.get("kind", "human") == "human" else "label"
    return Annotator.objects.create(study=study, code=code, **({"reading": reading} | fields))


def make_assignment(annotator: Annotator, item: Item, round: int = 1, **fields) -> Assignment:
    """The finished assignment of the unit that holds the item; the same one on a second call."""
    unit = Unit.objects.get(study=annotator.study, items=item)
    fields = {"position": unit.position, "stage": DONE, "finished_at": timezone.now()} | fields
    return Assignment.objects.get_or_create(annotator=annotator, unit=unit, round=round, defaults=fields)[0]


def answer(
    annotator: Annotator,
    stage: str,
    item: Item,
    ticks: str | None = None,
    *,
    rating: int | None = None,
    unsure: str | None = None,
    round: int = 1,
    probabilities: Sequence[float] | None = None,
) -> list[Response]:
    """One item answered in one stage: `ticks="TFF"` ticks the first of three options."""
    assignment = make_assignment(annotator, item, round)
    Submission.objects.get_or_create(assignment=assignment, stage=stage)
    shared = {
        "assignment": assignment,
        "stage": stage,
        "item": item,
        "instrument_version": annotator.study.instrument_version,
    }
    rows, options = [], list(item.options.all()) if ticks else []
    for place, ticked in enumerate(marks(ticks or "")):
        rows.append(
            Response(
                **shared,
                question="answer",
                option=options[place],
                value=ticked,
                unsure=marks(unsure)[place] if unsure else None,
                probability=probabilities[place] if probabilities else None,
            )
        )
    if rating is not None:
        rows.append(Response(**shared, question="rating", value=rating))
    return Response.objects.bulk_create(rows)
