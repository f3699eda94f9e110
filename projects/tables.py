import django_tables2 as tables
from django.utils.translation import gettext_lazy as _


class StudyTable(tables.Table):
    """The studies of a project, as far as this layer knows them."""

    title = tables.Column(verbose_name=_("Study"), linkify=("study", {"slug": tables.A("slug")}))
    state = tables.TemplateColumn(template_name="projects/study_state.html", verbose_name=_("State"))
    results = tables.TemplateColumn(
        template_name="projects/study_results.html", verbose_name=_("Results"), accessor="slug", orderable=False
    )
    created_at = tables.DateColumn(verbose_name=_("Made"), short=False)
