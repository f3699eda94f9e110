"""Expected answers of the bank, to which a model writes the questions."""

from collections.abc import Iterable

from generation.models import IncompleteItem
from items.models import MAX_ID, Generator, Item, Text
from items.services.naming import derived_id
from projects.models import Project


def answers_about(project: Project, texts: Iterable[Text], but: Generator | None = None) -> list[Item]:
    """An item for each different expected answer about these texts, the first that has it, text by text.

    Items of the generator `but` do not count: their answers came from others.
    """
    wanted = {text.pk: place for place, text in enumerate(texts)}
    rows = Item.objects.filter(text__project=project).current().exclude(expected_answer="").select_related("text")
    found: dict[tuple[int, str], Item] = {}
    for item in rows.exclude(generator=but) if but else rows:
        if item.text_id in wanted:  # not in SQL, which takes no list of tens of thousands of texts
            found.setdefault((item.text_id, " ".join(item.expected_answer.casefold().split())), item)
    return sorted(found.values(), key=lambda item: (wanted[item.text_id], item.pk))


def question_id(source: Item, ending: str) -> str:
    """The id of the question to that item's answer: `ITEM-NAME`, derived where that is too long."""
    whole = f"{source.external_id}-{ending}"
    return whole if len(whole) <= MAX_ID else f"{derived_id('i', source.external_id)}-{ending}"[:MAX_ID]


def unanswered(sources: Iterable[Item], generator: Generator | None, ending: str) -> list[Item]:
    """Those to whose answer the generator has written no question yet, whole or not."""
    if generator is None:
        return list(sources)
    done = set(Item.objects.filter(generator=generator).current().values_list("external_id", flat=True))
    done |= set(IncompleteItem.objects.filter(generator=generator).values_list("external_id", flat=True))
    return [item for item in sources if question_id(item, ending) not in done]
