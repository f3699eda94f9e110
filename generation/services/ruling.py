"""The rule-based generator: cloze items or open questions for the texts of a project."""

from collections.abc import Iterable
from dataclasses import dataclass

from generation.rules.cloze import cloze_items
from generation.rules.questions import open_questions
from generation.services.choosing import Size, check_size, language_of
from generation.services.writing import Author, ensure_author, item_id, store_items
from items.models import GeneratorKind, Text
from items.values import ItemValues, OptionValues
from projects.models import Project

CLOZE, OPEN = "cloze", "open-questions"
LANGUAGES = ("de", "en")
AUTHORS = {
    CLOZE: Author(CLOZE, GeneratorKind.RULE, {"family": "rule", "setting": "cloze"}),
    OPEN: Author(OPEN, GeneratorKind.RULE, {"family": "rule", "setting": "open questions"}),
}
ENDINGS = {CLOZE: "cloze", OPEN: "open"}


@dataclass(frozen=True)
class Ruled:
    """What became of one text: items that are new, those that were there, and how many it does not carry."""

    text: Text
    n_new: int
    n_known: int
    n_missing: int

    @property
    def speaks_other(self) -> bool:
        return not is_spoken(self.text)


def is_spoken(text: Text) -> bool:
    """Whether there are rules for the text's language."""
    return language_of(text) in LANGUAGES


def write_by_rule(project: Project, texts: Iterable[Text], size: Size) -> list[Ruled]:
    """Items for each text, stored text by text. A text that carries fewer than wanted gets fewer."""
    check_size(size, may_be_open=True)
    generator = ensure_author(project, AUTHORS[CLOZE if size.n_options else OPEN])
    found = []
    for text in texts:
        written = values_for(text, size)
        new = store_items(text, generator, written)
        found.append(Ruled(text, len(new), len(written) - len(new), size.n_items - len(written)))
    return found


def values_for(text: Text, size: Size) -> list[tuple[str, ItemValues]]:
    """Id and content of what the rules write about the text."""
    if not is_spoken(text):
        return []
    name = CLOZE if size.n_options else OPEN
    made = _cloze(text, size) if size.n_options else _open(text, size)
    return [(item_id(text, f"{ENDINGS[name]}-{number}"), values) for number, values in enumerate(made, 1)]


def _cloze(text: Text, size: Size) -> list[ItemValues]:
    return [
        ItemValues(
            stem=item.stem,
            generator=CLOZE,
            options=tuple(OptionValues("", option, option == item.key) for option in item.options),
            metadata={"sentence": item.sentence, "rank_score": item.score},
        )
        for item in cloze_items(text.body, language_of(text), size.n_items, size.n_options)
    ]


def _open(text: Text, size: Size) -> list[ItemValues]:
    return [
        ItemValues(
            stem=item.question,
            generator=OPEN,
            expected_answer=item.answer,
            metadata={"sentence": item.sentence, "rule": item.rule, "rank_score": item.score},
        )
        for item in open_questions(text.body, language_of(text), size.n_items)
    ]
