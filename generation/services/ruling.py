"""The rule-based generator: cloze items or open questions for the texts of a project."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from generation.rules.cloze import write_cloze_items
from generation.rules.questions import OpenQuestion, draw_open_questions
from generation.services.choosing import Size, check_size, get_language
from generation.services.storing import Author, CannotGenerate, ensure_author, make_item_id, store_items
from items.models import GeneratorKind, Text
from items.values import ItemValues, OptionValues
from projects.models import Project

CLOZE, OPEN = "cloze", "open-questions"
LANGUAGES = ("de", "en")
FIRST_SEED = 1


@dataclass(frozen=True)
class RuleResult:
    """The result for one text: new items, items that existed, and how many more were requested than the text allows."""

    text: Text
    n_new: int
    n_known: int
    n_missing: int

    @property
    def is_in_other_language(self) -> bool:
        return not has_rules_for(self.text)


def has_rules_for(text: Text) -> bool:
    """Whether there are rules for the text's language."""
    return get_language(text) in LANGUAGES


def make_author(size: Size, seed: int) -> Author:
    """The generator of the items. Open questions drawn with another seed belong to another generator."""
    if size.n_options:
        return Author(CLOZE, GeneratorKind.RULE, {"family": "rule", "setting": "cloze"})
    factors = {"family": "rule", "setting": "open questions", "seed": str(seed)}
    name = OPEN if seed == FIRST_SEED else f"{OPEN} · seed {seed}"
    return Author(name, GeneratorKind.RULE, factors)


def write_by_rule(project: Project, texts: Iterable[Text], size: Size, seed: int | None = None) -> list[RuleResult]:
    """Items for each text, stored text by text. A text with too few usable sentences gets fewer.

    `seed` draws open questions among those that the rules find; cloze items are not drawn.
    """
    check_size(size, may_be_open=True)
    check_seed(size, seed)
    seed = FIRST_SEED if seed is None else seed
    generator = ensure_author(project, make_author(size, seed))
    found = []
    for text in texts:
        written = write_items(text, size, seed)
        new = store_items(text, generator, written)
        found.append(RuleResult(text, len(new), len(written) - len(new), size.n_items - len(written)))
    return found


def check_seed(size: Size, seed: int | None) -> None:
    if size.n_options and seed is not None:
        raise CannotGenerate(
            _("Rule-based items with options involve no random draw. Leave the seed out, or ask for 0 options.")
        )


def write_items(text: Text, size: Size, seed: int = FIRST_SEED) -> list[tuple[str, ItemValues]]:
    """Id and content of the items that the rules write about the text."""
    if not has_rules_for(text):
        return []
    if size.n_options:
        return [
            (make_item_id(text, f"cloze-{number}"), values) for number, values in enumerate(_write_cloze(text, size), 1)
        ]
    ending = "open" if seed == FIRST_SEED else f"open-s{seed}"
    found = draw_open_questions(text.body, get_language(text), size.n_items, seed)
    return [(make_item_id(text, f"{ending}-{n}"), _make_open_values(each, seed)) for n, each in enumerate(found, 1)]


def _write_cloze(text: Text, size: Size) -> list[ItemValues]:
    return [
        ItemValues(
            stem=item.stem,
            generator=CLOZE,
            options=tuple(OptionValues("", option, option == item.key) for option in item.options),
            metadata={"sentence": item.sentence, "rank_score": item.score},
        )
        for item in write_cloze_items(text.body, get_language(text), size.n_items, size.n_options)
    ]


def _make_open_values(question: OpenQuestion, seed: int) -> ItemValues:
    """The place of the answer is given in characters of the text, from 0."""
    about = {
        "sentence": question.sentence,
        "rule": question.rule,
        "rank_score": question.score,
        "answer_start": question.start,
        "answer_end": question.end,
        "seed": seed,
    }
    name = make_author(Size(1, 0), seed).name
    return ItemValues(stem=question.question, generator=name, expected_answer=question.answer, metadata=about)
