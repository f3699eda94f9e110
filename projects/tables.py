import django_tables2 as tables
from django.utils.translation import gettext_lazy as _

STATE_BADGES = {"live": "good", "paused": "warning"}


class StudyTable(tables.Table):
    """The studies of a project, as far as this layer knows them."""

    title = tables.Column(verbose_name=_("Study"), linkify=("study", {"slug": tables.A("slug")}))
    protocol = tables.Column(verbose_name=_("Protocol"), accessor="get_protocol_display", order_by="protocol")
    language = tables.Column(verbose_name=_("Language"))
    state = tables.TemplateColumn(template_name="projects/study_state.html", verbose_name=_("State"))
    created_at = tables.DateColumn(verbose_name=_("Made"))
    results = tables.Column(
        verbose_name=_("Results"),
        accessor="slug",
        orderable=False,
        linkify=("study_results", {"slug": tables.A("slug")}),
    )

    class Meta:
        attrs = {"class": "table"}

    def render_results(self):
        return _("Results")
