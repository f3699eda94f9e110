"""Few-shot examples: items of the bank that are shown to a model, chosen once and stored with the run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from django.utils.translation import gettext as _

from generation.parts import ParsedItem, ParsedOption
from generation.prompts import JSON, QUESTION, Template
from generation.schemas import as_json, as_list
from generation.services.choosing import language_of
from generation.services.writing import CannotGenerate
from items.models import GeneratorKind, Item, Text
from projects.models import Project

MOST_EXAMPLES = 20
BY_PEOPLE = (GeneratorKind.HUMAN, GeneratorKind.DATASET)


@dataclass(frozen=True)
class Examples:
    """Which examples are wanted: items by id, or so many drawn with a seed."""

    ids: tuple[str, ...] = ()
    n: int = 0
    seed: int = 1

    def __bool__(self) -> bool:
        return bool(self.ids or self.n)

    @property
    def size(self) -> int:
        return len(self.ids) or self.n

    def __str__(self) -> str:
        """As a factor of the generator."""
        return ", ".join(self.ids) if self.ids else f"{self.n}, seed {self.seed}"


def examples_called(words: str, seed: int | None) -> Examples:
    """From a number, or from ids with commas between them; an id that is a number needs another beside it."""
    names = [name.strip() for name in words.split(",") if name.strip()]
    if len(names) == 1 and names[0].isdecimal() and len(names[0]) < 10:
        return Examples(n=int(names[0]), seed=1 if seed is None else seed)
    return Examples(ids=tuple(names))


def chosen(project: Project, wanted: Examples, texts: Sequence[Text], template: Template, n_options: int) -> list[Item]:
    """The examples for texts of one language, in their order; `CannotGenerate` if a text would get too few.

    No text gets an example about itself, so of those that are drawn there may be some more than one prompt shows.
    """
    if not wanted.size <= MOST_EXAMPLES:
        raise CannotGenerate(_("A prompt shows up to %(n)d examples. Choose fewer.") % {"n": MOST_EXAMPLES})
    language = language_of(texts[0])
    rows = Item.objects.filter(project=project).current().select_related("text", "generator")
    items = [item for item in rows.prefetch_related("options") if language_of(item.text) == language]
    if wanted.ids:
        return named(items, wanted.ids, texts, template)
    asked = {text.external_id for text in texts}
    pool = [item for item in items if item.generator.kind in BY_PEOPLE and fits(item, template, n_options)]
    Random(f"{wanted.seed}/{language}").shuffle(pool)
    return drawn(pool, wanted.n, asked)


def named(items: Iterable[Item], ids: Sequence[str], texts: Sequence[Text], template: Template) -> list[Item]:
    known, asked = {item.external_id: item for item in items}, {text.external_id for text in texts}
    for name in ids:
        said = {"id": name[:200], "language": language_of(texts[0])}
        if name not in known:
            raise CannotGenerate(_("There is no item “%(id)s” in the language “%(language)s”. Choose another.") % said)
        if not fits(known[name], template, None):
            raise CannotGenerate(
                _("The item “%(id)s” lacks what an example of this instrument shows: options, explanations or the "
                  "expected answer. Choose another, or add them.") % said
            )  # fmt: skip
        if known[name].text.external_id in asked:
            raise CannotGenerate(
                _("The item “%(id)s” is about a text that is asked about. Choose an example about another text.") % said
            )
    return [known[name] for name in ids]


def drawn(pool: Sequence[Item], n: int, asked: Iterable[str]) -> list[Item]:
    """The shortest beginning of the pool that leaves n items to every text that is asked about."""
    counts: dict[str, int] = dict.fromkeys(asked, 0)
    for length, item in enumerate(pool, 1):
        if item.text.external_id in counts:
            counts[item.text.external_id] += 1
        if length - max(counts.values(), default=0) >= n:
            return list(pool[:length])
    raise CannotGenerate(
        _("The bank has too few items for %(n)d examples: of people or data sets, in the texts' language, about "
          "another text each time, as large as is asked for. Choose fewer, or name items.") % {"n": n}
    )  # fmt: skip


def fits(item: Item, template: Template, n_options: int | None) -> bool:
    """Whether the item can be shown as an example; with a number of options only if it has just as many."""
    if template.writes == QUESTION:
        return bool(item.expected_answer)
    options = list(item.options.all())
    if template.explains and not all(option.explanation for option in options):
        return False
    return len(options) == n_options if n_options is not None else bool(options)


def rendered(examples: Iterable[Item], text: Text, template: Template, n: int) -> list[str]:
    """The first n that are not about this text, in the words of the instrument."""
    others = [item for item in examples if item.text.external_id != text.external_id]
    return [render(item, template) for item in others[:n]]


def render(item: Item, template: Template) -> str:
    about = {"title": item.text.title, "body": item.text.body}
    if template.writes == QUESTION:
        return template.render_example(**about, question=item.stem, answer=item.expected_answer)
    options = [ParsedOption(option.text, option.correct, option.explanation) for option in item.options.all()]
    parsed = ParsedItem(item.stem, options, reasoning=str(item.metadata.get("reasoning", "")))
    if template.reply == JSON:
        words = as_json(parsed, explains=template.explains)
    else:
        words = as_list(parsed, template.marks, explains=template.explains)
    return template.render_example(**about, item=words)
