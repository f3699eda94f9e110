"""What a model wrote is kept: whole items in the bank, the others to be repaired or discarded."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.text import slugify

from generation.models import IncompleteItem, IncompleteState
from generation.parsing import problems, question_problems
from generation.parts import ParsedItem
from generation.services.answers import question_id
from generation.services.writing import item_id, store_items
from items.models import Generator, Item, Text
from items.values import ItemValues, OptionValues
from llm.models import Run

EDITED = "edited"
RULES = ("cloze", "open")


def keep(run: Run, generator: Generator, text: Text, parsed: Sequence[ParsedItem], n_options: int) -> tuple[int, int]:
    """How many are in the bank and how many wait for repair. Kept again, nothing changes."""
    ending = ending_of(generator)
    n_whole = 0
    for number, item in enumerate(parsed, 1):
        name = item_id(text, f"{ending}-{number}")
        reasons = problems(item, n_options) + ([EDITED] if text.superseded_at else [])
        if reasons and not Item.objects.filter(project=text.project, external_id=name).exists():
            _keep_incomplete(run, generator, text, name, item, reasons)
        else:
            _keep_whole(generator, text, name, item)
            n_whole += 1
    return n_whole, len(parsed) - n_whole


def keep_question(run: Run, generator: Generator, source: Item, parsed: ParsedItem) -> tuple[int, int]:
    """The question to the expected answer of `source`, with that answer; counted as by `keep`."""
    name = question_id(source, ending_of(generator))
    reasons = question_problems(parsed) + ([EDITED] if source.superseded_at else [])
    about = Extra(source.expected_answer, {"answer_of": source.external_id})
    if reasons and not Item.objects.filter(project=source.project_id, external_id=name).exists():
        _keep_incomplete(run, generator, source.text, name, parsed, reasons, about)
        return 0, 1
    _keep_whole(generator, source.text, name, parsed, about)
    return 1, 0


def ending_of(generator: Generator) -> str:
    """What ids of the generator's items end with, before their number: its name, made unlike those of others."""
    slug = slugify(generator.name)[:60] or "model"
    others = Generator.objects.filter(project=generator.project_id, pk__lt=generator.pk).values_list("name", flat=True)
    is_taken = slug in RULES or any(slugify(name)[:60] == slug for name in others)
    return f"{slug}-g{generator.pk}" if is_taken else slug


def _keep_whole(generator: Generator, text: Text, name: str, item: ParsedItem, extra: "Extra | None" = None) -> None:
    """Also what an older parser could not read: it need not be repaired any more."""
    row = IncompleteItem.objects.filter(generator=generator, external_id=name).first()
    if row is not None and row.state != IncompleteState.OPEN:
        return
    extra = extra or extra_of(item)
    options = tuple(OptionValues("", each.text, bool(each.correct), each.explanation) for each in item.options)
    values = ItemValues(item.stem, generator.name, options, extra.expected_answer, metadata=extra.metadata)
    store_items(text, generator, [(name, values)])
    if row is not None:
        row.delete()


def _keep_incomplete(
    run: Run, generator: Generator, text: Text, name: str, item: ParsedItem, reasons: list[str],
    extra: "Extra | None" = None,
) -> None:  # fmt: skip
    extra = extra or extra_of(item)
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
    """What an item holds beside its stem and options; nobody who answers sees any of it."""

    expected_answer: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


def extra_of(item: ParsedItem) -> Extra:
    return Extra(metadata={"reasoning": item.reasoning} if item.reasoning else {})
