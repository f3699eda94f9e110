"""Items that annotators wrote: what a study collected, and the one way from there into the bank, past a researcher."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Generator, GeneratorKind, Item, Text
from items.services.bank import locked
from items.services.editing import EditRefused, create_item
from items.values import ItemValues, OptionValues, equal_options
from projects.models import User
from studies.models import AnnotatorKind, Assignment, Purpose, Response, Review, Study, Verdict
from studies.protocols import Question
from studies.services.declaring import declarations_of
from studies.shown import shuffled

MAIN = (Purpose.MAIN.value,)


@dataclass(frozen=True)
class WrittenItem:
    """One item as it was written. `minutes` are those of its whole text, None where the times are not known."""

    response_id: int  # of the answer that is its stem
    text: Text
    annotator: str
    group: str
    part: int  # which of the items about its text, from 1
    values: ItemValues
    minutes: float | None
    written_at: datetime | None
    target_class: str
    review: Review | None

    @property
    def verdict(self) -> str:
        """Empty while nobody has looked at it."""
        return self.review.verdict if self.review else ""


def writing_questions(study: Study) -> dict[str, Question]:
    """The questions whose answers are parts of a new item, by name."""
    stages = [stage for declaration in declarations_of(study) for stage in declaration.stages]
    return {question.name: question for stage in stages for question in stage.questions if question.writes}


def written_items(study: Study, purposes: Collection[str] = MAIN) -> list[WrittenItem]:
    """Everything that people of these purposes handed in, text by text, each annotator's items in their order."""
    questions = writing_questions(study)
    if not questions:
        return []
    answers: dict[tuple[int, int], list[Response]] = {}
    for response in written_in(study, questions, purposes):
        key = (response.assignment_id, questions[response.question].part)
        answers.setdefault(key, []).append(response)
    found = [written_from(study, part, said, questions) for (_assignment, part), said in answers.items()]
    return sorted(found, key=lambda each: (each.text.pk, each.annotator, each.part))


def n_waiting(study: Study) -> int:
    """How many written items nobody has looked at yet."""
    stems = [question.name for question in writing_questions(study).values() if question.writes == "stem"]
    return written_in(study, stems, MAIN).filter(review=None).count()


def written_in(study: Study, names: Iterable[str], purposes: Collection[str]) -> QuerySet[Response]:
    responses = Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose__in=purposes,
        assignment__returned_at=None,
        question__in=list(names),
    )
    related = ("assignment__annotator__variant", "assignment__unit__text", "review__item")
    return responses.select_related(*related).prefetch_related("assignment__submissions").order_by("pk")


def written_from(study: Study, part: int, said: list[Response], questions: Mapping[str, Question]) -> WrittenItem:
    stem = next(response for response in said if questions[response.question].writes == "stem")
    annotator = stem.assignment.annotator
    minutes, written_at = times_of(stem.assignment, stem.stage)
    return WrittenItem(
        response_id=stem.pk,
        text=stem.assignment.unit.text,
        annotator=annotator.code,
        group=annotator.group,
        part=part,
        values=values_from(said, questions, generator_name(study, annotator.group), stem.pk),
        minutes=minutes,
        written_at=written_at,
        target_class=str((annotator.variant or study).params.get("target_class", "")),
        review=getattr(stem, "review", None),
    )


def values_from(said: Iterable[Response], questions: Mapping[str, Question], generator: str, seed: int) -> ItemValues:
    """The item that the answers make. Options stand in a random order, the same each time: no key is told by it."""
    texts: dict[str, list[str]] = {}
    for response in said:
        texts.setdefault(questions[response.question].writes, []).append(" ".join(str(response.value).split()))
    options = [OptionValues("", text, True) for text in texts.get("key", [])]
    options += [OptionValues("", text, False) for text in texts.get("distractor", [])]
    return ItemValues(
        stem=texts["stem"][0],
        generator=generator,
        options=tuple(shuffled(options, Random(seed))),
        expected_answer="".join(texts.get("expected answer", [])),
    )


def times_of(assignment: Assignment, stage: str) -> tuple[float | None, datetime | None]:
    """Minutes from opening the text to handing it in, and when that was."""
    for submission in assignment.submissions.all():
        if submission.stage == stage:
            opened, done = submission.opened_at, submission.submitted_at
            return (done - opened).total_seconds() / 60 if opened and done else None, done
    return None, None


def generator_name(study: Study, group: str) -> str:
    """The group that somebody writes in is the generator."""
    return group or f"written in {study.slug}"


def take_written_item(study: Study, response_id: int, user: User | None, changed: ItemValues | None = None) -> Item:
    """The item in the bank, by the group of whoever wrote it; `changed` is what a researcher made of it.

    The same item if it was taken before. It says who wrote it (by code), when, where and in how many minutes a text.
    `EditRefused` if it is not whole, if its text is not in the bank any more, or if its generator is not of people.
    """
    with locked(study.project):
        written = written_item(study, response_id)
        if written.review and written.review.item:
            return written.review.item
        is_repaired = changed is not None and told(changed) != told(written.values)
        values = replace(written.values if changed is None else changed, generator=written.values.generator)
        refuse_broken(values)
        refuse_other_generator(study, values.generator)
        text = study.project.texts.current().filter(external_id=written.text.external_id).first()
        if text is None:
            raise EditRefused(_("The text of this item is no longer in the bank, so there is nothing to add it to."))
        values = replace(values, metadata=origin_of(study, written, is_repaired))
        item = create_item(text, values, f"{text.external_id}-written-{response_id}"[-200:])
        verdict = Verdict.REPAIRED if is_repaired else Verdict.ACCEPTED
        decide(response_id, user, verdict, item=item)
        return item


def reject_written_item(study: Study, response_id: int, user: User | None, reason: str = "") -> None:
    """It stays out of the bank, and is counted; `EditRefused` if it is in there already. May be taken later."""
    with locked(study.project):
        written = written_item(study, response_id)
        if written.review and written.review.item:
            raise EditRefused(_("This item is in the bank already. Leave it out of a study there."))
        decide(response_id, user, Verdict.REJECTED, reason=reason)


def written_item(study: Study, response_id: int) -> WrittenItem:
    """The item whose stem is that answer; `EditRefused` if the study has none."""
    for written in written_items(study):
        if written.response_id == response_id:
            return written
    raise EditRefused(_("This item is not in the study. Reload the page and choose another."))


def decide(
    response_id: int, user: User | None, verdict: Verdict, *, item: Item | None = None, reason: str = ""
) -> None:
    said = {"verdict": verdict, "item": item, "reason": reason, "reviewed_by": user, "reviewed_at": timezone.now()}
    Review.objects.update_or_create(stem_id=response_id, defaults=said)


def told(values: ItemValues) -> tuple[str, str, frozenset[tuple[str, bool, str]]]:
    """What an item says, whatever the order of its options."""
    options = frozenset((option.text, option.correct, option.explanation) for option in values.options)
    return values.stem, values.expected_answer, options


def origin_of(study: Study, written: WrittenItem, is_repaired: bool) -> dict[str, Any]:
    """What the item's metadata say of where it comes from; no annotator ever sees them."""
    return {
        "written_in": study.slug,
        "written_by": written.annotator,
        "written_at": written.written_at.isoformat() if written.written_at else None,
        "minutes_for_the_text": None if written.minutes is None else round(written.minutes, 2),
        "target_class": written.target_class,
    } | ({"repaired": True} if is_repaired else {})


def refuse_broken(values: ItemValues) -> None:
    """An item has a stem, and no options or two and more that differ, with a key among them."""
    wordings = [" ".join(option.text.casefold().split()) for option in values.options]
    if not values.stem.strip():
        raise EditRefused(_("The question is empty. Write it, or reject the item."))
    if len(wordings) == 1:
        raise EditRefused(_("An item needs two options or more, or none. Add one, or take this one away."))
    if equal := equal_options(wordings):
        raise EditRefused(_("Two options are equal: “%(wording)s”. Change one of them.") % {"wording": equal[0][:200]})
    if values.options and not any(option.correct for option in values.options):
        raise EditRefused(_("None of the options is a key. Mark the right one."))


def refuse_other_generator(study: Study, name: str) -> None:
    """Items by people must not run under the name of a model."""
    found = Generator.objects.filter(project=study.project, name=name).first()
    if found and found.kind != GeneratorKind.HUMAN:
        said = _("The generator “%(name)s” is no group of people. Rename it in the bank, then take the item again.")
        raise EditRefused(said % {"name": name})
