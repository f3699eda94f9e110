"""The list of texts, searched and filtered."""

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from items.models import Item, Text
from items.services.bank import in_order
from projects.models import Project


def texts_of(project: Project, search: str = "", language: str = "") -> QuerySet[Text]:
    """Current texts in which, or in whose items, the words stand; each with its `current_items`."""
    current = Item.objects.current().select_related("generator").only("text_id", "generator__name")
    texts = in_order(Text.objects.filter(project=project).current())
    if search:
        stems = Item.objects.filter(text=OuterRef("pk"), stem__icontains=search).current()
        words = Q(title__icontains=search) | Q(body__icontains=search) | Q(external_id__icontains=search)
        texts = texts.filter(words | Exists(stems))
    if language:
        texts = texts.filter(language=language)
    return texts.select_related("project").prefetch_related(Prefetch("items", current, to_attr="current_items"))


def languages_in(project: Project) -> list[str]:
    """The languages of the current texts."""
    rows = Text.objects.filter(project=project).current().order_by("language")
    return list(rows.values_list("language", flat=True).distinct())
