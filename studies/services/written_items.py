"""Items and rewordings that annotators wrote: listing those of a study, and adding them to the bank."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Generator, GeneratorKind, Item, Text
from items.services.bank import lock_bank
from items.services.editing import EditRefused, create_item
from items.values import ItemValues, OptionValues, find_equal_options
from projects.models import Role, User
from studies.models import AnnotatorKind, Assignment, Purpose, Response, Review, Study, Verdict
from studies.presentation_order import shuffle
from studies.protocols import Question
from studies.services.declarations import get_annotator_declaration, list_declarations

MAIN = (Purpose.MAIN.value,)


@dataclass(frozen=True)
class WrittenItem:
    """One item as it was written. `minutes` are for its whole text, None if the times are unknown."""

    response_id: int  # of the answer that is its stem
    text: Text
    annotator: str
    group: str
    part: int  # number of the item within its text, from 1
    values: ItemValues
    minutes: float | None
    written_at: datetime | None
    target_class: str
    review: Review | None

    @property
    def verdict(self) -> str:
        """Empty while nobody has reviewed it."""
        return self.review.verdict if self.review else ""


def find_writing_questions(study: Study) -> dict[str, Question]:
    """The questions whose answers are parts of a new item, by name."""
    stages = [stage for declaration in list_declarations(study) for stage in declaration.stages]
    return {question.name: question for stage in stages for question in stage.questions if question.writes}


def describe_written_items(study: Study) -> dict[str, int] | None:
    """How many written items wait for review; None if nothing is written, or the user may not add items."""
    if study.project.my_role.rank < Role.RESEARCHER.rank or not find_writing_questions(study):
        return None
    return {"waiting": count_waiting(study)}


def list_written_items(study: Study, purposes: Collection[str] = MAIN) -> list[WrittenItem]:
    """Everything that people of these purposes handed in, text by text, each annotator's items in order."""
    questions = find_writing_questions(study)
    if not questions:
        return []
    answers: dict[tuple[int, int], list[Response]] = {}
    for response in filter_written_responses(study, questions, purposes):
        key = (response.assignment_id, questions[response.question].part)
        answers.setdefault(key, []).append(response)
    found = [
        build_written_item(study, part, responses, questions) for (_assignment, part), responses in answers.items()
    ]
    return sorted(found, key=lambda each: (each.text.pk, each.annotator, each.part))


def count_waiting(study: Study) -> int:
    """How many written items nobody has reviewed yet."""
    stems = [question.name for question in find_writing_questions(study).values() if question.writes == "stem"]
    return filter_written_responses(study, stems, MAIN).filter(review=None).count()


def filter_written_responses(study: Study, names: Iterable[str], purposes: Collection[str]) -> QuerySet[Response]:
    responses = Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose__in=purposes,
        assignment__returned_at=None,
        question__in=list(names),
    )
    related = ("assignment__annotator__variant", "assignment__unit__text", "review__item")
    return responses.select_related(*related).prefetch_related("assignment__submissions").order_by("pk")


def build_written_item(
    study: Study, part: int, responses: list[Response], questions: Mapping[str, Question]
) -> WrittenItem:
    stem = next(response for response in responses if questions[response.question].writes == "stem")
    annotator = stem.assignment.annotator
    minutes, written_at = measure_time(stem.assignment, stem.stage)
    return WrittenItem(
        response_id=stem.pk,
        text=stem.assignment.unit.text,
        annotator=annotator.code,
        group=annotator.group,
        part=part,
        values=build_values(responses, questions, name_generator(study, annotator.group), stem.pk),
        minutes=minutes,
        written_at=written_at,
        target_class=str((annotator.variant or study).params.get("target_class", "")),
        review=getattr(stem, "review", None),
    )


def build_values(
    responses: Iterable[Response], questions: Mapping[str, Question], generator: str, seed: int
) -> ItemValues:
    """The item that the answers form. Options are in a random but stable order, which does not reveal the key."""
    texts: dict[str, list[str]] = {}
    for response in responses:
        texts.setdefault(questions[response.question].writes, []).append(" ".join(str(response.value).split()))
    options = [OptionValues("", text, True) for text in texts.get("key", [])]
    options += [OptionValues("", text, False) for text in texts.get("distractor", [])]
    return ItemValues(
        stem=texts["stem"][0],
        generator=generator,
        options=tuple(shuffle(options, Random(seed))),
        expected_answer="".join(texts.get("expected answer", [])),
    )


def measure_time(assignment: Assignment, stage: str) -> tuple[float | None, datetime | None]:
    """Minutes from opening the text to handing it in, and when that was."""
    for submission in assignment.submissions.all():
        if submission.stage == stage:
            opened, done = submission.opened_at, submission.submitted_at
            return (done - opened).total_seconds() / 60 if opened and done else None, done
    return None, None


def name_generator(study: Study, group: str) -> str:
    """The name of the generator: the group of the writer."""
    return group or f"written in {study.slug}"


def take_written_item(study: Study, response_id: int, user: User | None, changed: ItemValues | None = None) -> Item:
    """Add the item to the bank, by the group of its writer; `changed` is a researcher's version of it.

    Returns the same item if it was added before. Its metadata say who wrote it (by code), when, where, and in how many
    minutes per text. `EditRefused` if it is incomplete, if its text is no longer in the bank, or if its generator is a
    model.
    """
    with lock_bank(study.project):
        written = find_written_item(study, response_id)
        if written.review and written.review.item:
            return written.review.item
        is_repaired = changed is not None and make_content_key(changed) != make_content_key(written.values)
        values = replace(written.values if changed is None else changed, generator=written.values.generator)
        refuse_broken(values)
        refuse_other_generator(study, values.generator)
        text = study.project.texts.current().filter(external_id=written.text.external_id).first()
        if text is None:
            raise EditRefused(_("The item's text is no longer in the project, so the item cannot be added."))
        values = replace(values, metadata=describe_origin(study, written, is_repaired))
        item = create_item(text, values, f"{text.external_id}-written-{response_id}"[-200:])
        verdict = Verdict.REPAIRED if is_repaired else Verdict.ACCEPTED
        store_review(response_id, user, verdict, item=item)
        return item


def reject_written_item(study: Study, response_id: int, user: User | None, reason: str = "") -> None:
    """Mark it as rejected, which is counted. `EditRefused` if it is already in the bank. It may be added later."""
    with lock_bank(study.project):
        written = find_written_item(study, response_id)
        if written.review and written.review.item:
            raise EditRefused(_("This item has already been accepted. To exclude it from a study, deselect it there."))
        store_review(response_id, user, Verdict.REJECTED, reason=reason)


def find_written_item(study: Study, response_id: int) -> WrittenItem:
    """The item whose stem is that answer; `EditRefused` if the study has none."""
    for written in list_written_items(study):
        if written.response_id == response_id:
            return written
    raise EditRefused(_("This item is not in the study. Reload the page and choose another."))


def store_review(
    response_id: int, user: User | None, verdict: Verdict, *, item: Item | None = None, reason: str = ""
) -> None:
    values = {"verdict": verdict, "item": item, "reason": reason, "reviewed_by": user, "reviewed_at": timezone.now()}
    Review.objects.update_or_create(stem_id=response_id, defaults=values)


def make_content_key(values: ItemValues) -> tuple[str, str, frozenset[tuple[str, bool, str]]]:
    """The contents of an item, regardless of the order of its options."""
    options = frozenset((option.text, option.correct, option.explanation) for option in values.options)
    return values.stem, values.expected_answer, options


def describe_origin(study: Study, written: WrittenItem, is_repaired: bool) -> dict[str, Any]:
    """The metadata on the origin of the item; no annotator ever sees them."""
    return {
        "written_in": study.slug,
        "written_by": written.annotator,
        "written_at": written.written_at.isoformat() if written.written_at else None,
        "minutes_for_the_text": None if written.minutes is None else round(written.minutes, 2),
        "target_class": written.target_class,
    } | ({"repaired": True} if is_repaired else {})


def refuse_broken(values: ItemValues) -> None:
    """Raises an error unless an item has a stem, and no options or at least two different ones with a key among
    them."""
    wordings = [" ".join(option.text.casefold().split()) for option in values.options]
    if not values.stem.strip():
        raise EditRefused(_("The question is empty. Enter it, or reject the item."))
    if len(wordings) == 1:
        raise EditRefused(
            _("An item needs at least two options, or none at all. Add another option, or remove this one.")
        )
    if equal := find_equal_options(wordings):
        raise EditRefused(_("Two options are equal: “%(wording)s”. Change one of them.") % {"wording": equal[0][:200]})
    if values.options and not any(option.correct for option in values.options):
        raise EditRefused(_("None of the options is marked as correct. Mark the key."))


def refuse_other_generator(study: Study, name: str) -> None:
    """Raises an error if items by people would get the name of a model."""
    found = Generator.objects.filter(project=study.project, name=name).first()
    if found and found.kind != GeneratorKind.HUMAN:
        sentence = _("The generator “%(name)s” is not a group of people. Rename it, then accept the item again.")
        raise EditRefused(sentence % {"name": name})


@dataclass(frozen=True)
class Rephrasal:
    """One rewording of an item, and the item in the bank that was made from it, if any."""

    response_id: int
    original: Item
    stem: str
    taken: Item | None


def find_rewording_questions(study: Study) -> list[str]:
    """The questions whose answer is a rewording of the item."""
    found = [stage for declaration in list_declarations(study) for stage in declaration.stages]
    return list(dict.fromkeys(question.name for stage in found for question in stage.questions if question.rewords))


def list_rephrasals(study: Study) -> list[Rephrasal]:
    """The rewordings that people of the main purpose handed in, in the order of the items."""
    names = find_rewording_questions(study)
    if not names:
        return []
    responses = list(filter_rephrasals(study, names).order_by("item", "pk"))
    ids = [make_item_id(response) for response in responses]
    taken = {item.external_id: item for item in study.project.items.current().filter(external_id__in=ids)}
    return [
        Rephrasal(response.pk, response.item, clean_stem(response), taken.get(name))
        for response, name in zip(responses, ids, strict=True)
        if response.item
    ]


def filter_rephrasals(study: Study, names: list[str]) -> QuerySet[Response]:
    return Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose=Purpose.MAIN,
        assignment__returned_at=None,
        question__in=names,
    ).select_related("item__text", "assignment__annotator")


def take_rephrasal(study: Study, response_id: int) -> Item:
    """The item made from a rewording, by a human generator of the study; the same item if it was added before.

    Its expected answer is the same annotator's next free-text answer, if any. `EditRefused` if there is no such
    rewording, or its text is no longer in the bank.
    """
    response = filter_rephrasals(study, find_rewording_questions(study)).filter(pk=response_id).first()
    if response is None or response.item is None:
        raise EditRefused(_("This wording is not in the study. Reload the page and choose another."))
    name = make_item_id(response)
    known = study.project.items.current().filter(external_id=name).first()
    if known:
        return known
    text = study.project.texts.current().filter(external_id=response.item.text.external_id).first()
    if text is None:
        raise EditRefused(_("The item's text is no longer in the project, so the item cannot be added."))
    values = ItemValues(
        stem=clean_stem(response),
        generator=name_rephrasal_generator(study),
        expected_answer=find_answer_after(response),
        metadata={"rephrased_from": response.item.external_id, "study": study.slug},
    )
    return create_item(text, values, name)


def make_item_id(response: Response) -> str:
    """A unique id for each rewording, so that none is added twice."""
    about = response.item.external_id if response.item else ""
    return f"{about}-rephrased-{response.pk}"[:200]


def clean_stem(response: Response) -> str:
    return " ".join(str(response.value).split())


def name_rephrasal_generator(study: Study) -> str:
    return f"rephrased in {study.slug}"


def find_answer_after(response: Response) -> str:
    """The first free text that the annotator gave after the rewording about the same item."""
    questions = get_annotator_declaration(response.assignment.annotator).stage(response.stage).questions
    names = [question.name for question in questions]
    later = [each.name for each in questions[names.index(response.question) + 1 :] if each.kind == "text"]
    found = response.assignment.responses.filter(item=response.item, question__in=later[:1]).first()
    return str(found.value).strip() if found else ""
