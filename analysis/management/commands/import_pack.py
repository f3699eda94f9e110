"""`import_pack FILE.zip --project SLUG`: a replication pack as a study, on which `report` gives the same tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from django.core.management.base import BaseCommand, CommandError

from analysis.pack.archive import BadPack
from analysis.pack.restoring import import_pack
from items.files import get_upload_limit
from items.management.commands._project import find_project
from items.plain import make_printable
from studies.services.responses.importing import ImportRefused
from studies.services.spec import SpecError

MOST_PROBLEMS = 20


class Command(BaseCommand):
    help = "Imports a replication pack into an empty project, as an imported study: the whole pack or nothing."

    def add_arguments(self, parser):
        parser.add_argument("file", metavar="FILE.zip", help="as export_pack has written it")
        parser.add_argument(
            "--project", required=True, metavar="SLUG", help="an empty one; make it with create_project"
        )
        parser.add_argument("--slug", default="", help="short name of the study here; default: its own")

    def handle(self, *, file, project, slug, **options):
        owner = find_project(project)
        with open_archive(file) as opened:
            found = import_pack(opened, owner, slug)
        self.stdout.write(
            f"The study {found.study.slug} is there: {found.n_texts} texts, {found.n_annotators} annotators,"
            f" {found.n_responses} answers."
        )
        if found.n_withheld:
            self.stdout.write(f"Of {found.n_withheld} texts the pack has the hash only.")


@contextmanager
def open_archive(file: str) -> Iterator[IO[bytes]]:
    """The opened file; errors while it is read become a `CommandError` with a sentence."""
    try:
        with open(file, "rb") as opened:
            refuse_large(opened)
            yield opened
    except OSError as error:
        raise CommandError(f"{make_printable(file, 200)} cannot be read: {error.strerror}.") from None
    except (BadPack, SpecError) as bad:
        raise CommandError(f"Nothing was stored. {bad}") from None
    except ImportRefused as refused:
        listed = [str(problem) for problem in refused.problems[:MOST_PROBLEMS]]
        raise CommandError("\n".join(["Nothing was stored. answers/responses.csv:", *listed])) from None


def refuse_large(opened) -> None:
    limit = get_upload_limit("COMMAND")
    if opened.seek(0, 2) > limit:
        raise BadPack(f"The file is larger than {limit // 1_000_000} MB.")
    opened.seek(0)
