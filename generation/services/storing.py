"""Written items are added to the bank once; incomplete ones wait until a person repairs or discards them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from generation.models import IncompleteItem, IncompleteState
from generation.parsing import find_item_problems, find_open_problems, find_question_problems
from generation.parts import ParsedItem
from items.models import MAX_ID, Generator, GeneratorKind, Item, Text
from items.services.bank import get_newest, lock_bank
from items.services.editing import EditRefused, create_item
from items.services.naming import derive_id
from items.values import ItemValues, OptionValues, find_equal_options
from llm.models import Run
from projects.models import Project


class CannotGenerate(Exception):
    """Items cannot be written in this way; the message says what to do."""


@dataclass(frozen=True)
class Author:
    """Who writes items: name, kind and factors of the generator."""

    name: str
    kind: GeneratorKind
    factors: Mapping[str, str]


def ensure_author(project: Project, author: Author) -> Generator:
    """The project's generator of that name; refused if the name belongs to another author."""
    generator, _is_new = Generator.objects.get_or_create(
        project=project, name=author.name, defaults={"kind": author.kind, "factors": dict(author.factors)}
    )
    if generator.kind != author.kind:
        raise CannotGenerate(
            _("The project has another generator “%(name)s” (%(kind)s). Rename that one first.")
            % {"name": author.name, "kind": generator.get_kind_display()}
        )
    return generator


def make_item_id(text: Text, ending: str) -> str:
    """An id such as `TEXT-cloze-1`; if the text's id is too long, a derived one replaces it."""
    whole = f"{text.external_id}-{ending}"
    return whole if len(whole) <= MAX_ID else f"{derive_id('t', text.external_id)}-{ending}"[:MAX_ID]


def make_question_id(source: Item, ending: str) -> str:
    """The id of the question to that item's answer: `ITEM-NAME`, derived if that is too long."""
    whole = f"{source.external_id}-{ending}"
    return whole if len(whole) <= MAX_ID else f"{derive_id('i', source.external_id)}-{ending}"[:MAX_ID]


def store_items(text: Text, generator: Generator, written: Iterable[tuple[str, ItemValues]]) -> list[Item]:
    """Add the items whose ids are not in the bank yet; returns them. Existing ones stay unchanged."""
    stored = []
    with lock_bank(text.project):
        for name, values in written:
            known = Item.objects.filter(project=text.project, external_id=name).select_related("generator").first()
            if known is None:
                stored.append(create_item(text, replace(values, generator=generator.name), name))
            elif known.generator_id != generator.pk:
                raise CannotGenerate(_describe_taken(name, known))
    return stored


def _describe_taken(name: str, known: Item) -> str:
    values: dict[str, Any] = {"id": name, "generator": known.generator.name}
    return _("The id “%(id)s” belongs to an item of “%(generator)s”. Change that item's id in its file.") % values


EDITED = "edited"
RULES = ("cloze", "open")


def store_reply(
    run: Run, generator: Generator, text: Text, parsed: Sequence[ParsedItem], n_options: int
) -> tuple[int, int]:
    """Store the items of a reply; returns how many are complete and in the bank, and how many of the others wait for
    repair or were discarded. Safe to repeat."""
    ending = make_id_suffix(generator)
    n_whole = 0
    for number, item in enumerate(parsed, 1):
        name = make_item_id(text, f"{ending}-{number}")
        found = find_item_problems(item, n_options) if n_options else find_open_problems(item)
        reasons = found + ([EDITED] if text.superseded_at else [])
        if reasons and not Item.objects.filter(project=text.project, external_id=name).exists():
            _store_incomplete(run, generator, text, name, item, reasons)
        else:
            _store_whole(generator, text, name, item)
            n_whole += 1
    return n_whole, len(parsed) - n_whole


def store_question(run: Run, generator: Generator, source: Item, parsed: ParsedItem) -> tuple[int, int]:
    """Store the question to the expected answer of `source`, with that answer; counts as in `store_reply`."""
    name = make_question_id(source, make_id_suffix(generator))
    reasons = find_question_problems(parsed) + ([EDITED] if source.superseded_at else [])
    about = Extra(source.expected_answer, {"answer_of": source.external_id})
    if reasons and not Item.objects.filter(project=source.project_id, external_id=name).exists():
        _store_incomplete(run, generator, source.text, name, parsed, reasons, about)
        return 0, 1
    _store_whole(generator, source.text, name, parsed, about)
    return 1, 0


def make_id_suffix(generator: Generator) -> str:
    """The end of the ids of the generator's items, before their number: its name, made unique."""
    slug = slugify(generator.name)[:60] or "model"
    others = Generator.objects.filter(project=generator.project_id, pk__lt=generator.pk).values_list("name", flat=True)
    is_taken = slug in RULES or any(slugify(name)[:60] == slug for name in others)
    return f"{slug}-g{generator.pk}" if is_taken else slug


def _store_whole(generator: Generator, text: Text, name: str, item: ParsedItem, extra: "Extra | None" = None) -> None:
    """Add a complete item to the bank. If an older parser had stored it as incomplete, that row is deleted."""
    row = IncompleteItem.objects.filter(generator=generator, external_id=name).first()
    if row is not None and row.state != IncompleteState.OPEN:
        return
    extra = extra or find_extra(item, text)
    options = tuple(OptionValues("", each.text, bool(each.correct), each.explanation) for each in item.options)
    values = ItemValues(item.stem, generator.name, options, extra.expected_answer, metadata=extra.metadata)
    store_items(text, generator, [(name, values)])
    if row is not None:
        row.delete()


def _store_incomplete(
    run: Run, generator: Generator, text: Text, name: str, item: ParsedItem, reasons: list[str],
    extra: "Extra | None" = None,
) -> None:  # fmt: skip
    extra = extra or find_extra(item, text)
    IncompleteItem.objects.get_or_create(
        generator=generator,
        external_id=name,
        defaults={
            "run": run,
            "text": text,
            "raw": item.raw,
            "reasons": reasons,
            "stem": item.stem,
            "options": [asdict(option) for option in item.options],
            "expected_answer": extra.expected_answer,
            "metadata": extra.metadata,
        },
    )


@dataclass(frozen=True)
class Extra:
    """Fields of an item besides its stem and options; annotators never see them."""

    expected_answer: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


def find_extra(item: ParsedItem, text: Text) -> Extra:
    """Reasoning and expected answer of the item, and where the text has the answer word for word."""
    metadata: dict[str, Any] = {"reasoning": item.reasoning} if item.reasoning else {}
    start = text.body.find(item.answer) if item.answer else -1
    if start >= 0:
        metadata |= {"answer_start": start, "answer_end": start + len(item.answer)}
    return Extra(item.answer, metadata)


@transaction.atomic
def repair_item(row: IncompleteItem, stem: str, options: Sequence[OptionValues], answer: str = "") -> Item:
    """Add the repaired item to the bank, by its model and marked as repaired; `EditRefused` if it is still incomplete.

    `answer`: the expected answer of an open question, if the model gave none.
    """
    row = _lock_row(row)
    answer = answer or row.expected_answer
    if row.is_open and not answer:
        raise EditRefused(_("An open question needs its expected answer. Enter it, or discard the item."))
    if len(options) < 2 and not (answer and not options):
        raise EditRefused(_("An item needs at least two options. Add options, or discard the item."))
    if equal := find_equal_options(" ".join(option.text.casefold().split()) for option in options):
        raise EditRefused(_("Two options are equal: “%(wording)s”. Change one of them.") % {"wording": equal[0][:200]})
    metadata = {**row.metadata, "repaired": True}
    values = ItemValues(stem, row.generator.name, tuple(options), answer, metadata=metadata)
    item = create_item(get_newest(row.text), values, row.external_id)
    row.state, row.item = IncompleteState.REPAIRED, item
    row.save(update_fields=["state", "item"])
    return item


@transaction.atomic
def discard_item(row: IncompleteItem) -> bool:
    """Mark the row as discarded: it is kept and counted, but not shown; False if somebody else was faster."""
    changed = IncompleteItem.objects.filter(pk=row.pk, state=IncompleteState.OPEN).update(
        state=IncompleteState.DISCARDED
    )
    return bool(changed)


def _lock_row(row: IncompleteItem) -> IncompleteItem:
    locked = IncompleteItem.objects.select_for_update(of=("self",)).select_related("generator", "text__project")
    row = locked.get(pk=row.pk)
    if row.state != IncompleteState.OPEN:
        raise EditRefused(_("Somebody else has repaired or discarded this item. Go back to the list."))
    return row
