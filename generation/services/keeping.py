"""What a model wrote is kept: whole items in the bank, the others to be repaired or discarded."""

from collections.abc import Sequence

from django.utils.text import slugify

from generation.models import IncompleteItem, IncompleteState
from generation.parsing import problems
from generation.parts import ParsedItem
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


def ending_of(generator: Generator) -> str:
    """What ids of the generator's items end with, before their number: its name, made unlike those of others."""
    slug = slugify(generator.name)[:60] or "model"
    others = Generator.objects.filter(project=generator.project_id, pk__lt=generator.pk).values_list("name", flat=True)
    is_taken = slug in RULES or any(slugify(name)[:60] == slug for name in others)
    return f"{slug}-g{generator.pk}" if is_taken else slug


def _keep_whole(generator: Generator, text: Text, name: str, item: ParsedItem) -> None:
    """Also what an older parser could not read: it need not be repaired any more."""
    row = IncompleteItem.objects.filter(generator=generator, external_id=name).first()
    if row is not None and row.state != IncompleteState.OPEN:
        return
    options = tuple(OptionValues("", option.text, bool(option.correct)) for option in item.options)
    store_items(text, generator, [(name, ItemValues(item.stem, generator.name, options))])
    if row is not None:
        row.delete()


def _keep_incomplete(
    run: Run, generator: Generator, text: Text, name: str, item: ParsedItem, reasons: list[str]
) -> None:
    IncompleteItem.objects.get_or_create(
        generator=generator,
        external_id=name,
        defaults={
            "run": run,
            "text": text,
            "raw": item.raw,
            "reasons": reasons,
            "stem": item.stem,
            "options": [{"text": option.text, "correct": option.correct} for option in item.options],
        },
    )
