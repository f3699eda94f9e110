from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class ItemsConfig(AppConfig):
    name = "items"

    def ready(self):
        from jobs.kinds import Kind, register  # models cannot be imported earlier

        steps = {"compare": _("Comparing all items.")}
        importing = {"read": _("Reading the file."), "rows": _("%(done)s of %(total)s rows.")}
        work = "items.services.import_files"
        register(
            Kind("import_preview", f"{work}.preview_file", _("Reading the file"), importing),
            Kind("import_paragraphs", f"{work}.arrange_by_job", _("Reading the file"), importing),
            Kind("import", f"{work}.store_file", _("Importing the file"), importing),
            Kind("import_undo", f"{work}.undo_by_job", _("Undoing the import"), importing),
        )
        register(Kind("near_duplicates", "items.services.duplicates.work_out", _("Looking for near-duplicates"), steps))
        post_migrate.connect(index_words, sender=self)


def index_words(using: str, **_options):
    """Create the full-text index after each migration: see `items.search_index`."""
    from items.search_index import ensure_search_index

    ensure_search_index(connections[using])
