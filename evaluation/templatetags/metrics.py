from django import template

from evaluation.metric_rows import values_by_item

register = template.Library()


@register.simple_tag
def metrics_of(columns):
    """Metric values of all items of a text's page, by item: one query for the page."""
    return values_by_item(row.item for column in columns for row in column.items)


@register.filter
def of_item(values, item):
    return values.get(item.pk, [])
