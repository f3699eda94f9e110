"""A scratch project: texts and items are imported under it before they become a project's, or moved to it for
deletion."""

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex

from items.models import Generator, Item, Text
from jobs.progress import report_progress
from projects.models import Project
from projects.scratch import Writer, delete_in_chunks


@contextmanager
def use_scratch_project(project: Project) -> Iterator[tuple[Project, Writer]]:
    """A hidden project, and a writer for it; it is deleted at the end with its contents."""
    for left in Project.everything.exclude(writer=""):
        if left.is_abandoned:
            delete_scratch(left)
    with Writer() as writer:
        scratch = Project(slug=f"scratch-{token_hex(8)}", title=project.title)
        writer.start(scratch)
        try:
            yield scratch, writer
        finally:
            delete_scratch(scratch)


def delete_scratch(scratch: Project) -> None:
    clear_bank(scratch)
    Project.everything.filter(pk=scratch.pk).delete()


def clear_bank(scratch: Project) -> None:
    """Delete its contents, and report how many of all rows are deleted."""
    left = [model._base_manager.filter(project=scratch) for model in (Item, Text, Generator)]
    total, done = sum(rows.count() for rows in left), 0

    def tell(n: int) -> None:
        nonlocal done
        report_progress("rows", done, total)
        done += n

    for rows in left:
        delete_in_chunks(rows, tell)
