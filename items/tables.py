from collections import Counter
from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from items.language import name_language
from items.models import Text
from items.plain import count_words

WIDE_ONLY = {"th": {"class": "wide-only"}, "td": {"class": "wide-only"}}
NUMBER = {"th": {"class": "num"}, "td": {"class": "num", "data-name": _("Words")}}


class TextTable(tables.Table):
    title = tables.Column(verbose_name=_("Text"), empty_values=(), order_by=("title", "body"))
    external_id = tables.Column(verbose_name=_("Id"), attrs=WIDE_ONLY)
    language = tables.Column(verbose_name=_("Language"), attrs=WIDE_ONLY)
    items = tables.Column(
        verbose_name=_("Items by generator"), empty_values=(), orderable=False, attrs={"td": {"class": "full"}}
    )
    words = tables.Column(verbose_name=_("Words"), empty_values=(), orderable=False, attrs=NUMBER)

    class Meta:
        model = Text
        fields = ["title", "external_id", "language", "items", "words"]

    def render_title(self, record: Text) -> SafeString:
        url = reverse("text", args=[record.project.slug, record.pk])
        name = record.title or Truncator(record.body).words(9)
        return format_html('<a href="{}" lang="{}" dir="auto" translate="no">{}</a>', url, record.language, name)

    def render_external_id(self, value: str) -> SafeString:
        return format_html('<code class="id" title="{0}">{0}</code>', value)

    def render_language(self, value: str) -> str:
        return name_language(value)

    def render_items(self, record: Any) -> str:
        counts = Counter(item.generator.name for item in record.current_items)
        return ", ".join(f"{name}:\N{NO-BREAK SPACE}{count}" for name, count in sorted(counts.items())) or "–"

    def render_words(self, record: Text) -> int:
        return count_words(record.body)
