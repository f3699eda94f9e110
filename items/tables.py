from collections import Counter

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from items.language import language_name
from items.models import Text


class TextTable(tables.Table):
    title = tables.Column(verbose_name=_("Text"), empty_values=())
    external_id = tables.Column(verbose_name=_("Id"))
    language = tables.Column(verbose_name=_("Language"))
    items = tables.Column(verbose_name=_("Items by generator"), empty_values=(), orderable=False)
    words = tables.Column(
        verbose_name=_("Words"),
        empty_values=(),
        orderable=False,
        attrs={"th": {"class": "num"}, "td": {"class": "num"}},
    )

    class Meta:
        model = Text
        fields = ["title", "external_id", "language", "items", "words"]

    def render_title(self, record: Text) -> SafeString:
        url = reverse("text", args=[record.project.slug, record.pk])
        name = record.title or Truncator(record.body).words(9)
        return format_html('<a href="{}" lang="{}" translate="no">{}</a>', url, record.language, name)

    def render_external_id(self, value: str) -> SafeString:
        return format_html('<code class="id">{}</code>', value)

    def render_language(self, value: str) -> str:
        return language_name(value)

    def render_items(self, record: Text) -> str:
        counts = Counter(item.generator.name for item in record.current_items)
        return ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())) or "–"

    def render_words(self, record: Text) -> int:
        return len(record.body.split())
