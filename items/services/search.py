"""Search the bank: texts with their items by words, filters and tags, and samples of the items that were found."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import reduce
from hashlib import sha256
from operator import and_, or_
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, TextChoices
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from items.models import Item, Option, Text
from items.plain import CHARACTER
from items.search_index import build_match
from items.services.bank import list_languages, order_by_arrival
from projects.models import Project

MAX_WORDS = 10  # words of a search; further ones are ignored
WORD = re.compile(r"[^\W_]+")


class TextFlag(TextChoices):
    """Something to fix or check before a text is used."""

    NO_ITEMS = "no-items", _("no items")
    NO_KEY = "no-key", _("an item without a key")
    TO_REPAIR = "to-repair", _("items to repair")
    DUPLICATE = "duplicate", _("near-duplicate items")
    ARCHIVED = "archived", _("archived")


FLAGGED: dict[str, dict[str, Any]] = {
    TextFlag.NO_ITEMS: {"has_items": False},
    TextFlag.NO_KEY: {"lacks_key": True},
    TextFlag.TO_REPAIR: {"n_repair__gt": 0},
}


@dataclass(frozen=True)
class BankSearch:
    """The search terms: words, and values of texts (language, source, split, flag) or items (all others)."""

    words: str = ""
    language: str = ""
    source: str = ""
    split: str = ""
    flag: str = ""
    generator: str = ""
    tag: str = ""

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self))

    @property
    def item_condition(self) -> Q:
        """The condition on items."""
        found = Q(generator__name=self.generator) if self.generator else Q()
        return found & Q(tags__has_tag=self.tag) if self.tag else found


EVERYTHING = BankSearch()


def search_texts(project: Project, search: BankSearch = EVERYTHING) -> QuerySet[Text]:
    """Current texts that match the search: each search word begins a word of the text or of its items.

    Archived texts are found only by their flag. The texts are annotated:
    `has_items`, `lacks_key` and `n_repair` are the flags; `current_items` are the items that match the search.
    """
    mine = Text.objects.filter(project=project)
    is_archived = search.flag == TextFlag.ARCHIVED
    texts = order_by_arrival(mine.current().filter(archived_at__isnull=False) if is_archived else mine.available())
    if search.words:
        texts = texts.filter(match_texts(project, search.words))
    if search.language:
        texts = texts.filter(language=search.language)
    if search.source:
        texts = texts.filter(source=search.source)
    if search.split:
        texts = texts.filter(metadata__split=search.split)
    chosen = Item.objects.available().filter(search.item_condition)
    if search.item_condition:
        texts = texts.filter(Exists(chosen.filter(text=OuterRef("pk"))))
    if search.flag == TextFlag.DUPLICATE:
        from items.services.duplicates import list_texts_of_duplicates  # needs numpy

        texts = texts.filter(pk__in=list_texts_of_duplicates(project))
    texts = flag_texts(texts).filter(**FLAGGED.get(search.flag, {}))
    current = chosen.select_related("generator").only("text_id", "external_id", "generator__name")
    return texts.select_related("project").prefetch_related(Prefetch("items", current, to_attr="current_items"))


def match_texts(project: Project, words: str) -> Q:
    """The texts with this id, or with each of the words in the text or its items."""
    return Q(external_id__icontains=words) | match_all(words, lambda word: match_text_or_items(project, word))


def match_items(words: str) -> Q:
    """The items with this id, or with each of the words."""
    return Q(external_id__icontains=words) | match_all(words, match_item)


def match_all(words: str, match: Callable[[str], Q]) -> Q:
    found = [match(word) for word in list(dict.fromkeys(split_words(words)))[:MAX_WORDS]]
    return reduce(and_, found) if found else Q(pk=None)


def split_words(words: str) -> list[str]:
    """Runs of letters and digits as in the index; characters of scripts without spaces stay together."""
    return WORD.findall(words.casefold())


def match_text_or_items(project: Project, word: str) -> Q:
    mine = Item.objects.available().filter(project=project)
    return match_rows("items_text", ("title", "body"), word) | Q(pk__in=mine.filter(match_item(word)).values("text"))


def match_item(word: str) -> Q:
    options = Option.objects.filter(match_rows("items_option", ("text",), word))
    return match_rows("items_item", ("stem", "expected_answer"), word) | Q(pk__in=options.values("item"))


def match_rows(table: str, columns: Iterable[str], word: str) -> Q:
    """Rows with a word that begins with this one. In scripts without spaces, which have no words to index, any part
    matches."""
    if CHARACTER.search(word):
        return reduce(or_, (Q(**{f"{column}__icontains": word}) for column in columns))
    return Q(pk__in=RawSQL(*build_match(connection.vendor, table, word)))  # noqa: S611 - words are parameters


def flag_texts(texts: QuerySet[Text]) -> QuerySet[Text]:
    """Each text with `has_items`, `lacks_key` (of an item with options) and `n_repair` (items to repair in
    `generation`)."""
    items = Item.objects.filter(text=OuterRef("pk")).available()
    with_options = Exists(Option.objects.filter(item=OuterRef("pk")))
    with_key = Exists(Option.objects.filter(item=OuterRef("pk"), correct=True))
    incomplete: Any = Text._meta.get_field("incomplete_items").related_model
    waiting = incomplete.objects.filter(text=OuterRef("pk"), state="open").order_by().values("text")
    return texts.annotate(
        has_items=Exists(items),
        lacks_key=Exists(items.filter(with_options, ~with_key)),
        n_repair=Coalesce(Subquery(waiting.annotate(n=Count("pk")).values("n")), 0),
    )


def list_choices(project: Project) -> dict[str, list[str]]:
    """The values for search filters: languages, sources, splits, generators and tags of current texts and items."""
    texts = Text.objects.filter(project=project).current().order_by()
    found = {
        "language": list_languages(project),
        "source": texts.exclude(source="").values_list("source", flat=True).distinct(),
        "split": texts.values_list("metadata__split", flat=True).distinct(),
    }
    fields = {
        name: sorted({value for value in values if isinstance(value, str) and value}) for name, values in found.items()
    }
    generators = list(project.generators.values_list("name", flat=True))
    return {**fields, "generator": generators, "tag": sorted(count_tags(project))}


def count_tags(project: Project) -> Counter[str]:
    """How many current items have each tag."""
    rows = Item.objects.filter(project=project).available().exclude(tags=[]).order_by()
    return Counter(tag for tags in rows.values_list("tags", flat=True) for tag in tags)


class Stratum(TextChoices):
    """The property by which a sample is stratified."""

    NONE = "", _("nothing")
    GENERATOR = "generator", _("generator")
    TEXT = "text", _("text")
    LANGUAGE = "language", _("language")
    SOURCE = "source", _("source")
    GENRE = "genre", _("genre")
    LEVEL = "level", _("level")


@dataclass(frozen=True)
class Sample:
    """A number of items from each stratum; for a given seed the same ones, even if others are added."""

    size: int
    by: str = Stratum.NONE
    seed: int = 1

    def draw(self, items: Iterable[Item]) -> set[int]:
        """The primary keys of the drawn items; all of a stratum that has fewer."""
        strata: dict[str, list[tuple[bytes, int]]] = {}
        for item in items:
            rank = sha256(f"{self.seed} {item.external_id}".encode()).digest()
            strata.setdefault(self.name_stratum(item), []).append((rank, item.pk))
        return {pk for stratum in strata.values() for _rank, pk in sorted(stratum)[: self.size]}

    def name_stratum(self, item: Item) -> str:
        if self.by == Stratum.GENERATOR:
            return item.generator.name
        if self.by == Stratum.TEXT:
            return item.text.external_id
        return str(getattr(item.text, self.by)) if self.by else ""
