"""The input of a generator: texts, number of items and options, expected answers, and few-shot examples."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from django.utils.translation import gettext as _

from generation.models import IncompleteItem
from generation.parts import ParsedItem, ParsedOption
from generation.prompts import JSON, Template, write_json, write_list
from generation.services.storing import CannotGenerate, make_question_id
from items.models import MAX_OPTIONS, Generator, GeneratorKind, Item, Text
from items.services.bank import order_by_arrival
from projects.models import Project

MAX_ITEMS = 20
N_ITEMS = N_OPTIONS = 3


@dataclass(frozen=True)
class Size:
    """Items per text, and options per item; without options they are open questions."""

    n_items: int = N_ITEMS
    n_options: int = N_OPTIONS


def check_size(size: Size, *, may_be_open: bool) -> None:
    if not 1 <= size.n_items <= MAX_ITEMS:
        raise CannotGenerate(_("Choose 1 to %(n)d items per text.") % {"n": MAX_ITEMS})
    if size.n_options == 0 and may_be_open:
        return
    if not 2 <= size.n_options <= MAX_OPTIONS:
        sentence = _("Choose 2 to %(n)d options per item.") % {"n": MAX_OPTIONS}
        more = _(
            "For open questions use cloze, or an instrument that writes them, such as "
            "generate-open-questions or generate-question."
        )
        raise CannotGenerate(sentence + " " + (_("0 options means open questions.") if may_be_open else more))


def get_language(text: Text) -> str:
    """The language of the text without its region: de for de-CH."""
    return text.language.partition("-")[0].lower()


def find_texts(project: Project, ids: Sequence[str] | None) -> list[Text]:
    """The current texts with these ids, all if none is named; in the order of the bank."""
    texts = list(order_by_arrival(Text.objects.filter(project=project).current().select_related("project")))
    known = {text.external_id for text in texts}
    for name in ids or ():
        if name not in known:
            raise CannotGenerate(
                _("The project has no text “%(id)s”. The list of texts shows all ids.") % {"id": name[:200]}
            )
    found = [text for text in texts if not ids or text.external_id in ids]
    if not found:
        raise CannotGenerate(_("The project has no texts. Add one first."))
    return found


MAX_EXAMPLES = 20
BY_PEOPLE = (GeneratorKind.HUMAN, GeneratorKind.DATASET)


@dataclass(frozen=True)
class Examples:
    """The chosen examples: items by id, or a number of items drawn with a seed."""

    ids: tuple[str, ...] = ()
    n: int = 0
    seed: int = 1

    def __bool__(self) -> bool:
        return bool(self.ids or self.n)

    @property
    def size(self) -> int:
        return len(self.ids) or self.n

    def __str__(self) -> str:
        """The value of the generator's factor “examples”."""
        return ", ".join(self.ids) if self.ids else f"{self.n}, seed {self.seed}"


def parse_examples(words: str, seed: int | None) -> Examples:
    """The examples by number, or by ids separated by commas; a single id that is a number needs another beside it."""
    names = [name.strip() for name in words.split(",") if name.strip()]
    if len(names) == 1 and names[0].isdecimal() and len(names[0]) < 10:
        return Examples(n=int(names[0]), seed=1 if seed is None else seed)
    return Examples(ids=tuple(names))


def choose_examples(
    project: Project, wanted: Examples, texts: Sequence[Text], template: Template, n_options: int
) -> list[Item]:
    """The examples for texts of one language, in order; `CannotGenerate` if a text would get too few.

    No text gets an example about itself, so somewhat more may be drawn than one prompt shows.
    """
    if not wanted.size <= MAX_EXAMPLES:
        raise CannotGenerate(_("A prompt may show up to %(n)d examples. Choose fewer.") % {"n": MAX_EXAMPLES})
    language = get_language(texts[0])
    rows = Item.objects.filter(project=project).current().select_related("text", "generator")
    items = [item for item in rows.prefetch_related("options") if get_language(item.text) == language]
    if wanted.ids:
        return find_named_examples(items, wanted.ids, texts, template)
    asked = {text.external_id for text in texts}
    pool = [item for item in items if item.generator.kind in BY_PEOPLE and can_be_example(item, template, n_options)]
    Random(f"{wanted.seed}/{language}").shuffle(pool)
    return draw_examples(pool, wanted.n, asked)


def find_named_examples(
    items: Iterable[Item], ids: Sequence[str], texts: Sequence[Text], template: Template
) -> list[Item]:
    known, asked = {item.external_id: item for item in items}, {text.external_id for text in texts}
    for name in ids:
        values = {"id": name[:200], "language": get_language(texts[0])}
        if name not in known:
            raise CannotGenerate(
                _("There is no item “%(id)s” in the language “%(language)s”. Choose another.") % values
            )
        if not can_be_example(known[name], template, None):
            raise CannotGenerate(
                _("The item “%(id)s” lacks what an example of this instrument shows: options, explanations or the "
                  "expected answer. Choose another, or add them.") % values
            )  # fmt: skip
        if known[name].text.external_id in asked:
            raise CannotGenerate(
                _("The item “%(id)s” belongs to one of the selected texts. Choose an example about another text.")
                % values
            )
    return [known[name] for name in ids]


def draw_examples(pool: Sequence[Item], n: int, asked: Iterable[str]) -> list[Item]:
    """The shortest prefix of the pool with at least n items about other texts, for every text."""
    counts: dict[str, int] = dict.fromkeys(asked, 0)
    for length, item in enumerate(pool, 1):
        if item.text.external_id in counts:
            counts[item.text.external_id] += 1
        if length - max(counts.values(), default=0) >= n:
            return list(pool[:length])
    raise CannotGenerate(
        _("The project has too few suitable items for %(n)d examples: by people or data sets, in the "
          "texts' language, about other texts, with the requested number of options. Choose fewer, or "
          "list items.") % {"n": n}
    )  # fmt: skip


def can_be_example(item: Item, template: Template, n_options: int | None) -> bool:
    """Whether the item can be an example; with a number of options only if it has exactly as many."""
    if template.is_open:
        return bool(item.expected_answer)
    options = list(item.options.all())
    if template.explains and not all(option.explanation for option in options):
        return False
    return len(options) == n_options if n_options is not None else bool(options)


def render_examples(examples: Iterable[Item], text: Text, template: Template, n: int) -> list[str]:
    """The first n that are not about this text, in the format of the instrument."""
    others = [item for item in examples if item.text.external_id != text.external_id]
    return [render_example(item, template) for item in others[:n]]


def render_example(item: Item, template: Template) -> str:
    about = {"title": item.text.title, "body": item.text.body}
    if template.is_open:
        return template.render_example(**about, question=item.stem, answer=item.expected_answer)
    options = [ParsedOption(option.text, option.correct, option.explanation) for option in item.options.all()]
    parsed = ParsedItem(item.stem, options, reasoning=str(item.metadata.get("reasoning", "")))
    if template.reply == JSON:
        words = write_json(parsed, explains=template.explains)
    else:
        words = write_list(parsed, template.marks, explains=template.explains)
    return template.render_example(**about, item=words)


def list_answers(project: Project, texts: Iterable[Text], ignored: Generator | None = None) -> list[Item]:
    """The first item with each different expected answer about these texts, text by text.

    Items of the generator `ignored` do not count: their answers came from others.
    """
    wanted = {text.pk: place for place, text in enumerate(texts)}
    rows = Item.objects.filter(text__project=project).current().exclude(expected_answer="").select_related("text")
    found: dict[tuple[int, str], Item] = {}
    for item in rows.exclude(generator=ignored) if ignored else rows:
        if item.text_id in wanted:  # not in SQL, which accepts no list of tens of thousands of texts
            found.setdefault((item.text_id, " ".join(item.expected_answer.casefold().split())), item)
    return sorted(found.values(), key=lambda item: (wanted[item.text_id], item.pk))


def list_unanswered(sources: Iterable[Item], generator: Generator | None, ending: str) -> list[Item]:
    """The sources whose answer still lacks a question of the generator, complete or incomplete."""
    if generator is None:
        return list(sources)
    done = set(Item.objects.filter(generator=generator).current().values_list("external_id", flat=True))
    done |= set(IncompleteItem.objects.filter(generator=generator).values_list("external_id", flat=True))
    return [item for item in sources if make_question_id(item, ending) not in done]
