"""Import of a file of texts and items: read, plan, apply. A preview reads and plans."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from items.formats import FORMATS
from items.formats.problems import Reading
from items.plain import printable
from items.services.applying import apply_plan
from items.services.bank import locked
from items.services.naming import ImportOptions
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from projects.models import Project, User


class ImportRefused(Exception):
    """The file has problems; nothing was stored. The plan lists them."""

    def __init__(self, plan: ImportPlan) -> None:
        super().__init__(_("The file was refused; nothing was stored."))
        self.plan = plan


def read(
    content: bytes, format_name: str = "lesart", *, name: str = "", columns: Sequence[str] | None = None
) -> Reading:
    """The rows of the file and what is wrong with it. Needs no database.

    `columns` is what was chosen for each column of a table, by default what its name says.
    """
    return FORMATS[format_name](content, name, columns)


def import_items(
    project: Project, reading: Reading, options: ImportOptions, *, filename: str, user: User | None = None
) -> ImportPlan:
    """Store the file, all of it or nothing: planned anew under the lock, because the bank may have changed."""
    with locked(project):
        plan = plan_import(project, reading, options)
        if plan.problems:
            raise ImportRefused(plan)
        reason = _("Import of the file {name}").format(name=printable(filename, 200))
        apply_plan(project, plan, reason, user)
    return plan
